/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the part of the D program that depends on the machine and on the wanted calls; dlib/strace has the rest. */
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
	bool chosen; /* also the threads of the machine that the variable wanted chooses, but those of dwell itself */
	bool follow; /* threads and children, too */
	bool times;  /* when calls begin */
	bool paths, stacks, count;
	bool nested;   /* with what pointers in memory point to: vectors, messages, arguments; lists are counted */
	unsigned size; /* of data */
};
#define PROGRAM_SIZE_MAX 2048u /* of data; what is more is cut */

/* The verifier of older kernels takes minutes over the loop that follows pointers, or refuses it ("too complex"). */
#define PROGRAM_NESTED_LINUX "6.18"
/* Without loops of the kernel's (bpf_loop) the verifier walks through all iterations: minutes. Counts need none. */
#define PROGRAM_CALLS_LINUX "5.17"

/* Does a wanted call need it? */
bool program_wants_nested(const struct program_want *w);
/* In front of the shipped programs, and after them. */
void program_head(struct strb *b);
void program_functions(struct strb *b, const struct program_want *w);
#endif
