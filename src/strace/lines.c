/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the lines: process, time, call, duration. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "strace/trail_int.h"

#define RESULT_COLUMN 40
#define NSEC UINT64_C(1000000000)
#define NSEC_PER_USEC 1000

static void put_clock(struct trail *f, struct strb *b, uint64_t ts)
{
	uint64_t wall = (uint64_t)((int64_t)ts + f->wall);
	time_t sec = (time_t)(wall / NSEC);
	unsigned us = (unsigned)(wall % NSEC / NSEC_PER_USEC);
	char text[32] = "";
	struct tm tm;

	if (f->o->clock == TRAIL_EPOCH)
		strb_printf(b, "%lld.%06u", (long long)sec, us);
	else if (f->o->clock && localtime_r(&sec, &tm) && strftime(text, sizeof(text), "%T", &tm))
		strb_adds(b, text);
	if (f->o->clock == TRAIL_MICROS)
		strb_printf(b, ".%06u", us);
	if (f->o->clock)
		strb_addc(b, ' ');
	if (f->o->relative) {
		uint64_t d = f->last && ts > f->last ? ts - f->last : 0;

		strb_printf(b, f->o->clock ? "(+%6" PRIu64 ".%06u) " : "%6" PRIu64 ".%06u ", d / NSEC,
			    (unsigned)(d % NSEC / NSEC_PER_USEC));
		f->last = ts;
	}
}

/* Before each line: its process, and the time. */
static void put_head(struct trail *f, struct strb *b, uint32_t tid, uint64_t ts)
{
	if (f->o->pids)
		strb_printf(b, "%-5u ", tid);
	else if (f->o->many && f->nthreads > 1)
		strb_printf(b, "[pid %5u] ", tid);
	put_clock(f, b, ts);
}

static int write_line(struct trail *f, const struct strb *b)
{
	if (b->failed)
		return -ENOMEM;
	return fwrite(b->s, 1, b->n, f->out) == b->n ? 0 : -errno;
}

static void pad(struct strb *b)
{
	strb_addc(b, ' ');
	if (b->n < RESULT_COLUMN)
		strb_fill(b, ' ', RESULT_COLUMN - b->n);
}

static void put_took(struct trail *f, struct strb *b, uint64_t since, uint64_t ts)
{
	uint64_t d = since && ts > since ? ts - since : 0;

	if (f->o->took)
		strb_printf(b, " <%" PRIu64 ".%06u>", d / NSEC, (unsigned)(d % NSEC / NSEC_PER_USEC));
}

/* Writes the signals that came to the thread while it was in the call. */
static int put_signals(struct trail *f, struct thread *t)
{
	int r = 0;

	if (t->signals.n && fwrite(t->signals.s, 1, t->signals.n, f->out) != t->signals.n)
		r = -errno;
	strb_reset(&t->signals);
	return r;
}

#define RESTART_FIRST 512 /* errors that lead to a restart: ERESTARTSYS … ERESTART_RESTARTBLOCK */
#define RESTART_LAST 516

static bool is_restart(int64_t ret)
{
	return -ret >= RESTART_FIRST && -ret <= RESTART_LAST && ret != -515;
}

/* The call that is to be restarted: interrupted by a signal, or by the thread's end. */
int trail_flush(struct trail *f, struct thread *t)
{
	int r;

	if (t->holds) {
		struct event e = { .ret = t->held_ret, .over = true };

		t->holds = false;
		say_result(&t->held, &e, &f->o->say);
		put_took(f, &t->held, t->held_since, t->held_ts);
		strb_addc(&t->held, '\n');
		r = f->o->status & TRAIL_FAILED ? write_line(f, &t->held) : 0;
		strb_reset(&t->held);
		if (r < 0)
			return r;
	}
	return put_signals(f, t);
}

static bool is_wanted(const struct trail *f, const struct event *e)
{
	bool failed = e->ret < 0 && e->ret > -4096;

	return f->o->status & (failed ? TRAIL_FAILED : TRAIL_GOOD);
}

