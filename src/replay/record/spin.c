/* SPDX-License-Identifier: Apache-2.0 */
/* Handles a thread that makes no system call for long, while others could run, or a handler is due. Such a thread has a
 * loop that waits for another thread, or a long computation. It is stopped anywhere, and the place is recorded in one
 * of two ways.
 *
 * A loop that waits: after some steps all registers and all memory are what they were, so it goes round for ever. The
 * replay runs to where it first is like that (EV_SPOT), however often it went round in the recording.
 * All else: the registers and all memory that can be written to (EV_STATE). The replay puts them there, and does not
 * run what led to them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/step.h"
#include "replay/tracee/memory.h"
#include "replay/record/int.h"

#define TICK_US 4000
#define LOOK_NS 4000000ull    /* of CPU time without a call before the first look; each other one waits twice as long */
#define SIGNAL_NS 50000000ull /* before a handler begins in a computation */
#define SWITCH_NS 100000000ull /* before another thread gets the turn in a computation */
#define DELAYS_MAX 5	       /* each such place without a call between doubles these, at most this many times */
#define PAUSE_NS 50000000ull   /* others come before a loop that waits for so long */
#define STUCK_NS 2000000000ull /* before a loop that nobody can end is told */
#define STEPS_MAX 512	       /* instructions of a loop that waits */

static void on_tick(int signo)
{
	(void)signo; /* it interrupts waitpid() */
}

void spin_start(void)
{
	const struct itimerval every = { { 0, TICK_US }, { 0, TICK_US } };
	struct sigaction a = { .sa_handler = on_tick };

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

void spin_end(void)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
}

/* How long the thread has run; the clock, where the kernel does not tell. */
static uint64_t ran_ns(const struct task *k)
{
	_cleanup_close_ int fd = -1;
	unsigned long long ns;
	char buf[64];
	ssize_t n;

	snprintf(buf, sizeof(buf), "/proc/%d/schedstat", (int)k->t.pid);
	fd = open(buf, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	buf[n > 0 ? n : 0] = 0;
	return n > 0 && sscanf(buf, "%llu", &ns) == 1 ? ns : clock_ns(CLOCK_MONOTONIC);
}

void spin_watch(struct rec *r)
{
	struct task *k = r->turn;
	uint64_t now;

	if (!k || k->state != TASK_USER || k->spin.poked)
		return;
	now = ran_ns(k);
	if (!k->spin.since) {
		k->spin.since = now;
		k->spin.look = LOOK_NS;
	}
	if (now - k->spin.since < k->spin.look)
		return;
	if (!sched_others(r) && !k->nqueue && (k->spin.told || now - k->spin.since < STUCK_NS))
		return;
	if (syscall(SYS_tkill, k->t.pid, SIGSTOP) == 0)
		k->spin.poked = true;
}

/* Instructions whose result a step changes, or that the recorder has to see: system calls, rdtsc, pushf, int. */
static bool is_special(const uint8_t code[3])
{
	return (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x31 || code[1] == 0x34)) ||
	       (code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9) || code[0] == 0x9c || code[0] == 0xcd;
}

/* One instruction on. The end: that is not to be done, or something else happened, which is handled later. */
static struct step one_on(struct rec *r, struct user_regs_struct *regs)
{
	struct task *k = r->k;
	uint8_t code[3] = { 0 };
	int e, status;

	tracee_read(&k->t, regs->rip, code, sizeof(code));
	if (is_special(code) || (regs->rip >= STUB_CODE && regs->rip < STUB_END))
		return step_end();
	k->spin.stepped = true;
	e = tracee_go(&k->t, PTRACE_SINGLESTEP, 0);
	if (e < 0)
		return step_failed(rec_broken(r, e));
	while (waitpid(k->t.pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return step_failed(rec_broken(r, -errno));
	if (status >> 8 != SIGTRAP) {
		k->status = status;
		k->state = TASK_PENDING;
		return step_end();
	}
	e = tracee_regs(&k->t, regs);
	return step_taken(e < 0 ? rec_broken(r, e) : 0);
}

static bool is_pause(struct rec *r, uint64_t rip)
{
	static const uint8_t pause[2] = { 0xf3, 0x90 };
	uint8_t code[2] = { 0 };

	tracee_read(&r->k->t, rip, code, sizeof(code));
	return memcmp(code, pause, sizeof(code)) == 0;
}

/* Steps until all registers are as in *at. The end: that does not happen. pause: becomes where a `pause` is done. */
static struct step go_round(struct rec *r, struct user_regs_struct *now, const struct user_regs_struct *at,
			    struct user_regs_struct *pause)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		struct step x;

		if (is_pause(r, now->rip))
			*pause = *now;
		x = one_on(r, now);
		if (!x.more || tracee_same_regs(now, at))
			return x;
	}
	return step_end();
}

/* Goes on as it is now for ever, but for others. It is left at a place that is passed by waiting only, if there is one.
 * The registers come first: memory takes longer. */
static struct step repeats(struct rec *r, struct ev_spot *spot)
{
	static uint8_t vectors[2][VECTORS_MAX];
	struct user_regs_struct start, now, pause;
	uint64_t before = 0;
	ssize_t n, m;
	struct step x;
	int e = tracee_regs(&r->k->t, &start);

