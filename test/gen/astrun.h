/* SPDX-License-Identifier: Apache-2.0 */
/* A small interpreter of checked D programs, for the differential test: it says what the BEGIN clauses of a
 * program print. Integers, strings, arrays, if, loops, functions, sum() and faults; nothing that needs a
 * kernel. It walks the typed tree and shares no code with the code generator. */
#ifndef TEST_ASTRUN_H
#define TEST_ASTRUN_H
#include "base/strb.h"
#include "lang/dprog.h"

#define AR_STR 256 /* bytes of a string, NUL included: -x strsize */
#define AR_KEY 600 /* bytes of a key as text */

struct value {
	int64_t i; /* normalised to its type */
	char s[AR_STR];
};
struct elem { /* of an associative array or aggregation */
	char key[AR_KEY];
	struct value v;
	struct elem *next;
};
struct cell {
	struct value v;
	struct value *elems; /* array in memory */
	struct elem *list;
};
enum flow { GO, BROKE, CONTINUED, RETURNED, FAULTED };

struct machine {
	struct dprog *prog;
	struct cell *vars;     /* by id */
	struct elem **aggs;    /* by id: sums */
	struct strb out, held; /* held: what a fault takes back */
	bool holding, exited;
	const char *fault;	/* or NULL */
	unsigned action, calls; /* calls that are open: faults belong to the statement that calls */
	int64_t iterations, loopmax;
	bool unsupported; /* the program has something that the interpreter does not know */
};

/* astrun_expr.c */
struct value eval(struct machine *m, const struct node *n);
bool truth(struct machine *m, const struct node *n);
struct elem *find_elem(struct machine *m, struct elem **list, const struct node *keys);
int64_t normal(const struct machine *m, const struct dtype *ty, int64_t v);
const struct dtype *type_of(const struct machine *m, const struct node *n);
void fault(struct machine *m, const char *text);

/* astrun.c */
enum flow run_list(struct machine *m, const struct stmt *s);
struct value *local_cell(struct machine *m, const struct dvar *v);
#endif
