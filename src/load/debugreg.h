/* SPDX-License-Identifier: Apache-2.0 */
/* Whether debug registers do what they are set to. On some virtual machines they can be written, and nothing ever
 * happens: the host keeps debug exceptions to itself. */
#ifndef DWELL_LOAD_DEBUGREG_H
#define DWELL_LOAD_DEBUGREG_H
#include <stdbool.h>

#define DEBUGREG_SILENT "the CPUs of this machine deliver no debug exceptions (a virtual machine?)"

/* Writes to a word that a perf event watches: did the event see that? 0, or -errno: there is no such event. */
int debugreg_watch(bool *ret_seen);
/* DEBUGREG_SILENT, or NULL: debug exceptions come, or it cannot be tried. Tried at the first call: by a perf event,
 * and where these are forbidden, by a child under ptrace. Source: ptrace(2), Intel SDM 17.2 (debug registers). */
const char *debugreg_silent(void);
#endif
