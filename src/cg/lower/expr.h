/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the compilation of numeric expressions: values, operators, ranges. */
#ifndef DWELL_CG_LOWER_EXPR_H
#define DWELL_CG_LOWER_EXPR_H
#include "cg/builtin/call.h"
#include "cg/gen/gen.h"

vreg gen_int(struct gen *g, const struct node *n);
/* As gen_int, but the result may be a typed pointer (btf->id != 0: to this struct), which can only be
 * dereferenced, passed on, or compared with NULL. */
vreg gen_ptr(struct gen *g, const struct node *n, struct tref *btf);
void gen_effect(struct gen *g, const struct node *n); /* value not needed */
/* Any value into memory as the field says: records and keys. */
void gen_value_to(struct gen *g, const struct node *n, struct mem dst, const struct recfield *f);
/* d = s cut to ty, s the value of n; s itself when it fits. */
vreg gen_cut(struct gen *g, const struct node *n, vreg s, const struct dtype *ty);

vreg gen_arith_unary(struct gen *g, const struct node *n);
vreg gen_binary(struct gen *g, const struct node *n);
vreg gen_cond_expr(struct gen *g, const struct node *n);
void gen_branch(struct gen *g, const struct node *n, irlabel l, bool when);
vreg gen_truth(struct gen *g, const struct node *n); /* 0 or 1 */
vreg gen_arith(struct gen *g, enum op op, vreg a, vreg b, const struct node *bn, const struct dtype *ty,
	       struct span at);

/* Derived probes (lang/probeinfo.h). */
void gen_derived_cond(struct gen *g); /* leaves the clause where the probe does not fire */

/* call.c: calls of built-ins, as expressions and statements have them. */
vreg gen_builtin_int(struct gen *g, const struct node *n, struct tref *btf);
void gen_builtin_str(struct gen *g, const struct node *n, struct str *ret);
void gen_builtin_effect(struct gen *g, const struct node *n); /* its value is not needed */
/* Compiles the call n of the built-in b: its arguments, then the row's code function. *ret has the value. */
void call_builtin(struct gen *g, const struct node *n, const struct builtin *b, const struct lay_act *la,
		  struct call *ret);
#endif
