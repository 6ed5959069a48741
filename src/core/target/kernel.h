/* SPDX-License-Identifier: Apache-2.0 */
/* The running kernel as a target: its memory, types and names. The kernel runs on, and is only read. */
#ifndef DWELL_CORE_TARGET_KERNEL_H
#define DWELL_CORE_TARGET_KERNEL_H
#include "core/target.h"
#include "sym/proc/kallsyms.h"
#include "types/typesrc.h"

/* A thread, as its struct task_struct, and the n frames of its kernel stack, innermost first. */
typedef int kernel_stack_fn(void *arg, uint64_t task, const uint64_t *ip, size_t n);

/* Reads the kernel's memory for core/. It is a BPF program of the caller, because /proc/kcore is closed where the
 * kernel is locked down. */
struct core_reader {
	int (*read)(void *arg, uint64_t addr, void *buf, size_t n); /* 0 or -errno */
	void *arg;
	/* Calls fn for each thread of the kernel with its kernel stack; btf_id: of bpf_iter_task. */
	int (*stacks)(uint32_t btf_id, kernel_stack_fn *fn, void *arg);
	uint64_t current; /* the struct task_struct of this thread: where lists of tasks are begun */
};

struct core_kernel {
	struct core_reader by;
	struct ksyms names; /* empty when the kernel hides them */
	struct typesrc *types;
};

/* -ENOENT: the kernel has no BTF; -ENOMEM. core_close() frees it. */
int core_open_kernel(const struct core_reader *by, struct core *ret, struct err *err);

/* For target.c and file.c, of a target that is the kernel. */
int kernel_read(struct core *c, uint64_t addr, void *buf, size_t n);
void kernel_close(struct core *c);
bool kernel_name(struct core *c, uint64_t addr, struct core_symbol *ret);
int kernel_address(struct core *c, const char *name, uint64_t *ret);
int kernel_each_name(struct core *c, const char *prefix, int (*fn)(void *arg, const struct core_symbol *y), void *arg);
#endif
