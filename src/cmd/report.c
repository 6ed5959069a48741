/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell report FILE`: what a recorded run printed, printed again, on any machine and without privileges. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "store/recfile.h"
#include "view/text.h"

static bool of_symbol(struct recread *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr,
		      struct symbol *ret)
{
	struct recfile_symbol rs;

	if (!recread_symbol(f, space, tgid, start, addr, &rs))
		return false;
	ret->module = rs.module ? rs.module : "";
	ret->name = rs.name;
	ret->path = rs.path;
	ret->offset = rs.offset;
	ret->addr = rs.base;
	return rs.found;
}

static bool kernel_symbol(void *ctx, uint64_t addr, struct symbol *ret)
{
	return of_symbol(ctx, RECFILE_KERNEL, 0, 0, addr, ret);
}

static bool user_symbol(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	return of_symbol(ctx, RECFILE_USER, tgid, start, addr, ret);
}

static void set_option(struct text_opts *t, const char *name, long long v)
{
	const struct { const char *name; bool *flag; int64_t *number; } opts[] = {
		{ "quiet", &t->quiet, NULL }, { "flowindent", &t->flowindent, NULL },
		{ "rawbytes", &t->rawbytes, NULL }, { "noresolve", &t->noresolve, NULL },
		{ "droptags", &t->droptags, NULL }, { "aggsortkey", &t->aggsortkey, NULL },
		{ "aggsortrev", &t->aggsortrev, NULL }, { "aggpercpu", &t->aggpercpu, NULL },
		{ "aggsortkeypos", NULL, &t->aggsortkeypos }, { "aggsortpos", NULL, &t->aggsortpos },
		{ "stackindent", NULL, &t->stackindent }, { "ustackframes", NULL, &t->ustackframes },
		{ "verbose", &t->verbose, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		if (strcmp(opts[i].name, name) != 0)
			continue;
		if (opts[i].flag)
			*opts[i].flag = v != 0;
		else
			*opts[i].number = v;
	}
}

static void show_msg(void *arg, const char *text)
{
	(void)arg;
	cmd_msg("%s", text);
}

static int show_rows(struct recread *f, struct text_view *v)
{
	struct err err = { 0 };
	struct row row = { 0 };
	bool ended = false;
	int e, w = 0;

	while ((e = recread_next(f, &row, &err)) > 0 && w == 0) {
		ended = row.kind == ROW_END;
		w = text_view_row(v, &row);
	}
	if (w == 0) {
		printf("\n");
		w = text_view_finish(v);
	}
	if (w == 0 && fflush(stdout) != 0)
		w = -errno;
	if (w < 0)
		return w == -EPIPE ? EXIT_ERROR :
				     cmd_fail("failed to write to standard output: %s", strerror(-w));
	if (e < 0)
		return cmd_fail("%s", err.msg);
	if (!ended)
		cmd_msg("the recording was not ended: its last second may be missing");
	return 0;
}

static void show_programs(const struct recread *f)
{
	static const char *const keys[] = { "host", "kernel", "machine", "dwell" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		printf("%-8s %s\n", keys[i], recread_meta(f, keys[i]) ? recread_meta(f, keys[i]) : "unknown");
	for (const struct recfile_pair *p = recread_programs(f); p->name; p++)
		printf("\n/* %s */\n%s\n", p->name, p->value);
}

static int usage(void)
{
	fprintf(stderr, "Usage: %s report [-qFv] [-l] FILE\n"
			"\n\t-F  coalesce trace output by function\n\t-l  show the recorded programs and where they ran\n"
			"\t-q  quiet mode\n\t-v  losses by probe\n", cmd_name());
	return EXIT_USAGE;
}

static int report(int argc, char **argv)
{
	struct text_opts opts = { 0 }, asked = { 0 };
	struct text_view *v = NULL;
	struct recread *f = NULL;
	struct sym_source source = { NULL, kernel_symbol, user_symbol };
	struct sym *sym = NULL;
	struct err err = { 0 };
	bool programs = false;
	int c, e;

	while ((c = getopt(argc, argv, "+qFvl")) != -1) {
		asked.quiet |= c == 'q';
		asked.flowindent |= c == 'F';
		asked.verbose |= c == 'v';
		programs |= c == 'l';
		if (c == '?')
			return usage();
	}
	if (optind + 1 != argc)
		return usage();
	if (recread_open(argv[optind], &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	for (const struct recfile_pair *p = recread_options(f); p->name; p++)
		set_option(&opts, p->name, strtoll(p->value, NULL, 10));
	opts.quiet |= asked.quiet;
	opts.flowindent |= asked.flowindent;
	opts.verbose |= asked.verbose;
	source.ctx = f;
	if (programs) {
		show_programs(f);
		e = 0;
	} else if (sym_new_source(&source, &sym, &err) < 0 ||
		   text_view_new(recread_schema(f), sym, &opts, stdout, show_msg, NULL, &v) < 0) {
		e = cmd_fail("out of memory");
	} else {
		e = show_rows(f, v);
	}
	text_view_free(v);
	sym_free(sym);
	recread_close(f);
	return e;
}

const struct command cmd_report = { "report", "prints a recording", report };
