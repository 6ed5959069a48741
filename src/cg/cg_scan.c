/* SPDX-License-Identifier: Apache-2.0 */
/* Open events that are due: timeouts, which fire while the event goes on, and events that nobody ends, which are
 * collected (setting gc). A walk looks for them: over all threads where events are kept with threads, which runs the
 * clauses in each stuck thread at once; over the open keys elsewhere. That walk puts what is due on a list by the
 * thread that opened it, and a walk over the threads behind it takes it from there (run/walk.h, struct img_scan). What no
 * thread takes, since the one that opened it has ended or was idle, fires in the next walk over the keys. */
#include "cg/cg_track.h"

/* Keys of one thread that a walk finds due; further ones wait for the next. */
#define MAX_ROUNDS 32
/* An event on the list has its start stamp with this bit changed as `timed`; that it fired is its start stamp. */
#define LISTED 1
#define LIST_NS 20000000 /* what is on the list for longer is nobody's */
/* A thread that did not take what was on the list for it has ended; so further keys of it need not wait on the list. In
 * place of a round, and how long that is believed: numbers of threads are used again. */
#define GONE (-1)
#define GONE_NS 10000000000
#define ITER_KEY 16 /* struct bpf_iter__bpf_map_elem: meta, map, key, value */

static vreg setting(struct gen *g, const struct track *k, size_t off)
{
	vreg d = ir_new(g->f);

	ir_load(g->f, d, gen_mapval(g, cg_map_state(g->cg), k->l->state + (uint32_t)off), 0, 8);
	return d;
}

/* The event at `at` is open since start and may be for too long. */
struct overdue {
	vreg elem, at, start, age;
};

/* Collected when it has been open for gc; then done. */
static void collect(struct gen *g, struct track *k, const struct overdue *o)
{
	irlabel young = ir_label(g->f);
	struct cache saved;
	vreg gc, old = ir_new(g->f);
	struct mem details;

	if (!k->t->settings[TS_GC])
		return;
	gc = setting(g, k, offsetof(struct img_track, gc));
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, gc, 0, young);
	ir_jcc(g->f, IRC_LT, o->age, gc, young);
	details = track_save(g, k, mem_at(o->at, 0));
	if (k->t->store == TRACK_KEYED && !track_nests(k)) {
		track_claim(g, k);
	} else {
		ir_cmpxchg(g->f, old, o->at, 0, 8, o->start, ir_imm(g->f, 0));
		ir_jcc(g->f, IRC_NE, old, o->start, k->done);
		if (k->t->store == TRACK_KEYED)
			nest_closed(g, k, o->elem);
	}
	gen_track_count(g, k->t, TRACK_N_COLLECTED);
	track_over(g, k, o->start, details, SLOW_COLLECTED);
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
	vreg timeout = setting(g, k, offsetof(struct img_track, timeout)), timed = ir_new(g->f);

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
	track_over(g, k, o.start, mem_at(o.at, 0), SLOW_TIMEOUT);
}

/* -- kept in a table: in a walk over its keys -- */

/* When the walk must come again: at the timeout, or that much later. */
static void note_next(struct gen *g, const struct track *k, const struct overdue *o, int64_t later)
{
	vreg timeout = setting(g, k, offsetof(struct img_track, timeout)), next, at;
	irlabel out = ir_label(g->f);

	at = gen_mapval(g, cg_map_state(g->cg), k->l->state + (uint32_t)offsetof(struct img_track, scan.due));
	next = ir_new(g->f);
	ir_load(g->f, next, at, 0, 8);
	ir_alu(g->f, IRA_ADD, timeout, timeout, o->start);
	ir_alui(g->f, IRA_ADD, timeout, timeout, later);
	ir_jcc(g->f, IRC_GE, timeout, next, out);
	ir_store(g->f, at, 0, 8, timeout);
	ir_place(g->f, out);
}

/* An element of the list: the thread that opened the event, and a round or GONE. */
static vreg due_key(struct gen *g, const struct track *k, const struct overdue *o, irslot who, int round)
{
	vreg tid = ir_new(g->f), key = ir_new(g->f);

	ir_load(g->f, tid, o->at, (int32_t)k->l->ids, 4);
	ir_store_slot(g->f, who, 0, 4, tid);
	ir_storei_slot(g->f, who, 4, 4, round);
	ir_slot_addr(g->f, key, who, 0);
	return key;
}

static void put_gone(struct gen *g, const struct track *k, const struct overdue *o)
{
	uint32_t size = k->l->key.size;
	irslot who = ir_slot(g->f, 8);
	struct mem rec = gen_scratch(g, size + k->l->size);
	vreg map = ir_new(g->f), key = due_key(g, k, o, who, GONE), value;

	gen_zero(g, rec, size + k->l->size);
	gen_st(g, mem_add(rec, (int32_t)size), 8, gen_ts(g));
	value = gen_addr(g, rec);
	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_call(g->f, VREG_NONE, BPF_FUNC_map_update_elem, IR_ARGS(map, key, value, ir_imm(g->f, BPF_ANY)));
}

/* Fires at once when the thread that opened it is known to have ended; details: what is kept of the event. */
static void take_gone(struct gen *g, struct track *k, const struct overdue *o, struct mem details)
{
	irslot who = ir_slot(g->f, 8);
	irlabel here = ir_label(g->f);
	vreg map = ir_new(g->f), key = due_key(g, k, o, who, GONE), p = ir_new(g->f), since = ir_new(g->f);
	struct cache saved = gen_region_begin(g);

	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, here);
	ir_load(g->f, since, p, (int32_t)k->l->key.size, 8);
	ir_alu(g->f, IRA_SUB, since, gen_ts(g), since);
	ir_jcc(g->f, IRC_GT, since, ir_imm(g->f, GONE_NS), here);
	note_timed(g, k, o, false);
	track_over(g, k, o->start, details, SLOW_TIMEOUT);
	ir_jmp(g->f, k->done);
	ir_place(g->f, here);
	gen_region_end(g, &saved);
}

