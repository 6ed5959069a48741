/* SPDX-License-Identifier: Apache-2.0 */
/* Unsigned numbers in as many bytes as they need, seven bits each. */
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
