/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of strangers for a terminal: what it would obey is shown as C's escapes. Pure. */
#ifndef DWELL_BASE_PLAIN_H
#define DWELL_BASE_PLAIN_H
#include <stdbool.h>
#include <stddef.h>
#include "base/strb.h"

/* Appends n bytes of s. Control characters (those of Unicode's second block, too) and bytes that are no UTF-8 become
 * "\033", all others stay. lines: newlines and tabs stay, too. Returns how much was taken: what may be the beginning of
 * a character at the end, 3 bytes at most, is not, unless it is the last part. Source: ECMA-48, 5.2 and 5.3. */
size_t plain_part(struct strb *b, const char *s, size_t n, bool lines, bool last);
/* The name s, as a name in one line: s itself when it has nothing of the kind, else in buf, cut to its size. */
const char *plain_name(const char *s, char *buf, size_t size);
#endif
