/* SPDX-License-Identifier: Apache-2.0 */
/* Names the kinds of losses that a recording counts (base/recfmt.h), as people read them. */
#ifndef DWELL_STORE_RECLOSS_H
#define DWELL_STORE_RECLOSS_H
#include <stdint.h>

/* kind: below REC_NLOSSES. "timer firings on busy CPUs". */
const char *recloss_name(uint32_t kind);
#endif
