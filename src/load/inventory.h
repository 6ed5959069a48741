/* SPDX-License-Identifier: Apache-2.0 */
/* All BPF programs of the machine: which processes hold them, what they cost, where they are attached. Needs root.
 * Source: the files below /proc/PID/fdinfo of programs, maps and links (kernel/bpf/syscall.c, bpf_*_show_fdinfo()). */
#ifndef DWELL_LOAD_INVENTORY_H
#define DWELL_LOAD_INVENTORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/arena.h"
#include "base/err.h"

/* Further ones are left out, and counted. */
#define INVENTORY_MAX_PROGS 65536u
#define INVENTORY_MAX_LINKS 65536u
struct inventory_limits {
	size_t progs, links;
};

struct inv_prog {
	uint32_t id;
	const char *type, *name; /* as the kernel's headers call it, "?": a newer one; "": none */
	bool held;		 /* by a process */
	uint64_t run_ns, runs;	 /* between inventory_read() and inventory_measure() */
	uint64_t ns0, runs0;
	uint64_t misses; /* firings that the kernel skipped since the program was loaded, e.g. for recursion */
	uint32_t memory; /* bytes */
};

#define INV_ADDRS 3		     /* of the places of a link */
#define INVENTORY_MAX_PLACES 262144u /* of links with more no addresses are asked for */

struct inv_link {
	uint32_t id, prog;	   /* id 0: a perf event */
	uint32_t places;	   /* functions, say; at least 1 */
	uint64_t missed;	   /* … that the kernel counts for the link */
	const char *where;	   /* "tracepoint sched_switch"; "" where the kernel does not tell */
	uint64_t addrs[INV_ADDRS]; /* in the kernel; where is a word in front of them then. 0: no more */
};

struct inv_proc {
	pid_t pid;
	uid_t uid;
	const char *command; /* words with blanks between them; that of the thread in brackets if it has none */
	uint32_t *progs;     /* indices into inventory.progs, each once */
	size_t nprogs;
	uint32_t *links; /* … into inventory.links */
	size_t nlinks;
	size_t nevents; /* perf events of its own */
	size_t nmaps;
	uint64_t map_memory; /* bytes */
};

struct inventory {
	struct inv_prog *progs;
	size_t nprogs, left_out;
	struct inv_link *links;
	size_t nlinks, links_left_out;
	struct inv_proc *procs; /* those that hold programs or links */
	size_t nprocs;
	uint64_t interval_ns; /* of the measurement */
	bool measured;
};

/* max: NULL for the ones above. All texts live in the arena. -EPERM with words in err: this user may not look. */
int inventory_read(struct arena *a, const struct inventory_limits *max, struct inventory *ret, struct err *err);
/* Has the kernel measure for so long, and fills run_ns and runs. -errno with words: it does not measure; the rest of
 * the inventory is as it was. */
int inventory_measure(struct inventory *v, uint64_t ns, struct err *err);
/* The number after "KEY:" at the beginning of a line of a fdinfo file. False: there is none. */
bool inventory_field(const char *text, const char *key, uint64_t *ret);
#endif
