/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell strace`: system calls as strace(1) shows them, by a D program. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/release.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "base/findprog.h"
#include "cmd/words.h"
#include "cmdline/opts.h"
#include "cmd/program.h"
#include "engine/run/run.h"
#include "strace/filter.h"
#include "strace/trail.h"
#include "strace/program.h"
#include "strace/summary.h"

struct tracer {
	struct request request;
	struct filter filter;
	struct program_want want;
	struct trail_opts show;
	struct summary summary;
	VEC(long) pids;
	const char *output; /* -o */
	unsigned clocks;    /* how many -t */
	int error;	    /* of writing; 0: none */
	bool summing, quiet, good, failed, exec;
	char *const *words; /* the command */
	char *path;	    /* of its program */
	const struct rec_schema *schema;
	struct trail *trail;
	FILE *out;
};

#define DATA_SIZE 32 /* as strace(1)'s */

static int take_filter(void *tracer, const struct optrow *o, const char *arg, struct err *err)
{
	struct tracer *t = tracer;
	_cleanup_(strb_free) struct strb why = { 0 };

	(void)o;
	if (filter_take(&t->filter, arg, &why) == 0)
		return 0;
	return err_set(err, -EINVAL, "strace: -e: %s", strb_str(&why));
}

/* -p: one or several, with commas or blanks between them. */
static int take_pids(void *tracer, const struct optrow *o, const char *arg, struct err *err)
{
	struct tracer *t = tracer;
	_cleanup_free_ char *text = strdup(arg);
	char *save = NULL;

	(void)o;
	for (char *w = text ? strtok_r(text, ", \n", &save) : NULL; w; w = strtok_r(NULL, ", \n", &save)) {
		uint64_t pid;

		if (num_parse_u64(w, &pid) < 0 || pid < 1 || pid > INT32_MAX)
			return err_set(err, -EINVAL, "strace: -p: '%s' is no process", w);
		vec_push(&t->pids, (long)pid);
	}
	return 0;
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
		.letter = c, .kind = OPT_FLAG, .at = offsetof(struct tracer, member), .help = text \
	}
static const struct optrow rows[] = {
	FLAG('f', want.follow, "threads and children, too"),
	{ .letter = 'p', .kind = OPT_CALL, .take = take_pids, .arg = "PID", .help = "this process, or several: 1,2" },
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
	  .at = offsetof(struct tracer, clocks),
	  .take = take_clock,
	  .help = "when each call began; -tt with microseconds; -ttt since 1970" },
	FLAG('r', show.relative, "time since the call before began"),
	{ .letter = 's',
	  .kind = OPT_CALL,
	  .at = offsetof(struct tracer, want.size),
	  .take = take_size,
	  .arg = "SIZE",
	  .help = "so many bytes of data are shown (" OPTABLE_TEXT(DATA_SIZE) ")" },
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct tracer, output),
	  .arg = "FILE",
	  .help = "write here, not to standard error" },
	FLAG('q', quiet, "not how processes end"),
	/* For the process that becomes the command, see become(). */
	{ .name = "exec", .kind = OPT_FLAG, .at = offsetof(struct tracer, exec) },
};
static const struct optable options = {
	.command = "strace",
	.synopsis = "strace [options] [--] COMMAND...\nstrace [options] -p PID",
	.notes = "\tShows system calls with their arguments, results and signals, as strace(1) does.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.leading = true,
};

/* `dwell strace --exec PATH WORDS…`: what is started is this program again, so that it can be seen how it becomes the
 * command. */
static int become(char **words)
{
	execv(words[0], words + 1);
	cmd_msg("strace: cannot execute %s: %s", words[0], strerror(errno));
	return EXIT_ERROR;
}

static int take_command(struct tracer *t, char **words)
{
	struct arena *a = t->request.arena;
	const char **v;
	size_t n = 0, k = 0;

	t->path = findprog(words[0]);
	if (!t->path)
		return cmd_fail("strace: there is no program '%s'", words[0]);
	while (words[n])
		n++;
	v = arena_new_arr(a, const char *, n + 5);
	v[k++] = "/proc/self/exe";
	v[k++] = "strace";
	v[k++] = "--exec";
	v[k++] = t->path;
	for (size_t i = 0; i < n; i++)
		v[k++] = words[i];
	t->words = words;
	t->request.words = (char *const *)v;
	return 0;
}

static int check(struct tracer *t, int argc, char **argv)
{
	if (optind < argc && t->pids.n)
		return cmd_words(&options, NULL, "-p and a command exclude each other");
	if (optind == argc && !t->pids.n)
		return cmd_words(&options, NULL, "a command or -p PID is missing");
	for (size_t i = 0; i < t->pids.n; i++)
		if (kill((pid_t)t->pids.v[i], 0) < 0 && errno == ESRCH)
			return cmd_fail("strace: there is no process %ld", t->pids.v[i]);
	return optind < argc ? take_command(t, argv + optind) : 0;
}

static void choose_nested(struct tracer *t)
{
	t->want.nested = !t->want.count && program_wants_nested(&t->want);
	if (!t->want.nested || release_since(PROGRAM_NESTED_LINUX))
		return;
	t->want.nested = false;
	if (!t->quiet && release_since(PROGRAM_CALLS_LINUX))
		cmd_msg("strace: the arguments of programs, vectors and messages are shown as addresses: "
			"their contents need Linux " PROGRAM_NESTED_LINUX);
}

static bool can_run(const struct tracer *t)
{
	if (t->want.count || release_since(PROGRAM_CALLS_LINUX))
		return true;
	cmd_msg("strace: calls with their arguments need Linux " PROGRAM_CALLS_LINUX
		": older verifiers take minutes over the program; -c works");
	return false;
}

static void choose(struct tracer *t)
{
	static const enum trail_clock clocks[] = { TRAIL_NO_CLOCK, TRAIL_SECONDS, TRAIL_MICROS, TRAIL_EPOCH };

	if (t->good || t->failed)
		t->filter.status = (t->good ? TRAIL_GOOD : 0) | (t->failed ? TRAIL_FAILED : 0);
	memcpy(t->want.call, t->filter.call, sizeof(t->want.call));
	t->want.others = t->filter.others;
	t->want.command = t->words != NULL;
	t->want.pids = t->pids.v;
	t->want.npids = t->pids.n;
	t->want.count = t->show.count = t->summing;
	t->show.say = (struct say_opts){ .size = t->want.size, .paths = t->want.paths };
	t->show.clock = clocks[t->clocks < ARRAY_SIZE(clocks) ? t->clocks : ARRAY_SIZE(clocks) - 1];
	t->want.times = t->show.clock || t->show.took || t->show.relative;
	t->show.pids = t->want.follow && t->output;
	t->show.many = t->want.follow || t->pids.n > 1;
	t->show.status = t->filter.status;
	t->show.signals = t->filter.signals;
	t->show.ends = !t->quiet;
	choose_nested(t);
}

#define RINGS_MIB 64ull	   /* of all CPUs together */
#define RING_MIN_MIB 1ull  /* of one */
#define RING_MAX_MIB 16ull /* what a program that only makes system calls fills in some 0.1 s */

static void fill_request(struct tracer *t)
{
	struct request *c = &t->request;
	_cleanup_(strb_free) struct strb head = { 0 }, functions = { 0 };
	unsigned long long cpus = (unsigned long long)sysconf(_SC_NPROCESSORS_CONF), mib = RING_MAX_MIB;

	while (mib > RING_MIN_MIB && mib * cpus > RINGS_MIB)
		mib /= 2;
	c->opts.quiet = true;
	c->opts.bufsize = (uint64_t)mib << 20;
	program_head(&head, &t->want);
	program_functions(&functions, &t->want);
	request_prog(c, PROG_NAME, arena_strdup(c->arena, strb_str(&head)));
	request_shipped(c, "strace/follow");
	request_shipped(c, t->want.count ? "strace/count" : "strace/trace");
	request_prog(c, PROG_NAME, arena_strdup(c->arena, strb_str(&functions)));
	for (size_t i = 0; i < t->pids.n; i++)
		vec_push(&c->pids, t->pids.v[i]);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct tracer *t = ctx;

	(void)why;
	(void)out;
	t->schema = schema;
	trail_begin(t->trail, schema, sym);
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct tracer *t = ctx;

	(void)s;
	if (t->words)
		trail_command(t->trail, (uint32_t)target);
	return 0;
}

/* Keeps the first write error: r (0 or -errno), or one that the stream has noted. Returns r, or -EPIPE after an error:
 * the run ends silently, and run() reports the error. */
static int written(struct tracer *t, int r)
{
	if (r >= 0 && !ferror(t->out))
		return r;
	if (!t->error)
		t->error = r < 0 ? -r : errno ? errno : EIO;
	return -EPIPE;
}

static int on_row(void *ctx, const struct row *row)
{
	struct tracer *t = ctx;
	int r;

	if (t->want.count)
		summary_row(&t->summary, t->schema, row);
	r = written(t, trail_row(t->trail, row));
	return r < 0 ? r : 1;
}

static int on_taken(void *ctx)
{
	struct tracer *t = ctx;

	return written(t, fflush(t->out) != 0 ? -errno : 0);
}

static int on_finish(void *ctx)
{
	struct tracer *t = ctx;
	int r = trail_finish(t->trail);

	if (r == 0 && t->want.count)
		summary_print(&t->summary, t->out);
	return written(t, r == 0 && fflush(t->out) != 0 ? -errno : r);
}

static int run(struct tracer *t)
{
	const struct run_observer show = { .ctx = t,
					   .open = on_open,
					   .ready = on_ready,
					   .row = on_row,
					   .taken = on_taken,
					   .finish = on_finish,
					   .apart = true };
	int fd = t->output ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), e, status;

	t->out = t->output ? fopen(t->output, "we") : fd < 0 ? NULL : fdopen(fd, "w");
	if (!t->out)
		return cmd_fail("strace: cannot write to %s: %s", t->output ? t->output : "standard error",
				strerror(errno));
	t->trail = trail_new(&t->show, t->out);
	if (!t->trail)
		return cmd_fail("out of memory");
	fill_request(t);
	e = request_run(&t->request, &show);
	if (fclose(take_ptr(t->out)) != 0 && !t->error)
		t->error = errno;
	if (t->error && t->error != EPIPE)
		e = cmd_fail("strace: cannot write to %s: %s", t->output ? t->output : "standard error",
			     strerror(t->error));
	return e == EXIT_OK && trail_status(t->trail, &status) ? program_end_as(status) : e;
}

static int strace_main(int argc, char **argv)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int e;

	if (!t)
		return cmd_fail("out of memory");
	cmd_begin(&t->request);
	filter_init(&t->filter);
	t->want.size = DATA_SIZE;
	e = cmd_options(&options, t, argc, argv);
	if (e == 0 && t->exec)
		e = optind + 1 < argc ? become(argv + optind) : cmd_words(&options, NULL, "a command is missing");
	else if (e == 0)
		e = check(t, argc, argv);
	if (e == 0) {
		choose(t);
		e = can_run(t) ? run(t) : EXIT_ERROR;
	}
	if (t->out)
		fclose(t->out);
	trail_free(t->trail);
	vec_free(&t->pids);
	free(t->path);
	request_done(&t->request);
	free(t);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_strace = { "strace", "shows system calls as strace does", strace_main };
