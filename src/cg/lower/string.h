/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles expressions of strings: their values, comparisons and assignments. */
#ifndef DWELL_CG_LOWER_STRING_H
#define DWELL_CG_LOWER_STRING_H
#include "cg/gen/gen.h"

void gen_str(struct gen *g, const struct node *n, struct str *ret);
void gen_str_to(struct gen *g, const struct node *n, struct mem dst, uint32_t cap);
void gen_str_branch(struct gen *g, const struct node *n, irlabel l, bool when); /* relation */

#endif
