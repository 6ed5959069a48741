/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves out the part between two checkpoints if nothing can have stopped the program there. On the way back to the
 * writer of a word that is most of a long recording. */
#ifndef DWELL_GDB_CLEAN_H
#define DWELL_GDB_CLEAN_H
#include "gdb/trip.h"

/* The first stop from which on, up to the checkpoint at `from`, nothing wrote to what t->look watches; `from`, if that
 * is not known. */
uint64_t clean_since(const struct trip *t, uint64_t from);
#endif