int trail_call(struct trail *f, struct thread *t, struct event *e)
{
	struct strb *b = &f->line;
	int r = trail_flush(f, t);

	if (r < 0 || f->o->count || !is_wanted(f, e))
		return r < 0 ? r : put_signals(f, t);
	strb_reset(b);
	put_head(f, b, e->tid, e->since ? e->since : e->ts);
	say_call(b, e, &f->o->say);
	pad(b);
	if (is_restart(e->ret)) {
		strb_reset(&t->held);
		strb_add(&t->held, b->s, b->n);
		t->holds = true;
		t->held_ret = e->ret;
		t->held_since = e->since;
		t->held_ts = e->ts;
		return 0;
	}
	say_result(b, e, &f->o->say);
	put_took(f, b, e->since, e->ts);
	strb_addc(b, '\n');
	strb_add(b, strb_str(&e->stack), e->stack.n);
	r = write_line(f, b);
	return r < 0 ? r : put_signals(f, t);
}

int trail_unfinished(struct trail *f, struct thread *t)
{
	struct strb *b = &f->line;
	int r = trail_flush(f, t);

	t->began = false;
	if (r < 0 || f->o->count || !(f->o->status & TRAIL_UNFINISHED))
		return r;
	strb_reset(b);
	put_head(f, b, t->tid, t->entry.ts);
	say_call(b, &t->entry, &f->o->say);
	pad(b);
	strb_adds(b, "= ?\n");
	return write_line(f, b);
}

int trail_signal(struct trail *f, struct thread *t, int sig, const uint8_t *info, size_t n, bool later, uint64_t ts)
{
	struct strb *b = &f->line;
	int r = later ? 0 : trail_flush(f, t);

	if (r < 0 || f->o->count || sig < 1 || sig > 64 || !(f->o->signals >> (sig - 1) & 1))
		return r;
	strb_reset(b);
	put_head(f, b, t->tid, ts);
	say_signal(b, sig, info, n);
	strb_addc(b, '\n');
	if (!later)
		return write_line(f, b);
	strb_add(&t->signals, b->s, b->n);
	return 0;
}

int trail_end(struct trail *f, struct thread *t, int code, uint64_t ts)
{
	struct strb *b = &f->line;
	int r = 0;

	if (t->holds) { /* it ended within the call, which nothing restarts */
		t->holds = false;
		strb_adds(&t->held, "= ?\n");
		r = f->o->status & TRAIL_UNFINISHED ? write_line(f, &t->held) : 0;
		strb_reset(&t->held);
	}
	if (r == 0)
		r = put_signals(f, t);
	if (r < 0 || f->o->count || !f->o->ends)
		return r;
	strb_reset(b);
	put_head(f, b, t->tid, ts);
	say_exit(b, code);
	strb_addc(b, '\n');
	return write_line(f, b);
}

int trail_lost(struct trail *f, uint64_t n)
{
	return fprintf(f->out, "+++ %" PRIu64 " records lost here +++\n", n) < 0 ? -errno : 0;
}

/* Tells how many calls of 32-bit programs have no line. */
int trail_tell(struct trail *f)
{
	int n = 0;

	if (f->nis32)
		n = fprintf(f->out, "+++ %" PRIu64 " calls of 32-bit programs are not shown +++\n", f->nis32);
	return n < 0 ? -errno : 0;
}

/* " > /usr/lib/libc.so.6(__write+0x10) [0xf8350]" */
static void put_frame(struct trail *f, struct strb *b, const struct rec_ustack_hdr *h, uint64_t pc)
{
	struct symbol s = { 0 };
	bool found = f->sym && sym_user(f->sym, h->tgid, h->start, pc, &s);
	const char *path = s.path ? s.path : s.module ? s.module : "";

	if (!path[0])
		strb_printf(b, " > %#" PRIx64 "\n", pc);
	else if (found && s.name)
		strb_printf(b, " > %s(%s+%#" PRIx64 ") [%#" PRIx64 "]\n", path, s.name, s.offset, pc);
	else
		strb_printf(b, " > %s() [%#" PRIx64 "]\n", path, pc);
}

void trail_stack(struct trail *f, struct event *e, const struct recfield *field, const uint8_t *data)
{
	struct rec_ustack_hdr h;
	const uint8_t *p = data + field->off;

	memcpy(&h, p, sizeof(h));
	p += sizeof(h);
	for (uint32_t i = 0; i < field->nframes; i++) {
		uint64_t pc;

		memcpy(&pc, p + i * sizeof(pc), sizeof(pc));
		if (!pc)
			break;
		put_frame(f, &e->stack, &h, pc);
	}
}
