/* SPDX-License-Identifier: Apache-2.0 */
#include "strace/tracer.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/findprog.h"
#include "base/num.h"
#include "base/release.h"
#include "engine/front/wanted.h"
#include "engine/run/run.h"

void tracer_init(struct tracer *t)
{
	filter_init(&t->filter);
	t->want.size = TRACER_DATA_SIZE;
}

void tracer_done(struct tracer *t)
{
	if (t->out)
		fclose(t->out);
	trail_free(t->trail);
	vec_free(&t->pids);
	free(t->path);
	request_done(&t->request);
}

int tracer_pids(struct tracer *t, const char *arg, struct err *err)
{
	_cleanup_free_ char *text = strdup(arg);
	char *save = NULL;

	for (char *w = text ? strtok_r(text, ", \n", &save) : NULL; w; w = strtok_r(NULL, ", \n", &save)) {
		uint64_t pid;

		if (num_parse_u64(w, &pid) < 0 || pid < 1 || pid > INT32_MAX)
			return err_set(err, -EINVAL, "strace: -p: '%s' is no process", w);
		vec_push(&t->pids, (long)pid);
	}
	return 0;
}

int tracer_command(struct tracer *t, char *const *words, struct err *err)
{
	struct arena *a = t->request.arena;
	const char **v;
	size_t n = 0, k = 0;

	t->path = findprog(words[0]);
	if (!t->path)
		return err_set(err, -ENOENT, "strace: there is no program '%s'", words[0]);
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

int tracer_become(char *const *words)
{
	execv(words[0], words + 1);
	return -errno;
}

int tracer_check(const struct tracer *t, struct err *err)
{
	for (size_t i = 0; i < t->pids.n; i++)
		if (kill((pid_t)t->pids.v[i], 0) < 0 && errno == ESRCH)
			return err_set(err, -ESRCH, "strace: there is no process %ld", t->pids.v[i]);
	return 0;
}

static void choose_nested(struct tracer *t)
{
	t->want.nested = !t->want.count && program_wants_nested(&t->want);
	if (!t->want.nested || release_since(PROGRAM_NESTED_LINUX))
		return;
	t->want.nested = false;
	if (!t->quiet && release_since(PROGRAM_CALLS_LINUX))
		listener_msg(&t->request.to,
			     "strace: the arguments of programs, vectors and messages are shown as addresses: "
			     "their contents need Linux " PROGRAM_NESTED_LINUX);
}

static bool can_run(const struct tracer *t)
{
	if (t->want.count || release_since(PROGRAM_CALLS_LINUX))
		return true;
	listener_msg(&t->request.to, "strace: calls with their arguments need Linux " PROGRAM_CALLS_LINUX
				     ": older verifiers take minutes over the program; -c works");
	return false;
}

void tracer_choose(struct tracer *t)
{
	static const enum trail_clock clocks[] = { TRAIL_NO_CLOCK, TRAIL_SECONDS, TRAIL_MICROS, TRAIL_EPOCH };

	if (t->good || t->failed)
		t->filter.status = (t->good ? TRAIL_GOOD : 0) | (t->failed ? TRAIL_FAILED : 0);
	memcpy(t->want.call, t->filter.call, sizeof(t->want.call));
	t->want.others = t->filter.others;
	t->want.command = t->words != NULL;
	t->want.pids = t->pids.v;
	t->want.npids = t->pids.n;
	t->want.chosen = wanted_any(&t->request.opts);
	t->want.count = t->show.count = t->summing;
	t->show.say = (struct say_opts){ .size = t->want.size, .paths = t->want.paths };
	t->show.clock = clocks[t->clocks < ARRAY_SIZE(clocks) ? t->clocks : ARRAY_SIZE(clocks) - 1];
	t->want.times = t->show.clock || t->show.took || t->show.relative;
	t->show.pids = t->want.follow && t->output;
	t->show.many = t->want.follow || t->pids.n > 1 || t->want.chosen;
	t->show.status = t->filter.status;
	t->show.signals = t->filter.signals;
	t->show.ends = !t->quiet;
	choose_nested(t);
}

#define RINGS_MIB 64ull	   /* of all CPUs together */
#define RING_MIN_MIB 1ull  /* of one */
#define RING_MAX_MIB 16ull /* what a program that only makes system calls fills in some 0.1 s */

static void set_params(struct request *c, const struct program_want *w)
{
	request_param(c, "follow", w->follow ? "1" : "0");
	if (w->count)
		return;
	request_param(c, "size", arena_printf(c->arena, "%u", w->size));
	request_param(c, "times", w->times ? "1" : "0");
	request_param(c, "paths", w->paths ? "1" : "0");
	request_param(c, "nested", w->nested ? "1" : "0");
	request_param(c, "stacks", w->stacks ? "1" : "0");
}

void tracer_request(struct tracer *t)
{
	struct request *c = &t->request;
	_cleanup_(strb_free) struct strb head = { 0 }, functions = { 0 };
	unsigned long long cpus = (unsigned long long)sysconf(_SC_NPROCESSORS_CONF), mib = RING_MAX_MIB;

	while (mib > RING_MIN_MIB && mib * cpus > RINGS_MIB)
		mib /= 2;
	c->opts.quiet = true;
	c->opts.bufsize = (uint64_t)mib << 20;
	program_head(&head);
	program_functions(&functions, &t->want);
	request_prog(c, PROG_NAME, arena_strdup(c->arena, strb_str(&head)));
	request_shipped(c, "strace/follow");
	request_shipped(c, t->want.count ? "strace/count" : "strace/trace");
	set_params(c, &t->want);
	request_prog(c, PROG_NAME, arena_strdup(c->arena, strb_str(&functions)));
	for (size_t i = 0; i < t->pids.n; i++)
		vec_push(&c->pids, t->pids.v[i]);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct tracer *t = ctx;

	(void)err;
	(void)why;
	(void)out;
	t->schema = schema;
	trail_begin(t->trail, schema, sym);
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct tracer *t = ctx;

	(void)err;
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

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct tracer *t = ctx;

	(void)ret_text;
	if (t->want.count)
		summary_row(&t->summary, t->schema, row);
	return written(t, trail_row(t->trail, row));
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

int tracer_run(struct tracer *t, bool *ret_ended, int *ret_status)
{
	const struct run_observer show = { .ctx = t,
					   .open = on_open,
					   .ready = on_ready,
					   .row = on_row,
					   .taken = on_taken,
					   .finish = on_finish,
					   .apart = true };
	const char *name = t->output ? t->output : "standard error";
	int fd = t->output ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), e;

	tracer_choose(t);
	if (!can_run(t))
		return -EOPNOTSUPP;
	t->out = t->output ? fopen(t->output, "we") : fd < 0 ? NULL : fdopen(fd, "w");
	if (!t->out)
		return listener_fail(&t->request.to, -errno, "strace: cannot write to %s: %s", name, strerror(errno));
	t->trail = trail_new(&t->show, t->out);
	if (!t->trail)
		return listener_fail(&t->request.to, -ENOMEM, "out of memory");
	tracer_request(t);
	e = request_run(&t->request, &show, NULL);
	if (fclose(take_ptr(t->out)) != 0 && !t->error)
		t->error = errno;
	if (t->error && t->error != EPIPE)
		e = listener_fail(&t->request.to, -t->error, "strace: cannot write to %s: %s", name,
				  strerror(t->error));
	*ret_ended = trail_status(t->trail, ret_status);
	return e;
}
