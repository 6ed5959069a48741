/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads and what they have, in the running kernel. */
#ifndef DWELL_CORE_NATIVE_KERNELTASKS_H
#define DWELL_CORE_NATIVE_KERNELTASKS_H
#include "core/shell.h"

/* ::walk thread, ::whatis, ::status, ::threads of the kernel. */
int kernel_walk_threads(struct shell *s, const struct dcall *d);
int kernel_whatis(struct shell *s, uint64_t addr);
int kernel_status(struct shell *s);
int kernel_threads(struct shell *s, const struct dcall *d);
/* The number, state and name of a thread, of a struct task_struct. process: the task_struct of its first thread. */
struct kernel_task {
	uint64_t tid, process;
	char state, comm[CORE_COMM + 1];
};
int kernel_task(struct shell *s, uint64_t addr, struct kernel_task *ret);
#define KERNEL_STATES "RSDTtXZIP"
/* A member of a struct of the kernel at an address, by its path; where it is in the struct, *error is set when it is
 * not there; all that a list at a member of the struct at addr leads to, which is shown. */
int kernel_number(struct shell *s, const char *type, uint64_t addr, const char *path, uint64_t *ret);
uint64_t kernel_offset(struct shell *s, const char *type, const char *path, int *error);
int kernel_list(struct shell *s, uint64_t addr, const char *holder, const char *head, const char *type,
		const char *member);
/* The task that a walk is about: that of the address, else this very thread. */
int kernel_subject(struct shell *s, const struct dcall *d, const char *what, uint64_t *ret);
/* Whether the target is the kernel, else -EINVAL with s->err. */
int kernel_wanted(struct shell *s, const char *what);
#endif
