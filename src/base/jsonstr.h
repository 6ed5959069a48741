/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of JSON. */
#ifndef DWELL_BASE_JSONSTR_H
#define DWELL_BASE_JSONSTR_H
#include "base/strb.h"

/* Appends n bytes of s as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD. Sticky as
 * all of strb. Source: RFC 8259, section 7; Unicode 15, table 3-7. */
void jsonstr_add(struct strb *b, const char *s, size_t n);
#endif
