/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell report FILE`: what a recorded run printed, printed again, on any machine and without privileges. */
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/plainout.h"
#include "cmd/cmd.h"
#include "cmdline/optable.h"
#include "engine/reprint.h"
#include "engine/why.h"
#include "store/recquery.h"
#include "view/export/contents.h"
#include "view/text/rectable.h"

static int show_rows(struct reprint *r, bool json)
{
	struct err err = { 0 };
	struct row row = { 0 };
	int e, w = 0;

	while ((e = reprint_next(r, &row, &err)) > 0)
		;
	if (e < 0 && !err.msg[0])
		w = e;
	if (w == 0) {
		if (!json)
			printf("\n");
		w = reprint_finish(r);
	}
	w = cmd_written(w);
	if (w)
		return w;
	if (e < 0)
		return cmd_fail("%s", err.msg);
	if (!reprint_ended(r))
		cmd_msg("the recording was not ended: its last second may be missing");
	return 0;
}

/* What limits of size and age have left, where anything has gone. */
static void show_limits(const struct recread *f)
{
	static const char *const what[] = { "events", "aggregations", "processes", "seconds" };
	const char *begun = recread_meta(f, "begun_monotonic_ns"), *n;
	uint64_t from = 0, since;

	if (begun)
		num_parse_u64(begun, &from);
	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		char key[32];

		snprintf(key, sizeof(key), RECFILE_SINCE "%s", what[i]);
		n = recread_meta(f, key);
		if (n && num_parse_u64(n, &since) == 0)
			printf("%-8s %s since %.1f s after the beginning\n", "kept", what[i],
			       since > from ? (double)(since - from) / 1e9 : 0);
	}
	n = recread_meta(f, RECFILE_FORGOTTEN);
	if (n)
		printf("%-8s %s keys of aggregations, for which --record-size had no room\n", "gave up", n);
	n = recread_meta(f, RECFILE_UNRECORDED);
	if (n)
		printf("%-8s %s rows, for which --record-size had no room\n", "left out", n);
}

static void show_programs(const struct recread *f)
{
	static const char *const keys[] = { "host", "kernel", "machine", "dwell" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		printf("%-8s %s\n", keys[i], recread_meta(f, keys[i]) ? recread_meta(f, keys[i]) : "unknown");
	show_limits(f);
	for (const struct recfile_pair *p = recread_programs(f); p->name; p++)
		printf("\n/* %s */\n%s\n", p->name, p->value);
}

struct asked {
	bool json, quiet, flowindent, verbose, programs;
	unsigned longest;
	const char *table;
	struct rectable_filter which; /* range: after the beginning */
};

#define FLAG(c, member, text) \
	{ \
		.letter = c, .kind = OPT_FLAG, .at = offsetof(struct asked, member), .help = text \
	}
#define TIME(option, member, words, text) \
	{ \
		.name = option, .kind = OPT_TIME, .at = offsetof(struct asked, which.member), .arg = words, \
		.help = text \
	}
static const struct optrow rows[] = {
	FLAG('F', flowindent, "coalesce trace output by function"),
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct asked, json), .help = "output as JSON Lines" },
	FLAG('l', programs, "show the recorded programs and where they ran"),
	FLAG('q', quiet, "quiet mode"),
	{ .name = "table",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct asked, table),
	  .arg = "NAME",
	  .help = "print one table: slow, control, hist, span, process, cost, loss" },
	FLAG('v', verbose, "losses by probe"),
	{ 0 },
	TIME("from", range.from, "T, --to T", "of a table: rows of the time so long after the beginning"),
	TIME("to", range.to, "T", NULL),
	{ .name = "longest",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct asked, longest),
	  .value = INT32_MAX,
	  .arg = "N",
	  .help = "of the table slow: the N longest" },
	TIME("over", over, "T, --under T", "of the table slow: that took so long"),
	TIME("under", under, "T", NULL),
	{ .name = "tracker",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct asked, which.tracker),
	  .arg = "NAME",
	  .help = "of the table slow: of this tracker" },
};
#undef FLAG
#undef TIME
static const struct optable options = { .command = "report",
					.synopsis = "report [-qFv] [-l] [--table NAME [options]] [--json] FILE",
					.rows = rows,
					.n = ARRAY_SIZE(rows),
					.leading = true };

static int show_text(struct recread *f, const struct asked *asked)
{
	const struct reprint_opts opts = { asked->json, asked->quiet, asked->flowindent, asked->verbose };
	struct reprint *r = NULL;
	int e = reprint_open(f, &opts, &cmd_listener, stdout, &r);

	if (e < 0)
		return cmd_fail("out of memory");
	e = show_rows(r, asked->json);
	reprint_free(r);
	return e;
}

/* Times after the beginning become those of the recording's clock. */
static struct rec_range local(struct recread *f, struct rec_range r)
{
	const char *text = recread_meta(f, "begun_monotonic_ns");
	uint64_t begun = 0;

	if (text)
		num_parse_u64(text, &begun);
	return (struct rec_range){ r.from ? begun + r.from : 0, r.to ? begun + r.to : INT64_MAX };
}

/* e < 0 with a message is of the recording, without one of the output. */
static int ended(int e, const struct err *err)
{
	return e < 0 && err->msg[0] ? cmd_fail("%s", err->msg) : cmd_written(e);
}

static int table(struct recread *f, struct arena *a, const struct asked *asked)
{
	struct rectable_opts o = { .which = asked->which, .json = asked->json, .why = why_words };
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	int e;

	dopts_init(&opts, a);
	why_open(&why, &opts, &cmd_listener);
	o.why_arg = &why;
	o.which.range = local(f, asked->which.range);
	plainout_stdout();
	e = rectable_put(f, asked->table, &o, stdout, &err);
	why_done(&why);
	return ended(e, &err);
}

static int report(int argc, char **argv)
{
	struct asked asked = { 0 };
	struct recread *f = NULL;
	struct err err = { 0 };
	struct arena *a;
	int e = 0;

	e = cmd_options(&options, &asked, argc, argv);
	if (e)
		return e < 0 ? EXIT_OK : e;
	if (optind == argc)
		return cmd_words(&options, NULL, "a recording is missing");
	if (optind + 1 < argc)
		return cmd_wrong("report: one recording is printed at a time, and options stand in front of it");
	asked.which.longest = asked.longest;
	if (recread_open(argv[optind], &f, &err) < 0)
		return cmd_fail("%s", err.msg);
	a = arena_new(ARENA_DEFAULT_LIMIT);
	if (asked.programs && asked.json)
		e = ended(contents_put(f, stdout, &err), &err);
	else if (asked.programs)
		show_programs(f);
	else if (asked.table)
		e = table(f, a, &asked);
	else
		e = show_text(f, &asked);
	recread_close(f);
	arena_free(a);
	return e;
}

const struct command cmd_report = { "report", "prints a recording", report };
