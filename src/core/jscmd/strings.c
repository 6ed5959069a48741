/* SPDX-License-Identifier: Apache-2.0 */
/* ::jsstrings: texts of which V8's heap has several copies, those that waste most first. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/plain.h"
#include "core/cmds.h"
#include "core/jsheap/heap.h"

#define ROWS 20u /* that are shown, unless -n says how many */
#define MAX_ROWS 100000u
#define MAX_UNITS (1u << 24) /* of a string that are compared; longer ones must be as long, too */
#define MAX_TEXTS (1u << 23) /* texts that are told apart; strings with further ones are left out */
#define SHOWN 60u	     /* characters of a text */
#define KIND_MASK \
	7 /* of a string's type; 0: it holds its characters itself. Source: src/objects/instance-type.h of V8 */

/* Two texts are the same if their keys are equal. */
struct text_key {
	uint64_t a, b, units;
};

struct text {
	struct text_key key;
	uint64_t first;		/* a string, tagged */
	uint64_t n, bytes, one; /* one: bytes of the first */
	UT_hash_handle hh;
};

struct texts {
	const struct js *js;
	struct text *all;
	js_units units; /* of the string that is looked at */
	size_t left_out;
};

/* Two sums that have nothing to do with each other: equal ones of unequal texts do not happen. */
static struct text_key key_of(const js_units *u, uint64_t all)
{
	struct text_key k = { 0xcbf29ce484222325, 0x9e3779b97f4a7c15, all };

	for (size_t i = 0; i < u->n; i++) {
		k.a = (k.a ^ u->v[i]) * 0x100000001b3;
		k.b = (k.b + u->v[i] + 1) * 0xbf58476d1ce4e5b9;
		k.b ^= k.b >> 29;
	}
	return k;
}

static int on_object(void *ctx, const struct js_object *o)
{
	struct texts *t = ctx;
	struct text_key key;
	struct text *x;
	uint64_t all;
	int r;

	if (!js_is_string(t->js, o->type) || o->type & KIND_MASK)
		return 0;
	t->units.n = 0;
	r = js_string(t->js, o->object, MAX_UNITS, &t->units, &all);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 0; /* damaged */
	key = key_of(&t->units, all);
	HASH_FIND(hh, t->all, &key, sizeof(key), x);
	if (!x && HASH_COUNT(t->all) == MAX_TEXTS) {
		t->left_out++;
		return 0;
	}
	if (!x) {
		x = calloc(1, sizeof(*x));
		if (!x)
			return -ENOMEM;
		x->key = key;
		x->first = o->object;
		x->one = o->size;
		HASH_ADD(hh, t->all, key, sizeof(key), x);
		if (!x->hh.tbl) {
			free(x);
			return -ENOMEM;
		}
	}
	x->n++;
	x->bytes += o->size;
	return 0;
}

static int by_waste(const void *a, const void *b)
{
	const struct text *x = *(struct text *const *)a, *y = *(struct text *const *)b;
	const uint64_t p = x->bytes - x->one, q = y->bytes - y->one;

	return p != q ? (p > q ? -1 : 1) : x->first < y->first ? -1 : x->first > y->first;
}

static int show(struct shell *s, const struct texts *t, const struct text *x)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	uint64_t all = 0;
	int r;

	if (s->to)
		return shell_emit(s, x->first - V8_TAG);
	r = js_string_text(t->js, x->first, SHOWN, &b, &all);
	if (r < 0)
		return r;
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "string", "%" PRIx64, x->first - V8_TAG);
		jsonw_u64(&w, "copies", x->n);
		jsonw_u64(&w, "bytes", x->bytes);
		jsonw_u64(&w, "wasted", x->bytes - x->one);
		jsonw_u64(&w, "units", all);
		jsonw_strn(&w, "text", strb_str(&b), b.n);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%12" PRIx64 " %8" PRIu64 " %10" PRIu64 " %10" PRIu64 " \"", x->first - V8_TAG, x->n, x->bytes,
		    x->bytes - x->one);
	plain_part(&s->text, strb_str(&b), b.n, false, true);
	shell_print(s, all > SHOWN ? "\"…\n" : "\"\n");
	return 0;
}

static int show_all(struct shell *s, struct texts *t, uint64_t rows)
{
	const size_t n = HASH_COUNT(t->all);
	_cleanup_free_ struct text **v = calloc(n + 1, sizeof(*v));
	size_t k = 0;
	int r = 0;

	if (!v)
		return -ENOMEM;
	for (struct text *x = t->all; x; x = x->hh.next)
		if (x->n > 1)
			v[k++] = x;
	if (k)
		qsort(v, k, sizeof(struct text *), by_waste);
	if (!s->json)
		shell_print(s, "%12s %8s %10s %10s TEXT\n", "STRING", "COPIES", "BYTES", "WASTED");
	for (size_t i = 0; i < k && i < rows && r == 0; i++)
		r = show(s, t, v[i]);
	if (t->left_out && !s->json)
		shell_print(s, "left out: %zu strings, as there are more than %u texts\n", t->left_out, MAX_TEXTS);
	return r;
}

int dcmd_jsstrings(struct shell *s, const struct dcall *d)
{
	struct texts t = { 0 };
	struct text *x, *next;
	uint64_t rows = ROWS;
	struct js_heap *h;
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++)
		r = !strcmp(d->argv[i], "-n") ? shell_option(s, d, &i, MAX_ROWS, &rows)
					      : shell_refuse(s, "jsstrings", d->argv[i]);
	if (r == 0)
		r = shell_heap(s, &h);
	if (r < 0)
		return r;
	t.js = h->js;
	r = js_heap_each(h, on_object, &t);
	if (r == 0)
		r = show_all(s, &t, rows);
	HASH_ITER (hh, t.all, x, next) {
		HASH_DEL(t.all, x);
		free(x);
	}
	vec_free(&t.units);
	return r;
}
