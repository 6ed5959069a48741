/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of scripts: --NAME VALUE on the command line, and --help. */
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/compile.h"

int params_option(struct cmdline *c, int argc, char **argv, int *at)
{
	char *name = argv[*at] + 2, *eq = strchr(name, '=');
	struct param_given g = { .name = name };

	++*at;
	if (!strcmp(name, "help")) {
		c->help = true;
		return 0;
	}
	if (eq) {
		g.name = arena_strndup(c->arena, name, (size_t)(eq - name));
		g.value = eq + 1;
	} else if (*at < argc) {
		g.value = argv[(*at)++];
	} else {
		fprintf(stderr, "%s: option requires an argument -- '--%s'\n", cmd_name(), name);
		return cmd_usage();
	}
	vec_push(&c->given, g);
	return 0;
}

static void print_param(const struct param *p)
{
	int n = printf("  --%s %s", p->name, p->is_string ? "STRING" : "N");

	printf("%*s%s", n < 24 ? 24 - n : 1, "", p->help);
	if (!p->def)
		printf(" (must be given)\n");
	else if (p->is_string)
		printf(" (default \"%s\")\n", p->def);
	else
		printf(" (default %s)\n", p->def);
}

int params_help(struct cmdline *c)
{
	struct params ps = { 0 };
	struct macro_env macros = { .argv = c->argv, .argc = c->argc, .params = &ps };
	struct compile_env env = { .macros = &macros, .opts = &c->opts };

	for (size_t i = 0; i < c->progs.n; i++) {
		struct diags d; /* only the parameters matter here */
		struct unit *u;
		int r = prog_load(c, &c->progs.v[i]);

		if (r)
			return r;
		diags_init(&d, c->arena);
		lang_parse(c->arena, &c->progs.v[i].src, &env, &d, &u);
	}
	printf("Usage: %s [options]", cmd_name());
	for (size_t i = 0; i < c->progs.n; i++)
		printf(c->progs.v[i].kind == PROG_SCRIPT ? " -s %s" : " -n '%s'", c->progs.v[i].arg);
	printf("%s\n", ps.first ? " [parameters]" : "");
	if (!ps.first)
		printf("\nThe program has no parameters.\n");
	else
		printf("\nParameters:\n");
	for (const struct param *p = ps.first; p; p = p->next)
		print_param(p);
	return -1;
}

static void list_names(const struct params *ps)
{
	const struct param *p;

	if (!ps->first) {
		cmd_msg("the program declares no parameters: #pragma D param");
		return;
	}
	fprintf(stderr, "%s: its parameters are", cmd_name());
	for (p = ps->first; p; p = p->next)
		fprintf(stderr, " --%s%s", p->name, p->next ? "," : "");
	fprintf(stderr, "\n");
}

int params_check(struct cmdline *c)
{
	bool unknown = false, missing = false;

	for (size_t i = 0; i < c->given.n; i++)
		if (!c->given.v[i].known) {
			cmd_msg("no such parameter or option: --%s", c->given.v[i].name);
			unknown = true;
		}
	for (const struct param *p = c->params.first; p; p = p->next)
		if (!p->value) {
			cmd_msg("parameter --%s must be given: %s", p->name, p->help);
			missing = true;
		}
	if (unknown)
		list_names(&c->params);
	return unknown || missing ? EXIT_USAGE : 0;
}
