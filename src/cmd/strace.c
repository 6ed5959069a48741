/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell strace`: its options, and ending as the command did. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/program.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/front/wanted.h"
#include "strace/tracer.h"

struct strace_cmd {
	struct tracer tracer; /* first: options are of it, too */
	bool exec;
};

static int take_filter(void *tracer, const struct optrow *o, const char *arg, struct err *err)
{
	struct tracer *t = tracer;
	_cleanup_(strb_free) struct strb why = { 0 };

	(void)o;
	if (filter_parse(&t->filter, arg, &why) == 0)
		return 0;
	return err_set(err, -EINVAL, "strace: -e: %s", strb_str(&why));
}

static int take_pids(void *tracer, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return tracer_pids(tracer, arg, err);
}

static int take_size(void *size, const struct optrow *o, const char *arg, struct err *err)
{
	uint64_t n;

	(void)o;
	if (num_parse_u64(arg, &n) < 0 || n > PROGRAM_SIZE_MAX)
		return err_set(err, -EINVAL, "strace: -s: '%s' is no number from 0 to %u", arg, PROGRAM_SIZE_MAX);
	*(unsigned *)size = (unsigned)n;
	return 0;
}

static int take_clock(void *clocks, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	(void)err;
	(void)arg;
	++*(unsigned *)clocks;
	return 0;
}

#define FLAG(c, member, text) \
	{ \
		.letter = c, .kind = OPT_FLAG, .at = offsetof(struct strace_cmd, tracer.member), .help = text \
	}
static const struct optrow rows[] = {
	FLAG('f', want.follow, "threads and children, too"),
	{ .letter = 'p', .kind = OPT_CALL, .take = take_pids, .arg = "PID", .help = "this process, or several: 1,2" },
	REQUEST_COMM(struct strace_cmd, tracer.request, "the processes of this name"),
	REQUEST_ROWS_OWNER(struct strace_cmd, tracer.request, false, "of this user, of this unit of systemd"),
	REQUEST_ROWS_GROUP(struct strace_cmd, tracer.request, false,
			   "in this control group and below it, in this container"),
	{ .letter = 'e',
	  .kind = OPT_CALL,
	  .take = take_filter,
	  .arg = "WHAT",
	  .help = "trace=CALL,…  these calls: names, %file %desc %network %process %memory\n"
		  "              %signal %creds %ipc %clock, /REGEX; all but: trace=!CALL,…\n"
		  "signal=SIGNAL,…  these signals; none\n"
		  "status=successful|failed|unfinished,…  calls that ended so" },
	FLAG('z', good, "calls that succeeded (-e status=successful)"),
	FLAG('Z', failed, "calls that failed (-e status=failed)"),
	FLAG('c', summing, "no lines but a table: calls, errors, times by call"),
	FLAG('y', want.paths, "with the files that descriptors stand for"),
	FLAG('k', want.stacks, "with the stack of the program"),
	FLAG('T', show.took, "how long each call took, in seconds"),
	{ .letter = 't',
	  .kind = OPT_CALL,
	  .at = offsetof(struct strace_cmd, tracer.clocks),
	  .take = take_clock,
	  .help = "when each call began; -tt with microseconds; -ttt since 1970" },
	FLAG('r', show.relative, "time since the call before began"),
	{ .letter = 's',
	  .kind = OPT_CALL,
	  .at = offsetof(struct strace_cmd, tracer.want.size),
	  .take = take_size,
	  .arg = "SIZE",
	  .help = "bytes of data that are shown (" OPTABLE_TEXT(TRACER_DATA_SIZE) ")" },
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct strace_cmd, tracer.output),
	  .arg = "FILE",
	  .help = "write here, not to standard error" },
	FLAG('q', quiet, "not how processes end"),
	{ .name = "for", REQUEST_FOR(struct strace_cmd, tracer.request), .help = "end after this time; else Ctrl-C" },
	/* For the process that becomes the command, see tracer_become(). */
	{ .name = "exec", .kind = OPT_FLAG, .at = offsetof(struct strace_cmd, exec) },
};
static const struct optable options = {
	.command = "strace",
	.synopsis = "strace [options] [--] COMMAND...\nstrace [options] -p PID|--comm NAME|--container ID|…",
	.notes = "\tShows system calls with their arguments, results and signals, as strace(1) does.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.leading = true,
};

static int become(char **words)
{
	return cmd_fail("strace: cannot execute %s: %s", words[0], strerror(-tracer_become(words)));
}

static int run(struct tracer *t, int argc, char **argv)
{
	const bool command = optind < argc, chosen = wanted_any(&t->request.opts);
	bool ended = false;
	struct err err = { 0 };
	int e, status = 0;

	if (command + (t->pids.n > 0) + chosen > 1)
		return cmd_words(&options, NULL,
				 chosen ? "--comm and its like exclude -p and a command"
					: "-p and a command exclude each other");
	if (!command && !t->pids.n && !chosen)
		return cmd_words(&options, NULL, "a command or -p PID is missing");
	e = tracer_check(t, &err);
	if (e == 0 && command)
		e = tracer_command(t, argv + optind, &err);
	if (e < 0)
		return cmd_failed(e, &err);
	e = cmd_outcome(tracer_run(t, &ended, &status), 0);
	return e == EXIT_OK && ended ? program_end_as(status) : e;
}

static int strace_main(int argc, char **argv)
{
	struct strace_cmd *c = calloc(1, sizeof(*c));
	int e;

	if (!c)
		return cmd_fail("out of memory");
	cmd_begin(&c->tracer.request);
	tracer_init(&c->tracer);
	e = cmd_options(&options, c, argc, argv);
	if (e == 0 && c->exec)
		e = optind + 1 < argc ? become(argv + optind) : cmd_words(&options, NULL, "a command is missing");
	else if (e == 0)
		e = run(&c->tracer, argc, argv);
	tracer_done(&c->tracer);
	free(c);
	return e;
}

const struct command cmd_strace = { "strace", "shows system calls as strace does", strace_main, .options = &options };
