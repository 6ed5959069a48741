/* SPDX-License-Identifier: Apache-2.0 */
/* Open events that are due: timeouts, which fire while the event goes on, and events that nobody ends, which are
 * collected (setting gc). A walk looks for them. Events that are kept with threads need a walk over all threads, which
 * runs the clauses in each stuck thread at once. Others need a walk over the open keys. There the clauses run for the
 * thread that opened the key, if the kernel finds it by its number (bpf_task_from_pid, Linux 6.2).
 *
 * A walk over keys cannot wait for a thread's memory. If a clause reads it, or if the kernel does not find the thread,
 * the walk lists the due keys by the thread that opened them. A walk over the threads after it takes them from there
 * (run/consume/walk.h, struct img_scan). The kernel calls the program again for a thread as long as
 * it says that there is more. An entry that no thread takes, because its thread has ended or was idle, fires in the
 * next walk over the keys. */
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/lower/track.h"

/* An event on the list has its start stamp with this bit changed as `timed`; that it fired is its start stamp. */
#define LISTED 1
/* The list has elements by thread and number. The element with this number is the head: it has how many there are,
 * and since when the thread is known to have ended (0: it is not). It counts as ended for GONE_NS, since numbers of
 * threads are used again. */
#define HEAD (-1)
#define GONE_OFF 8
#define GONE_NS 10000000000
#define ITER_KEY 16 /* struct bpf_iter__bpf_map_elem: meta, map, key, value */
#define ITER_VALUE 24
#define ITER_MAP 8 /* struct bpf_iter__bpf_map: meta, map */
#define EACH_KEY 1 /* arguments of the function that is called for each key: ctx, key, value */
#define EACH_VALUE 2
#define EACH_ARGS 3

/* The event at `at` is open since start and may be for too long. */
struct overdue {
	vreg elem, at, start, age;
};

static vreg scan_field(struct gen *g, const struct track *k, size_t off)
{
	return gen_track_at(g, k->l, offsetof(struct tracker_settings, scan) + off);
}

/* When the walk must come again: that long after start. */
static void note_next(struct gen *g, const struct track *k, vreg start, vreg timeout)
{
	vreg next = ir_new(g->f), when = ir_new(g->f), at;
	irlabel out = ir_label(g->f);

	at = scan_field(g, k, offsetof(struct img_scan, due));
	ir_load(g->f, next, at, 0, 8);
	ir_mov(g->f, when, timeout);
	ir_alu(g->f, IRA_ADD, when, when, start);
	ir_jcc(g->f, IRC_GE, when, next, out);
	ir_store(g->f, at, 0, 8, when);
	ir_place(g->f, out);
}

static void note_timeout(struct gen *g, const struct track *k, vreg start)
{
	note_next(g, k, start, gen_track_word(g, k->l, offsetof(struct tracker_settings, timeout)));
}

/* Closes the event at `at` that began at start; jumps to lost when somebody else has. Kernels before 5.12 cannot do
 * that in one step: what its thread closes between the two is told twice there. */
static void close_event(struct gen *g, vreg at, vreg start, irlabel lost)
{
	vreg old = ir_new(g->f);

	if (g->cg->caps->atomics) {
		ir_cmpxchg(g->f, old, at, 0, 8, start, ir_imm(g->f, 0));
		ir_jcc(g->f, IRC_NE, old, start, lost);
		return;
	}
	ir_load(g->f, old, at, 0, 8);
	ir_jcc(g->f, IRC_NE, old, start, lost);
	ir_storei(g->f, at, 0, 8, 0);
}

