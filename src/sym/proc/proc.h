/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the processes seen, by number and start time, with their mappings. They stay after exit. */
#ifndef DWELL_SYM_PROC_PROC_H
#define DWELL_SYM_PROC_PROC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/hash_try.h"
#include "sym/proc/maps.h"
#include "sym/proc/perfmap.h"

/* Perf maps held open for what is still to come; those of further processes are read at once. */
#define PROC_MAX_OPEN_JIT 128u

struct sym;
struct ufile;

struct uproc {
	uint32_t tgid;
	uint64_t start_ns; /* as given by BPF, 0: not known */
	uint64_t ticks;	   /* start time as /proc tells it, 0: not known */
	struct umaps maps;
	struct perfmap jit;	   /* opened when there is code of no file */
	bool dead;		   /* exited, or never found */
	bool stale;		   /* exec'ed: read the mappings when next touched */
	struct rtproc *rt;	   /* the language runtime in it (runtime.c), or NULL */
	uint64_t next_ns;	   /* not before, for refreshes that nobody asked for */
	struct uproc *older;	   /* former process of this number */
	struct uproc *prev, *next; /* in uprocs.alive or .dead, least recently used first */
	UT_hash_handle hh;	   /* by tgid; the newest process of a number */
};

struct uprocs {
	struct uproc *by_tgid;
	struct uproc *alive, *dead;
	unsigned n;
	unsigned nopen_jit;
	uint64_t tick_ns;    /* length of a clock tick */
	int64_t time_ns_off; /* what /proc adds to start times in this time namespace */
};

/* The process as it is known, or NULL. start 0: the newest of the number. */
struct uproc *proc_find(struct sym *s, uint32_t tgid, uint64_t start);
/* The same, creating it. A new one has no mappings yet. NULL without memory. */
struct uproc *proc_get(struct sym *s, uint32_t tgid, uint64_t start);
/* Reads the mappings from the living process. 0, or -ESRCH when it is gone (then p is dead). */
int proc_read(struct sym *s, struct uproc *p);
/* Reads them again after a miss, unless that was done just before. True: the maps are new. */
bool proc_retry(struct sym *s, struct uproc *p);
/* Start time of a process in clock ticks from its /proc directory. Source: proc(5), stat field 22.
 */
int proc_start_ticks(int procfd, uint64_t *ret);
/* Opens /proc/TGID if that is still p; -ESRCH. */
int proc_open(struct sym *s, const struct uproc *p);
void procs_free(struct sym *s);
#endif
