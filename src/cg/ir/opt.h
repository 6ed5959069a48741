/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the passes opt.c and two.c, and how they evaluate operations of constants. Tests use the evaluators, too. */
#ifndef DWELL_CG_IR_OPT_H
#define DWELL_CG_IR_OPT_H
#include "cg/ir/ir.h"

/* Computes an operation as BPF does. */
int64_t ir_eval(enum ir_alu op, int64_t a, int64_t b);
bool ir_eval_cond(enum ir_cond c, int64_t a, int64_t b);
enum ir_cond ir_inverse(enum ir_cond c); /* holds where c does not; not for IRC_SET */
/* Gives values that do not leave their block registers of their own. */
void ir_rename(struct irfn *f, struct arena *tmp);
/* Rewrites into BPF's two-address form without NOPs. ndefs, def: by vreg, number of definitions and
 * index of one. */
void ir_two_address(struct irfn *f, struct arena *tmp, const uint32_t *ndefs, const uint32_t *def);
#endif
