/* SPDX-License-Identifier: Apache-2.0 */
/* The D that belongs to the calls that are wanted: what dlib/strace leaves open. */
#ifndef DWELL_STRACE_PROGRAM_H
#define DWELL_STRACE_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include "base/strb.h"
#include "strace/call.h"

struct program_want {
	bool call[CALL_NR_MAX];
	bool others;  /* numbers that the table does not have */
	bool command; /* $target is about to execute what is to be traced; else pids */
	const long *pids;
	size_t npids;
	bool follow; /* threads and children, too */
	bool times;  /* when calls begin */
	bool paths, stacks, count;
	unsigned size; /* of data */
};
#define PROGRAM_SIZE_MAX 2048u /* of data; what is more is cut */

/* In front of the shipped programs, and behind them. */
void program_head(struct strb *b, const struct program_want *w);
void program_functions(struct strb *b, const struct program_want *w);
#endif
