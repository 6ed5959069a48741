/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the steps of a compilation: layouts, groups of clauses, what the clauses of a program share. */
#ifndef DWELL_CG_LOWER_LOWER_H
#define DWELL_CG_LOWER_LOWER_H
#include "cg/gen/gen.h"

/* Puts the program's variables, keys and records into their places. 0, or -EINVAL after a diagnostic. */
int lay_program(struct cg *c);
size_t lay_print(struct cg *c, const struct node *call, struct lay_field *fl);
/* Makes c->groups. 0, or -EINVAL after a diagnostic. */
int cg_group_clauses(struct cg *c);
void cg_free_tables(struct cg *c);
/* Computes what several clauses of the program ask for, after its prologue. */
void gen_hoisted(struct gen *g);
#endif
