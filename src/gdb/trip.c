/* SPDX-License-Identifier: Apache-2.0 */
/* Moves a replay for gdb: forwards, to a position, or backwards to the last stop before a position. */
#include "gdb/trip.h"
#include <asm/unistd.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "gdb/clean.h"
#include "replay/trace/group.h"
#include "sym/elf/insn.h"

#define LENGTHS 0x444u /* in register 7: reads and writes */

int trip_copy(struct position *to, const struct position *from)
{
	to->seq = from->seq;
	to->when = from->when;
	to->task = from->task;
	to->legs.n = 0;
	for (size_t i = 0; i < from->legs.n; i++)
		if (vec_try_push(&to->legs, from->legs.v[i]) < 0)
			return -ENOMEM;
	return 0;
}

static struct leg *last_leg(struct position *p)
{
	return p->legs.n ? &p->legs.v[p->legs.n - 1] : NULL;
}

static bool has_break(const struct arms *a, uint64_t addr)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->brk[i] == addr)
			return true;
	return false;
}

/* The register of that number is one of them: enabled, with the same address. */
static bool has_register(const struct arms *a, uint64_t addr, uint64_t seven, unsigned reg)
{
	const uint64_t kind = seven >> (16 + 4 * reg) & 15;

	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((a->seven >> 2 * i & 3) && a->addr[i] == addr && (a->seven >> (16 + 4 * i) & 15) == kind)
			return true;
	return false;
}

static void add_register(struct arms *a, uint64_t addr, uint64_t kind)
{
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if (!(a->seven >> 2 * i & 3)) {
			a->addr[i] = addr;
			a->seven |= 1ull << 2 * i | kind << (16 + 4 * i);
			return;
		}
}

static void join(struct arms *a, const struct arms *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!has_break(a, b->brk[i]) && a->n < ARMS_MAX)
			a->brk[a->n++] = b->brk[i];
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((b->seven >> 2 * i & 3) && !has_register(a, b->addr[i], b->seven, i))
			add_register(a, b->addr[i], b->seven >> (16 + 4 * i) & 15);
}

/* The breakpoints and conditions that stop the task that runs now. */
static struct arms armed(const struct trip *t)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;
	struct arms a = { 0 };

	if (t->mode == TRIP_GO)
		return t->arms;
	if (t->inside && t->leg < p->legs.n)
		a = p->legs.v[t->leg].arms;
	else if (t->inside && t->mode == TRIP_COUNT && t->to.legs.n)
		a = t->to.legs.v[t->to.legs.n - 1].arms;
	if (t->mode == TRIP_LOOK && (!t->only_last || (t->inside && t->leg + 1 >= t->to.legs.n)))
		join(&a, &t->look);
	return a;
}

static int arm(struct trip *t)
{
	const struct arms a = armed(t);
	int e = 0;

	if (!watch_pid(t->now))
		return 0;
	if (!watch_ours(t->now))
		return t->debugs ? watch_debug(t->now, a.addr, 0) : 0;
	for (size_t i = 0; i < a.n; i++)
		if (!watch_breaks_at(t->now, a.brk[i]))
			watch_break(t->now, a.brk[i], 0); /* where nothing is mapped yet: later */
	if (a.seven || t->debugs)
		e = watch_debug(t->now, a.addr, a.seven);
	t->debugs |= a.seven != 0;
	return e;
}

static void note_clue(struct trip *t, struct clue *c)
{
	memset(c, 0, sizeof(*c));
	c->rip = t->regs.rip;
	watch_read(t->now, c->rip - sizeof(c->code), c->code, sizeof(c->code));
	watch_read(t->now, t->regs.rsp, &c->ret, sizeof(c->ret));
	watch_read(t->now, c->ret - sizeof(c->call), c->call, sizeof(c->call));
}

