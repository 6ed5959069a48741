/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency stuck`: its options. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/viewcmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/stuck.h"

struct stuck_cmd {
	struct live_stuck live;
	const struct optrow *live_only; /* an option that recordings do not have */
};

static void on_given(void *run, const struct optrow *o)
{
	struct stuck_cmd *c = run;

	if (o->live)
		c->live_only = o;
}

static const struct optrow rows[] = {
	SLOWFILTER_ROWS_OWNER(requestopts_only, offsetof(struct stuck_cmd, live.filter),
			      "only threads of this user, or of this unit of systemd, also sleeping ones"),
	{ .name = "cgroup",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct stuck_cmd, live.cgroup),
	  .arg = "PATH",
	  .help = "only those in this control group and below it, or in the one of version 2 with this number" },
	REQUEST_OUTPUT(struct stuck_cmd, live.request),
	REQUEST_X(struct stuck_cmd, live.request, false, "as of dwell: causes=FILE for rules of your own"),
};
static const struct viewjoined joined = {
	.table = {
		.command = "latency stuck",
		.synopsis = "latency stuck [options]\n"
			    "latency stuck [options] FILE   of a recording: -x record=FILE",
		.rows = rows,
		.n = ARRAY_SIZE(rows),
		.given = on_given,
	},
	.view = &view_stuck,
	.state_at = offsetof(struct stuck_cmd, live.view),
	.form_at = offsetof(struct stuck_cmd, live.form),
};

static int of_recording(struct stuck_cmd *c, const struct optable *options, char *const *words, size_t n)
{
	const struct viewshow show = {
		.view = &view_stuck, .state = &c->live.view, .form = c->live.form, .causes = c->live.request.opts.causes
	};
	int e = c->live_only ? cmd_not_recorded(options, c->live_only, words[0])
			     : viewcmd_recorded(&show, options, words, n);

	request_done(&c->live.request);
	return e;
}

static int stuck_main(int argc, char **argv)
{
	struct stuck_cmd c = { 0 };
	struct viewrows all;
	const struct optable options = viewline_join(&joined, &all);
	struct err err = { 0 };
	int e;

	cmd_begin(&c.live.request);
	c.live.filter.arena = c.live.request.arena;
	view_init(&view_stuck, &c.live.view);
	e = cmd_options(&options, &c, argc, argv);
	if (e == 0)
		e = cmd_err(live_stuck_whose(&c.live, optind < argc, &err), &err);
	if (e == 0)
		return optind < argc ? of_recording(&c, &options, argv + optind, (size_t)(argc - optind))
				     : cmd_ran(live_stuck_run(&c.live), 0);
	request_done(&c.live.request);
	return e;
}

const struct command latency_stuck = { "stuck", "who is blocked right now, since when, on what, and the holder",
				       stuck_main, .joined = &joined };
/* It is asked for first, and has a name of its own. */
const struct command cmd_stuck = { "stuck", "who is blocked right now (latency stuck)", stuck_main, .joined = &joined };
