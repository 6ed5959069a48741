/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code for strings in memory: copies, comparisons with constants, tests for NULL. */
#ifndef DWELL_CG_GEN_TEXT_H
#define DWELL_CG_GEN_TEXT_H
#include "cg/gen/gen.h"

void gen_str_copy(struct gen *g, const struct str *s, struct mem dst, uint32_t cap);
void gen_str_real(struct gen *g, struct str *s); /* constants get an address, NULL becomes "" */
/* Compares with a constant in words, and jumps to l; false: it is too long for that. */
bool gen_str_branch_const(struct gen *g, const struct str *s, const struct str *c, bool jump_if_equal, irlabel l);
void gen_read_str(struct gen *g, struct mem dst, uint32_t cap, vreg addr, bool user);
/* Is the string of this variable not NULL? s: its text in memory; no key is computed again. */
vreg gen_str_is_set(struct gen *g, const struct str *s);
#endif
