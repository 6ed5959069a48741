/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the parts of an aggregation key as text. */
#include "store/file/keytext.h"
#include <inttypes.h>
#include <string.h>

#define BYTES_MAX 64 /* of a value in hexadecimal */

static void put_int(struct strb *b, const struct recfield *f, const uint8_t *p)
{
	uint64_t u = recfield_u64(f, p);

	if (f->is_signed)
		strb_printf(b, "%" PRId64, (int64_t)u);
	else
		strb_printf(b, "%" PRIu64, u);
}

void keytext_value(struct strb *b, const struct recfield *f, const uint8_t *p)
{
	struct rec_uaddr u;
	bool user;

	if (f->kind == FLD_STRING)
		strb_add(b, p, strnlen((const char *)p, f->size));
	else if (recfield_address(f, p, &u, &user))
		strb_printf(b, "0x%" PRIx64, u.addr);
	else if (f->kind != FLD_INT)
		for (uint32_t i = 0; i < f->size && i < BYTES_MAX; i++)
			strb_printf(b, "%02x", p[i]);
	else if (f->size >= 1 && f->size <= 8)
		put_int(b, f, p);
}

void keytext_put(struct strb *b, const struct recfield *fields, size_t n, const uint8_t *key)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			strb_adds(b, ", ");
		keytext_value(b, &fields[i], key + fields[i].off);
	}
}
