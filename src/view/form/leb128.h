/* SPDX-License-Identifier: Apache-2.0 */
/* Appends unsigned numbers as LEB128, which Protocol Buffers call varints: seven bits in each byte, lowest first; bit 7
 * is set in all bytes but the last. */
#ifndef DWELL_VIEW_FORM_LEB128_H
#define DWELL_VIEW_FORM_LEB128_H
#include <stdint.h>
#include "base/strb.h"

static inline void leb128_add(struct strb *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		strb_addc(b, (char)(128 | (v & 127)));
	strb_addc(b, (char)v);
}
#endif
