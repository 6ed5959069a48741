/* SPDX-License-Identifier: Apache-2.0 */
/* Reads kernel memory by a BPF program that copies it into a map. /proc/kcore is missing, or closed, where the
 * kernel is locked down. */
#ifndef DWELL_LOAD_KMEM_H
#define DWELL_LOAD_KMEM_H
#include <stddef.h>
#include <stdint.h>

#define KMEM_PIECE 1024 /* bytes that one run of the program reads */

struct kmem {
	int map, prog;
};

/* -errno: the kernel takes no such program. Ended by kmem_close(). */
int kmem_open(struct kmem *ret);
/* -EFAULT: not all of it can be read; -EPERM: kernel lockdown forbids it. */
int kmem_read(const struct kmem *k, uint64_t addr, void *buf, size_t len);
/* The struct task_struct of the calling thread. */
int kmem_current(const struct kmem *k, uint64_t *ret);
/* A thread, as its struct task_struct, and the n frames of its kernel stack, innermost first. Anything but 0 ends the
 * walk and is returned. */
typedef int kmem_stack_fn(void *arg, uint64_t task, const uint64_t *ip, size_t n);
/* Goes through all threads (kstacks.c). btf_id: of the kernel's function bpf_iter_task. -errno: the kernel takes no
 * such program. */
int kmem_stacks(uint32_t btf_id, kmem_stack_fn *fn, void *arg);
void kmem_close(struct kmem *k); /* one that was not opened (map and prog -1), too */
#endif