	if (e < 0)
		return step_failed(rec_broken(r, e));
	now = pause = start;
	x = go_round(r, &now, &start, &pause);
	if (!x.more)
		return x;
	n = tracee_vectors(&r->k->t, vectors[0]);
	e = n < 0 ? (int)n : memory_sum(&r->k->t, &before);
	if (e < 0)
		return step_failed(rec_broken(r, e));
	x = go_round(r, &now, &start, &pause);
	if (!x.more)
		return x;
	m = tracee_vectors(&r->k->t, vectors[1]);
	e = memory_sum(&r->k->t, &spot->sum);
	if (e < 0)
		return step_failed(rec_broken(r, e));
	if (spot->sum != before || m != n || memcmp(vectors[0], vectors[1], (size_t)n) != 0)
		return step_end();
	x = tracee_same_regs(&now, &pause) ? step_more() : go_round(r, &now, &pause, &start);
	spot->regs = now;
	return x;
}

static int count(void *ctx, uint64_t addr, const uint8_t *bytes, size_t n)
{
	(void)addr;
	(void)bytes;
	*(uint64_t *)ctx += n;
	return 0;
}

static int put_piece(void *ctx, uint64_t addr, const uint8_t *bytes, size_t n)
{
	const struct ev_mem m = { addr };

	return rec_event(ctx, EV_MEM, &m, sizeof(m), bytes, n);
}

/* The task goes on, and the others go on waiting. */
static void tell_large(struct rec *r, uint64_t size)
{
	struct task *k = r->k;
	char text[256];

	if (k->spin.told)
		return;
	k->spin.told = true;
	snprintf(
		text, sizeof(text),
		"thread %d makes no system call for long, and %s; to interrupt it would record its memory of %llu MiB, %u are "
		"the limit: it goes on until its next system call",
		(int)k->t.pid, k->nqueue ? "a signal's handler waits" : "others wait", (unsigned long long)size >> 20,
		GROUP_MAX >> 20);
	r->o->warn(text);
}

/* Where a computation is. The end: not now. */
static struct step put_all(struct rec *r)
{
	struct task *k = r->k;
	struct ev_state s = { 0 };
	uint64_t ran = ran_ns(k) - k->spin.since, size = 0;
	int e;

	if (ran < (k->nqueue ? SIGNAL_NS : SWITCH_NS) << k->spin.delays || (!k->nqueue && !sched_others(r)))
		return step_end();
	e = tracee_regs(&k->t, &s.regs);
	s.rip = s.regs.rip;
	if (e == 0)
		e = memory_each(&k->t, count, &size);
	if (e < 0)
		return step_failed(rec_broken(r, e));
	if (size > GROUP_MAX) {
		tell_large(r, size);
		return step_end();
	}
	k->spin.delays += k->spin.delays < DELAYS_MAX;
	k->spin.until = clock_ns(CLOCK_MONOTONIC) + ran;
	e = sched_stopped(r);
	if (e == 0)
		e = buf_flush(r);
	if (e == 0)
		e = memory_each(&k->t, put_piece, r);
	return step_taken(e < 0 ? e : rec_put_state(r, EV_STATE, &s));
}

/* The memory has what calls of others wrote that have ended meanwhile. */
static int put_spot(struct rec *r, struct ev_spot *spot)
{
	int e = sched_stopped(r);

	if (e < 0)
		return e;
	r->k->spin.until = clock_ns(CLOCK_MONOTONIC) + PAUSE_NS;
	e = memory_sum(&r->k->t, &spot->sum);
	if (e < 0)
		return rec_broken(r, e);
	e = buf_flush(r);
	if (e == 0)
		e = rec_event(r, EV_SPOT, spot, sizeof(*spot), NULL, 0);
	return e;
}

static void tell_stuck(struct rec *r, uint64_t rip)
{
	struct task *k = r->k;
	char text[256];

	if (k->spin.told || sched_others(r) || k->nqueue || ran_ns(k) - k->spin.since < STUCK_NS)
		return;
	k->spin.told = true;
	snprintf(
		text, sizeof(text),
		"thread %d goes round in a loop at 0x%llx that changes nothing and makes no system call; no other thread "
		"can run now, so it goes on for ever unless a signal, or one that waits in a system call, ends it",
		(int)k->t.pid, (unsigned long long)rip);
	r->o->warn(text);
}

int spin_stopped(struct rec *r)
{
	struct task *k = r->k;
	struct ev_spot spot = { 0 };
	struct user_regs_struct regs;
	struct step x;
	int e = tracee_regs(&k->t, &regs);

	k->spin.poked = false;
	k->spin.look *= 2;
	if (e < 0)
		return rec_broken(r, e);
	if ((regs.rip >= STUB_CODE && regs.rip < STUB_END) ||
	    !k->spin.since) /* in a logged call; or it has just made one */
		return 0;
	x = repeats(r, &spot);
	if (x.more)
		tell_stuck(r, spot.regs.rip);
	if (k->state == TASK_PENDING || (x.more && !k->nqueue && !sched_others(r)))
		return 0;
	if (x.more)
		x = step_taken(put_spot(r, &spot));
	else if (x.error == 0)
		x = put_all(r);
	if (!x.more)
		return x.error;
	k->spin.since = 0;
	k->at_exit = false;
	k->leaves = k->spin.waits = true;
	return rec_due(r) ? rec_deliver_here(r) : 0;
}
