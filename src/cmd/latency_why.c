/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why`: what threads wait for, as a table: each few seconds, and at the end of all. The program
 * that measures is dlib/latency/why.d; its printa() tells when an interval is over. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/latency_why.h"
#include "cmd/optable.h"
#include "cmd/run.h"
#include "cmd/whyprint.h"

#define DEFAULT_EVERY "5s"
#define MAX_TOP 10000
#define MAX_OVER_US 3600000000ull

/* The run being shown. */
struct why_run {
	struct why_print print;
	struct whytab *table;
	const struct rec_schema *schema;
	uint64_t begun, interval; /* CLOCK_MONOTONIC ns */
	/* of recordings */
	struct whyrec rec;
	const char *live_only; /* an option that recordings do not have */
};

enum { OPT_BY = 256, OPT_STACKS, OPT_OVER, OPT_FOR, OPT_EVERY, OPT_COMM, OPT_IDLE, OPT_TOP, OPT_JSON, OPT_RECORD, OPT_HELP,
       OPT_FROM, OPT_TO };

static const struct option longs[] = {
	{ "by", required_argument, NULL, OPT_BY },	 { "stacks", no_argument, NULL, OPT_STACKS },
	{ "over", required_argument, NULL, OPT_OVER },	 { "for", required_argument, NULL, OPT_FOR },
	{ "every", required_argument, NULL, OPT_EVERY }, { "comm", required_argument, NULL, OPT_COMM },
	{ "idle", no_argument, NULL, OPT_IDLE },	 { "top", required_argument, NULL, OPT_TOP },
	{ "json", no_argument, NULL, OPT_JSON },	 { "record", required_argument, NULL, OPT_RECORD },
	{ "help", no_argument, NULL, OPT_HELP },	 { "from", required_argument, NULL, OPT_FROM },
	{ "to", required_argument, NULL, OPT_TO },	 { NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s latency why [options] [-- COMMAND...]\n"
		"       %s latency why [--from TIME] [--to TIME] [options] FILE|FOLDER|PID...   of recordings\n\n"
		"\t-p PID            this process and its descendants only\n"
		"\t-c COMMAND, -- COMMAND...   run it, and only it and its descendants\n"
		"\t--comm NAME       only programs of this name\n"
		"\t--by process      a table for each process; or: thread\n"
		"\t--stacks          what the program was doing: the stacks behind each cause (costs more)\n"
		"\t--over TIME       shorter waits are counted, but get no cause (10us)\n"
		"\t--idle            causes that mean \"nothing to do\" one by one, too\n"
		"\t--top N           rows of a table (20)\n"
		"\t--every TIME      between tables (" DEFAULT_EVERY ")\n"
		"\t--for TIME        end after this time; else Ctrl-C\n"
		"\t--json            JSON Lines\n"
		"\t--record FILE     keep what was measured (dwell report FILE)\n"
		"\t-x OPTION[=VALUE] as of dwell: causes=FILE for rules of your own\n", cmd_name(), cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* -- rows of the run -- */

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct why_run *w = ctx;
	struct causes *c = why_causes(why);

	w->schema = schema;
	w->print.out = out;
	if (!c || whytab_new(c, sym, &w->table) < 0)
		return c ? cmd_fail("out of memory") : EXIT_ERROR;
	return 0;
}

/* Compiling and loading are no part of what was measured. */
static int on_ready(void *ctx, struct session *s, long target)
{
	struct why_run *w = ctx;

	(void)s;
	(void)target;
	w->begun = w->interval = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static bool ends_interval(const struct why_run *w, const struct row *row)
{
	const struct rec_probe *p = rec_schema_probe(w->schema, row->probe);
	const struct recfmt *f = row->id >= 1 && row->id <= w->schema->nfmts ? w->schema->fmts[row->id - 1] : NULL;

	return f && f->nacts && f->acts[0].kind == ACT_PRINTA && p && !strncmp(p->name, "tick-", 5);
}

static int on_row(void *ctx, const struct row *row)
{
	struct why_run *w = ctx;
	uint64_t now;
	int e = 1;

	switch (row->kind) {
	case ROW_AGG:
		e = whytab_add(w->table, w->schema, row);
		return e < 0 ? e : 1;
	case ROW_EVENT:
		if (!ends_interval(w, row))
			return 1;
		now = row->ts;
		e = whyprint_table(&w->print, w->table, now - w->interval, false);
		w->interval = now;
		whytab_next(w->table);
		return e < 0 ? e : 1;
	case ROW_DROPS:
	case ROW_NOTE:
	case ROW_FAULT:
		return 0;
	default:
		return 1;
	}
}

static int on_finish(void *ctx)
{
	struct why_run *w = ctx;

	return whyprint_table(&w->print, w->table, clock_ns(CLOCK_MONOTONIC) - w->begun, true);
}

/* -- options -- */

static int take_by(struct latency_args *a, struct why_print *p, const char *arg)
{
	p->by = !strcmp(arg, "process") ? WHY_BY_PROCESS : !strcmp(arg, "thread") ? WHY_BY_THREAD : WHY_BY_NOTHING;
	if (p->by == WHY_BY_NOTHING) {
		cmd_msg("--by: '%s' is neither process nor thread", arg);
		return EXIT_USAGE;
	}
	latency_args_add2(a, "--by", p->by == WHY_BY_THREAD ? "2" : "1");
	return 0;
}

static int take_over(struct latency_args *a, struct why_print *p, const char *arg)
{
	int e = optable_time("over", arg, 1, &p->over_ns);

	if (e)
		return e;
	if (p->over_ns < 1000 || p->over_ns / 1000 > MAX_OVER_US) {
		cmd_msg("--over: from 1us to 1h");
		return EXIT_USAGE;
	}
	latency_args_add2(a, "--over", arena_printf(a->arena, "%llu", (unsigned long long)(p->over_ns / 1000)));
	return 0;
}

/* 0; EXIT_* > 0 after a message; < 0: done. */
static int take_option(struct latency_args *a, struct why_print *p, int c, const char *arg, const char **every)
{
	uint64_t n;
	int e = 0;

	switch (c) {
	case 'p': case 'c': case 'x':
		latency_args_add2(a, c == 'p' ? "-p" : c == 'c' ? "-c" : "-x", arg);
		return 0;
	case OPT_BY:
		return take_by(a, p, arg);
	case OPT_STACKS:
		p->stacks = true;
		return 0;
	case OPT_OVER:
		return take_over(a, p, arg);
	case OPT_FOR:
		return latency_args_for(a, arg);
	case OPT_EVERY:
		*every = arg;
		return optable_time("every", arg, 1, &n);
	case OPT_COMM:
		latency_args_add2(a, "--comm", arg);
		return 0;
	case OPT_IDLE:
		p->idle = true;
		return 0;
	case OPT_TOP:
		e = latency_number("--top", arg, MAX_TOP, &n);
		p->top = (unsigned)n;
		return e;
	case OPT_JSON:
		p->json = true;
		latency_args_add(a, "--json");
		return 0;
	case OPT_RECORD:
		latency_args_add2(a, "--record", arg);
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return usage(stderr);
	}
}

/* Kernels before 6.16 have no tracepoint in the thread that goes on. */
static int choose_program(struct latency_args *a, const struct why_print *p)
{
	bool exit_tp = latency_has_exit_tp();

	if (!exit_tp && p->stacks)
		return cmd_fail("latency why: --stacks needs Linux 6.16 (tracepoint sched_exit_tp); without it the causes are "
				"there, but not the stacks of programs");
	if (!exit_tp)
		cmd_msg("before Linux 6.16: waits for locks of the kernel look like waits of those who take them, and threads "
			"that lost the CPU do not count");
	latency_args_program(a, "why");
	if (p->stacks)
		latency_args_add2(a, "--stacks", "1");
	return 0;
}

/* Notes what means something for recordings, too, and what does not. */
static int note_option(struct latency_args *a, struct why_run *w, int c, const char *arg, const char **every)
{
	static const struct {
		int option;
		const char *name;
	} live[] = { { 'p', "-p" }, { 'c', "-c" }, { OPT_STACKS, "--stacks" }, { OPT_FOR, "--for" }, { OPT_EVERY, "--every" },
		     { OPT_RECORD, "--record" } };

	for (size_t i = 0; i < ARRAY_SIZE(live); i++)
		if (live[i].option == c)
			w->live_only = live[i].name;
	if (c == OPT_FROM || c == OPT_TO) {
		*(c == OPT_FROM ? &w->rec.asked.from : &w->rec.asked.to) = arg;
		return 0;
	}
	if (c == OPT_COMM)
		w->rec.comm = arg;
	if (c == 'x' && !strncmp(arg, "causes=", 7))
		w->rec.causes = arg + 7;
	return take_option(a, &w->print, c, arg, every);
}

static int of_recordings(struct why_run *w, char *const *words, size_t n)
{
	if (w->live_only) {
		cmd_msg("latency why: %s is not for recordings ('%s')", w->live_only, words[0]);
		return usage(stderr);
	}
	w->print.out = stdout;
	w->rec.print = &w->print;
	return latency_why_recordings(&w->rec, words, n);
}

static int why_main(int argc, char **argv)
{
	struct why_run w = { .print = { .top = 20, .over_ns = 10000, .columns = latency_columns() } };
	struct run_show show = { .ctx = &w, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready };
	const char *every = DEFAULT_EVERY;
	struct latency_args a;
	uint64_t ns = 0;
	int c, e = 0;

	latency_args_init(&a);
	e = latency_take_command(&argc, argv, &show.command);
	if (show.command)
		w.live_only = "--";
	while (e == 0 && (c = getopt_long(argc, argv, "p:c:x:", longs, NULL)) != -1)
		e = note_option(&a, &w, c, optarg, &every);
	if (e == 0 && optind < argc) {
		e = of_recordings(&w, argv + optind, (size_t)(argc - optind));
		latency_args_done(&a);
		return e;
	}
	if (e == 0 && (w.rec.asked.from || w.rec.asked.to)) {
		cmd_msg("latency why: --from and --to are for recordings");
		e = usage(stderr);
	}
	if (e == 0) {
		optable_time("every", every, 1, &ns);
		latency_args_add2(&a, "--every", arena_printf(a.arena, "%lluns", (unsigned long long)ns));
		e = choose_program(&a, &w.print);
	}
	if (e == 0) {
		optind = 1;
		e = run_and_show((int)a.v.n - 1, a.v.v, &show);
	}
	whytab_free(w.table);
	latency_args_done(&a);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_why = { "why", "what threads wait for: causes by time, count, maximum", why_main };
