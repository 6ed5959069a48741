/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers with the setting nested: a key may be opened several times before it is closed. A key has places for several
 * open events, and the last one opened is closed first. A thread owns a place when it has exchanged its start stamp.
 * Other CPUs may use the same key meanwhile.
 *
 * With keys in a hash, a word before the places counts the open ones. The thread that closes the last place turns the
 * count from 0 to DEAD and deletes the key. So no thread opens a place of an element that is about to be deleted. */
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"
#include "cg/lower/track.h"

#define FILLING 1 /* start stamp of a place that has been taken and is not open yet */
#define DEAD (1ll << 32)
#define OFF_MASK 0xfff8 /* of places */
#define TRIES 4		/* to change the count, or a place, while others do */

static unsigned nplaces(const struct dtracker *t)
{
	return (unsigned)t->settings[TS_NESTED];
}

static int32_t place_off(const struct track *k, unsigned i)
{
	return (k->t->store == TRACK_KEYED ? 8 : (int32_t)k->l->off) + (int32_t)(i * k->l->size);
}

/* One more open place; jumps to gone when the element is dead. */
static void count_up(struct gen *g, vreg p, irlabel gone)
{
	vreg n = ir_new(g->f), more = ir_new(g->f), old = ir_new(g->f);
	irlabel ok = ir_label(g->f);

	for (unsigned i = 0; i < TRIES; i++) {
		ir_load(g->f, n, p, 0, 8);
		gen_jcci(g, IRC_GE, n, DEAD, gone);
		ir_alui(g->f, IRA_ADD, more, n, 1);
		ir_cmpxchg(g->f, old, p, 0, 8, n, more);
		ir_jcc(g->f, IRC_EQ, old, n, ok);
	}
	ir_jmp(g->f, gone);
	ir_place(g->f, ok);
}

/* One less; the key goes with the last. */
void nest_closed(struct gen *g, const struct track *k, vreg p)
{
	vreg n = ir_new(g->f), old = ir_new(g->f), map, key;
	irlabel out = ir_label(g->f);

	ir_atomic_add(g->f, p, 0, 8, ir_imm(g->f, (uint64_t)-1));
	ir_load(g->f, n, p, 0, 8);
	ir_jcci(g->f, IRC_NE, n, 0, out);
	ir_cmpxchg(g->f, old, p, 0, 8, ir_imm(g->f, 0), ir_imm(g->f, (uint64_t)DEAD));
	ir_jcci(g->f, IRC_NE, old, 0, out);
	map = ir_new(g->f);
	key = gen_addr(g, k->key);
	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, VREG_NONE, BPF_FUNC_map_delete_elem, IR_ARGS(map, key));
	ir_place(g->f, out);
}

/* The element of the key, counted up; made if need be. Jumps to done when there is no room. */
static vreg element(struct gen *g, struct track *k)
{
	uint32_t zeros = ro_zeros(g->cg, nest_size(k->t, k->l));
	irlabel ok = ir_label(g->f);
	vreg p = ir_new(g->f);

	for (unsigned i = 0; i < TRIES; i++) {
		irlabel again = ir_label(g->f), have = ir_label(g->f);

		ir_mov(g->f, p, track_find(g, k, false));
		ir_jcci(g->f, IRC_NE, p, 0, have);
		track_insert(g, k, mem_at(gen_mapval(g, cg_map_rodata(g->cg), zeros), 0), BPF_NOEXIST);
		ir_mov(g->f, p, track_find(g, k, false));
		ir_jcci(g->f, IRC_EQ, p, 0, again);
		ir_place(g->f, have);
		count_up(g, p, again);
		ir_jmp(g->f, ok);
		ir_place(g->f, again);
	}
	gen_track_count(g, k->t, TRACK_N_FULL);
	ir_jmp(g->f, k->done);
	ir_place(g->f, ok);
	return p;
}

/* off = the place's, which the verifier must not know: it would follow each place by itself through all that comes. */
static void hide_off(struct gen *g, const struct track *k, vreg off, unsigned i)
{
	ir_alui(g->f, IRA_ADD, off, gen_opaque_zero(g), place_off(k, i));
	ir_alui(g->f, IRA_AND, off, off, OFF_MASK);
}

