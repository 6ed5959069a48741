/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the constants of the programs, once each, as read-only data. */
#include "base/hash.h"
#include "cg/gen/map.h"

struct ro_str {
	const char *s;
	size_t n;
	uint32_t off;
	UT_hash_handle hh;
};

static uint32_t ro_add(struct cg *c, const void *p, size_t n, size_t align)
{
	size_t off = ROUND_UP(c->ro_n, align);

	while (off + n > c->ro_cap)
		c->ro = cg_grow(c, c->ro, c->ro_cap, &c->ro_cap, 1);
	memset(c->ro + c->ro_n, 0, off - c->ro_n);
	if (p)
		memcpy(c->ro + off, p, n);
	else
		memset(c->ro + off, 0, n);
	c->ro_n = off + n;
	return (uint32_t)off;
}

/* A string constant, once; zero-padded to a multiple of 8 bytes with at least one NUL. */
uint32_t ro_string(struct cg *c, const char *s, size_t n)
{
	struct ro_str *e;

	HASH_FIND(hh, c->ro_strs, s, n, e);
	if (e)
		return e->off;
	e = arena_new_obj(c->a, struct ro_str);
	e->s = s;
	e->n = n;
	e->off = ro_add(c, NULL, ROUND_UP(n + 1, 8), 8);
	memcpy(c->ro + e->off, s, n);
	HASH_ADD_KEYPTR(hh, c->ro_strs, e->s, e->n, e);
	return e->off;
}

void ro_free(struct cg *c)
{
	HASH_CLEAR(hh, c->ro_strs);
}

/* At least n zero bytes. */
uint32_t ro_zeros(struct cg *c, uint32_t n)
{
	if (c->ro_zero_len < n) {
		uint32_t want = n < 512 ? 512 : ROUND_UP(n, 8);

		c->ro_zero = ro_add(c, NULL, want, 8);
		c->ro_zero_len = want;
	}
	return c->ro_zero;
}
