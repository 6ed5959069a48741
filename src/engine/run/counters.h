/* SPDX-License-Identifier: Apache-2.0 */
/* Reads counters of the kernel as text, for facts that need no probe: use of CPUs, disks and interfaces, pressure
 * (PSI), drops of the network. A run that asks for them (run_observer.counters) gets them as notes at its
 * beginning and end. */
#ifndef DWELL_ENGINE_RUN_COUNTERS_H
#define DWELL_ENGINE_RUN_COUNTERS_H
#include "base/strb.h"

/* Lines "name value", names as src/latency/check/count.c knows them. A counter that cannot be read is left out. root:
 * "", or the folder that stands for / (tests). */
void counters_read(struct strb *b, const char *root);
#endif
