/* SPDX-License-Identifier: Apache-2.0 */
/* Two small interpreters for tests: of the intermediate representation and of the BPF made from it.
 * The result must be the same, whatever registers are allocated. */
#ifndef TEST_CG_INTERP_H
#define TEST_CG_INTERP_H
#include <stdint.h>
#include "cg/image.h"
#include "cg/ir/ir.h"

#define INTERP_MEM 256 /* bytes of memory at argument 0 */
#define INTERP_STEPS 4000000

/* Both run the program with argument 0 pointing to mem. Helper n(args) is a hash of n and its
 * arguments and returns it. 0, or -EFAULT for accesses outside mem and the stack, or -ELOOP after too
 * many steps. -EINVAL for an unknown instruction, or a register that has no value. */
int interp_ir(struct irprog *p, uint8_t mem[INTERP_MEM], uint64_t *ret);
int interp_bpf(const struct img_prog *p, uint8_t mem[INTERP_MEM], uint64_t *ret);

/* Makes a random program that obeys the rules of ir.h from bytes. */
struct irprog *interp_random(struct arena *a, const uint8_t *data, size_t len);
#endif
