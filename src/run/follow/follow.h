/* SPDX-License-Identifier: Apache-2.0 */
/* Follows processes, so that user stacks can be symbolised although the process has ended when its records are
 * read. Keeps what the side band reports of a process until a stack of it comes. Then it gives the mappings to the
 * symboliser: from /proc while the process lives, else those it kept. A child that did not exec has the mappings
 * of its parent. */
#ifndef DWELL_RUN_FOLLOW_FOLLOW_H
#define DWELL_RUN_FOLLOW_FOLLOW_H
#include "run/follow/sideband.h"
#include "sym/sym.h"

struct follow;

#define FOLLOW_MAX_PROCS 32768 /* kept at a time; those that exited first are forgotten first */
#define FOLLOW_MAX_MAPS 4096   /* mappings kept of one process */
#define FOLLOW_MAX_PATHS 65536
#define FOLLOW_MAX_FORKS 16 /* generations of children without exec that are looked through */

/* Begins to follow. Without perf only /proc is used: still 0. sym NULL: there will be no stacks; nothing is kept of
 * processes, and the events go to follow_watch()'s function only. */
int follow_new(struct sym *sym, struct follow **ret);
void follow_free(struct follow *f); /* accepts NULL */
/* Has fn called with each event, before follow itself looks at it. */
void follow_watch(struct follow *f, void (*fn)(void *ctx, const struct side_event *e), void *ctx);
/* Takes in what has happened. Call before stacks are looked at. */
void follow_drain(struct follow *f);
/* A stack of this process has been seen (tgid in dwell's pid namespace, start as in struct rec_ustack_hdr). */
void follow_see(struct follow *f, uint32_t tgid, uint64_t start);
/* Events that the kernel could not deliver. */
uint64_t follow_lost(const struct follow *f);
#endif
