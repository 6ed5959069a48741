/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the kernel as text, for what no probe is needed for: what CPUs, disks and interfaces were used, pressure
 * (PSI), what the network dropped. A run that asks for them (run_observer.counters) has them as notes at its begin and
 * end.
 */
#ifndef DWELL_ENGINE_RUN_COUNTERS_H
#define DWELL_ENGINE_RUN_COUNTERS_H
#include "base/strb.h"

/* Lines "name value", names as src/latency/checkcount.c knows them. What cannot be read is left out. root: "", or the
 * folder that stands for / (tests). */
void counters_read(struct strb *b, const char *root);
#endif
