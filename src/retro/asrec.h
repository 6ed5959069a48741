/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a recording that all views read of the system calls of a trace, with the times of then. */
#ifndef DWELL_RETRO_ASREC_H
#define DWELL_RETRO_ASREC_H
#include "base/err.h"
#include "engine/request.h"

#define ASREC_SLOTS 400u /* of histograms, of the whole trace at most */

/* Reads the trace, and writes the recording that the option "record" of the request names. The tracker "syscall" has a
 * slow event for each wait that somebody ended, and for each call of 1 ms or more, with the attributes SLOW_WAITED_FOR
 * and SLOW_CLASS.
 * Histograms by call (@syscall_name) and processes are in it, too, and, unless `brief`, a span for each call. Nothing
 * runs. 0 or -errno with *err, or told. */
int asrec_write(struct request *c, const char *path, bool brief, struct err *err);
/* The length of slots for a trace of this many ns: as short as ASREC_SLOTS allow, 1 ms to 1 s. */
uint64_t asrec_slot(uint64_t ns);
#endif
