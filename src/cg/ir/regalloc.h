/* SPDX-License-Identifier: Apache-2.0 */
/* Declares live ranges and spills, which regalloc.c and regalloc_spill.c share. */
#ifndef DWELL_CG_IR_REGALLOC_H
#define DWELL_CG_IR_REGALLOC_H
#include "cg/ir/int.h"

#define RA_WINDOW 12 /* instructions for which a reloaded value is used again, at most */

struct ra_spill {
	uint32_t window;
	bool *temp; /* by vreg: made for a spill, must not be spilled itself */
	uint32_t ntemp;
};

static inline bool ra_is_temp(const struct ra_spill *s, vreg v)
{
	return (uint32_t)v < s->ntemp && s->temp[v];
}

/* Bitmaps over positions: does one of the ranges meet a set bit; set all. */
bool ra_bits_test(const uint64_t *w, const struct irrange *r);
void ra_bits_set(uint64_t *w, const struct irrange *r);

/* Rewrites f so that the given registers live in stack slots (or are made again, for constants). */
void ra_spill(struct irfn *f, struct arena *tmp, struct ra_spill *s, const struct irlive *live, const vreg *spills,
	      uint32_t n);
#endif
