/* SPDX-License-Identifier: Apache-2.0 */
/* Declares variables: global, thread-local, of a clause, arrays; locals of functions and blocks. */
#ifndef DWELL_CG_LOWER_VAR_H
#define DWELL_CG_LOWER_VAR_H
#include "cg/gen/gen.h"

void gen_place(struct gen *g, const struct node *n, struct place *ret);
vreg gen_assign(struct gen *g, const struct node *n, bool want);
void gen_assign_str(struct gen *g, const struct node *n, struct str *ret); /* ret: the value */
vreg gen_incdec(struct gen *g, const struct node *n, bool want);
void gen_var_str(struct gen *g, const struct node *n, struct str *ret);
vreg gen_str_set(struct gen *g, const struct node *n); /* string as a condition: 0 when it is NULL */
struct mem gen_key(struct gen *g, const struct lay_key *k, const struct node *args, uint32_t prefix);
void gen_bytes_to(struct gen *g, const struct node *n, struct mem dst, uint32_t size);
#endif
