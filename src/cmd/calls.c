/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell calls`: its options. */
#include <errno.h>
#include <signal.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/front/wanted.h"
#include "live/calls.h"

static int take_pid(void *calls, const struct optrow *o, const char *arg, struct err *err)
{
	struct live_calls *c = calls;
	uint64_t pid;

	(void)o;
	if (num_parse_u64(arg, &pid) < 0 || pid < 1 || pid > INT32_MAX)
		return err_set(err, -EINVAL, "calls: -p: '%s' is no process", arg);
	if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "calls: there is no process %s", arg);
	c->pid = (long)pid;
	return 0;
}

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = take_pid,
	  .arg = "PID",
	  .help = "a function of this process; with -k: only what it does" },
	{ .letter = 'c',
	  REQUEST_PASS(struct live_calls, request),
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it: a function of its program; with -k: only what it does" },
	{ .letter = 'k',
	  .name = "kernel",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live_calls, kernel),
	  .help = "a function of the kernel, also with -p or a command" },
	REQUEST_COMM(struct live_calls, request, "a function of the kernel: only calls by processes of this name"),
	REQUEST_ROWS_OWNER(struct live_calls, request, false, "of this user, of this unit of systemd"),
	REQUEST_ROWS_GROUP(struct live_calls, request, false, "in this control group and below it, in this container"),
	{ .name = "for", REQUEST_FOR(struct live_calls, request), .help = "end after this time; else Ctrl-C" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct live_calls, json), .help = "JSON Lines" },
};
static const struct optable options = {
	.command = "calls",
	.synopsis = "calls [options] [MODULE`]FUNCTION\ncalls [options] [-k] [MODULE`]FUNCTION -p PID\n"
		    "calls [options] [-k] [MODULE`]FUNCTION -- COMMAND...",
	.notes = "\tShows the functions that a function calls, how often and for how long, and its callers.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int read_words(struct live_calls *c, int argc, char **argv)
{
	struct err err = { 0 };
	int e = cmd_options(&options, c, argc, argv);

	if (e)
		return e;
	if (optind + 1 < argc)
		return cmd_words(&options, argv[optind + 1], NULL);
	if (optind == argc)
		return cmd_words(&options, NULL, "a function is missing");
	if ((c->pid && live_calls_has_command(c)) || (c->request.words && c->request.commands.n) ||
	    c->request.commands.n > 1)
		return cmd_words(&options, NULL, "one of -p, -c and a command after -- is possible");
	c->kernel |= !c->pid && !live_calls_has_command(c);
	if (!c->kernel && wanted_any(&c->request.opts))
		return cmd_words(&options, NULL, "--comm and its like are for functions of the kernel");
	return cmd_err(live_calls_function(c, argv[optind], &err), &err);
}

static int calls(int argc, char **argv)
{
	struct live_calls c = { 0 };
	struct err err = { 0 };
	int e;

	cmd_begin(&c.request);
	e = cmd_split("calls", &argc, argv, &c.request.words);
	if (e == 0)
		e = read_words(&c, argc, argv);
	if (e == 0)
		e = cmd_failed(live_calls_find(&c, &err), &err);
	if (e == 0)
		e = cmd_ran(live_calls_run(&c), 0);
	live_calls_done(&c);
	return e;
}

const struct command cmd_calls = { "calls", "what a function calls, and its callers", calls, .options = &options };
