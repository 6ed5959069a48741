/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what inventory*.c share. Private to src/load. */
#ifndef DWELL_LOAD_INVENTORY_INT_H
#define DWELL_LOAD_INVENTORY_INT_H
#include "load/inventory.h"

/* Fills places, missed and where of a link whose id is known, as far as the kernel tells. */
void inventory_link(struct arena *a, struct inv_link *l);
/* The same of a perf event of a process. False: it is no probe, or runs no program. */
bool inventory_event(struct arena *a, pid_t pid, int fd, struct inv_link *ret);
#endif
