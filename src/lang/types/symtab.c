/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table in an arena. */
#include "lang/types/symtab.h"
#include <stdbool.h>
#include <string.h>

#define SYMTAB_MIN_BUCKETS 64

static uint64_t hash_key(const char *s, uint64_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ (n * 0x9e3779b97f4a7c15u);

	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h ^ (h >> 29);
}

static bool same_key(const struct symtab_entry *e, const char *s, uint64_t n)
{
	if (e->n != n || !e->s != !s)
		return false;
	return !s || strcmp(e->s, s) == 0;
}

void symtab_init(struct symtab *t, struct arena *a)
{
	*t = (struct symtab){ .arena = a };
}

static struct symtab_entry *find(const struct symtab *t, const char *s, uint64_t n)
{
	struct symtab_entry *e;

	if (!t->nbuckets)
		return NULL;
	e = t->buckets[hash_key(s, n) & (t->nbuckets - 1)];
	while (e && !same_key(e, s, n))
		e = e->next;
	return e;
}

void *symtab_get(const struct symtab *t, const char *s, uint64_t n)
{
	struct symtab_entry *e = find(t, s, n);

	return e ? e->val : NULL;
}

static void grow(struct symtab *t)
{
	struct symtab_entry *e, **slot;

	t->nbuckets = t->nbuckets ? t->nbuckets * 4 : SYMTAB_MIN_BUCKETS;
	t->buckets = arena_new_arr(t->arena, struct symtab_entry *, t->nbuckets);
	for (e = t->first; e; e = e->later) {
		slot = &t->buckets[hash_key(e->s, e->n) & (t->nbuckets - 1)];
		e->next = *slot;
		*slot = e;
	}
}

void symtab_put(struct symtab *t, const char *s, uint64_t n, void *val)
{
	struct symtab_entry *e = find(t, s, n), **slot;

	if (e) {
		e->val = val;
		return;
	}
	if (t->n >= t->nbuckets)
		grow(t);
	e = arena_new_obj(t->arena, struct symtab_entry);
	e->s = s;
	e->n = n;
	e->val = val;
	slot = &t->buckets[hash_key(s, n) & (t->nbuckets - 1)];
	e->next = *slot;
	*slot = e;
	if (t->last)
		t->last->later = e;
	else
		t->first = e;
	t->last = e;
	t->n++;
}
