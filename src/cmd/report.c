/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell report FILE`: prints a recorded run again, on any machine and without privileges. */
#include "base/cleanup.h"
#include "base/plainout.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmd/viewcmd.h"
#include "engine/views.h"
#include "view/summary/reportview.h"

struct asked {
	struct report_view view;
	bool json, programs;
};

#define FLAG(c, member, text) \
	{ \
		.letter = c, .kind = OPT_FLAG, .at = offsetof(struct asked, member), .help = text \
	}
#define TIME(option, member, words, text) \
	{ \
		.name = option, .kind = OPT_TIME, .at = offsetof(struct asked, view.which.member), .arg = words, \
		.help = text \
	}
static const struct optrow rows[] = {
	FLAG('F', view.flowindent, "coalesce trace output by function"),
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct asked, json), .help = "output as JSON Lines" },
	FLAG('l', programs, "show the recorded programs and where they ran"),
	FLAG('q', view.quiet, "quiet mode"),
	{ .name = "table",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct asked, view.table),
	  .arg = "NAME",
	  .help = "print one table: slow, control, hist, span, process, cost, loss" },
	FLAG('v', view.verbose, "losses by probe"),
	{ 0 },
	TIME("from", range.from, "T, --to T", "of a table: rows from this time after the beginning on"),
	TIME("to", range.to, "T", NULL),
	{ .name = "longest",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct asked, view.longest),
	  .value = INT32_MAX,
	  .arg = "N",
	  .help = "of the table slow: the N longest" },
	TIME("over", over, "T, --under T", "of the table slow: events that took this long"),
	TIME("under", under, "T", NULL),
	{ .name = "tracker",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct asked, view.which.tracker),
	  .arg = "NAME",
	  .help = "of the table slow: events of this tracker" },
};
#undef FLAG
#undef TIME
static const struct optable options = { .command = "report",
					.synopsis = "report [-qFv] [-l] [--table NAME [options]] [--json] FILE",
					.rows = rows,
					.n = ARRAY_SIZE(rows),
					.leading = true };

static int report(int argc, char **argv)
{
	struct asked asked = { 0 };
	struct view_job job = { .nsources = 1 };
	const struct view *v;
	int e = cmd_options(&options, &asked, argc, argv);

	if (e)
		return e;
	if (optind == argc)
		return cmd_words(&options, NULL, "a recording is missing");
	if (optind + 1 < argc)
		return cmd_wrong("report: one recording is printed at a time, and options stand in front of it");
	v = asked.programs ? &view_contents : asked.view.table ? &view_table : &view_report;
	job.source[0].path = argv[optind];
	job.form = view_form(v, asked.json ? "json" : "text");
	if (v == &view_table)
		plainout_stdout();
	return viewcmd_show(v, &asked.view, &job);
}

const struct command cmd_report = { "report", "prints a recording", report, .options = &options };
