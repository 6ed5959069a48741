/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the compilation of strings. */
#ifndef DWELL_CG_LOWER_STRING_H
#define DWELL_CG_LOWER_STRING_H
#include "cg/lower/gen.h"

void gen_str(struct gen *g, const struct node *n, struct str *ret);
void gen_str_to(struct gen *g, const struct node *n, struct mem dst, uint32_t cap);
void gen_str_copy(struct gen *g, const struct str *s, struct mem dst, uint32_t cap);
void gen_str_real(struct gen *g, struct str *s); /* constants get an address, NULL becomes "" */
void gen_str_branch(struct gen *g, const struct node *n, irlabel l, bool when); /* relation */
/* Compares with a constant in words, and jumps to l; false: it is too long for that. */
bool gen_str_branch_const(struct gen *g, const struct str *s, const struct str *c, bool jump_if_equal, irlabel l);
void gen_read_str(struct gen *g, struct mem dst, uint32_t cap, vreg addr, bool user);

void gen_strtok_start(struct gen *g); /* makes the state, for all paths through the clause */
#endif
