/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the set of strings as a hash table of pointers into chunks of text. */
#include "sym/elf/strset.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define STRSET_CHUNK (32u << 10)
#define STRSET_FIRST 256u

struct strset_chunk {
	struct strset_chunk *next;
	size_t used, size;
	char text[];
};

static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3ULL;
	return h ^ (h >> 29);
}

static size_t find(const struct strset *ss, const char *s, size_t n)
{
	size_t i = hash(s, n) & (ss->nslots - 1);

	while (ss->slot[i] && (strncmp(ss->slot[i], s, n) != 0 || ss->slot[i][n] != '\0'))
		i = (i + 1) & (ss->nslots - 1);
	return i;
}

static bool grow(struct strset *ss)
{
	struct strset big = { .nslots = ss->nslots ? ss->nslots * 2 : STRSET_FIRST };

	big.slot = calloc(big.nslots, sizeof(*big.slot));
	if (!big.slot)
		return false;
	for (size_t i = 0; i < ss->nslots; i++) {
		if (ss->slot[i])
			big.slot[find(&big, ss->slot[i], strlen(ss->slot[i]))] = ss->slot[i];
	}
	free(ss->slot);
	ss->slot = big.slot;
	ss->nslots = big.nslots;
	return true;
}

static char *store(struct strset *ss, const char *s, size_t n)
{
	struct strset_chunk *c = ss->chunk;

	if (!c || c->size - c->used < n + 1) {
		size_t size = n + 1 > STRSET_CHUNK / 4 ? n + 1 : STRSET_CHUNK - sizeof(*c);

		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		c->used = 0;
		c->size = size;
		c->next = ss->chunk;
		ss->chunk = c;
		ss->bytes += size;
	}
	char *p = c->text + c->used;

	memcpy(p, s, n);
	p[n] = '\0';
	c->used += n + 1;
	return p;
}

const char *strset_addn(struct strset *ss, const char *s, size_t n)
{
	n = strnlen(s, n);
	if ((ss->n + 1) * 4 > ss->nslots * 3 && !grow(ss))
		return NULL;
	size_t i = find(ss, s, n);

	if (!ss->slot[i]) {
		ss->slot[i] = store(ss, s, n);
		if (!ss->slot[i])
			return NULL;
		ss->n++;
	}
	return ss->slot[i];
}

const char *strset_add(struct strset *ss, const char *s)
{
	return strset_addn(ss, s, strlen(s));
}

void strset_free(struct strset *ss)
{
	for (struct strset_chunk *c = ss->chunk, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(ss->slot);
	*ss = (struct strset){ 0 };
}
