/* SPDX-License-Identifier: Apache-2.0 */
/* Named parameters of scripts: --NAME VALUE on the command line, and --help. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/optrow.h"
#include "cmdline/opts.h"
#include "engine/front/compile.h"

int params_unknown(const char *name, struct err *err)
{
	struct near near;

	near_init(&near, name);
	cmdline_near(&near, false);
	if (!near.best || !strcmp(near.best, name))
		return err_set(err, CMDLINE_USAGE, "there is no option --%s", name);
	return err_set(err, -EINVAL, "there is no option --%s; did you mean --%s?", name, near.best);
}

int params_option(struct request *c, int argc, char **argv, int *at, struct err *err)
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
		return c->progs.n ? err_set(err, CMDLINE_USAGE, "option requires an argument -- '--%s'", name)
				  : params_unknown(name, err);
	}
	if (!strcmp(g.name, "for"))
		return optrow_time("for", g.value, 1, &c->for_ns, err);
	vec_push(&c->given, g);
	return 0;
}

static void put_param(const struct param *p, FILE *out)
{
	int n = fprintf(out, "  --%s %s", p->name, p->is_string ? "STRING" : "N");

	fprintf(out, "%*s%s", n < 24 ? 24 - n : 1, "", p->help);
	if (!p->def)
		fprintf(out, " (must be given)\n");
	else if (p->is_string)
		fprintf(out, " (default \"%s\")\n", p->def);
	else
		fprintf(out, " (default %s)\n", p->def);
}

/* A shipped tool by its name. */
static void put_usage(const struct request *c, bool has_params, FILE *out)
{
	const char *tools = arena_printf(c->arena, "%s/tools/", libs_dir(c->arena)), *arg = c->progs.v[0].arg;
	size_t n = strlen(tools);

	if (c->progs.v[0].kind == PROG_SCRIPT && !strncmp(arg, tools, n)) {
		fprintf(out, "Usage: %s run %.*s [options]%s [-- COMMAND...]\n", c->name, (int)strcspn(arg + n, "."),
			arg + n, has_params ? " [parameters]" : "");
		return;
	}
	fprintf(out, "Usage: %s [options]", c->name);
	for (size_t i = 0; i < c->progs.n; i++)
		fprintf(out, c->progs.v[i].kind == PROG_SCRIPT ? " -s %s" : " -n '%s'", c->progs.v[i].arg);
	fprintf(out, "%s\n", has_params ? " [parameters]" : "");
}

int params_help(struct request *c, FILE *out)
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
	put_usage(c, ps.first != NULL, out);
	if (!ps.first)
		fprintf(out, "\nThe program has no parameters.\n");
	else
		fprintf(out, "\nParameters:\n");
	for (const struct param *p = ps.first; p; p = p->next)
		put_param(p, out);
	return 0;
}
