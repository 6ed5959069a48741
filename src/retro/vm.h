/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the BPF programs of an image in this process, without the kernel: for events that are long over. All memory that
 * programs can reach lies in one area. Memory outside reads as 0, as in the kernel for pointers of its own types, and a
 * write there ends the run. One CPU; nothing runs at the same time. */
#ifndef DWELL_RETRO_VM_H
#define DWELL_RETRO_VM_H
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "cg/image.h"

#define VM_AREA (1ull << 33)	/* bytes of the area at most */
#define VM_STEPS_MAX (1u << 28) /* instructions of one firing */
#define VM_RECORDS 4		/* that a program writes at a time: a clause's own, and those of its faults */
#define VM_REGS_BYTES 168	/* struct pt_regs */
#define VM_FRAMES 16		/* calls in calls */

/* The state that helpers tell programs. The caller sets it before each firing. */
struct vm_now {
	uint64_t ns; /* of the monotonic clock */
	uint32_t tgid, tid, uid, gid;
	char comm[16];
	uint64_t cookie; /* of the probe, ENTRY_COOKIE */
	uint64_t task;	 /* a number that only this thread has, from vm_alloc() */
};
struct vm_host {
	void *ctx;
	/* Bytes of the recorded process's memory: as many as are known from addr on, n at most. */
	size_t (*read_user)(void *ctx, uint64_t addr, void *buf, size_t n);
	/* Addresses of the user stack that now is, innermost first, max at most; NULL: there are none. */
	size_t (*user_stack)(void *ctx, uint64_t *frames, size_t max);
	/* Registers of the thread's user side, VM_REGS_BYTES; false: there are none. */
	bool (*user_regs)(void *ctx, void *regs);
	/* An aggregation has a new key; may be NULL. */
	void (*new_key)(void *ctx, uint32_t map, const void *key);
	/* A record is complete. 0, or -errno, which vm_run() returns. */
	int (*record)(void *ctx, const void *data, uint32_t len);
};
struct vm;
/* img and host must outlive it. 0 or -ENOMEM. */
int vm_new(const struct image *img, const struct vm_host *host, struct vm **ret);
void vm_free(struct vm *vm); /* takes NULL */
struct vm_now *vm_now(struct vm *vm);
/* Zeroed memory that programs may read, until vm_free(); NULL: the area is full. */
void *vm_alloc(struct vm *vm, size_t size);
/* Entry 0 of the array with this role; NULL: the image has none. *ret_n: how many there are. */
void *vm_values(struct vm *vm, enum img_map_role role, uint32_t *ret_n);
/* Puts a value on the stack with this role. 0 or -errno. */
int vm_push(struct vm *vm, enum img_map_role role, const void *value);
bool vm_has(struct vm *vm, enum img_map_role role);
/* An entry of the hash with this role. 0 or -errno. */
int vm_put(struct vm *vm, enum img_map_role role, const void *key, const void *value);
int vm_delete(struct vm *vm, enum img_map_role role, const void *key);
struct img_state *vm_state(struct vm *vm); /* NULL: the image has none */
/* One firing; ctx: memory of vm_alloc(). 0; -errno after an error: the program does what a verifier would not allow. */
int vm_run(struct vm *vm, const struct img_prog *p, const void *ctx, struct err *e);
/* Calls fn for all entries of a map until it does not return 0, and empties it: hashes lose the entries, arrays become
 * zeros. */
int vm_drain_map(struct vm *vm, uint32_t map, int (*fn)(void *ctx, const void *key, const void *value), void *ctx);
#endif