/* Collected when it has been open for gc; then done. */
static void collect(struct gen *g, struct track *k, const struct overdue *o)
{
	irlabel young = ir_label(g->f), old_enough = ir_label(g->f);
	struct cache saved;
	struct mem details;
	vreg gc;

	if (!k->t->settings[TS_GC])
		return;
	gc = gen_track_word(g, k->l, offsetof(struct tracker_settings, gc));
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, gc, 0, young);
	ir_jcc(g->f, IRC_GE, o->age, gc, old_enough);
	if (k->t->store == TRACK_KEYED)
		note_next(g, k, o->start, gc);
	ir_jmp(g->f, young);
	ir_place(g->f, old_enough);
	details = track_save(g, k, mem_at(o->at, 0));
	if (k->t->store == TRACK_KEYED && !track_nests(k)) {
		track_claim(g, k);
	} else {
		close_event(g, o->at, o->start, k->done);
		if (k->t->store == TRACK_KEYED)
			nest_closed(g, k, o->elem);
	}
	gen_track_count(g, k->t, TRACK_N_COLLECTED);
	track_finish(g, k, o->start, details, SLOW_COLLECTED);
	ir_jmp(g->f, k->done);
	ir_place(g->f, young);
	gen_region_end(g, &saved);
}

/* The oldest open event of an element; none: done. */
static struct overdue oldest(struct gen *g, struct track *k, vreg elem)
{
	struct overdue o = { .elem = elem, .at = ir_new(g->f), .start = ir_new(g->f), .age = ir_new(g->f) };
	irlabel ok = ir_label(g->f);

	if (track_nests(k)) {
		nest_oldest(g, k, elem, &o.at, o.start);
	} else {
		ir_mov(g->f, o.at, elem);
		if (k->t->store != TRACK_KEYED)
			ir_alui(g->f, IRA_ADD, o.at, o.at, k->l->off);
		ir_load(g->f, o.start, o.at, 0, 8);
	}
	ir_jcci(g->f, IRC_EQ, o.start, 0, k->done);
	ir_alu(g->f, IRA_SUB, o.age, gen_ts(g), o.start);
	ir_jcci(g->f, IRC_SGE, o.age, 0, ok);
	ir_movi(g->f, o.age, 0);
	ir_place(g->f, ok);
	return o;
}

/* Goes on when the event is due, for the first time; else to done, or to wait when it will be. */
static void due(struct gen *g, struct track *k, const struct overdue *o, irlabel wait)
{
	vreg timeout = gen_track_word(g, k->l, offsetof(struct tracker_settings, timeout)), timed = ir_new(g->f);

	ir_jcci(g->f, IRC_EQ, timeout, 0, k->done);
	ir_load(g->f, timed, o->at, (int32_t)k->l->timed, 8);
	ir_jcc(g->f, IRC_EQ, timed, o->start, k->done);
	ir_jcc(g->f, IRC_LT, o->age, timeout, wait);
}

static void note_timed(struct gen *g, const struct track *k, const struct overdue *o, bool listed)
{
	vreg v = ir_new(g->f);

	ir_alui(g->f, IRA_XOR, v, o->start, listed ? LISTED : 0);
	ir_store(g->f, o->at, (int32_t)k->l->timed, 8, v);
}

/* -- kept with threads: in a walk over the threads -- */

static void scan_thread(struct gen *g, struct track *k)
{
	struct overdue o;
	vreg p;

	if (k->t->store == TRACK_TASK)
		k->task = gen_curthread(g, &k->task_type);
	p = gen_tls_read(g);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	o = oldest(g, k, p);
	collect(g, k, &o);
	if (!k->l->timed)
		return;
	due(g, k, &o, k->done);
	note_timed(g, k, &o, false);
	track_finish(g, k, o.start, mem_at(o.at, 0), SLOW_TIMEOUT);
}

