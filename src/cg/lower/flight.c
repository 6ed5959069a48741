/* SPDX-License-Identifier: Apache-2.0 */
/* flight("kind", number, number, text): an entry of the flight recorder, base/flightfmt.h. */
#include "base/flightfmt.h"
#include "cg/lower/int.h"

static int flight_map(struct cg *c)
{
	uint32_t n = flight_entries(c->opts->flight, c->opts->flightsize);

	if (c->m_flight < 0)
		c->m_flight = cg_add_map(c, IMG_MAP_FLIGHT, "d_flight", BPF_MAP_TYPE_ARRAY, 4,
					 (uint32_t)(sizeof(struct flight_cpu) + n * sizeof(struct flight_entry)),
					 cg_online_places(c), BPF_F_MMAPABLE);
	return c->m_flight;
}

/* The number of a kind, from 1; 0 after an error. */
static unsigned kind_of(struct gen *g, const struct node *n)
{
	struct cg *c = g->cg;
	unsigned i = 0;

	if (!c->flights)
		c->img->flights = c->flights = arena_new_arr(c->a, const char *, FLIGHT_MAX_KINDS);
	while (i < c->img->nflights && strcmp(c->flights[i], n->str) != 0)
		i++;
	if (i == FLIGHT_MAX_KINDS) {
		cg_error(g, n->at, TAG_LIMIT, "flight( ): more than %d kinds of entries", FLIGHT_MAX_KINDS);
		return 0;
	}
	if (i == c->img->nflights)
		c->flights[c->img->nflights++] = n->str;
	return i + 1;
}

/* The name of a thread or disk that the verifier lets us load as words: no call. */
static bool direct_text(struct gen *g, const struct node *n, struct place *ret)
{
	const struct dtype *ty;
	struct tref target;

	if (n->kind != N_CAST && n->kind != N_STRINGOF)
		return false;
	n = n->a;
	ty = cg_type(g->cg, n);
	if (ty->kind != DK_ARRAY || ty->nelems < FLIGHT_TEXT || ty->size != ty->nelems)
		return false;
	gen_place(g, n, ret);
	place_flatten(g, ret);
	return ret->kind == PL_KERN && ret->btf.id && ret->off <= INT16_MAX - FLIGHT_TEXT &&
	       btf_direct(g->cg, ret->btf, ret->off, 1, &target);
}

static void put_text(struct gen *g, const struct node *n, const struct place *direct, struct mem dst)
{
	vreg v = ir_new(g->f);

	if (!direct) {
		gen_str_to(g, n, dst, FLIGHT_TEXT);
		return;
	}
	for (int i = 0; i < FLIGHT_TEXT; i += 8) {
		ir_load(g->f, v, direct->addr, (int32_t)direct->off + i, 8);
		gen_st(g, mem_add(dst, i), 8, v);
	}
}

/* The last word of the head of an entry, but for its lap. */
static vreg word_of(struct gen *g, const struct node *n)
{
	const struct node *id = n->args->next, *info = id->next;
	vreg word = ir_new(g->f), v = ir_new(g->f);
	uint64_t kind = kind_of(g, n->args);
	int64_t c = 0;

	ir_ext(g->f, word, gen_int(g, id), 4, false);
	if (!node_const(info, &c)) {
		ir_alui(g->f, IRA_AND, v, gen_int(g, info), UINT16_MAX);
		ir_alui(g->f, IRA_SHL, v, v, 32);
		ir_alu(g->f, IRA_OR, word, word, v);
	}
	ir_alu(g->f, IRA_OR, word, word, ir_imm(g->f, kind << 48 | (uint64_t)(c & UINT16_MAX) << 32));
	return word;
}

/* seq = the number of the entry. Before Linux 5.12 that takes two steps: an interrupt between them takes the same
 * entry. */
static void take_place(struct gen *g, vreg seq, vreg ring)
{
	vreg next;

	if (g->cg->caps->atomics) {
		ir_fetch_add(g->f, seq, ring, offsetof(struct flight_cpu, head), 8, ir_imm(g->f, 1));
		return;
	}
	next = ir_new(g->f);
	ir_load(g->f, seq, ring, offsetof(struct flight_cpu, head), 8);
	ir_alui(g->f, IRA_ADD, next, seq, 1);
	ir_store(g->f, ring, offsetof(struct flight_cpu, head), 8, next);
}

/* This CPU's ring; jumps to none when it has none, which is counted: it came online later. */
static vreg ring_of_cpu(struct gen *g, vreg cpu, irlabel none)
{
	const bool all = cg_online_places(g->cg) >= cg_ncpus(g->cg);
	vreg map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f), first;
	irlabel have = ir_label(g->f);
	bool was;

	ir_store_slot(g->f, g->tmp, 0, 4, cpu);
	gen_map(g, map, flight_map(g->cg));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, all ? IRC_EQ : IRC_NE, p, 0, all ? none : have);
	if (all)
		return p;
	was = ir_cold(g->f, true);
	ir_comment(g->f, "the first ring's missed++");
	ir_storei_slot(g->f, g->tmp, 0, 4, 0);
	first = ir_new(g->f);
	ir_call(g->f, first, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, first, 0, none);
	ir_atomic_add(g->f, first, offsetof(struct flight_cpu, missed), 8, ir_imm(g->f, 1));
	ir_jmp(g->f, none);
	ir_cold(g->f, was);
	ir_place(g->f, have);
	return p;
}

void gen_flight(struct gen *g, const struct node *n)
{
	uint32_t entries = flight_entries(g->cg->opts->flight, g->cg->opts->flightsize);
	vreg word = word_of(g, n), ts = gen_ts(g), cpu = gen_cpu(g), p, seq = ir_new(g->f), at = ir_new(g->f);
	const struct node *text = n->args->next->next->next;
	irlabel none = ir_label(g->f);
	struct cache saved;
	struct place pl;
	bool direct = direct_text(g, text, &pl);

	if (direct) /* some may be NULL */
		gen_jcci(g, IRC_EQ, pl.addr, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
	saved = gen_region_begin(g);
	p = ring_of_cpu(g, cpu, none);
	ir_comment(g->f, "place = head++ %% %u", entries);
	take_place(g, seq, p);
	ir_alui(g->f, IRA_AND, at, seq, entries - 1);
	ir_alui(g->f, IRA_MUL, at, at, sizeof(struct flight_entry));
	ir_alu(g->f, IRA_ADD, p, p, at);
	ir_alui(g->f, IRA_ADD, p, p, offsetof(struct flight_cpu, v));
	ir_store(g->f, p, offsetof(struct flight_entry, ts), 8, ts);
	put_text(g, text, direct ? &pl : NULL, mem_at(p, offsetof(struct flight_entry, text)));
	ir_alui(g->f, IRA_SHR, seq, seq, (int64_t)__builtin_ctz(entries));
	ir_alui(g->f, IRA_SHL, seq, seq, 56);
	ir_alu(g->f, IRA_OR, word, word, seq);
	ir_comment(g->f, "the entry is whole");
	ir_store(g->f, p, offsetof(struct flight_entry, id), 8, word);
	ir_place(g->f, none);
	gen_region_end(g, &saved);
}
