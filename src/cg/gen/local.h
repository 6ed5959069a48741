/* SPDX-License-Identifier: Apache-2.0 */
/* Gives variables of a clause, locals of functions and blocks, and temporaries their registers or memory. */
#ifndef DWELL_CG_GEN_LOCAL_H
#define DWELL_CG_GEN_LOCAL_H
#include "cg/gen/gen.h"

void gen_this_init(struct gen *g);
/* Marks the this-> variables (by id) that the units use. */
void cg_note_this(const struct cg_unit *u, size_t n, bool *used);
void gen_local_alloc(struct gen *g, const struct dvar *v);
void gen_temp_alloc(struct gen *g, const struct dvar *v);
struct mem gen_local_mem(struct gen *g, const struct dvar *v);
vreg gen_opaque_zero(struct gen *g); /* 0, but the verifier does not know */
vreg gen_loop_opaque(struct gen *g, const struct node *assign, vreg v);
#endif