/* From the last checkpoint before. */
static int again(struct trip *t)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;
	const bool look = t->mode == TRIP_LOOK && !t->only_last;
	const struct kept *k = kept_find(&t->kept, p->seq, !look || p->legs.n, t->to.task);

	t->again = !k;
	t->from = k && k != t->kept.v ? k->seq : 0;
	t->has_last = k && k->call_seq && k->call_task == t->to.task;
	if (!k)
		return WALK_END;
	watch_back(t->now, k->state);
	t->inside = false;
	t->resumed = true;
	t->kept.since = watch_ran_ns(t->now);
	t->call = *k;
	t->last_call.seq = k->call_seq;
	t->last_call.when = k->call_when;
	t->last_call.task = k->call_task;
	t->last_call.legs.n = 0;
	t->seq = k->seq - 1;
	return WALK_END;
}

static int travel(struct trip *t, const struct position *to, enum stop_reason reason)
{
	t->mode = TRIP_TO;
	t->reason = reason;
	return trip_copy(&t->to, to) < 0 ? -ENOMEM : again(t);
}

/* Where the instruction before addr begins, if code ends there: what most ways of decoding it agree on. It has one of
 * these classes (0: any). 0: unknown. */
static uint64_t one_before(const uint8_t code[64], uint64_t addr, unsigned classes)
{
	unsigned votes[16] = { 0 }, kinds[16] = { 0 }, best = 0;

	for (size_t from = 16; from <= 64; from++) {
		_cleanup_free_ struct insn *v = NULL;
		const char *reason = NULL;
		size_t n = 0;

		if (insn_list(EM_X86_64, addr - from, code + 64 - from, from, &v, &n, &reason) < 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (v[i].off + v[i].len == from && v[i].len < 16) {
				votes[v[i].len]++;
				kinds[v[i].len] = v[i].classes;
			}
	}
	for (unsigned i = 1; i < 16; i++)
		best = votes[i] > votes[best] ? i : best;
	return best && (!classes || (kinds[best] & classes)) ? addr - best : 0;
}

/* The instruction before `to`: from the last place before that is known, step by step. Debug registers, since the
 * places are guesses: a breakpoint in the middle of an instruction would change it. */
static int step_back(struct trip *t, const struct clue *c, enum stop_reason reason)
{
	const uint64_t before = one_before(c->code, c->rip, 0), call = one_before(c->call, c->ret, INSN_CALL);
	struct leg *l = last_leg(&t->to);

	t->reason = reason;
	if (l && l->steps) {
		if (!--l->steps && !l->hits)
			t->to.legs.n--;
		t->mode = TRIP_TO;
		return again(t);
	}
	t->look = l ? l->arms : (struct arms){ 0 };
	if (before)
		add_register(&t->look, before, 0);
	if (call)
		add_register(&t->look, call, 0);
	t->mode = TRIP_LOOK;
	t->only_last = true;
	return again(t);
}

/* There was nothing since stop `from`: what was before it? */
static int look_before(struct trip *t, uint64_t from)
{
	from = from ? clean_since(t, from) : 0;
	if (!from)
		return travel(t, &t->first, STOP_FIRST);
	t->to.seq = from;
	t->to.when = WATCH_DONE;
	t->to.legs.n = 0;
	t->mode = TRIP_LOOK;
	t->only_last = t->at_mark = t->marks_end = t->has_found = false;
	t->marks.n = 0;
	return again(t);
}

/* TRIP_LOOK has come to its end. */
static int looked(struct trip *t)
{
	struct leg *l = last_leg(&t->to);
	int e;

	if (!t->only_last && !t->has_found)
		return look_before(t, t->from);
	if (!t->only_last)
		t->marks_from = t->from;
	t->at_mark = !t->only_last && t->on_found == STOP_BREAK && !t->marks_end && t->marks.n;
	t->mark = t->marks.n - 1;
	if (!t->only_last && (t->on_found != STOP_WATCH || t->direct))
		return travel(t, &t->found, t->on_found);
	if (!t->only_last) { /* before what was written */
		e = trip_copy(&t->to, &t->found);
		return e < 0 ? e : step_back(t, &t->clue_found, STOP_WATCH);
	}
	if (!l && t->to.when != WATCH_CALL && t->to.when != WATCH_LOG_CALL && t->to.when != WATCH_FAULT) /* a call */
		return t->has_last ? travel(t, &t->last_call, t->reason) : travel(t, &t->first, STOP_FIRST);
	if (!t->has_found) { /* from where the leg begins */
		e = trip_copy(&t->found, &t->to);
		if (e < 0)
			return e;
		if (l) {
			t->found.legs.n--;
		} else {
			t->found.seq--;
			t->found.when = WATCH_GROUP;
		}
	}
	t->mode = TRIP_COUNT;
	return again(t);
}

/* Steps of TRIP_COUNT led to where `to` is. */
static int counted(struct trip *t)
{
	struct leg *l = last_leg(&t->found);

	if (!t->done) { /* it is the same place */
		int e = trip_copy(&t->to, &t->found);

		if (t->has_last && e == 0 && !l)
			return travel(t, &t->last_call, t->reason);
		return e < 0 ? e : step_back(t, &t->clue, t->reason);
	}
	if (t->done > 1 && !l) {
		const struct leg none = { .steps = t->done - 1 };

		if (vec_try_push(&t->found.legs, none) < 0)
			return -ENOMEM;
	} else if (l) {
		l->steps += t->done - 1;
	}
	return travel(t, &t->found, t->reason);
}

static bool same_breaks(const struct arms *a, const struct arms *b)
{
	bool same = a->n == b->n && !a->seven && !b->seven;

	for (size_t i = 0; i < a->n && same; i++)
		same = has_break(b, a->brk[i]);
	return same;
}

/* From a hit to the one before. */
static int back_one_mark(struct trip *t)
{
	struct mark m;

	if (!t->mark)
		return look_before(t, t->marks_from);
	m = t->marks.v[--t->mark];
	t->found.seq = m.seq;
	t->found.task = m.task;
	t->found.when = WATCH_GROUP;
	t->found.legs.n = 0;
	if (vec_try_push(&t->found.legs, ((struct leg){ .arms = t->look, .hits = m.hits })) < 0)
		return -ENOMEM;
	return travel(t, &t->found, STOP_BREAK);
}

static int look_back(struct trip *t)
{
	int e;

	if (t->at_mark && same_breaks(&t->look, &t->arms))
		return back_one_mark(t);
	t->at_mark = t->marks_end = false;
	t->marks.n = 0;
	t->mode = TRIP_LOOK;
	t->look = t->arms;
	t->only_last = false;
	e = trip_copy(&t->to, &t->here);
	return e < 0 ? e : again(t);
}

static int ask(struct trip *t, enum stop_reason reason)
{
	const enum trip_next next = t->stopped(t->ctx, t, reason);
	int e = 0;

	t->fresh = true;
	t->has_found = t->has_last = false;
	switch (next) {
	case NEXT_GO:
		t->mode = TRIP_GO;
		t->at_mark = false;
		break;
	case NEXT_BACK: return look_back(t);
	case NEXT_STEP_BACK:
		t->at_mark = false;
		e = trip_copy(&t->to, &t->here);
		note_clue(t, &t->clue);
		return e < 0 ? e : step_back(t, &t->clue, STOP_STEP);
	case NEXT_AGAIN: t->at_mark = false; return t->has_first ? travel(t, &t->first, STOP_START) : WALK_END;
	case NEXT_PLACE: t->at_mark = false; return travel(t, &t->place, STOP_STEP);
	case NEXT_END: return WALK_END;
	}
	watch_step(t->now, t->steps && watch_task(t->now) == t->task);
	e = arm(t);
	return e;
}

static int arrived(struct trip *t)
{
	int e;

	watch_step(t->now, false);
	if (t->mode == TRIP_LOOK)
		return looked(t);
	e = trip_copy(&t->here, &t->to);
	return e < 0 ? e : ask(t, t->reason);
}

/* The next leg that has something to do, from number i on; perhaps none. */
static int enter_leg(struct trip *t, size_t i)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;
	int e;

	t->inside = true;
	t->leg = i;
	t->hits = t->all = t->done = 0;
	if (i < p->legs.n) {
		watch_step(t->now, !p->legs.v[i].hits);
		return arm(t);
	}
	if (t->mode != TRIP_COUNT)
		return arrived(t);
	watch_step(t->now, true);
	e = arm(t);
	if (e < 0)
		return e;
	note_clue(t, &t->clue);
	/* Standing at a breakpoint without having come to it. */
	return t->to.legs.n && i + 1 == t->to.legs.n && has_break(&last_leg(&t->to)->arms, t->regs.rip) ? counted(t)
													: 0;
}

