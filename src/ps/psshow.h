/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that run BPF programs, dwell's among them, and their cost; for one process each program. */
#ifndef DWELL_PS_PSSHOW_H
#define DWELL_PS_PSSHOW_H
#include <stdio.h>
#include "load/inventory.h"
#include "sym/sym.h"

struct psshow {
	int columns;	 /* of the terminal; 0: none */
	bool json, all;	 /* all: programs that no process holds, too */
	struct arena *a; /* for names */
	struct inventory v;
	struct sym *sym; /* of the kernel; NULL: none */
	FILE *out;
};

/* A line for each process, the most expensive first. Sorts v.procs. 0, or -errno: out cannot be written. */
int psshow_processes(struct psshow *s);
/* A line for each program of a process. -ESRCH: it holds none, or is not there. */
int psshow_one(struct psshow *s, pid_t pid);
#endif
