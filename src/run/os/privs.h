/* SPDX-License-Identifier: Apache-2.0 */
/* Drops privileges once everything is attached. The code that runs then reads foreign data (symbols of other users'
 * files, memory maps of processes), and must not be able to do more than that. */
#ifndef DWELL_RUN_OS_PRIVS_H
#define DWELL_RUN_OS_PRIVS_H
#include <stdbool.h>

/* Drops, for this thread and all it starts, every capability but those needed to read maps and rings
 * (CAP_BPF, CAP_PERFMON; CAP_SYS_ADMIN where the kernel lacks them) and to read other processes' maps,
 * files and kernel symbols (CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE, CAP_SYSLOG), also from the
 * bounding set; events: perf events are opened later, too, so that CAP_SYS_ADMIN stays where kernel.perf_event_paranoid
 * asks for it; and sets no_new_privs. Already running threads keep theirs. 0 or -errno (then some may be dropped).
 * Source: capabilities(7), CAP_BPF since 5.8. */
int privs_drop(bool events);
#endif
