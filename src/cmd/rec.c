/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell rec`: records a program; `dwell replay`: runs it again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "base/findprog.h"
#include "cmd/words.h"
#include "cmd/program.h"
#include "gdb/gdb.h"
#include "retro/leaks.h"
#include "retro/waits.h"
#include "replay/rec.h"
#include "replay/replay.h"
#include "replay/trace/trace.h"
#include "retro/retro.h"

#define REC_FILE "rec.dwelltrace"

struct recorder {
	const char *output;
	bool quiet, chaos;
	unsigned seed, runs; /* 0: none; one */
	unsigned check;	     /* 0: none */
};

#define SEED_MAX 1000000000
#define RUNS_MAX 1000000
#define CHECK_MAX 1000000000

static const struct optrow rec_rows[] = {
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recorder, output),
	  .arg = "TRACE",
	  .help = "the recording (" REC_FILE ")" },
	{ .letter = 'q',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct recorder, quiet),
	  .help = "no warning of what a recording cannot hide" },
	{ .name = "chaos",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct recorder, chaos),
	  .help = "chance decides at each system call which thread runs; its seed is told" },
	{ .name = "seed",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct recorder, seed),
	  .value = SEED_MAX,
	  .arg = "N",
	  .help = "chaos from this seed on" },
	{ .name = "check",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct recorder, check),
	  .value = CHECK_MAX,
	  .arg = "N",
	  .help = "checksums of all memory at every Nth stopped system call, which the replay compares" },
	{ .name = "until-fail",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct recorder, runs),
	  .value = RUNS_MAX,
	  .arg = "N",
	  .help = "runs the command until it fails, N times at most, and keeps the recording of that run" },
};
static const struct optable rec_options = {
	.command = "rec",
	.synopsis = "rec [-q] [-o TRACE] [--check N] [--chaos|--seed N] [--until-fail N] [--] COMMAND...",
	.notes = "\tA command is run and recorded with all its processes and threads, so that `dwell replay` can run\n"
		 "\tit again exactly; see dwell-rec(1).",
	.rows = rec_rows,
	.n = ARRAY_SIZE(rec_rows),
	.leading = true,
};
struct player {
	const char *pack, *gdb, *allocator;
	bool leaks, json, waits;
};
static const struct optrow replay_rows[] = {
	{ .name = "allocator",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct player, allocator),
	  .arg = "NAMES",
	  .help = "with --leaks: the program's own functions, too: alloc=NAME@N,realloc=NAME,free=NAME@N; N: argument" },
	{ .name = "gdb",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct player, gdb),
	  .arg = "WHERE",
	  .help = "for gdb, which connects to this port of this machine, to this socket (with a /), or over a pipe (-)" },
	{ .name = "json", .at = offsetof(struct player, json), .help = "with --leaks, --waits: as JSON" },
	{ .name = "leaks", .at = offsetof(struct player, leaks), .help = "memory that nothing pointed to at the end" },
	{ .name = "pack",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct player, pack),
	  .arg = "FILE",
	  .help = "runs nothing: writes the recording to FILE, as small as it can be" },
	{ .name = "waits",
	  .at = offsetof(struct player, waits),
	  .help = "runs nothing: who waited where, and for whom" },
};
static const struct optable replay_options = {
	.command = "replay",
	.synopsis =
		"replay [--gdb WHERE|--leaks [--allocator NAMES] [--json]|--waits [--json]|--pack FILE] TRACE\nreplay -s SCRIPT|-n PROGRAM [OPTIONS OF D] TRACE",
	.notes =
		"\tA program that `dwell rec` recorded is run again: the same instructions, output and status. It needs\n"
		"\tnone of the program's files, and changes none. With a D program nothing is run again: syscall probes are\n"
		"\tanswered from the recording, with the times of then; all options of dwell are taken. See dwell-rec(1).",
	.rows = replay_rows,
	.n = ARRAY_SIZE(replay_rows),
};

/* path: of a trace that is replayed; NULL: it is recorded. */
static int failed(const char *path, struct err *e)
{
	if (path)
		cmd_msg("replay: %s: %s", path, e->msg);
	else
		cmd_msg("rec: %s", e->msg);
	err_done(e);
	return EXIT_ERROR;
}

static int pack(const char *path, const char *to)
{
	FILE *f = fopen(path, "re");
	struct err e = { 0 };

	if (!f)
		return cmd_fail("replay: cannot read %s: %s", path, strerror(errno));
	return trace_pack(f, to, &e) < 0 ? failed(path, &e) : EXIT_OK;
}

#if defined(__x86_64__)
static bool quiet;

static void note(const char *text)
{
	if (!quiet)
		cmd_msg("rec: %s", text);
}

static void warn(const char *text)
{
	cmd_msg("rec: %s", text);
}

static int until_fail(struct rec_opts *o, unsigned most)
{
	struct rec_result result;
	struct err e = { 0 };
	char seed[40] = "";
	unsigned n;

	if (rec_until_fail(o, most, &n, &result, &e) < 0)
		return failed(NULL, &e);
	if (result.status == 0) {
		cmd_msg("rec: none of %u runs failed; no recording is kept", n);
		return EXIT_OK;
	}
	if (o->chaos)
		snprintf(seed, sizeof(seed), " (--seed %llu)", (unsigned long long)o->chaos);
	cmd_msg("rec: run %u of %u failed with %s %d%s; its recording is %s", n, most,
		WIFEXITED(result.status) ? "exit status" : "signal",
		WIFEXITED(result.status) ? WEXITSTATUS(result.status) : WTERMSIG(result.status), seed, o->trace);
	return program_end_as(result.status);
}

static int record_once(const struct rec_opts *o)
{
	struct rec_result result;
	struct err e = { 0 };

	if (o->chaos)
		cmd_msg("rec: --seed %llu", (unsigned long long)o->chaos);
	if (rec_run(o, &result, &e) < 0)
		return failed(NULL, &e);
	return program_end_as(result.status);
}

static int record(const struct recorder *c, char **words)
{
	_cleanup_free_ char *path = findprog(words[0]);
	struct rec_opts o = {
		.trace = c->output, .path = path, .argv = words, .note = note, .warn = warn, .check = c->check
	};
	struct stat st;

	if (!path)
		return cmd_fail("rec: there is no program '%s'", words[0]);
	if (stat(path, &st) == 0 && (st.st_mode & S_ISUID) && st.st_uid != geteuid())
		return cmd_fail(
			"rec: %s is a set-user-id program, which cannot be recorded: under ptrace it runs without "
			"its privileges",
			path);
	quiet = c->quiet;
	if (c->chaos || c->seed)
		o.chaos = c->seed ? c->seed : clock_ns(CLOCK_REALTIME) % SEED_MAX + 1;
	return c->runs ? until_fail(&o, c->runs) : record_once(&o);
}

static int play(const char *path, const struct player *p)
{
	FILE *f = fopen(path, "re");
	struct replay_result result = { .ended = true };
	struct err e = { 0 };

	if (!f)
		return cmd_fail("replay: cannot read %s: %s", path, strerror(errno));
	if ((p->waits	? waits_run(f, p->json, stdout, &e)
	     : p->leaks ? leaks_run(f, p->allocator, p->json, stdout, &e)
			: replay_run(f, &result, &e)) < 0)
		return failed(path, &e);
	if (!result.ended)
		return cmd_fail("replay: %s ends before the program: the recording was cut off; replayed are %llu "
				"system calls",
				path, (unsigned long long)result.calls);
	return program_end_as(result.status);
}

static void gdb_note(const char *text)
{
	cmd_msg("replay: %s", text);
}

static int debug(const char *path, const char *where)
{
	const struct gdb_opts o = { path, where, gdb_note };
	struct err e = { 0 };

	return gdb_serve(&o, &e) < 0 ? failed(path, &e) : EXIT_OK;
}

/* A command line as dwell's own, and the trace as its last word. */
static int ask(int argc, char **argv)
{
	struct request c;
	FILE *f = fopen(argv[argc - 1], "re");
	int e, status;

	if (!f)
		return cmd_fail("replay: cannot read %s: %s", argv[argc - 1], strerror(errno));
	cmd_begin(&c);
	e = cmd_parse(&c, argc - 1, argv);
	if (e == 0) {
		e = retro_run(&c, argv[argc - 1], f, &status);
		e = cmd_ran(e, status);
	} else {
		fclose(f);
	}
	request_done(&c);
	return e;
}
#else
static int play(const char *path, const struct player *p)
{
	(void)p;
	return cmd_fail("replay: %s: recordings can be replayed on x86-64 only", path);
}

static int ask(int argc, char **argv)
{
	return play(argv[argc - 1], NULL);
}

static int debug(const char *path, const char *where)
{
	(void)where;
	return play(path, NULL);
}

static int record(const struct recorder *c, char **words)
{
	(void)c;
	(void)words;
	return cmd_fail("rec: programs can be recorded on x86-64 only");
}
#endif

static int rec_main(int argc, char **argv)
{
	struct recorder c = { .output = REC_FILE };
	int e = cmd_options(&rec_options, &c, argc, argv);

	if (e == 0 && optind == argc)
		e = cmd_words(&rec_options, NULL, "a command is missing");
	if (e == 0)
		e = record(&c, argv + optind);
	return e;
}

static int replay_main(int argc, char **argv)
{
	struct player p = { 0 };
	int e;

	/* -s, -n … */
	if (argc > 2 && argv[1][0] == '-' && (argv[1][1] != '-' || !strncmp(argv[1], "--record", 8)))
		return ask(argc, argv);
	e = cmd_options(&replay_options, &p, argc, argv);
	if (e == 0 && optind == argc)
		e = cmd_words(&replay_options, NULL, "a recording is missing");
	if (e == 0 && optind + 1 < argc)
		e = cmd_words(&replay_options, argv[optind + 1], NULL);
	if (e == 0)
		e = p.gdb ? debug(argv[optind], p.gdb) : p.pack ? pack(argv[optind], p.pack) : play(argv[optind], &p);
	return e;
}

const struct command cmd_rec = { "rec", "records a program, so that it can be replayed", rec_main,
				 .options = &rec_options };
const struct command cmd_replay = { "replay", "runs a recorded program again", replay_main,
				    .options = &replay_options };
