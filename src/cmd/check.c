/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of `dwell check` and starts it. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/check.h"

struct check_cmd {
	struct live_check live;
	const struct optrow *live_only;
};

static void on_given(void *run, const struct optrow *o)
{
	struct check_cmd *c = run;

	if (o->live)
		c->live_only = o;
}

static const struct optrow rows[] = {
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct check_cmd, live.for_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "how long to look (30s)" },
	{ .letter = 'p',
	  REQUEST_PASS(struct check_cmd, live.request),
	  .live = true,
	  .arg = "PID",
	  .help = "waits of this process and its descendants" },
	{ .letter = 'c',
	  REQUEST_PASS(struct check_cmd, live.request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and what it and its descendants wait for" },
	SLOWFILTER_ROWS_OWNER(requestopts_only, offsetof(struct check_cmd, live.filter),
			      "waits of processes of this user, of this unit of systemd"),
	SLOWFILTER_ROWS_GROUP(requestopts_only, offsetof(struct check_cmd, live.filter),
			      "waits of those in this control group and below it, in this container"),
	{ .name = "html",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_cmd, live.html),
	  .arg = "FILE",
	  .help = "a page beside the text: one file that needs no others" },
	REQUEST_RECORD(struct check_cmd, live.request, "check"),
	REQUEST_OUTPUT(struct check_cmd, live.request),
	REQUEST_X(struct check_cmd, live.request, true, "as of dwell"),
};
static const struct viewjoined joined = {
	.table = {
		.command = "check",
		.synopsis =
			"check [options] [-- COMMAND...]\ncheck [--against FILE] [--json] [--html FILE] FILE   of a recording",
		.notes =
			"Looks at CPUs, memory, disks, locks, network and processes, and says what is slow: for whom, and why.",
		.rows = rows,
		.n = ARRAY_SIZE(rows),
		.given = on_given,
	},
	.view = &view_check,
	.state_at = offsetof(struct check_cmd, live.view),
	.form_at = offsetof(struct check_cmd, live.form),
};

static int of_recording(struct check_cmd *c, const struct optable *options, int n, char **words)
{
	const struct viewshow show = {
		.view = &view_check, .state = &c->live.view, .form = c->live.form, .beside = c->live.html
	};

	if (c->live_only)
		return cmd_not_recorded(options, c->live_only, words[0]);
	return n > 1 ? cmd_words(options, words[1], NULL) : viewcmd_recorded(&show, options, words, 1);
}

static int check_main(int argc, char **argv)
{
	struct check_cmd c = { .live = { .for_ns = LIVE_CHECK_FOR_NS, .left_out = cmd_left_out } };
	struct viewrows all;
	const struct optable options = viewline_join(&joined, &all);
	struct err err = { 0 };
	int e;

	cmd_begin(&c.live.request);
	c.live.filter.arena = c.live.request.arena;
	view_init(&view_check, &c.live.view);
	e = cmd_split("check", &argc, argv, &c.live.request.words);
	if (e == 0)
		e = cmd_options(&options, &c, argc, argv);
	if (e == 0 && optind < argc) {
		e = of_recording(&c, &options, argc - optind, argv + optind);
		c.live.view = (struct check_view){ 0 }; /* which is ended */
	} else if (e == 0) {
		e = cmd_err(slowfilter_exists(&c.live.filter, &err), &err);
		if (e == 0)
			e = cmd_ran(live_check_run(&c.live), 0);
	}
	live_check_done(&c.live);
	return e;
}

const struct command cmd_check = { "check", "what is slow, for whom, and why: findings, the most expensive first",
				   check_main, .joined = &joined };
