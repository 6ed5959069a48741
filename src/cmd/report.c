/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell report FILE`: what a recorded run printed, printed again, on any machine and without privileges. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/report.h"
#include "cmd/textopts.h"
#include "cmd/why.h"
#include "store/recquery.h"
#include "view/recsym.h"
#include "view/text.h"

/* What setopt() does while a report is printed. */
struct reported {
	struct dopts opts;
	struct text_view *view;
	struct why why;
};

static const char *on_setopt(void *arg, const char *name, const char *value)
{
	struct reported *r = arg;

	if (!textopts_dynamic(name))
		return "Operation illegal when tracing is active";
	if (dopts_set(&r->opts, name, value, NULL) < 0)
		return "Invalid value for specified option";
	textopts_fill(text_view_opts(r->view), &r->opts);
	return NULL;
}

/* The options that the run had. Values that no run can have had are left out. */
static void take_options(struct recread *f, struct reported *r, struct text_opts *t)
{
	for (const struct recfile_pair *p = recread_options(f); p->name; p++) {
		if (!strcmp(p->name, "verbose"))
			t->verbose = !strcmp(p->value, "set");
		for (size_t i = 0; textopts_names[i]; i++)
			if (!strcmp(p->name, textopts_names[i]))
				dopts_set(&r->opts, p->name, p->value, NULL);
	}
	textopts_fill(t, &r->opts);
	t->destructive = false; /* what it ran then is not run again */
}

static void show_msg(void *arg, const char *text)
{
	(void)arg;
	cmd_msg("%s", text);
}

static int show_cost(void *ctx, const struct rec_cost_row *c)
{
	const struct row row = { .kind = ROW_COST, .id = c->program, .probe = c->probe, .data = &c->c, .len = sizeof(c->c) };

	return text_view_row(ctx, &row);
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
	if (w == 0 && e == 0)
		e = recread_costs(f, REC_ALL_TIME, show_cost, v, &err);
	if (w == 0) {
		if (!text_view_opts(v)->json)
			printf("\n");
		w = text_view_finish(v);
	}
	w = cmd_written(w);
	if (w)
		return w;
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
	fprintf(stderr, "Usage: %s report [-qFv] [-l] [--table NAME] [--json] FILE\n"
			"\n\t-F  coalesce trace output by function\n\t--json  output as JSON Lines\n\t-l  show the recorded programs and where they ran\n"
			"\t-q  quiet mode\n\t--table  print one table: slow, control, hist, span, process, cost, loss\n"
			"\t-v  losses by probe\n", cmd_name());
	return EXIT_USAGE;
}

/* The command line; false: it is none. */
struct asked {
	bool json, quiet, flowindent, verbose, programs;
	const char *table;
};

static bool parse(int argc, char **argv, struct asked *a)
{
	static const struct option longs[] = { { "json", no_argument, NULL, 'j' },
					       { "table", required_argument, NULL, 't' }, { NULL, 0, NULL, 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "+qFvl", longs, NULL)) != -1) {
		a->json |= c == 'j';
		a->quiet |= c == 'q';
		a->flowindent |= c == 'F';
		a->verbose |= c == 'v';
		a->programs |= c == 'l';
		a->table = c == 't' ? optarg : a->table;
		if (c == '?')
			return false;
	}
	return optind + 1 == argc;
}

static int show_text(struct recread *f, struct arena *a, const struct asked *asked)
{
	struct text_opts opts = { 0 };
	struct reported r = { 0 };
	struct sym *sym = NULL;
	struct err err = { 0 };
	int e;

	dopts_init(&r.opts, a);
	take_options(f, &r, &opts);
	opts.json = asked->json;
	opts.replayed = true;
	opts.why = why_words;
	opts.why_arg = &r.why;
	why_open(&r.why, &r.opts);
	if (asked->json)
		dopts_set(&r.opts, "oformat", "json", NULL);
	opts.quiet |= asked->quiet;
	opts.flowindent |= asked->flowindent;
	opts.verbose |= asked->verbose;
	if (recsym_new(f, &sym, &err) < 0 ||
	    text_view_new(recread_schema(f), sym, &opts, stdout, show_msg, NULL, &r.view) < 0) {
		e = cmd_fail("out of memory");
	} else {
		text_view_on_setopt(r.view, on_setopt, &r);
		e = show_rows(f, r.view);
	}
	text_view_free(r.view);
	why_done(&r.why);
	sym_free(sym);
	return e;
}

static int report(int argc, char **argv)
{
	struct asked asked = { 0 };
	struct recread *f = NULL;
	struct err err = { 0 };
	struct arena *a;
	int e = 0;

	if (!parse(argc, argv, &asked))
		return usage();
	if (recread_open(argv[optind], &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	a = arena_new(ARENA_DEFAULT_LIMIT);
	if (asked.programs)
		show_programs(f);
	else if (asked.table)
		e = report_table(f, asked.table, asked.json);
	else
		e = show_text(f, a, &asked);
	recread_close(f);
	arena_free(a);
	return e;
}

const struct command cmd_report = { "report", "prints a recording", report };
