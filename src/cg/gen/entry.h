/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the start of a program: takes arguments out of the context, leaves out threads, and tests the conditions of
 * derived probes. */
#ifndef DWELL_CG_GEN_ENTRY_H
#define DWELL_CG_GEN_ENTRY_H
#include "cg/gen/gen.h"

void gen_prologue(struct gen *g);
void gen_hits(struct gen *g); /* hits.c: counts the firing, if somebody asks */
/* Does some clause call begin(), end() or flight()? */
bool prog_tracks(const struct prog *pr);
void gen_guard(struct gen *g, const struct cg_unit *u);
/* Leaves the clause in dwell's own threads, where the program does not. */
void gen_noself_clause(struct gen *g, bool after_pred);
bool pred_has_effect(const struct clause_instance *ds); /* does its predicate change or call something? */

vreg gen_arg_loc(struct gen *g, const struct arg_loc *l);
vreg gen_arg(struct gen *g, unsigned n);
vreg gen_probe_id(struct gen *g);
unsigned gen_sel_max(const uint64_t *map); /* the largest selector in the set */
void gen_probe_name(struct gen *g, enum bi_id which, struct str *ret);

/* The struct that tracepoint argument ctx + off points to according to BTF; false: not that. */
bool entry_arg_struct(struct gen *g, uint32_t off, struct tref *ret);
void gen_watch(struct gen *g); /* watch.c: at the start of a watchpoint's program */
#endif