/* The key and what is kept of the event, for the walk over the threads: on the list under the thread that opened it. */
static void put_due(struct gen *g, struct track *k, const struct overdue *o)
{
	uint32_t size = k->l->key.size;
	irslot who = ir_slot(g->f, 8);
	irlabel in = ir_label(g->f);
	struct mem rec = gen_scratch(g, size + k->l->size);
	vreg rounds = ir_new(g->f), old = ir_new(g->f), r = ir_new(g->f), at;

	gen_copy(g, rec, k->key, size);
	gen_copy(g, mem_add(rec, (int32_t)size), mem_at(o->at, 0), k->l->size);
	take_gone(g, k, o, mem_add(rec, (int32_t)size));
	for (int i = 0; i < MAX_ROUNDS; i++) {
		vreg map = ir_new(g->f), key = due_key(g, k, o, who, i), value = gen_addr(g, rec);
		vreg fl = ir_imm(g->f, BPF_NOEXIST);

		gen_map(g, map, cg_map_due(g->cg, k->t));
		ir_call(g->f, r, BPF_FUNC_map_update_elem, IR_ARGS(map, key, value, fl));
		ir_load_slot(g->f, rounds, who, 4, 4);
		ir_jcci(g->f, IRC_EQ, r, 0, in);
	}
	note_next(g, k, o, 0);
	ir_jmp(g->f, k->done);
	ir_place(g->f, in);
	note_timed(g, k, o, true);
	note_next(g, k, o, LIST_NS);
	ir_alui(g->f, IRA_ADD, rounds, rounds, 1);
	at = gen_mapval(g, cg_map_state(g->cg), k->l->state + (uint32_t)offsetof(struct img_track, scan.rounds));
	ir_load(g->f, old, at, 0, 4);
	ir_jcc(g->f, IRC_LE, rounds, old, k->done);
	ir_store(g->f, at, 0, 4, rounds);
}

/* Still on the list: fires here, in no thread of its own, when nobody has taken it for long. */
static void take_orphan(struct gen *g, struct track *k, const struct overdue *o)
{
	irlabel other = ir_label(g->f), wait = ir_label(g->f);
	vreg timeout = setting(g, k, offsetof(struct img_track, timeout)), timed = ir_new(g->f);
	struct cache saved = gen_region_begin(g);

	ir_load(g->f, timed, o->at, (int32_t)k->l->timed, 8);
	ir_alui(g->f, IRA_XOR, timed, timed, LISTED);
	ir_jcc(g->f, IRC_NE, timed, o->start, other);
	ir_alui(g->f, IRA_ADD, timeout, timeout, LIST_NS);
	ir_jcc(g->f, IRC_LT, o->age, timeout, wait);
	put_gone(g, k, o);
	note_timed(g, k, o, false);
	track_over(g, k, o->start, track_save(g, k, mem_at(o->at, 0)), SLOW_TIMEOUT);
	ir_jmp(g->f, k->done);
	ir_place(g->f, wait);
	note_next(g, k, o, LIST_NS);
	ir_jmp(g->f, k->done);
	ir_place(g->f, other);
	gen_region_end(g, &saved);
}

static void scan_keys(struct gen *g, struct track *k)
{
	irlabel wait = ir_label(g->f);
	vreg key = ir_new(g->f), p;
	struct overdue o;

	ir_load(g->f, key, ir_ctx(g->f), ITER_KEY, 8);
	ir_jcci(g->f, IRC_EQ, key, 0, k->done);
	k->key = gen_scratch(g, k->l->key.size);
	gen_copy(g, k->key, mem_at(key, 0), k->l->key.size);
	p = track_find(g, k, false);
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	o = oldest(g, k, p);
	collect(g, k, &o);
	if (!k->l->timed)
		return;
	take_orphan(g, k, &o);
	due(g, k, &o, wait);
	put_due(g, k, &o);
	ir_jmp(g->f, k->done);
	ir_place(g->f, wait);
	note_next(g, k, &o, 0);
}

/* … and behind it in a walk over the threads. */
static void scan_due(struct gen *g, struct track *k)
{
	uint32_t size = k->l->key.size;
	irslot who = ir_slot(g->f, 8);
	vreg map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f), round = ir_new(g->f), start = ir_new(g->f);
	struct mem rec;
	struct overdue o;

	ir_store_slot(g->f, who, 0, 4, gen_tid(g));
	ir_load(g->f, round, gen_mapval(g, cg_map_state(g->cg), k->l->state + (uint32_t)offsetof(struct img_track, scan.round)),
		0, 4);
	ir_store_slot(g->f, who, 4, 4, round);
	gen_map(g, map, cg_map_due(g->cg, k->t));
	ir_slot_addr(g->f, key, who, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	rec = gen_scratch(g, size + k->l->size);
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
	track_over(g, k, start, mem_add(rec, (int32_t)size), SLOW_TIMEOUT);
}

void track_scan(struct gen *g, struct track *k)
{
	struct cache saved = gen_region_begin(g);

	if (k->t->store != TRACK_KEYED)
		scan_thread(g, k);
	else if (g->ds->scan_keys)
		scan_keys(g, k);
	else
		scan_due(g, k);
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}
