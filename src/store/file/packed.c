/* SPDX-License-Identifier: Apache-2.0 */
/* Packs and unpacks records by leaving out words that are zero. */
#include "store/file/packed.h"
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define WORD sizeof(uint64_t)

static size_t parts(size_t n, size_t part)
{
	return n / part + (n % part != 0);
}

/* Bytes of word i: the last one may be shorter. */
static size_t word_size(size_t i, size_t size)
{
	return size - i * WORD < WORD ? size - i * WORD : WORD;
}

void packbuf_free(struct packbuf *b)
{
	free(b->v);
	*b = (struct packbuf){ 0 };
}

const void *pack_bytes(struct packbuf *b, const void *p, size_t size, size_t *ret_n)
{
	size_t words = parts(size, WORD), used = parts(words, 8);

	*ret_n = size;
	if (!p || used >= size || vec_reserve_raw((void **)&b->v, &b->cap, size, 1) < 0)
		return p;
	memset(b->v, 0, used);
	for (size_t i = 0; i < words; i++) {
		size_t n = word_size(i, size);
		uint64_t word = 0;

		memcpy(&word, (const uint8_t *)p + i * WORD, n);
		if (!word)
			continue;
		if (used + n >= size)
			return p;
		b->v[i / 8] |= (uint8_t)(1u << i % 8);
		memcpy(b->v + used, &word, n);
		used += n;
	}
	*ret_n = used;
	return b->v;
}

bool unpack_bytes(const void *stored, size_t n, void *to, size_t size)
{
	const uint8_t *mask = stored;
	size_t words = parts(size, WORD), used = parts(words, 8);

	if (n >= size) {
		if (n == size && n)
			memcpy(to, stored, n);
		return n == size;
	}
	if (n < used || (words % 8 && mask[words / 8] >> words % 8))
		return false;
	memset(to, 0, size);
	for (size_t i = 0; i < words; i++) {
		size_t k = word_size(i, size);

		if (!(mask[i / 8] >> i % 8 & 1))
			continue;
		if (n - used < k)
			return false;
		memcpy((uint8_t *)to + i * WORD, mask + used, k);
		used += k;
	}
	return used == n;
}
