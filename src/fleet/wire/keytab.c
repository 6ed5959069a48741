/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/wire/keytab.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash_try.h"

#define CAP_MIN 1024u

struct keytab_slot {
	uint64_t key;
	uint32_t number; /* + 1; 0: free */
};

/* Source: the finaliser of MurmurHash3; it maps 64 bits to 64 bits one to one. */
static uint64_t spread(uint64_t v)
{
	v = (v ^ (v >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	v = (v ^ (v >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	return v ^ (v >> 33);
}

static struct keytab_slot *slot_of(const struct keytab *t, uint64_t key)
{
	size_t i = (size_t)spread(key) & (t->cap - 1);

	while (t->slots[i].number && t->slots[i].key != key)
		i = (i + 1) & (t->cap - 1);
	return &t->slots[i];
}

static int grow(struct keytab *t)
{
	struct keytab bigger = { .n = t->n, .cap = t->cap ? t->cap * 2 : CAP_MIN };

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].number)
			*slot_of(&bigger, t->slots[i].key) = t->slots[i];
	free(t->slots);
	*t = bigger;
	return 0;
}

int keytab_number(struct keytab *t, uint64_t key, uint32_t *ret, bool *fresh)
{
	struct keytab_slot *s;

	if (2 * t->n >= t->cap && (t->n >= UINT32_MAX / 2 || grow(t) < 0))
		return -ENOMEM;
	s = slot_of(t, key);
	*fresh = !s->number;
	if (*fresh)
		*s = (struct keytab_slot){ key, (uint32_t)++t->n };
	*ret = s->number - 1;
	return 0;
}

void keytab_reset(struct keytab *t)
{
	if (t->slots)
		memset(t->slots, 0, t->cap * sizeof(*t->slots));
	t->n = 0;
}

void keytab_free(struct keytab *t)
{
	free(t->slots);
	*t = (struct keytab){ 0 };
}

/* -- sets -- */

int numset_add(struct numset *s, uint32_t number, bool *fresh)
{
	size_t word = number / 64;
	uint64_t bit = UINT64_C(1) << number % 64;

	if (word >= s->n) {
		size_t n = 2 * word + 16;
		uint64_t *v = realloc(s->v, n * sizeof(*v));

		if (!v)
			return -ENOMEM;
		memset(v + s->n, 0, (n - s->n) * sizeof(*v));
		s->v = v;
		s->n = n;
	}
	*fresh = !(s->v[word] & bit);
	s->v[word] |= bit;
	return 0;
}

void numset_free(struct numset *s)
{
	free(s->v);
	*s = (struct numset){ 0 };
}

/* -- texts -- */

struct texttab_one {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

int texttab_number(struct texttab *t, const char *s, size_t n, uint32_t *ret)
{
	struct texttab_one *one;

	n = strnlen(s, n);
	HASH_FIND(hh, t->texts, s, n, one);
	if (one) {
		*ret = one->number;
		return 0;
	}
	one = malloc(sizeof(*one) + n + 1);
	if (!one)
		return -ENOMEM;
	one->number = (uint32_t)t->v.n;
	memcpy(one->text, s, n);
	one->text[n] = '\0';
	HASH_ADD_KEYPTR(hh, t->texts, one->text, n, one);
	if (!one->hh.tbl) {
		free(one);
		return -ENOMEM;
	}
	*ret = one->number;
	return vec_try_push(&t->v, (const char *)one->text);
}

bool texttab_has(const struct texttab *t, const char *s, size_t n)
{
	const struct texttab_one *one;

	HASH_FIND(hh, t->texts, s, n, one);
	return one != NULL;
}

void texttab_free(struct texttab *t)
{
	struct texttab_one *one, *tmp;

	HASH_ITER (hh, t->texts, one, tmp) {
		HASH_DEL(t->texts, one);
		free(one);
	}
	vec_free(&t->v);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int texttab_sort(const struct texttab *t, const char ***sorted, uint32_t **place)
{
	const char **v = malloc((t->v.n + 1) * sizeof(*v));
	uint32_t *at = malloc((t->v.n + 1) * sizeof(*at));

	if (!v || !at) {
		free(v);
		free(at);
		return -ENOMEM;
	}
	if (t->v.n) {
		memcpy(v, t->v.v, t->v.n * sizeof(*v));
		qsort(v, t->v.n, sizeof(*v), by_text);
	}
	for (size_t i = 0; i < t->v.n; i++) {
		const char **found = bsearch(&t->v.v[i], v, t->v.n, sizeof(*v), by_text);

		at[i] = (uint32_t)(found - v);
	}
	*sorted = v;
	*place = at;
	return 0;
}
