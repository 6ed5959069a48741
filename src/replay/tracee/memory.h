/* SPDX-License-Identifier: Apache-2.0 */
/* All memory that a stopped process can write to: what its instructions can have changed. */
#ifndef DWELL_REPLAY_TRACEE_MEMORY_H
#define DWELL_REPLAY_TRACEE_MEMORY_H
#include "replay/tracee/tracee.h"

#define MEMORY_PIECE 262144u /* bytes that are told at a time, at most; whole pages */

/* Gets bytes of the memory at addr. 0, or -errno, which ends the walk. */
typedef int memory_fn(void *ctx, uint64_t addr, const uint8_t *bytes, size_t n);
/* Calls fn with all pages that are there, ascending, but the stub's (stub.h). Pages that are left out are zeros, and
 * have been since they were mapped. 0 or -errno. Source: proc(5), maps and pagemap. */
int memory_each(struct tracee *t, memory_fn *fn, void *ctx);
/* A checksum of it; pages of zeros do not count, whether they are there or not. 0 or -errno. */
int memory_sum(struct tracee *t, uint64_t *ret);
#endif
