/* SPDX-License-Identifier: Apache-2.0 */
/* Raises the scheduling priority of dwell's own threads, so that a busy machine does not delay them. */
#ifndef DWELL_RUN_OS_PRIORITY_H
#define DWELL_RUN_OS_PRIORITY_H

/* Puts the calling thread before ordinary ones (nice -10); what it starts is ordinary again. Needs CAP_SYS_NICE:
 * without it nothing changes. Two threads need it. One empties the rings, and must go before the load that fills
 * them; its share is bounded by the records there are. The other looks for timeouts, which are late by its own wait
 * for a CPU; its share is bounded, too. */
void priority_raise(void);
#endif