/* Hits of breakpoints alone are remembered, so that going back from one to the one before needs no look again. */
static int note_mark(struct trip *t, const struct leg *leg, enum stop_reason reason)
{
	const struct mark m = { t->seq, leg->hits, watch_task(t->now) };

	if (t->marks_end || t->only_last)
		return 0;
	t->marks_end = t->inside || reason != STOP_BREAK || leg->steps || t->marks.n == TRIP_MARKS;
	return t->marks_end ? 0 : vec_try_push(&t->marks, m);
}

static int note_found(struct trip *t, struct leg leg, enum stop_reason reason)
{
	int e = note_mark(t, &leg, reason);

	t->found.seq = t->seq;
	t->found.when = WATCH_GROUP;
	t->found.task = watch_task(t->now);
	t->found.legs.n = 0;
	for (size_t i = 0; t->inside && i < t->leg && e == 0; i++)
		e = vec_try_push(&t->found.legs, t->to.legs.v[i]);
	if (e == 0 && (leg.hits || leg.steps))
		e = vec_try_push(&t->found.legs, leg);
	t->has_found = true;
	t->direct = false;
	t->on_found = reason;
	if (reason == STOP_WATCH)
		note_clue(t, &t->clue_found);
	return e;
}

/* A breakpoint (addr), or debug registers. */
static bool is_hit(const struct trip *t, const struct arms *a, uint64_t addr, unsigned told, const struct arms *set)
{
	if (!told)
		return has_break(a, addr);
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((told >> i & 1) && has_register(a, set->addr[i], set->seven, i))
			return true;
	(void)t;
	return false;
}

