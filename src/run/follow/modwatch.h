/* SPDX-License-Identifier: Apache-2.0 */
/* Watches for kernel modules that are loaded, by the uevents that the kernel sends. When the event arrives, the
 * functions of the module can be traced. Source: lib/kobject_uevent.c; kernel/module/main.c, mod_sysfs_setup():
 * the functions of the module can be traced by then. */
#ifndef DWELL_RUN_FOLLOW_MODWATCH_H
#define DWELL_RUN_FOLLOW_MODWATCH_H
#include "base/step.h"

#define MODWATCH_MAX_NAME 64	/* MODULE_NAME_LEN, with the zero */
#define MODWATCH_ROOM (1 << 20) /* bytes of messages that wait; the kernel drops further ones, and says so */

/* A socket, readable when modwatch_next() is to be called; -errno. */
int modwatch_open(void);
/* One more module that has been loaded. -ENOBUFS: some may have been missed. */
struct step modwatch_next(int fd, char name[MODWATCH_MAX_NAME]);
/* Does a message say that a module was loaded, "add@/module/NAME"? It ends with a zero. */
bool modwatch_parse(const char *msg, char name[MODWATCH_MAX_NAME]);
#endif
