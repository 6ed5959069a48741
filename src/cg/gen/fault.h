/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the ways to leave a clause: faults, losses, exit, records. */
#ifndef DWELL_CG_GEN_FAULT_H
#define DWELL_CG_GEN_FAULT_H
#include "cg/gen/gen.h"

irlabel gen_fault(struct gen *g, enum rec_fault_code code, vreg value);
irlabel gen_fault_imm(struct gen *g, enum rec_fault_code code, uint64_t value);
/* A label that counts a loss and continues at back. */
irlabel gen_drop(struct gen *g, enum rec_counter kind, irlabel back);
void gen_cold_stubs(struct gen *g);	    /* emits the stubs of the clause */
void gen_cold_stubs_between(struct gen *g); /* between statements: those so far, when the code has grown long */
/* Begins the function that a fault calls, where one was asked for: the ERROR clauses follow, and a return. */
bool gen_error_start(struct gen *g, struct prog *pr);
void gen_note_exit(struct gen *g);
void gen_count(struct gen *g, unsigned slot);
vreg gen_reserve(struct gen *g, uint32_t size, irlabel fail);
void gen_submit(struct gen *g, vreg rec, uint64_t flags);
struct cache gen_region_begin(struct gen *g);
/* Jumps that may leave the clause go through these two: they note what is known there. */
void gen_jcc(struct gen *g, enum ir_cond c, vreg a, vreg b, irlabel l);
void gen_jcci(struct gen *g, enum ir_cond c, vreg a, int64_t imm, irlabel l);
void gen_region_end(struct gen *g, const struct cache *saved);
#endif