static int hit_go(struct trip *t, unsigned told)
{
	struct leg *l = last_leg(&t->here);

	if (t->fresh || !l || l->steps) {
		const struct leg new = { .arms = t->arms };

		if (vec_try_push(&t->here.legs, new) < 0)
			return -ENOMEM;
		l = last_leg(&t->here);
	}
	t->fresh = false;
	l->hits++;
	return ask(t, told ? STOP_WATCH : STOP_BREAK);
}

/* On the way to a position: of its leg, or of what is looked for, or of both. */
static int hit_way(struct trip *t, unsigned told, const struct arms *set)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;
	const struct leg *l = t->inside && t->leg < p->legs.n ? &p->legs.v[t->leg] : NULL;
	const bool own = l && is_hit(t, &l->arms, t->regs.rip, told, set);
	const bool looked_for = t->mode == TRIP_LOOK && is_hit(t, &t->look, t->regs.rip, told, set);
	int e = 0;

	t->all++;
	t->hits += own;
	if (own && t->hits == l->hits && !l->steps && t->leg + 1 == p->legs.n && t->mode == TRIP_LOOK) {
		if (told && looked_for && !t->only_last) /* it stands after the write, which is undone first */
			e = note_found(t, (struct leg){ .arms = *set, .hits = t->all }, STOP_WATCH);
		return e < 0 ? e : arrived(t);
	}
	if (looked_for || (own && t->mode == TRIP_LOOK && t->only_last))
		e = note_found(t, (struct leg){ .arms = *set, .hits = t->all }, told ? STOP_WATCH : STOP_BREAK);
	if (e < 0 || !own || t->hits != l->hits)
		return e;
	if (!l->steps)
		return enter_leg(t, t->leg + 1);
	watch_step(t->now, true);
	return 0;
}

