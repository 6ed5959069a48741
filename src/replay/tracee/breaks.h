/* SPDX-License-Identifier: Apache-2.0 */
/* Breakpoints in the memory of a replayed process. tracee_read() does not show them. */
#ifndef DWELL_REPLAY_TRACEE_BREAKS_H
#define DWELL_REPLAY_TRACEE_BREAKS_H
#include "replay/tracee/tracee.h"

struct breaks;
/* The next three take NULL. */
void breaks_free(struct breaks *b);
/* Puts what the program has there into bytes that were read at addr. */
void breaks_hide(const struct breaks *b, uint64_t addr, uint8_t *bytes, size_t n);
/* Bytes were written at addr: breakpoints there are put in once more, before other instructions. */
int breaks_written(struct breaks *b, struct tracee *t, uint64_t addr, size_t n);
/* Other memory is mapped there now. */
void breaks_forget(struct breaks *b, uint64_t start, uint64_t size);
struct breaks *breaks_new(bool slots); /* slots: the area of displaced instructions is there; NULL: no memory */
struct breaks *breaks_copy(const struct breaks *b); /* of a process that has just been forked */
/* Once for each address; tag: of the caller; one that is not 0 is kept. 0 or -errno. */
int breaks_add(struct breaks *b, struct tracee *t, uint64_t addr, uint64_t tag);
int breaks_remove(struct breaks *b, struct tracee *t, uint64_t addr); /* there is one. 0 or -errno */
bool breaks_at(const struct breaks *b, uint64_t addr);
uint64_t breaks_tag(const struct breaks *b, uint64_t addr);
/* The task, stopped at the breakpoint regs->rip, which may have been removed, gets past it when it goes on. *status: it
 * has gone on already, and stopped so; else 0. *stepped: it stopped by a debug exception; the caller sets it before if
 * it wants one. 0 or -errno. */
int breaks_pass(struct breaks *b, struct tracee *t, struct user_regs_struct *regs, int *status, bool *stepped);
/* A displaced instruction faults: where it belongs. */
uint64_t breaks_place(const struct breaks *b, uint64_t rip);
void breaks_no_slots(struct breaks *b); /* the program has mapped something there */
#endif
