/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/run/child.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "hosts/wire.h"

#define PIECE 65536
#define READS_MAX 16 /* pieces in one call */
#define NICE 5

/* How a row of a WIRE_AGGS begins (view/text/aggsend.c), and nothing else: quotes in texts are escaped. */
static const char row_begins[] = { '{', '"', 'k', 'e', 'y', '"', ':', '[' };

/* -- beginning -- */

static void put_request(struct runchild *c, const struct runmsg *m, const struct runpolicy *p)
{
	char cpu[32];
	char *words[16];
	size_t n = 0, size = m->nprogram;
	char *text = (char *)(uintptr_t)m->program;
	struct wire_request r = {
		.patience_ms = RUNCHILD_PATIENCE_MS, .merge = m->merge, .words = words, .texts = &text, .sizes = &size
	};
	struct strb b = { 0 };

	snprintf(cpu, sizeof(cpu), "maxcpu=%" PRIu64 "%%", p->cpu);
	words[n++] = "dwell";
	words[n++] = "-x";
	words[n++] = "confined";
	words[n++] = "-x";
	words[n++] = cpu;
	if (m->json) {
		words[n++] = "-x";
		words[n++] = "oformat=json";
	}
	if (m->quiet)
		words[n++] = "-q";
	if (m->write)
		words[n++] = "-w";
	words[n++] = m->script[0] ? "-s" : "-n";
	words[n++] = m->script[0] ? (char *)(uintptr_t)m->script : text;
	words[n] = NULL;
	r.nwords = n;
	r.ntexts = m->script[0] ? 1 : 0;
	wire_put_request(&b, &r);
	wire_put(&c->to, WIRE_REQUEST, b.s, b.n);
	c->to.failed |= b.failed;
	strb_free(&b);
}

/* In the child: nothing but system calls. */
static void exec_agent(int in, int out, uint64_t cpu_s)
{
	char *const argv[] = { "dwell", "host-agent", NULL };
	const struct rlimit limit = { cpu_s, cpu_s + 1 };

	setsid(); /* Ctrl-C of the host's terminal is not its end */
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_CPU, &limit);
	setpriority(PRIO_PROCESS, 0, NICE);
	execv("/proc/self/exe", argv);
	_exit(127);
}

int runchild_start(struct runchild *c, const struct runmsg *m, const struct runpolicy *p, struct err *err)
{
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t cpu_s = RUNCHILD_CPU_S + (m->seconds * cpus * p->cpu + 99) / 100;
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };

	*c = (struct runchild){ .in = -1, .out = -1, .pid = -1, .status = -1, .rows_max = p->rows };
	put_request(c, m, p);
	if (!c->to.failed && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0)
		c->pid = fork();
	if (c->pid == 0)
		exec_agent(in[0], out[1], cpu_s);
	closep(&in[0]);
	closep(&out[1]);
	c->in = in[1];
	c->out = out[0];
	if (c->pid < 0) {
		int e = c->to.failed ? -ENOMEM : -errno;

		runchild_end(c);
		return err_set(err, e, "the program cannot be started: %s", strerror(-e));
	}
	fcntl(c->in, F_SETFL, O_NONBLOCK);
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	c->begun = clock_ns(CLOCK_MONOTONIC);
	c->ends = c->begun + m->seconds * NSEC_PER_SEC;
	return 0;
}

void runchild_alive(struct runchild *c)
{
	wire_put(&c->to, WIRE_ALIVE, NULL, 0);
}

void runchild_interrupt(struct runchild *c)
{
	if (!c->interrupted)
		wire_put(&c->to, WIRE_INTERRUPT, NULL, 0);
	if (!c->interrupted)
		c->ends = clock_ns(CLOCK_MONOTONIC);
	c->interrupted = true;
}

/* -- while it runs -- */

static void send_words(struct runchild *c)
{
	while (c->in >= 0 && c->to.n) {
		ssize_t n = write(c->in, c->to.s, c->to.n);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			closep(&c->in);
			c->in = -1;
		}
		wire_drop(&c->to, n > 0 ? (size_t)n : 0);
	}
}

static void limit(struct runchild *c, const char *which)
{
	if (!c->limit)
		c->limit = which;
	runchild_interrupt(c);
}

static void count(struct runchild *c, const struct wire_frame *f)
{
	const char *p = f->p, *end = f->p + f->n;

	c->bytes += f->n;
	while (f->kind == WIRE_OUT && (p = memchr(p, '\n', (size_t)(end - p)))) {
		c->rows++;
		p++;
	}
	while (f->kind == WIRE_AGGS && (p = memmem(p, (size_t)(end - p), row_begins, sizeof(row_begins)))) {
		c->rows++;
		p += sizeof(row_begins);
	}
	if (f->kind == WIRE_STATUS && f->n == 1)
		c->status = (uint8_t)f->p[0];
	if (c->rows > c->rows_max)
		limit(c, "more rows than this machine's policy allows");
	if (c->bytes > RUNCHILD_BYTES_MAX)
		limit(c, "more bytes than a program may send");
}

/* The agent's first line. */
static int greet(struct runchild *c)
{
	static const char ready[] = WIRE_READY "\n";
	size_t n = sizeof(ready) - 1;

	if (c->from.n < n)
		return 0;
	if (memcmp(c->from.s, ready, n) != 0)
		return -EPROTO;
	wire_drop(&c->from, n);
	c->greeted = true;
	return 0;
}

static int pass_frames(struct runchild *c, void (*piece)(void *ctx, const char *p, size_t n), void *ctx)
{
	struct wire_frame f;
	struct step s;
	size_t at = 0, from = 0;
	int e = c->greeted ? 0 : greet(c);

	if (e < 0 || !c->greeted)
		return e;
	while ((s = wire_next(&c->from, &at, WIRE_FRAME_MAX, &f)).more) {
		count(c, &f);
		/* At the limit no further frame is sent, except those that tell how the program ended. */
		if (!c->limit || f.kind == WIRE_STATUS || f.kind == WIRE_ERR)
			piece(ctx, c->from.s + from, at - from);
		from = at;
	}
	wire_drop(&c->from, at);
	return s.error;
}

static void look_at_time(struct runchild *c)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now > c->ends)
		runchild_interrupt(c);
	if (c->interrupted && now > c->ends + RUNCHILD_GRACE_NS && !c->killed) {
		kill(c->pid, SIGKILL); /* the run goes with it */
		c->killed = now;
	}
}

int runchild_pump(struct runchild *c, void (*piece)(void *ctx, const char *p, size_t n), void *ctx)
{
	char buf[PIECE];
	int e = 0;

	look_at_time(c);
	send_words(c);
	for (int i = 0; e == 0 && i < READS_MAX; i++) {
		ssize_t n = read(c->out, buf, sizeof(buf));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0)
			return -ENODATA;
		strb_add(&c->from, buf, (size_t)n);
		e = c->from.failed ? -ENOMEM : pass_frames(c, piece, ctx);
	}
	return e;
}

uint64_t runchild_end(struct runchild *c)
{
	struct rusage use = { 0 };
	int status;

	closep(&c->in);
	closep(&c->out);
	c->in = c->out = -1;
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		while (wait4(c->pid, &status, 0, &use) < 0 && errno == EINTR)
			;
	}
	c->pid = -1;
	strb_free(&c->to);
	strb_free(&c->from);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}
