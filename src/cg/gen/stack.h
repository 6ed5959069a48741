/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code for stack(), ustack() and their addresses: the stacks of the kernel and of programs, into a record or a
 * key. */
#ifndef DWELL_CG_GEN_STACK_H
#define DWELL_CG_GEN_STACK_H
#include "cg/gen/gen.h"

void gen_stack_to(struct gen *g, struct mem dst, const struct recfield *f);
void gen_ustack_to(struct gen *g, struct mem dst, const struct recfield *f);
void gen_ustack_early(struct gen *g); /* before the record of g->lay is reserved */
void gen_uaddr_to(struct gen *g, vreg addr, struct mem dst);
vreg gen_stack_depth(struct gen *g, bool user);
vreg gen_caller(struct gen *g, bool user);
void gen_task_stack_to(struct gen *g, vreg task, struct mem dst, const struct recfield *f);

#endif