/* The place at off, which the verifier learns the bounds of. */
static vreg place_at(struct gen *g, const struct track *k, vreg p, vreg off)
{
	vreg at = ir_new(g->f);

	ir_jcci(g->f, IRC_GT, off, place_off(k, nplaces(k->t) - 1), k->done); /* never */
	ir_alu(g->f, IRA_ADD, at, p, off);
	return at;
}

void nest_begin(struct gen *g, struct track *k)
{
	bool keyed = k->t->store == TRACK_KEYED;
	struct cache saved;
	irlabel got = ir_label(g->f);
	vreg p, at, off = ir_new(g->f), old = ir_new(g->f), zero, filling;

	saved = gen_region_begin(g);
	track_leave_self_out(g, k);
	p = keyed ? element(g, k) : track_find(g, k, true);
	zero = ir_imm(g->f, 0);
	filling = ir_imm(g->f, FILLING);
	for (unsigned i = 0; i < nplaces(k->t); i++) {
		hide_off(g, k, off, i);
		ir_cmpxchg(g->f, old, p, place_off(k, i), 8, zero, filling);
		ir_jcci(g->f, IRC_EQ, old, 0, got);
	}
	g->cache = saved;
	gen_track_count(g, k->t, TRACK_N_DEEP);
	if (keyed)
		nest_closed(g, k, p);
	ir_jmp(g->f, k->done);
	ir_place(g->f, got);
	g->cache = saved;
	at = place_at(g, k, p, off);
	track_fill(g, k, mem_at(at, 0));
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}

/* The offset of the place that was opened last (first: first), and its stamp; 0: none is open. */
static void newest(struct gen *g, const struct track *k, vreg p, vreg off, vreg start, bool first)
{
	vreg s = ir_new(g->f);

	ir_mov(g->f, start, gen_opaque_zero(g));
	hide_off(g, k, off, 0);
	for (unsigned i = 0; i < nplaces(k->t); i++) {
		irlabel no = ir_label(g->f), take = ir_label(g->f);

		ir_load(g->f, s, p, place_off(k, i), 8);
		ir_jcci(g->f, IRC_LE, s, FILLING, no);
		if (first)
			ir_jcci(g->f, IRC_EQ, start, 0, take);
		ir_jcc(g->f, first ? IRC_GE : IRC_LE, s, start, no);
		ir_place(g->f, take);
		ir_mov(g->f, start, s);
		hide_off(g, k, off, i);
		ir_place(g->f, no);
	}
}

struct mem nest_end(struct gen *g, struct track *k, vreg p, vreg start)
{
	vreg at = ir_new(g->f), off = ir_new(g->f), old = ir_new(g->f);
	irlabel got = ir_label(g->f);
	struct mem details;

	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	/* Somebody else may close the same one: then there is another. */
	for (unsigned i = 0; i < 2; i++) {
		newest(g, k, p, off, start, false);
		ir_jcci(g->f, IRC_EQ, start, 0, k->done);
		ir_mov(g->f, at, place_at(g, k, p, off));
		ir_cmpxchg(g->f, old, at, 0, 8, start, ir_imm(g->f, FILLING));
		ir_jcc(g->f, IRC_EQ, old, start, got);
	}
	ir_jmp(g->f, k->done);
	ir_place(g->f, got);
	details = track_save(g, k, mem_at(at, 0));
	gen_sti(g, mem_at(at, 0), 8, 0);
	if (k->t->store == TRACK_KEYED)
		nest_closed(g, k, p);
	return details;
}

vreg nest_pending(struct gen *g, struct track *k)
{
	vreg p = track_find(g, k, false), off = ir_new(g->f), start = ir_new(g->f);
	irlabel none = ir_label(g->f);

	ir_movi(g->f, start, 0);
	ir_jcci(g->f, IRC_EQ, p, 0, none);
	newest(g, k, p, off, start, false);
	ir_place(g->f, none);
	return start;
}

vreg nest_place(struct gen *g, struct track *k, vreg p, unsigned i, vreg start, irlabel none)
{
	vreg at = ir_new(g->f);

	ir_alui(g->f, IRA_ADD, at, p, place_off(k, i));
	ir_load(g->f, start, at, 0, 8);
	ir_jcci(g->f, IRC_LE, start, FILLING, none);
	return at;
}

void nest_oldest(struct gen *g, struct track *k, vreg p, vreg *at, vreg start)
{
	vreg off = ir_new(g->f);

	newest(g, k, p, off, start, true);
	*at = place_at(g, k, p, off);
}
