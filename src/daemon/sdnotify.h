/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the service manager the state of a daemon, by datagrams to $NOTIFY_SOCKET. Source: sd_notify(3). */
#ifndef DWELL_DAEMON_SDNOTIFY_H
#define DWELL_DAEMON_SDNOTIFY_H
#include <stdint.h>

/* "READY=1", "STATUS=…". Without a manager nothing happens. */
void sdnotify(const char *text);
/* How often the manager wants to hear "WATCHDOG=1", ns: half of its patience; 0: it does not. */
uint64_t sdnotify_watchdog(void);
#endif
