/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where gdb itself stops to learn of libraries. These are the static probes of the dynamic linker. Without them
 * it is the function that the linker names in its struct r_debug (link.h). */
#ifndef DWELL_GDB_LOADER_H
#define DWELL_GDB_LOADER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LOADER_PLACES 32u

struct loader {
	size_t n;
	uint64_t place[LOADER_PLACES];
	uint64_t brk_at; /* the address of r_debug.r_brk, which is set when the program begins; 0: not known */
};
/* The process has its dynamic linker at `base`; 0: it has none. A file that cannot be read has no places. */
void loader_find(struct loader *l, pid_t pid, uint64_t base);
/* brk: what is at brk_at. */
bool loader_has(const struct loader *l, uint64_t brk, uint64_t addr);
#endif
