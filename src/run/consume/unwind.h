/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the maps by which programs walk user stacks (base/unwindfmt.h): tables of files, mappings of
 * processes. A process is looked at when a program has met it, when unwind_see() tells of it, and again when the side
 * band tells of new mappings. The first stacks of a process come by frame pointers. */
#ifndef DWELL_RUN_CONSUME_UNWIND_H
#define DWELL_RUN_CONSUME_UNWIND_H
#include "load/load.h"
#include "run/follow/sideband.h"
#include "sym/sym.h"

struct unwind;

#define UNWIND_BLOCK 16u	    /* areas are given out in blocks of this many */
#define UNWIND_DRAIN_NS 20000000ull /* for new processes in one look; the others wait for the next */

#define UNWIND_WAIT_NS 20000000ull /* until a runtime that is beginning is looked at again */

/* *ret NULL: the image walks no stacks by tables. Else 0 or -ENOMEM. */
int unwind_new(const struct loaded *l, struct sym *sym, struct unwind **ret);
void unwind_free(struct unwind *u); /* accepts NULL */
/* Looks at a process now. */
void unwind_see(struct unwind *u, uint32_t tgid, uint64_t start);
/* Makes the tables of the files that dwell itself maps: libc, the loader, the vdso; most programs use them. */
void unwind_see_self(struct unwind *u);
/* For a command that has not run yet: makes the tables of the libraries that it is going to load, as the
 * dynamic linker lists them. */
void unwind_see_libs(struct unwind *u, uint32_t tgid);
/* A stack of this process was found in the records: what it mapped is known now, even if it has exited. */
void unwind_learn(struct unwind *u, uint32_t tgid, uint64_t start);
/* An event of the side band: mapping, exec, fork, exit. */
void unwind_event(struct unwind *u, const struct side_event *e);
/* Looks at the processes that programs met and those with new mappings. Regularly. False: some wait for the next
 * look, the time was up. */
bool unwind_drain(struct unwind *u);
/* How often a process had a runtime whose places are not known, and the reason of the first. */
const char *unwind_unknown(const struct unwind *u, uint64_t *ret_n);
/* Tables and processes that found no room. */
void unwind_lost(const struct unwind *u, uint64_t *ret_tables, uint64_t *ret_procs);
#endif
