/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the compilation of numeric expressions: values, operators, ranges. */
#ifndef DWELL_CG_LOWER_EXPR_H
#define DWELL_CG_LOWER_EXPR_H
#include "cg/lower/gen.h"

vreg gen_int(struct gen *g, const struct node *n);
/* As gen_int, but the result may be a typed pointer (btf->id != 0: to this struct), which can only be
 * dereferenced, passed on, or compared with NULL. */
vreg gen_ptr(struct gen *g, const struct node *n, struct tref *btf);
bool node_const(const struct node *n, int64_t *ret);
bool type_is_str(const struct cg *c, const struct node *n);
void gen_effect(struct gen *g, const struct node *n); /* value not needed */
/* Any value into memory as the field says: records and keys. */
void gen_value_to(struct gen *g, const struct node *n, struct mem dst, const struct recfield *f);
void gen_norm(struct gen *g, vreg d, vreg s, const struct dtype *ty);
/* d = s cut to ty, s the value of n; s itself when it fits. */
vreg gen_cut(struct gen *g, const struct node *n, vreg s, const struct dtype *ty);

bool gen_fits(struct gen *g, const struct node *n,
	      const struct dtype *to); /* is its value one of this type for sure? */
bool gen_is_nonneg(struct gen *g, const struct node *n);

vreg gen_arith_unary(struct gen *g, const struct node *n);
vreg gen_binary(struct gen *g, const struct node *n);
vreg gen_cond_expr(struct gen *g, const struct node *n);
void gen_branch(struct gen *g, const struct node *n, irlabel l, bool when);
vreg gen_truth(struct gen *g, const struct node *n); /* 0 or 1 */
bool op_class_is_test(enum op op);		     /* does it give a truth value? */
vreg gen_arith(struct gen *g, enum op op, vreg a, vreg b, const struct node *bn, const struct dtype *ty,
	       struct span at);
uint32_t ptr_scale(struct gen *g, const struct dtype *ptr);
#endif
