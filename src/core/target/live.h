/* SPDX-License-Identifier: Apache-2.0 */
/* Resumes the threads of a running process that is the target: inside of core/. */
#ifndef DWELL_CORE_TARGET_LIVE_H
#define DWELL_CORE_TARGET_LIVE_H
#include "core/target.h"

/* Lets the threads that core_attach() stopped go on; nothing for a core. */
void live_let_go(struct core *c);
#endif