static int on_stop(struct trip *t, unsigned told)
{
	const struct arms set = armed(t);

	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((told >> i & 1) && (set.seven >> (16 + 4 * i) & 3)) /* no instruction */
			t->told = set.addr[i];
	if (!is_hit(t, &set, t->regs.rip, told, &set))
		return 0;
	return t->mode == TRIP_GO ? hit_go(t, told) : hit_way(t, told, &set);
}

/* In steps only steps count. */
static bool is_stepping(const struct trip *t)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;

	if (t->mode == TRIP_GO)
		return t->steps && watch_task(t->now) == t->task;
	if (!t->inside)
		return false;
	if (t->leg >= p->legs.n)
		return t->mode == TRIP_COUNT;
	return t->hits == p->legs.v[t->leg].hits;
}

static int on_hit(void *ctx, struct replay *r, const struct user_regs_struct *regs, uint64_t tag)
{
	struct trip *t = ctx;

	(void)tag;
	t->now = r;
	t->regs = *regs;
	return !watch_ours(r) || is_stepping(t) ? 0 : on_stop(t, 0);
}

static int stepped_go(struct trip *t, unsigned told)
{
	const struct leg none = { 0 };

	if (!t->here.legs.n && vec_try_push(&t->here.legs, none) < 0)
		return -ENOMEM;
	last_leg(&t->here)->steps++;
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if (told >> i & 1)
			t->told = t->arms.addr[i];
	return ask(t, told ? STOP_WATCH : STOP_STEP);
}

static int stepped_count(struct trip *t, unsigned told)
{
	const struct leg *l = last_leg(&t->to);

	t->done++;
	if (l && (told || has_break(&l->arms, t->regs.rip)))
		return counted(t);
	if (t->done < TRIP_STEPS)
		return 0;
	t->gave_up = true;
	return travel(t, &t->found, STOP_STEP);
}

static int stepped(struct trip *t, unsigned told)
{
	const struct leg *l;
	int e = 0;

	if (t->mode == TRIP_GO)
		return stepped_go(t, told);
	if (t->mode == TRIP_COUNT && t->leg >= t->found.legs.n)
		return stepped_count(t, told);
	l = t->mode == TRIP_COUNT ? &t->found.legs.v[t->leg] : &t->to.legs.v[t->leg];
	t->done++;
	if (t->done < l->steps || t->leg + 1 < t->to.legs.n) {
		if (t->mode == TRIP_LOOK && !t->only_last && has_break(&t->look, t->regs.rip))
			e = note_found(t, (struct leg){ .arms = l->arms, .hits = l->hits, .steps = t->done },
				       STOP_BREAK);
	}
	return e == 0 && t->done == l->steps ? enter_leg(t, t->leg + 1) : e;
}

static int on_trap(void *ctx, struct replay *r, const struct user_regs_struct *regs, bool is_step, unsigned told)
{
	struct trip *t = ctx;

	t->now = r;
	t->regs = *regs;
	if (!watch_ours(r))
		return 0;
	if (is_step && is_stepping(t))
		return stepped(t, told);
	return told && !is_stepping(t) ? on_stop(t, told) : 0;
}

