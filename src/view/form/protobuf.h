/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of Protocol Buffers: fields one after another, each with its number and wire type before it.
 * Source: protobuf.dev, "Encoding". */
#ifndef DWELL_VIEW_FORM_PROTOBUF_H
#define DWELL_VIEW_FORM_PROTOBUF_H
#include <string.h>
#include "view/form/leb128.h"

enum pb_wire { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };

static inline void pb_uint(struct strb *b, unsigned field, uint64_t v)
{
	leb128_add(b, field << 3 | PB_VARINT);
	leb128_add(b, v);
}

static inline void pb_fixed64(struct strb *b, unsigned field, uint64_t v)
{
	leb128_add(b, field << 3 | PB_FIXED64);
	for (unsigned i = 0; i < 8; i++)
		strb_addc(b, (char)(v >> 8 * i));
}

static inline void pb_bytes(struct strb *b, unsigned field, const void *p, size_t n)
{
	leb128_add(b, field << 3 | PB_BYTES);
	leb128_add(b, n);
	strb_add(b, p, n);
}

static inline void pb_str(struct strb *b, unsigned field, const char *s)
{
	pb_bytes(b, field, s, strlen(s));
}

/* Takes the message out of m. */
static inline void pb_message(struct strb *b, unsigned field, struct strb *m)
{
	pb_bytes(b, field, strb_str(m), m->n);
	b->failed |= m->failed;
	strb_reset(m);
}
#endif
