/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a generated program into the kernel and runs it once, for tests: one array map with one value
 * (map index 0) that the test fills and reads. */
#ifndef TEST_CG_KERN_RUN_H
#define TEST_CG_KERN_RUN_H
#include <stdbool.h>
#include "cg/image.h"
#include "types/caps.h"

#define KERN_MEM 16384 /* bytes of the map's value */

/* False: no root or no BPF here, the test is to be skipped. */
bool kern_usable(void);
/* The capabilities of the kernel that run-time pieces use. */
struct caps kern_caps(void);
/* Loads p as raw tracepoint program, copies mem into the map, runs it, copies the map back. 0 and the
 * program's result, or -errno; log (malloc'ed, may be NULL): the verifier's, on failure, else the
 * number of instructions it looked at is in *ret_processed. */
int kern_run(const struct img_prog *p, uint8_t mem[KERN_MEM], uint32_t *ret, char **log, unsigned *ret_processed);
/* The same in two steps. The fds are the caller's. */
int kern_load(const struct img_prog *p, int *ret_prog, int *ret_map, char **log, unsigned *ret_processed);
int kern_exec(int prog, int map, uint8_t mem[KERN_MEM], uint32_t *ret);
#endif