/* At a system call it stands before it. */
static void show_call(struct trip *t)
{
	static const uint8_t syscall[2] = { 0x0f, 0x05 };
	uint8_t code[2] = { 0 };

	watch_read(t->now, t->regs.rip - 2, code, sizeof(code));
	if (memcmp(code, syscall, sizeof(code)) != 0)
		return;
	t->regs.rip -= 2;
	t->regs.rax = t->regs.orig_rax;
}

static bool is_end(const struct trip *t, enum watch_when when)
{
	const struct group *g = watch_group(t->now);

	return when == WATCH_CALL && watch_task(t->now) == 0 && g->call.regs[R_NR] == __NR_exit_group;
}

static unsigned watched_bytes(const struct arms *a, unsigned i)
{
	static const uint8_t lengths[4] = { 1, 2, 8, 4 };

	return (a->seven >> 2 * i & 3) && (a->seven >> (16 + 4 * i) & 3) ? lengths[a->seven >> (18 + 4 * i) & 3] : 0;
}

/* Does a system call write there? The kernel's writes are not seen by debug registers. */
static bool is_written(struct trip *t, const struct arms *a, bool begins)
{
	bool differs = false;

	for (unsigned i = 0; i < TRIP_WATCH; i++) {
		uint8_t now[8] = { 0 };
		unsigned n = watched_bytes(a, i);

		if (n && watch_read(t->now, a->addr[i], now, n) == n && !begins &&
		    memcmp(now, t->before + 8 * i, n) != 0) {
			t->told = a->addr[i];
			differs = true;
		}
		memcpy(t->before + 8 * i, now, sizeof(now));
	}
	return differs;
}

static bool begins_call(enum watch_when when)
{
	return when == WATCH_CALL || when == WATCH_LOG_CALL || when == WATCH_FAULT;
}

static bool ends_call(enum watch_when when)
{
	return when == WATCH_DONE || when == WATCH_LOG_DONE;
}

/* A real fault, not a read of the time-stamp counter. */
static bool is_fault(const struct trip *t, enum watch_when when)
{
	return when == WATCH_FAULT && watch_group(t->now)->kind != EV_TSC;
}

static void show_output(struct trip *t, enum watch_when when)
{
	const struct group *g = watch_group(t->now);

	if (when != WATCH_DONE || g->kind != EV_CALL || !g->call.out || t->seq <= t->shown)
		return;
	t->shown = t->seq;
	watch_output(t->now, t->output, t->ctx);
}

static int group_go(struct trip *t, enum watch_when when)
{
	const bool mine = watch_ours(t->now), exec = when == WATCH_DONE && watch_group(t->now)->kind == EV_EXEC;
	const bool written = mine && t->arms.seven && is_written(t, &t->arms, !ends_call(when));

	t->here.seq = t->seq;
	t->here.when = when;
	t->here.task = watch_task(t->now);
	t->here.legs.n = 0;
	show_output(t, when);
	if (exec && !t->has_first && mine) {
		t->has_first = true;
		return trip_copy(&t->first, &t->here) < 0 ? -ENOMEM : ask(t, STOP_START);
	}
	if (!mine || !t->has_first)
		return 0;
	if (is_end(t, when))
		return ask(t, STOP_LAST);
	if (exec && watch_task(t->now) == 0)
		return ask(t, STOP_EXEC);
	if (is_fault(t, when))
		return ask(t, STOP_FAULT);
	if (ends_call(when) && written)
		return ask(t, STOP_WATCH);
	if (ends_call(when) && t->steps && watch_task(t->now) == t->task)
		return ask(t, STOP_STEP);
	return t->asked(t->ctx) && (ends_call(when) || begins_call(when)) ? ask(t, STOP_ASKED) : 0;
}

