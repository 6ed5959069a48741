/* SPDX-License-Identifier: Apache-2.0 */
/* Declares variables: global, thread-local, of a clause, arrays; locals of functions and blocks. */
#ifndef DWELL_CG_LOWER_VAR_H
#define DWELL_CG_LOWER_VAR_H
#include "cg/lower/gen.h"

void gen_place(struct gen *g, const struct node *n, struct place *ret);
/* For reading: an index that waits is added, unless the base is NULL. */
void place_flatten(struct gen *g, struct place *pl);
vreg gen_assign(struct gen *g, const struct node *n, bool want);
void gen_assign_str(struct gen *g, const struct node *n, struct str *ret); /* ret: the value */
vreg gen_incdec(struct gen *g, const struct node *n, bool want);
void gen_var_str(struct gen *g, const struct node *n, struct str *ret);
bool node_is_null(const struct node *n); /* the constant 0, cast or not */
/* Whether the variable whose text is *s was assigned a string: its keys are not computed again. */
vreg gen_str_is_set(struct gen *g, const struct str *s);
vreg gen_str_set(struct gen *g, const struct node *n); /* string as a condition: 0 when it is NULL */
void gen_this_init(struct gen *g);
/* The thread-locals of the current task: NULL when it has none; made if need be, or a jump to skip (counted). */
vreg gen_tls_read(struct gen *g);
vreg gen_tls_write(struct gen *g, irlabel skip);
/* The thread-local variables of a task given by a typed pointer; word: which word of the context that is, or -1. */
vreg gen_task_tls(struct gen *g, vreg task, int word, bool create, irlabel skip);
/* Marks the this-> variables (by id) that the units use. */
void cg_note_this(const struct cg_unit *u, size_t n, bool *used);
struct mem gen_key(struct gen *g, const struct lay_key *k, const struct node *args, uint32_t prefix);
void gen_local_alloc(struct gen *g, const struct dvar *v);
void gen_temp_alloc(struct gen *g, const struct dvar *v);
struct mem gen_local_mem(struct gen *g, const struct dvar *v);
#endif
