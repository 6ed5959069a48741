/* SPDX-License-Identifier: Apache-2.0 */
/* Writes strings as JSON: with quotes and escapes, and valid for any bytes. */
#ifndef DWELL_BASE_JSONSTR_H
#define DWELL_BASE_JSONSTR_H
#include "base/strb.h"

/* Appends n bytes of s as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD. Sticky as
 * all of strb. Source: RFC 8259, section 7; Unicode 15, table 3-7. */
void jsonstr_add(struct strb *b, const char *s, size_t n);
/* The same without the quotes, of a text that comes in parts: returns how much was taken. Up to 3 bytes at the end that
 * may begin a character are not taken, unless this is the last part. */
size_t jsonstr_part(struct strb *b, const char *s, size_t n, bool last);
#endif
