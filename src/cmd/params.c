/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of scripts: --NAME VALUE on the command line, and --help. */
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "engine/front/compile.h"

int params_unknown(struct request *c, const char *name)
{
	static const char *const names[] = { "help", "version", "json", "record", "record-age", "record-size" };
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		near_try(&near, names[i]);
	if (!near.best)
		return cmd_usage(arena_printf(c->arena, "there is no option --%s", name));
	return cmd_fail("there is no option --%s; did you mean --%s?", name, near.best), EXIT_USAGE;
}

int params_option(struct request *c, int argc, char **argv, int *at)
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
		return c->progs.n ? cmd_usage(arena_printf(c->arena, "option requires an argument -- '--%s'", name))
				  : params_unknown(c, name);
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

/* A shipped tool by its name. */
static void put_usage(const struct request *c, bool has_params)
{
	const char *tools = arena_printf(c->arena, "%s/tools/", libs_dir(c->arena)), *arg = c->progs.v[0].arg;
	size_t n = strlen(tools);

	if (c->progs.v[0].kind == PROG_SCRIPT && !strncmp(arg, tools, n)) {
		printf("Usage: %s run %.*s [options]%s [-- COMMAND...]\n", cmd_name(), (int)strcspn(arg + n, "."),
		       arg + n, has_params ? " [parameters]" : "");
		return;
	}
	printf("Usage: %s [options]", cmd_name());
	for (size_t i = 0; i < c->progs.n; i++)
		printf(c->progs.v[i].kind == PROG_SCRIPT ? " -s %s" : " -n '%s'", c->progs.v[i].arg);
	printf("%s\n", has_params ? " [parameters]" : "");
}

int params_help(struct request *c)
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
	put_usage(c, ps.first != NULL);
	if (!ps.first)
		printf("\nThe program has no parameters.\n");
	else
		printf("\nParameters:\n");
	for (const struct param *p = ps.first; p; p = p->next)
		print_param(p);
	return -1;
}
