/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches a program at many functions of the kernel: with one call where the kernel has multi-kprobes. */
#ifndef DWELL_LOAD_KPROBE_H
#define DWELL_LOAD_KPROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/vec.h"

struct kprobe_site {
	uint64_t addr; /* of the function's start */
	uint64_t cookie;
};

enum kprobe_way {
	KPROBE_SESSION, /* one call for all, entries and returns (6.10) */
	KPROBE_MULTI,	/* one call for all; the program was loaded for it (5.18, CONFIG_FPROBE) */
	KPROBE_COOKIE,	/* a perf event each, with cookies (5.15) */
	KPROBE_PLAIN,	/* a perf event each */
};

/* Single kprobes attach and detach slowly. From SLOW_FROM on the user gets a message; more than MAX_SINGLE are
 * refused. */
#define KPROBE_SLOW_FROM 20
#define KPROBE_MAX_SINGLE 2000

/* Functions of one call, which no signal ends: a second at most. The kernel takes 2^20. Source: MAX_KPROBE_MULTI_CNT,
 * kernel/trace/bpf_trace.c */
#define KPROBE_PIECE 10000

/* From this many probes on, a message says before how long attaching will take, as it was measured
 * (doc/measured.md). */
#define KPROBE_MANY 10000
#define KPROBE_PER_SEC 10000

struct kprobe_fds {
	VEC(int) fds;
	size_t attached;
	size_t refused; /* functions that the kernel does not take */
	int refusal;	/* -errno of the first … */
	uint64_t refused_cookie;
};

/* Attaches at n functions. Functions that the kernel refuses are counted and left out. -EINTR: stop(), which may be
 * NULL, did not return 0. Otherwise -errno with words in err. */
int kprobe_attach(enum kprobe_way way, bool ret, const struct kprobe_site *v, size_t n, int prog_fd, int (*stop)(void),
		  struct kprobe_fds *fds, struct err *err);
#endif
