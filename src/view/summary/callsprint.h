/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell calls`: the functions that a function called, its callers, how often and how long, from the rows of its
 * program (engine/front/callsprog.h). */
#ifndef DWELL_VIEW_SUMMARY_CALLSPRINT_H
#define DWELL_VIEW_SUMMARY_CALLSPRINT_H
#include <stdio.h>
#include "store/recording.h"
#include "sym/sym.h"

#define CALLSPRINT_MAX 10000 /* callees, and callers; further ones are left out, and said */

struct callsprint;

struct callsprint *callsprint_new(void); /* NULL: out of memory */
void callsprint_free(struct callsprint *c);
/* A ROW_AGG; others are of no interest. 0 or -ENOMEM. */
int callsprint_row(struct callsprint *c, const struct rec_schema *schema, struct sym *sym, const struct row *row);
/* A callee without a probe, and why. 0 or -ENOMEM. */
int callsprint_left_out(struct callsprint *c, const char *name, const char *reason);
/* The tables; unknown: calls by a pointer of which nothing is told. -errno of writing. */
int callsprint_show(struct callsprint *c, const char *function, size_t unknown, bool json, FILE *out);
#endif
