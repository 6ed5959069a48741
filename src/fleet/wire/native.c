/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/wire/native.h"
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"

static const struct {
	const char *name;
	size_t size; /* of a value, or of an array's element */
} types[] = { [NATIVE_TEXT] = { "String", 0 },	     [NATIVE_TIME] = { "DateTime", 4 },
	      [NATIVE_U32] = { "UInt32", 4 },	     [NATIVE_U64] = { "UInt64", 8 },
	      [NATIVE_U8S] = { "Array(UInt8)", 1 },  [NATIVE_U16S] = { "Array(UInt16)", 2 },
	      [NATIVE_U64S] = { "Array(UInt64)", 8 } };

/* Results of parts: 0: it is there, and *at is after it; -EAGAIN: more bytes are needed; -EINVAL, -ENOMEM. */

static int take_varint(const struct native *n, size_t *at, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		uint8_t byte;

		if (*at >= n->b.n)
			return -EAGAIN;
		byte = (uint8_t)n->b.s[(*at)++];
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return 0;
		}
	}
	return -EINVAL;
}

static int skip(struct native *n, size_t *at, uint64_t len)
{
	if (len > NATIVE_BLOCK_MAX)
		return -EINVAL;
	n->need = *at + (size_t)len; /* it is not tried again before that is there */
	if (n->b.n < n->need)
		return -EAGAIN;
	*at += (size_t)len;
	return 0;
}

static int take_text(struct native *n, size_t *at, struct native_text *ret)
{
	uint64_t len;
	int e = take_varint(n, at, &len);

	if (e < 0)
		return e;
	*ret = (struct native_text){ *at, (size_t)len };
	return skip(n, at, len);
}

static int take_texts(struct native *n, struct native_column *c, size_t *at)
{
	c->texts.n = 0;
	for (uint64_t i = 0; i < n->nrows; i++) {
		struct native_text t;
		int e = take_text(n, at, &t);

		if (e == 0)
			e = vec_try_push(&c->texts, t);
		if (e < 0)
			return e;
	}
	return 0;
}

static uint64_t end_of(const struct native *n, const struct native_column *c, uint64_t row)
{
	uint64_t v;

	memcpy(&v, n->b.s + c->ends + row * sizeof(v), sizeof(v));
	return v;
}

static int take_arrays(struct native *n, struct native_column *c, size_t *at, size_t size)
{
	uint64_t before = 0;
	int e;

	c->ends = *at;
	e = skip(n, at, n->nrows * sizeof(uint64_t));
	for (uint64_t i = 0; e == 0 && i < n->nrows; i++) {
		uint64_t end = end_of(n, c, i);

		if (end < before || end > NATIVE_BLOCK_MAX)
			return -EINVAL;
		before = end;
	}
	c->values = *at;
	return e == 0 ? skip(n, at, before * size) : e;
}

/* Its name, which does not matter, its type, and its values. */
static int take_column(struct native *n, size_t *at)
{
	struct native_column *c = &n->columns[n->next];
	enum native_type type = n->types[n->next];
	struct native_text name, told;
	int e = take_text(n, at, &name);

	if (e == 0)
		e = take_text(n, at, &told);
	if (e < 0)
		return e;
	if (told.n != strlen(types[type].name) || memcmp(n->b.s + told.at, types[type].name, told.n) != 0)
		return -EINVAL;
	c->values = *at;
	if (type == NATIVE_TEXT)
		return take_texts(n, c, at);
	return type >= NATIVE_U8S ? take_arrays(n, c, at, types[type].size) : skip(n, at, n->nrows * types[type].size);
}

static int take_head(struct native *n, size_t *at)
{
	uint64_t ncolumns;
	int e = take_varint(n, at, &ncolumns);

	if (e == 0)
		e = take_varint(n, at, &n->nrows);
	if (e == 0 && (ncolumns != n->ncolumns || n->nrows > NATIVE_ROWS_MAX))
		return -EINVAL;
	n->next = 0;
	n->begun = e == 0;
	return e;
}

static int take_block(struct native *n)
{
	int e = 0;

	while (e == 0 && !(n->begun && n->next == n->ncolumns)) {
		bool column = n->begun;
		size_t at = n->at;

		e = column ? take_column(n, &at) : take_head(n, &at);
		if (e < 0)
			break;
		n->next += column;
		n->at = at;
	}
	return e;
}

int native_feed(struct native *n, const void *data, size_t len, native_block_fn *fn, void *ctx)
{
	int e;

	if (n->b.n + len > NATIVE_BLOCK_MAX)
		return -EINVAL;
	strb_add(&n->b, data, len);
	if (n->b.failed)
		return -ENOMEM;
	if (n->b.n < n->need)
		return 0;
	while ((e = take_block(n)) == 0) {
		e = n->nrows ? fn(ctx, n) : 0;
		if (e)
			return e;
		memmove(n->b.s, n->b.s + n->at, n->b.n - n->at);
		n->b.n -= n->at;
		n->at = n->need = 0;
		n->begun = false;
	}
	return e == -EAGAIN ? 0 : e;
}

bool native_ended(const struct native *n)
{
	return n->b.n == 0;
}

const char *native_array(const struct native *n, size_t column, size_t row, size_t *count)
{
	const struct native_column *c = &n->columns[column];
	uint64_t from = row ? end_of(n, c, row - 1) : 0;

	*count = (size_t)(end_of(n, c, row) - from);
	return n->b.s + c->values + from * types[n->types[column]].size;
}

void native_reset(struct native *n)
{
	strb_reset(&n->b);
	n->at = n->need = 0;
	n->begun = false;
}

void native_free(struct native *n)
{
	strb_free(&n->b);
	for (size_t i = 0; i < NATIVE_COLUMNS_MAX; i++)
		vec_free(&n->columns[i].texts);
}
