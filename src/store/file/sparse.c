/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and parses sparse arrays. */
#include "store/file/sparse.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/jsonw.h"

static void put(struct jsonw *w, uint32_t index, uint64_t value)
{
	char name[sizeof("4294967295")];

	snprintf(name, sizeof(name), "%" PRIu32, index);
	jsonw_i64(w, name, (int64_t)value);
}

void sparse_put_words(struct strb *b, const uint64_t *words, size_t n)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	for (size_t i = 0; i < n; i++)
		if (words[i])
			put(&w, (uint32_t)i, words[i]);
	jsonw_end_object(&w);
}

void sparse_put_buckets(struct strb *b, const struct rec_bucket *v, size_t n)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	for (size_t i = 0; i < n; i++)
		put(&w, v[i].index, v[i].count);
	jsonw_end_object(&w);
}

struct cursor {
	const char *p, *end;
};

static bool take(struct cursor *c, char want)
{
	if (c->p == c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

/* Digits, at least one; false when they are no number up to max. */
static bool take_number(struct cursor *c, uint64_t max, uint64_t *ret)
{
	const char *start = c->p;
	uint64_t v = 0;

	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		unsigned digit = (unsigned)(*c->p - '0');

		if (v > (max - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*ret = v;
	return c->p > start;
}

bool sparse_parse(const char *text, size_t len, uint32_t n, bool (*fn)(void *ctx, uint32_t index, uint64_t value),
		  void *ctx)
{
	struct cursor c = { text, text + len };
	uint64_t next = 0;

	if (!take(&c, '{'))
		return false;
	while (c.p < c.end && *c.p != '}') {
		uint64_t index, value;
		bool negative;

		if ((next && !take(&c, ',')) || !take(&c, '"') || !take_number(&c, UINT32_MAX, &index) ||
		    !take(&c, '"') || !take(&c, ':') || index < next || index >= n)
			return false;
		negative = take(&c, '-');
		if (!take_number(&c, (uint64_t)INT64_MAX + negative, &value) ||
		    !fn(ctx, (uint32_t)index, negative ? 0 - value : value))
			return false;
		next = index + 1;
	}
	return take(&c, '}') && c.p == c.end;
}

static bool store_word(void *ctx, uint32_t index, uint64_t value)
{
	uint64_t *words = ctx;

	words[index] = value;
	return true;
}

bool sparse_get_words(const char *text, size_t len, uint64_t *words, uint32_t n)
{
	memset(words, 0, n * sizeof(*words));
	return sparse_parse(text, len, n, store_word, words);
}
