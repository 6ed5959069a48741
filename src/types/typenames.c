/* SPDX-License-Identifier: Apache-2.0 */
/* Collects, sorts and searches names of types. */
#include "types/typenames.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/vec.h"

#define TEXT_MAX ((size_t)TYPENAMES_MAX * TYPENAMES_LEN)
/* Typedefs that describe tracepoints. */
#define TRACEPOINT "btf_trace_"

struct entry {
	struct typename_row row;
	size_t at; /* in order of adding */
};

struct typenames {
	struct arena *text;
	VEC(struct entry) v;
	bool sorted;
};

struct typenames *typenames_new(void)
{
	struct typenames *t = calloc(1, sizeof(*t));

	if (t)
		t->text = arena_new(TEXT_MAX);
	return t;
}

void typenames_free(struct typenames *t)
{
	if (!t)
		return;
	arena_free(t->text);
	vec_free(&t->v);
	free(t);
}

int typenames_add(struct typenames *t, const struct typename_row *row)
{
	struct entry e = { *row, t->v.n };
	int r;

	if (t->v.n >= TYPENAMES_MAX)
		return -E2BIG;
	if (strlen(row->name) >= TYPENAMES_LEN)
		return 0;
	e.row.name = arena_strdup(t->text, row->name);
	r = vec_try_push(&t->v, e);
	t->sorted = false;
	return r;
}

/* -- of a source -- */

struct adding {
	struct typenames *t;
	struct typesrc *ts;
	const char *from;
	uint32_t obj;
};

static bool is_word(const char *s)
{
	for (; *s; s++)
		if (!(*s == '_' || (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
			return false;
	return true;
}

static int add_one(void *arg, struct tref ref, const char *name)
{
	struct adding *a = arg;
	struct tinfo info;

	if (!*name || !is_word(name) || !strncmp(name, TRACEPOINT, strlen(TRACEPOINT)) ||
	    typesrc_get(a->ts, ref, &info) < 0)
		return 0;
	if (a->obj != ref.obj || !a->from) {
		a->obj = ref.obj;
		a->from = arena_strdup(a->t->text, typesrc_obj_name(a->ts, ref.obj));
	}
	return typenames_add(a->t, &(struct typename_row){ .name = name,
							   .from = a->from,
							   .kind = info.kind,
							   .size = info.kind == TK_TYPEDEF ? 0 : info.size });
}

int typenames_add_all(struct typenames *t, struct typesrc *ts)
{
	static const enum tkind kinds[] = { TK_STRUCT, TK_UNION, TK_ENUM, TK_TYPEDEF, TK_INT, TK_FLOAT };
	struct adding a = { .t = t, .ts = ts };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		r = typesrc_each(ts, kinds[i], "", add_one, &a);
	return r;
}

/* -- looking -- */

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = strcmp(x->row.name, y->row.name);

	if (c == 0)
		c = (x->row.kind > y->row.kind) - (x->row.kind < y->row.kind);
	return c ? c : (x->at > y->at) - (x->at < y->at);
}

static void sort(struct typenames *t)
{
	size_t n = 0;

	if (t->sorted)
		return;
	if (t->v.n)
		qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_name);
	for (size_t i = 0; i < t->v.n; i++)
		if (n == 0 || t->v.v[n - 1].row.kind != t->v.v[i].row.kind ||
		    strcmp(t->v.v[n - 1].row.name, t->v.v[i].row.name) != 0)
			t->v.v[n++] = t->v.v[i];
	t->v.n = n;
	t->sorted = true;
}

/* The first entry that is not in front of prefix. */
static size_t lower(const struct typenames *t, const char *prefix)
{
	size_t lo = 0, hi = t->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(t->v.v[mid].row.name, prefix) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t typenames_find(struct typenames *t, const char *prefix, uint32_t kinds, struct typename_row *ret, size_t max)
{
	size_t n = 0, plen = strlen(prefix);

	sort(t);
	for (size_t i = lower(t, prefix); i < t->v.n && !strncmp(t->v.v[i].row.name, prefix, plen); i++) {
		if (!(kinds & TKM(t->v.v[i].row.kind)))
			continue;
		if (n < max)
			ret[n] = t->v.v[i].row;
		n++;
	}
	return n;
}
