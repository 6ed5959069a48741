/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are stuck, as text or JSON Lines. */
#ifndef DWELL_VIEW_SUMMARY_STUCKPRINT_H
#define DWELL_VIEW_SUMMARY_STUCKPRINT_H
#include <stdio.h>
#include "latency/cause/stuck.h"

struct stuck_print {
	bool all, json; /* all: also those that only sleep */
	uint64_t over_ns;
	uint32_t pid;				/* 0: any */
	const char *comm, *container;		/* NULL: any; of the thread or its process; the container's beginning */
	uint64_t cgroup;			/* 0: any */
	bool (*wants)(void *ctx, uint32_t pid); /* NULL: any process */
	void *wants_ctx;
	int columns;
	FILE *out;
	struct sym *sym;
};

/* Is the thread shown? */
bool stuckprint_wants(const struct stuck_print *p, const struct stuck_thread *t);
/* All blocked threads, with stacks and holders. 0 or -errno of writing. */
int stuckprint(const struct stuck_print *p, struct stuck *s);
#endif
