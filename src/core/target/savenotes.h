/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the notes of a core file: inside of core/. */
#ifndef DWELL_CORE_TARGET_SAVENOTES_H
#define DWELL_CORE_TARGET_SAVENOTES_H
#include "base/strb.h"
#include "core/target.h"

/* Adds the notes of a process that stands still: threads with their registers, files, what the kernel told it. */
void savenotes_add(const struct core *c, struct strb *b);
#endif
