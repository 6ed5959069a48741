/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of store/ share about aggregations. */
#ifndef DWELL_STORE_AGGSTATE_INT_H
#define DWELL_STORE_AGGSTATE_INT_H
#include "base/recfmt.h"

/* Order of keys, field by field: numbers by value, strings by bytes. */
int aggstate_key_cmp(const struct aggdesc *d, const uint8_t *a, const uint8_t *b);
#endif
