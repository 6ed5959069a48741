/* SPDX-License-Identifier: Apache-2.0 */
/* When a recording begins: at a time, after a while, or at the next multiple of a period, so that several machines
 * begin together. */
#ifndef DWELL_LIVE_START_H
#define DWELL_LIVE_START_H
#include <stdint.h>
#include "base/err.h"
#include "base/optrow.h"

#define LIVE_START_MAX_NS (UINT64_C(31) * 86400 * 1000000000) /* so far ahead at most */

/* "@15:04", "@15:04:05" (of the local day, or of the next one), "@1700000000.5" (seconds since 1970), "+10s", "/1m".
 * now: CLOCK_REALTIME ns. *ret: when, in the same. -EINVAL: it is none of these, is past, or is too far ahead; err says
 * which. */
int live_start_parse(const char *text, uint64_t now, uint64_t *ret, struct err *err);
/* The same as an option of a table (base/optrow.h); member: a uint64_t. */
int live_start_take(void *member, const struct optrow *o, const char *arg, struct err *err);
/* Waits until then. A file that is there already, and that would be refused after it, is refused before. 0; -EEXIST,
 * -EINTR after a signal, with a message. */
int live_start_await(uint64_t when, const char *file, struct err *err);
#endif