/* Where a thread ends: what it leaves open is counted; with gc it is collected. */
static void scan_exit(struct gen *g, struct track *k)
{
	unsigned n = (unsigned)k->t->settings[TS_NESTED];
	vreg p;

	if (k->t->store == TRACK_TASK)
		k->task = gen_curthread(g, &k->task_type);
	p = gen_tls_read(g);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	for (unsigned i = 0; i < n; i++) {
		struct cache saved = gen_region_begin(g);
		irlabel next = ir_label(g->f);
		struct overdue o = { .start = ir_new(g->f) };
		struct mem details;

		/* Place by place: the oldest of all, each time, would be more than the verifier walks. */
		if (track_nests(k))
			o.at = nest_place(g, k, p, i, o.start, next);
		else
			o = oldest(g, k, p);
		details = track_save(g, k, mem_at(o.at, 0));
		close_event(g, o.at, o.start, next);
		gen_track_count(g, k->t, TRACK_N_EXITED);
		if (k->t->settings[TS_GC])
			track_finish(g, k, o.start, details, SLOW_COLLECTED);
		ir_place(g->f, next);
		gen_region_end(g, &saved);
	}
}

/* -- kept in a table: in a walk over its keys -- */

static void count_one(struct gen *g, const struct track *k, size_t off)
{
	vreg at = scan_field(g, k, off), n = ir_new(g->f);

	ir_load(g->f, n, at, 0, 4);
	ir_alui(g->f, IRA_ADD, n, n, 1);
	ir_store(g->f, at, 0, 4, n);
}

/* bpf_for_each_map_elem calls this function, with map, key, value and where the context is. */
static struct irfn *next_fn(struct prog *pr, struct irfn *each)
{
	struct irfn *f = irfn_new(pr->ip, "next", 4);
	vreg ctx = ir_new(f);

	ir_load(f, ctx, irfn_arg(f, 3), 0, 8);
	ir_call_fn(f, VREG_NONE, each, IR_ARGS(ctx, irfn_arg(f, 1), irfn_arg(f, 2)));
	ir_reti(f, 0);
	return f;
}

/* The function that is called for each key. Where iterators over the elements of a map are not allowed, an iterator
 * over all maps is main. After the last map it is called without one, and walks the keys itself. Source:
 * kernel/bpf/map_iter.c, bpf_map_seq_stop(); kernel/bpf/hashtab.c, bpf_for_each_hash_elem(). */
struct irfn *track_scan_fn(struct prog *pr)
{
	struct irfn *f = irfn_new(pr->ip, "main", 1), *each, *next;
	vreg map, p, fn;
	irlabel end;
	irslot ctx;

	if (pr->cg->caps->iter_keys)
		return f;
	pr->each = true;
	each = irfn_new(pr->ip, "each", EACH_ARGS);
	next = next_fn(pr, each);
	end = ir_label(f);
	map = ir_new(f);
	ir_load(f, map, ir_ctx(f), ITER_MAP, 8);
	ir_jcci(f, IRC_NE, map, 0, end);
	ctx = ir_slot(f, 8);
	ir_store_slot(f, ctx, 0, 8, ir_ctx(f));
	map = ir_new(f);
	p = ir_new(f);
	fn = ir_new(f);
	ir_map(f, map, (uint32_t)cg_map_track(pr->cg, pr->units[0].ds->scan));
	ir_fnaddr(f, fn, next);
	ir_slot_addr(f, p, ctx, 0);
	ir_call(f, VREG_NONE, BPF_FUNC_for_each_map_elem, IR_ARGS(map, fn, p, ir_imm(f, 0)));
	ir_place(f, end);
	ir_reti(f, 0);
	return each;
}

static void load_walked(struct gen *g, vreg d, int32_t iter_off, unsigned each_arg)
{
	if (g->pr->each)
		ir_mov(g->f, d, irfn_arg(g->f, each_arg));
	else
		ir_load(g->f, d, ir_ctx(g->f), iter_off, 8);
}

