/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency stuck`: its options. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/viewcmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/stuck.h"

static int take_cgroup(void *id, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return live_stuck_cgroup(arg, id, err);
}

static const struct optrow rows[] = {
	{ .name = "cgroup",
	  .kind = OPT_CALL,
	  .at = offsetof(struct live_stuck, view.print.cgroup),
	  .take = take_cgroup,
	  .arg = "PATH",
	  .help = "threads of this cgroup (version 2) only, with those that sleep; or its number" },
	{ .letter = 'x',
	  REQUEST_PASS(struct live_stuck, request),
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell: causes=FILE for rules of your own" },
};
static const struct viewjoined joined = {
	.table = {
		.command = "latency stuck",
		.synopsis = "latency stuck [options]\n"
			    "latency stuck [options] FILE   of a recording: -x record=FILE",
		.rows = rows,
		.n = ARRAY_SIZE(rows),
	},
	.view = &view_stuck,
	.state_at = offsetof(struct live_stuck, view),
	.form_at = offsetof(struct live_stuck, form),
};

static int stuck_main(int argc, char **argv)
{
	struct live_stuck r = { 0 };
	struct viewrows all;
	const struct optable options = viewline_join(&joined, &all);
	int e;

	cmd_begin(&r.request);
	view_init(&view_stuck, &r.view);
	e = cmd_options(&options, &r, argc, argv);
	if (e == 0 && optind == argc)
		return cmd_ran(live_stuck_run(&r), 0);
	if (e == 0) {
		const struct viewshow show = {
			.view = &view_stuck, .state = &r.view, .form = r.form, .causes = r.request.opts.causes
		};

		e = viewcmd_recorded(&show, &options, argv + optind, (size_t)(argc - optind));
	}
	request_done(&r.request);
	return e;
}

const struct command latency_stuck = { "stuck", "who is blocked right now, since when, on what, and the holder",
				       stuck_main, .joined = &joined };
/* It is asked for first, and has a name of its own. */
const struct command cmd_stuck = { "stuck", "who is blocked right now (latency stuck)", stuck_main, .joined = &joined };
