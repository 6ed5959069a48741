/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the run-time pieces of generated programs: see cg/ir/rt.def. */
#ifndef DWELL_CG_RT_RT_H
#define DWELL_CG_RT_RT_H
#include "cg/ir/ir.h"
#include "cg/ir/rtid.h"
#include "types/caps.h"

#define RT_STACK_MAX 256 /* bytes of stack that a piece takes with all that it calls, at most */

/* The piece as a function of this program, emitted when first asked for; never NULL. Kernels without
 * bpf_loop() (before 5.17) get bounded loops, which the verifier may refuse for bounds over 256. */
struct irfn *rt_get(struct irprog *p, enum rt_id id, const struct caps *caps);
/* In place: the bucket of v >= 0, as aggval_hist_bucket() has it. The verifier does not know that it is below
 * AGG_HIST_NBUCKETS. */
vreg rt_hist_bucket(struct irfn *f, vreg v);
#endif
