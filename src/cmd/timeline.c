/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell timeline`: threads, or processes, over time. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/strb.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/outfile.h"
#include "cmd/picopts.h"
#include "engine/why.h"
#include "view/picture/timeline.h"

struct timeline_cmd {
	struct tl_opts opts;
	struct reclive live;
	struct picopts pic;
	const char *file;
};

static const struct optrow rows[] = {
	PICOPT_ROWS(struct timeline_cmd, pic),
	PICOPT_PICTURE(struct timeline_cmd, pic, PIC_TEXT, "text",
		       "a table instead: what the time of each thread went to"),
	{ .name = "processes",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct timeline_cmd, opts.processes),
	  .help = "a tree of processes instead of threads" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct timeline_cmd, opts.all),
	  .help = "--processes: also those that were there and did nothing" },
	{ .name = "pid",
	  .kind = OPT_NUMBER,
	  .value = INT32_MAX,
	  .at = offsetof(struct timeline_cmd, opts.pid),
	  .arg = "PID",
	  .help = "only this process (--processes: and its descendants)" },
	PICOPT_ROWS_TIMES(struct timeline_cmd, opts.from_ns, opts.to_ns),
	PICOPT_ROWS_LIVE_TREE(struct timeline_cmd, live),
	PICOPT_ROWS_WHOSE(struct timeline_cmd, live),
};
static const struct optable options = {
	.command = "timeline",
	.synopsis = "timeline [options] RECORDING\ntimeline [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int take_options(struct timeline_cmd *t, int argc, char **argv)
{
	int e = reclive_options(&t->live, &options, t, &argc, argv), want;

	if (e)
		return e;
	if (reclive_asked(&t->live))
		t->live.program = "timeline/threads";
	t->live.bursts = true;
	want = t->live.program ? 0 : 1;
	if (argc - optind != want)
		return cmd_words(&options, argc - optind > want ? argv[optind + want] : NULL,
				 "a recording is missing, or what to record: -c, -p or --for");
	t->file = argv[optind];
	e = picopts_check_times(t->opts.from_ns, t->opts.to_ns);
	return e ? e : picopts_choose(&t->pic, !t->pic.output && isatty(STDOUT_FILENO) ? PIC_TEXT : PIC_NONE);
}

static int draw(const struct timeline_cmd *c, const struct timeline *t)
{
	const char *file = c->live.program && !c->live.record ? c->live.command
			   : c->live.record		      ? c->live.record
							      : c->file;
	const char *base = file && !c->live.command ? strrchr(file, '/') : NULL;
	struct strb title = { 0 };
	struct outfile out;
	int e = outfile_open(&out, c->pic.output);

	strb_adds(&title, c->pic.title ? c->pic.title : t->processes ? "Processes" : "Threads");
	if (!c->pic.title && (file || c->live.pid))
		strb_printf(&title, " · %s%s", file ? "" : "process ", file ? (base ? base + 1 : file) : c->live.pid);
	if (e == 0) {
		e = c->pic.picture == PIC_TEXT
			    ? timeline_text(t, (unsigned)latency_columns(), out.f)
			    : (c->pic.picture == PIC_JSON   ? timeline_json
			       : c->pic.picture == PIC_HTML ? timeline_html
							    : timeline_svg)(t, strb_str(&title), out.f);
		e = outfile_close(&out, e);
	}
	strb_free(&title);
	return e;
}

static int show(struct timeline_cmd *c)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct timeline *t = NULL;
	struct recread *f = NULL;
	struct err err = { 0 };
	struct dopts opts;
	struct why why;
	int e;

	dopts_init(&opts, a);
	e = why_open(&why, &opts, &cmd_listener);
	c->opts.why = why_words;
	c->opts.why_arg = &why;
	if (e == 0 && recread_open(c->file, &f, &err) < 0)
		e = reclive_fail(&c->live, err.msg);
	if (e == 0 && timeline_make(f, &c->opts, &t, &err) < 0) {
		err_prefix(&err, "%s: ", c->file);
		e = reclive_fail(&c->live, err.msg);
	}
	if (e == 0 && t->left_out)
		cmd_msg("%llu intervals are left out: %u are drawn at most; take less with --from and --to",
			(unsigned long long)t->left_out, TL_MAX_ITEMS);
	if (e == 0 && t->left_out_rows)
		cmd_msg("%llu rows are left out: %u are drawn at most; take less with --pid, --from and --to",
			(unsigned long long)t->left_out_rows, TL_MAX_ROWS);
	if (e == 0)
		e = draw(c, t);
	timeline_free(t);
	recread_close(f);
	why_done(&why);
	arena_free(a);
	return e;
}

static int timeline(int argc, char **argv)
{
	struct timeline_cmd c = { 0 };
	int e = take_options(&c, argc, argv);

	if (e == 0 && c.live.program) {
		e = reclive_run(&c.live);
		c.file = c.live.path;
	}
	if (e == 0)
		e = show(&c);
	reclive_done(&c.live);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_timeline = { "timeline", "draws threads and processes over time", timeline };
