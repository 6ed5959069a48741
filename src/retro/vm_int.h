/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the machine: vm.c has memory and instructions, vmmap.c maps, vmcall.c helpers. */
#ifndef DWELL_RETRO_VM_INT_H
#define DWELL_RETRO_VM_INT_H
#include <stdbool.h>
#include "retro/vm.h"

/* Numbers that stand for maps and functions; no address of the area is that large. */
#define VM_MAP (0xff01ull << 48)
#define VM_FUNC (0xff02ull << 48)
#define VM_TAG(x) ((x) >> 48 << 48)
#define VM_INDEX(x) ((uint32_t)(x))

struct vm_entry {
	struct vm_entry *next;
	uint8_t *value; /* in the area */
	uint8_t key[];
};
struct vm_map {
	const struct img_map *m;
	size_t key_size, stride; /* bytes of a key, from one value to the next */
	uint8_t *values;	 /* of an array, or of a stack's n entries */
	struct vm_entry **heads; /* of a hash */
	struct vm_entry *spare;	 /* deleted ones */
	size_t nheads, n;
};
struct vm_record {
	uint8_t *data;
	uint32_t size;
	bool used;
};
struct vm {
	const struct image *img;
	const struct vm_host *host;
	uint8_t *area;
	size_t used;
	struct vm_map *maps;
	struct vm_record records[VM_RECORDS];
	uint8_t *stack;
	uint8_t *regs; /* VM_REGS_BYTES */
	struct vm_now now;
	uint64_t random;
	/* While a program runs: */
	const struct img_prog *prog;
	uint32_t steps;
	int error; /* what ends the run; why, in err */
	struct err *err;
};
int vm_fail(struct vm *vm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The bytes are in the area. */
static inline bool vm_inside(const struct vm *vm, uint64_t addr, uint64_t n)
{
	uint64_t start = (uint64_t)(uintptr_t)vm->area;

	return addr >= start && n <= vm->used && addr - start <= vm->used - n;
}
int vm_maps_new(struct vm *vm);
void vm_maps_free(struct vm *vm);
/* Where the value is, 0: there is none. key: in the area. */
uint64_t vm_map_find(struct vm *vm, struct vm_map *m, const void *key);
/* 0 or -errno as the kernel has it; value NULL: zeros. */
int64_t vm_map_put(struct vm *vm, struct vm_map *m, const void *key, const void *value, uint64_t flags);
int64_t vm_map_delete(struct vm_map *m, const void *key);
/* Takes the last value of a stack. 0 or -ENOENT. */
int64_t vm_map_pop(struct vm_map *m, void *value);
/* A helper; args: r1 … r5. Its result. */
uint64_t vm_helper(struct vm *vm, int32_t nr, const uint64_t args[5], unsigned depth);
/* Runs from an instruction on, until it exits. Its r0. */
uint64_t vm_exec(struct vm *vm, uint32_t pc, const uint64_t args[5], unsigned depth);
#endif
