/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches a program at many places of one file: with one call where the kernel has multi-uprobes. */
#ifndef DWELL_LOAD_UPROBE_H
#define DWELL_LOAD_UPROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/vec.h"

struct uprobe_site {
	uint64_t off;	  /* in the file */
	uint64_t ref_ctr; /* offset of a counter that is raised while attached (semaphores), or 0 */
	uint64_t cookie;  /* given to the program by bpf_get_attach_cookie() */
};

struct uprobe_place {
	const char *path;
	const char *name; /* for messages, where the path tells nothing; or NULL */
	int pid;	  /* this process only, in dwell's pid namespace; 0: every one */
	bool ret;	  /* where the function returns */
	bool multi;	  /* the program was loaded for multi-uprobes */
};

/* The kernel waits for a grace period to detach a plain uprobe. From SLOW_FROM of them on a message says so. More than
 * MAX_SINGLE of one file and program are refused. */
#define UPROBE_SLOW_FROM 20
#define UPROBE_MAX_SINGLE 2000

/* Descriptors that keep the probes; the caller closes them. */
struct uprobe_fds {
	VEC(int) fds;
	size_t attached;
	size_t refused;		 /* sites whose instruction the kernel does not take, or would emulate wrongly */
	int refusal;		 /* -errno of the first … */
	uint64_t refused_cookie; /* … and its cookie */
};
/* Attaches at n places of a file. Sites with an instruction that the kernel refuses are counted and left
 * out. -errno with words in err otherwise: -ENOENT and -ESRCH (file or process gone), -EPERM, -E2BIG (more than
 * MAX_SINGLE) … */
int uprobe_attach(const struct uprobe_place *p, const struct uprobe_site *v, size_t n, int prog_fd,
		  struct uprobe_fds *ret, struct err *err);
#endif
