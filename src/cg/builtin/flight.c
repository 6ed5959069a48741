/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles flight("kind", number, number, text): writes an entry of the flight recorder, base/flightfmt.h. */
#include "base/flightfmt.h"
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

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

void gen_flight_id(struct gen *g, const struct node *kind, const struct val *id, struct flight_slot *ret)
{
	ret->kind = kind_of(g, kind);
	ret->word = ir_new(g->f);
	ir_ext(g->f, ret->word, id->is_const ? ir_imm(g->f, (uint64_t)id->c) : id->v, 4, false);
}

/* The last word of the head of an entry, but for its lap. */
void gen_flight_info(struct gen *g, const struct val *info, struct flight_slot *s)
{
	int64_t c = info->is_const ? info->c : 0;
	vreg v = ir_new(g->f);

	if (!info->is_const) {
		ir_alui(g->f, IRA_AND, v, info->v, UINT16_MAX);
		ir_alui(g->f, IRA_SHL, v, v, 32);
		ir_alu(g->f, IRA_OR, s->word, s->word, v);
	}
	ir_alu(g->f, IRA_OR, s->word, s->word, ir_imm(g->f, s->kind << 48 | (uint64_t)(c & UINT16_MAX) << 32));
	s->ts = gen_ts(g);
	s->cpu = gen_cpu(g);
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

void gen_flight_open(struct gen *g, struct flight_slot *s)
{
	uint32_t entries = flight_entries(g->cg->opts->flight, g->cg->opts->flightsize);
	vreg p, at = ir_new(g->f);

	s->seq = ir_new(g->f);
	s->none = ir_label(g->f);
	s->saved = gen_region_begin(g);
	p = s->entry = ring_of_cpu(g, s->cpu, s->none);
	ir_comment(g->f, "place = head++ %% %u", entries);
	take_place(g, s->seq, p);
	ir_alui(g->f, IRA_AND, at, s->seq, entries - 1);
	ir_alui(g->f, IRA_MUL, at, at, sizeof(struct flight_entry));
	ir_alu(g->f, IRA_ADD, p, p, at);
	ir_alui(g->f, IRA_ADD, p, p, offsetof(struct flight_cpu, v));
	ir_store(g->f, p, offsetof(struct flight_entry, ts), 8, s->ts);
}

void gen_flight_close(struct gen *g, const struct flight_slot *s)
{
	uint32_t entries = flight_entries(g->cg->opts->flight, g->cg->opts->flightsize);

	ir_alui(g->f, IRA_SHR, s->seq, s->seq, (int64_t)__builtin_ctz(entries));
	ir_alui(g->f, IRA_SHL, s->seq, s->seq, 56);
	ir_alu(g->f, IRA_OR, s->word, s->word, s->seq);
	ir_comment(g->f, "the entry is whole");
	ir_store(g->f, s->entry, offsetof(struct flight_entry, id), 8, s->word);
	ir_place(g->f, s->none);
	gen_region_end(g, &s->saved);
}
