/* SPDX-License-Identifier: Apache-2.0 */
/* Writes keys of aggregations as text, for users who open a recording file with other tools. */
#ifndef DWELL_STORE_KEYTEXT_H
#define DWELL_STORE_KEYTEXT_H
#include "base/strb.h"
#include "store/recording.h"

/* One value: integers by their sign, strings as they are, addresses and other bytes in hexadecimal. */
void keytext_value(struct strb *b, const struct recfield *f, const uint8_t *p);
/* All fields of a key, with ", " between them. */
void keytext_put(struct strb *b, const struct recfield *fields, size_t n, const uint8_t *key);
#endif
