/* SPDX-License-Identifier: Apache-2.0 */
/* Whether debug registers do what they are set to. On some virtual machines they can be written, and nothing ever
 * happens: the host keeps debug exceptions to itself. */
#ifndef DWELL_REPLAY_TRACEE_DEBUGREG_H
#define DWELL_REPLAY_TRACEE_DEBUGREG_H
#include <stdbool.h>

/* True if debug registers of traced programs never stop them; false also if it cannot be tried. A child writes to a
 * watched word, at the first call only. Source: ptrace(2), Intel SDM 17.2 (debug registers). */
bool debugreg_silent(void);
#endif