static int group_look(struct trip *t, enum watch_when when)
{
	const bool mine = watch_ours(t->now);
	int e = 0;

	if (!mine || t->only_last)
		return 0;
	if (t->resumed) { /* what this call did was before */
		is_written(t, &t->look, true);
		return 0;
	}
	if (is_fault(t, when) && t->seq < t->to.seq)
		e = note_found(t, (struct leg){ 0 }, STOP_FAULT);
	if (ends_call(when) && t->look.seven && is_written(t, &t->look, false) && t->has_last) {
		e = trip_copy(&t->found, &t->last_call);
		t->has_found = true;
		t->on_found = STOP_WATCH;
		t->direct = true; /* it stands before the call already */
	}
	if (e == 0)
		is_written(t, &t->look, true);
	if (t->found.when == WATCH_GROUP && is_fault(t, when))
		t->found.when = when;
	return e;
}

static int group_way(struct trip *t, enum watch_when when)
{
	const struct position *p = t->mode == TRIP_COUNT ? &t->found : &t->to;
	int e = 0;

	t->inside = false;
	t->all = 0;
	if (t->mode == TRIP_COUNT && t->seq == t->to.seq && !t->to.legs.n)
		return counted(t);
	if (t->seq > t->to.seq)
		return -EBADE;
	if (t->mode == TRIP_LOOK)
		e = group_look(t, when);
	if (t->seq == p->seq && e == 0)
		return enter_leg(t, 0);
	if (begins_call(when) && watch_ours(t->now) && watch_task(t->now) == t->to.task) {
		t->last_call.task = t->to.task;
		t->last_call.seq = t->seq;
		t->last_call.when = when;
		t->has_last = true;
	}
	return e;
}

/* Checkpoints begin with the first program. */
static void note_place(struct trip *t, enum watch_when when)
{
	const bool begins = t->kept.n || watch_group(t->now)->kind == EV_EXEC;

	if (!watch_ours(t->now))
		return;
	if (begins_call(when)) {
		t->call.call_seq = t->seq;
		t->call.call_when = when;
		t->call.call_task = watch_task(t->now);
	}
	t->call.stops += is_fault(t, when);
	t->call.seq = t->seq;
	if (ends_call(when) && begins)
		kept_add(&t->kept, t->now, &t->call);
}

static int on_group(void *ctx, struct replay *r, enum watch_when when)
{
	struct trip *t = ctx;
	int e;

	t->now = r;
	t->seq++;
	watch_step(r, false);
	if (!watch_pid(r) || watch_registers(r, &t->regs) < 0)
		return 0;
	note_place(t, when);
	if (begins_call(when) && when != WATCH_FAULT)
		show_call(t);
	e = t->mode == TRIP_GO ? group_go(t, when) : group_way(t, when);
	t->resumed = t->resumed && e == WALK_END;
	if (e == 0 && t->mode == TRIP_GO)
		watch_step(r, t->steps && watch_task(r) == t->task && watch_ours(r));
	return e ? e : arm(t);
}

static int on_code(void *ctx, struct replay *r, const struct watch_code *c)
{
	struct trip *t = ctx;

	(void)r;
	(void)c;
	t->call.stops++;
	return 0;
}

int trip_run(struct trip *t, const char *path, struct replay_result *result, struct err *e)
{
	const struct replay_watch w = { .ctx = t, .group = on_group, .code = on_code, .hit = on_hit, .trap = on_trap };
	int x;

	do {
		FILE *f = fopen(path, "re");

		if (!f)
			return err_set(e, -errno, "it cannot be read: %s", strerror(errno));
		t->again = t->inside = t->debugs = t->resumed = false;
		t->call = (struct kept){ 0 };
		t->seq = 0;
		x = replay_watched(f, &w, result, e);
		kept_free(&t->kept);
		t->now = NULL;
	} while (x == 0 && t->again);
	return x;
}

void trip_free(struct trip *t)
{
	vec_free(&t->marks);
	vec_free(&t->place.legs);
	vec_free(&t->here.legs);
	vec_free(&t->to.legs);
	vec_free(&t->found.legs);
	vec_free(&t->first.legs);
	vec_free(&t->last_call.legs);
}