/* Most keys are young, or have fired. The walk gives their value itself, which costs no look-up: it is returned. */
static vreg leave_young(struct gen *g, struct track *k)
{
	vreg v = ir_new(g->f), start = ir_new(g->f), age = ir_new(g->f), first = ir_new(g->f), timed = ir_new(g->f);
	irlabel old = ir_label(g->f);
	struct cache saved;

	load_walked(g, v, ITER_VALUE, EACH_VALUE);
	ir_jcci(g->f, IRC_EQ, v, 0, k->done);
	ir_load(g->f, start, v, 0, 8);
	if (k->l->timed && !k->t->settings[TS_GC]) {
		ir_load(g->f, timed, v, (int32_t)k->l->timed, 8);
		ir_jcc(g->f, IRC_EQ, timed, start, k->done);
	}
	ir_alu(g->f, IRA_SUB, age, gen_ts(g), start);
	ir_load(g->f, first, scan_field(g, k, offsetof(struct img_scan, timeout)), 0, 8);
	saved = gen_region_begin(g);
	ir_jcc(g->f, IRC_SGE, age, first, old);
	note_next(g, k, start, first);
	ir_jmp(g->f, k->done);
	ir_place(g->f, old);
	gen_region_end(g, &saved);
	return v;
}

/* -- the list -- */

static vreg look_up(struct gen *g, const struct track *k, irslot key)
{
	vreg map = ir_new(g->f), at = ir_new(g->f), p = ir_new(g->f);

	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_slot_addr(g->f, at, key, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, at));
	return p;
}

static vreg put(struct gen *g, const struct track *k, irslot key, struct mem value)
{
	vreg map = ir_new(g->f), at = ir_new(g->f), r = ir_new(g->f), p = gen_addr(g, value);

	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_slot_addr(g->f, at, key, 0);
	ir_call(g->f, r, BPF_FUNC_map_update_elem, IR_ARGS(map, at, p, ir_imm(g->f, BPF_ANY)));
	return r;
}

/* The head of the list of the thread that opened the event: NULL when there is none. */
static vreg find_head(struct gen *g, const struct track *k, const struct overdue *o, irslot who)
{
	vreg tid = ir_new(g->f);

	ir_load(g->f, tid, o->at, (int32_t)k->l->ids, 4);
	ir_store_slot(g->f, who, 0, 4, tid);
	ir_storei_slot(g->f, who, 4, 4, HEAD);
	return look_up(g, k, who);
}

static struct mem value_mem(struct gen *g, const struct track *k)
{
	return gen_scratch(g, k->l->key.size + k->l->size);
}

/* Fires here for the thread that opened it, as in a walk over threads; without one as in the current thread. Finding it
 * costs as much as all the rest, and is left out where no clause wants to know. */
