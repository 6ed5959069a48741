/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's side band of perf: forks, execs, exits and executable mappings of all processes, as records
 * in one ring per CPU, without a BPF program. Source: perf_event_open(2), "MMAP layout". */
#ifndef DWELL_RUN_FOLLOW_SIDEBAND_H
#define DWELL_RUN_FOLLOW_SIDEBAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct sideband;

/* Bytes of each CPU's ring: about 4,000 records. */
#define SIDEBAND_RING ((size_t)512 << 10)

enum side_kind { SIDE_FORK, SIDE_EXEC, SIDE_EXIT, SIDE_MMAP };

struct side_event {
	enum side_kind kind;
	uint64_t time;		 /* CLOCK_BOOTTIME, ns */
	uint32_t tgid;		 /* in dwell's pid namespace */
	uint32_t parent;	 /* FORK: its tgid */
	uint32_t tid;		 /* MMAP: the thread that mapped it */
	uint64_t addr, len, off; /* MMAP */
	uint64_t dev, ino,
		gen; /* MMAP: which file, dev as makedev(); gen tells those apart that had the number ino in turn */
	const char *path; /* MMAP: as the kernel names it, "//anon" …; EXEC: the new comm, or NULL */
};

enum sideband_what {
	SIDEBAND_ALL,
	SIDEBAND_MAPPINGS, /* only they; the descriptors become readable with each, else they are not to be waited for
			    */
	SIDEBAND_TASKS,	   /* only forks and ends */
};
/* Opens it on all online CPUs. -errno if perf is not available. */
int sideband_open(enum sideband_what what, struct sideband **ret);
void sideband_close(struct sideband *s); /* accepts NULL */
/* Gives all events that are there, by time. Only processes: no threads. */
int sideband_drain(struct sideband *s, void (*fn)(void *ctx, const struct side_event *e), void *ctx);
/* The descriptors, one per CPU; they stay the side band's. */
size_t sideband_nfds(const struct sideband *s);
int sideband_fd(const struct sideband *s, size_t i);
uint64_t sideband_lost(const struct sideband *s);
/* One record as the kernel wrote it: false when it is of no interest, or damaged. For tests. */
bool sideband_decode(const void *rec, size_t len, struct side_event *ret);
#endif
