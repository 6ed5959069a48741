/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8. */
#ifndef DWELL_BASE_UTF8_H
#define DWELL_BASE_UTF8_H
#include <stddef.h>
#include <stdint.h>

/* Length of the character at s (n > 0 bytes are there; no overlong forms, no surrogates), or 0: it is none.
 * Source: Unicode 15, table 3-7. */
size_t utf8_len(const uint8_t *s, size_t n);
#endif