static void fire_for(struct gen *g, struct track *k, const struct overdue *o)
{
	vreg task = ir_new(g->f), tid = ir_new(g->f), own = ir_imm(g->f, 1), ts = gen_ts(g);
	irlabel have = ir_label(g->f);
	struct mem details;
	struct cache saved;

	note_timed(g, k, o, false);
	count_one(g, k, offsetof(struct img_scan, fired));
	details = track_save(g, k, mem_at(o->at, 0));
	if (k->l->ignores_opener) {
		track_finish(g, k, o->start, details, SLOW_TIMEOUT);
		ir_jmp(g->f, k->done);
		return;
	}
	gen_ld(g, tid, mem_add(details, (int32_t)k->l->ids), 4, false);
	ir_call_kernel(g->f, task, g->cg->task_from_pid, IR_ARGS(tid));
	ir_jcci(g->f, IRC_NE, task, 0, have);
	ir_call(g->f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	ir_movi(g->f, own, 0);
	ir_place(g->f, have);
	saved = gen_region_begin(g);
	memset(&g->cache, 0xff, sizeof(g->cache));
	g->cache.v[CA_TS] = ts;
	g->pr->opener = task;
	track_finish(g, k, o->start, details, SLOW_TIMEOUT);
	g->pr->opener = VREG_NONE;
	gen_region_end(g, &saved);
	ir_jcci(g->f, IRC_EQ, own, 0, k->done);
	ir_call_kernel(g->f, VREG_NONE, g->cg->task_release, IR_ARGS(task));
	ir_jmp(g->f, k->done);
}

/* Fires here, in no thread of its own; what is kept of the event goes with it. */
static void fire_here(struct gen *g, struct track *k, const struct overdue *o)
{
	note_timed(g, k, o, false);
	track_finish(g, k, o->start, track_save(g, k, mem_at(o->at, 0)), SLOW_TIMEOUT);
	ir_jmp(g->f, k->done);
}

/* The key and what is kept of the event, for the walk over the threads. It goes on the list of the thread that opened
 * it. It runs here at once when that thread is known to have ended. An event that finds no room on the list is due in
 * the next walk. */
static void put_due(struct gen *g, struct track *k, const struct overdue *o)
{
	uint32_t size = k->l->key.size;
	irslot who = ir_slot(g->f, 8);
	irlabel have = ir_label(g->f), here = ir_label(g->f), full = ir_label(g->f);
	struct mem rec = value_mem(g, k);
	vreg head = find_head(g, k, o, who), v = ir_new(g->f);

	ir_jcci(g->f, IRC_NE, head, 0, have);
	gen_zero(g, rec, size + k->l->size);
	put(g, k, who, rec);
	ir_mov(g->f, head, look_up(g, k, who));
	ir_jcci(g->f, IRC_EQ, head, 0, full);
	ir_place(g->f, have);
	ir_load(g->f, v, head, GONE_OFF, 8);
	ir_alui(g->f, IRA_ADD, v, v, GONE_NS);
	ir_jcc(g->f, IRC_GT, v, gen_ts(g), here);
	ir_load(g->f, v, scan_field(g, k, offsetof(struct img_scan, listed)), 0, 4);
	ir_jcci(g->f, IRC_GE, v, CG_MAX_DUE / 2, full);
	ir_load(g->f, v, head, 0, 4);
	ir_store_slot(g->f, who, 4, 4, v);
	ir_alui(g->f, IRA_ADD, v, v, 1);
	ir_store(g->f, head, 0, 4, v);
	gen_copy(g, rec, k->key, size);
	gen_copy(g, mem_add(rec, (int32_t)size), mem_at(o->at, 0), k->l->size);
	ir_jcci(g->f, IRC_NE, put(g, k, who, rec), 0, full);
	note_timed(g, k, o, true);
	count_one(g, k, offsetof(struct img_scan, listed));
	ir_jmp(g->f, k->done);
	ir_place(g->f, full);
	note_timeout(g, k, o->start);
	ir_jmp(g->f, k->done);
	ir_place(g->f, here);
	fire_here(g, k, o);
}

/* Still on the list: no thread has taken it in the walk after the last one over the keys. So that thread has ended,
 * unless it has taken others. */
static void take_orphan(struct gen *g, struct track *k, const struct overdue *o)
{
	irlabel other = ir_label(g->f), alive = ir_label(g->f);
	irslot who = ir_slot(g->f, 8);
	vreg timed = ir_new(g->f), left = ir_new(g->f), head;
	struct cache saved = gen_region_begin(g);

	ir_load(g->f, timed, o->at, (int32_t)k->l->timed, 8);
	ir_alui(g->f, IRA_XOR, timed, timed, LISTED);
	ir_jcc(g->f, IRC_NE, timed, o->start, other);
	head = find_head(g, k, o, who);
	ir_jcci(g->f, IRC_EQ, head, 0, alive);
	ir_load(g->f, left, head, 0, 4);
	ir_jcci(g->f, IRC_EQ, left, 0, alive);
	ir_storei(g->f, head, 0, 4, 0);
	ir_store(g->f, head, GONE_OFF, 8, gen_ts(g));
	ir_place(g->f, alive);
	fire_here(g, k, o);
	ir_place(g->f, other);
	gen_region_end(g, &saved);
}

static void scan_keys(struct gen *g, struct track *k)
{
	struct lay_track *l = &g->cg->tracks[k->t->id];
	irlabel wait = ir_label(g->f);
	vreg key = ir_new(g->f), p = VREG_NONE;
	struct overdue o;

	load_walked(g, key, ITER_KEY, EACH_KEY);
	ir_jcci(g->f, IRC_EQ, key, 0, k->done);
	if (!track_nests(k))
		p = leave_young(g, k);
	k->key = gen_scratch(g, k->l->key.size);
	gen_copy(g, k->key, mem_at(key, 0), k->l->key.size);
	if (track_nests(k)) { /* places in it are taken by exchanges, which need the map's own pointer */
		p = track_find(g, k, false);
		ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	}
	o = oldest(g, k, p);
	collect(g, k, &o);
	if (!k->l->timed)
		return;
	l->lists = l->lists || !gen_finds_tasks(g);
	if (!l->lists) {
		due(g, k, &o, wait);
		fire_for(g, k, &o);
	} else {
		take_orphan(g, k, &o);
		due(g, k, &o, wait);
		put_due(g, k, &o);
	}
	ir_place(g->f, wait);
	note_timeout(g, k, o.start);
}

/* … and after it in a walk over the threads: one from the list of this thread, which comes again as long as there are
 * more. */
static void scan_due(struct gen *g, struct track *k)
{
	uint32_t size = k->l->key.size;
	irslot who = ir_slot(g->f, 8);
	vreg map, key, p, n = ir_new(g->f), start = ir_new(g->f);
	irlabel last = ir_label(g->f);
	struct mem rec;
	struct overdue o;

	ir_store_slot(g->f, who, 0, 4, gen_tid(g));
	ir_storei_slot(g->f, who, 4, 4, HEAD);
	p = look_up(g, k, who);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	ir_storei(g->f, p, GONE_OFF, 8, 0);
	ir_load(g->f, n, p, 0, 4);
	ir_jcci(g->f, IRC_EQ, n, 0, k->done);
	ir_alui(g->f, IRA_SUB, n, n, 1);
	ir_store(g->f, p, 0, 4, n);
	ir_store_slot(g->f, who, 4, 4, n);
	ir_jcci(g->f, IRC_EQ, n, 0, last);
	ir_movi(g->f, g->pr->again, 1);
	ir_place(g->f, last);
	p = look_up(g, k, who);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	count_one(g, k, offsetof(struct img_scan, taken));
	rec = value_mem(g, k);
	gen_copy(g, rec, mem_at(p, 0), size + k->l->size);
	map = ir_new(g->f);
	key = ir_new(g->f);
	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_slot_addr(g->f, key, who, 0);
	ir_call(g->f, VREG_NONE, BPF_FUNC_map_delete_elem, IR_ARGS(map, key));
	k->key = rec;
	p = track_find(g, k, false);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	o = oldest(g, k, p);
	gen_ld(g, start, mem_add(rec, (int32_t)size), 8, false);
	ir_jcc(g->f, IRC_NE, o.start, start, k->done); /* it has ended meanwhile */
	note_timed(g, k, &o, false);
	track_finish(g, k, start, mem_add(rec, (int32_t)size), SLOW_TIMEOUT);
}

void track_scan_init(struct gen *g)
{
	const struct clause_instance *ds = g->pr->units[0].ds;

	g->pr->again = ds->scan && ds->scan->store == TRACK_KEYED && !ds->scan_keys ? ir_imm(g->f, 0) : VREG_NONE;
}

void track_scan(struct gen *g, struct track *k)
{
	struct cache saved = gen_region_begin(g);

	if (g->ds->scan_exit)
		scan_exit(g, k);
	else if (k->t->store != TRACK_KEYED)
		scan_thread(g, k);
	else if (g->ds->scan_keys)
		scan_keys(g, k);
	else if (k->l->lists)
		scan_due(g, k);
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}
