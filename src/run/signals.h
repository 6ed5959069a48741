/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM and SIGHUP: the first asks for an orderly end, the second ends the process at once. */
#ifndef DWELL_RUN_SIGNALS_H
#define DWELL_RUN_SIGNALS_H
#include <stdbool.h>

/* Installs the handlers; signals that are ignored (nohup) stay ignored. *ret_fd becomes readable when one
 * arrives; it is closed by signals_restore(). Without hangup_ends SIGHUP only says so to signals_take_hangup(), also
 * under nohup. One user at a time per process. 0, -EBUSY or -errno. */
int signals_install(bool hangup_ends, int *ret_fd);
void signals_restore(void);
/* The signal that arrived, or 0. */
int signals_pending(void);
/* Whether SIGHUP came since the last call. */
bool signals_take_hangup(void);
#endif
