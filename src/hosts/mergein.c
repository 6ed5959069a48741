/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and checks a printa() that another machine sent. */
#include "hosts/mergein.h"
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/recnames.h"

static int agg_of(struct arena *a, const json_t *o, uint32_t id, struct aggdesc *ret)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	int func = rec_agg_func(json_string_value(json_object_get(o, "func")));
	const json_t *params = json_object_get(o, "param");

	if (!name || func < 0)
		return -EPROTO;
	*ret = (struct aggdesc){ .id = id,
				 .name = arena_strdup(a, name),
				 .func = (enum agg_func)func,
				 .is_signed = json_is_true(json_object_get(o, "signed")) };
	for (size_t i = 0; i < ARRAY_SIZE(ret->param); i++) {
		json_int_t v = json_integer_value(json_array_get(params, i));

		if (v < INT32_MIN || v > INT32_MAX)
			return -EPROTO;
		ret->param[i] = (int32_t)v;
	}
	ret->value_size = aggval_size(ret->func, ret->param);
	return ret->value_size && ret->value_size <= MERGE_FIELD_MAX ? 0 : -EPROTO;
}

static int key_of(const json_t *o, struct recfield *ret)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	json_int_t size = json_integer_value(json_object_get(o, "size"));

	*ret = (struct recfield){ .is_signed = json_is_true(json_object_get(o, "signed")),
				  .is_char = json_is_true(json_object_get(o, "char")) };
	if (!kind || size < 0 || size > MERGE_FIELD_MAX)
		return -EPROTO;
	ret->size = (uint32_t)size;
	if (!strcmp(kind, "text")) {
		ret->kind = FLD_STRING;
		ret->size = 1;
	} else if (!strcmp(kind, "bytes")) {
		ret->kind = FLD_BYTES;
	} else if (!strcmp(kind, "int") && (size == 1 || size == 2 || size == 4 || size == 8)) {
		ret->kind = FLD_INT;
	} else {
		return -EPROTO;
	}
	return 0;
}

int mergein_form(struct arena *a, const json_t *object, struct mergein_form *ret)
{
	const json_t *form = json_object_get(object, "form"), *aggs = json_object_get(form, "aggs"),
		     *keys = json_object_get(form, "keys");
	int r = 0;

	*ret = (struct mergein_form){ .naggs = json_array_size(aggs), .nkeys = json_array_size(keys) };
	if (!ret->naggs || ret->naggs > MERGE_AGGS_MAX || ret->nkeys > MERGE_KEYS_MAX)
		return -EPROTO;
	for (size_t k = 0; k < ret->naggs && r == 0; k++) {
		r = agg_of(a, json_array_get(aggs, k), (uint32_t)k, &ret->aggs[k]);
		if (r == 0)
			ret->aggs[k].normal = mergein_normal(object, k);
	}
	for (size_t i = 0; i < ret->nkeys && r == 0; i++)
		r = key_of(json_array_get(keys, i), &ret->keys[i]);
	return r;
}

int mergein_measure(const json_t *object, struct mergein_form *f)
{
	const json_t *rows = json_object_get(object, "rows"), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const json_t *key = json_object_get(row, "key");

		if (json_array_size(key) != f->nkeys || json_array_size(json_object_get(row, "values")) != f->naggs)
			return -EPROTO;
		for (size_t k = 0; k < f->nkeys; k++) {
			size_t n = json_string_length(json_array_get(key, k)) / 2 + 1;

			if (n > MERGE_FIELD_MAX)
				return -EPROTO;
			if (f->keys[k].kind == FLD_STRING && n > f->keys[k].size)
				f->keys[k].size = (uint32_t)n;
		}
	}
	return 0;
}

void mergein_layout(struct mergein_form *f)
{
	uint32_t off = 0;

	for (size_t i = 0; i < f->nkeys; i++) {
		f->keys[i].off = off;
		off = ROUND_UP(off + f->keys[i].size, 8);
	}
	f->row_bytes = off;
	for (size_t k = 0; k < f->naggs; k++) {
		f->aggs[k].keys = f->keys;
		f->aggs[k].nkeys = f->nkeys;
		f->aggs[k].key_size = off;
		f->row_bytes += f->aggs[k].value_size;
	}
}

/* Digits of a hexadecimal text; n: room, which they may not exceed. How many bytes, or -EPROTO. */
static ssize_t unhex(const json_t *text, uint8_t *to, size_t n)
{
	const char *s = json_string_value(text);
	size_t len = json_string_length(text);

	if (!s || len % 2 || len / 2 > n)
		return -EPROTO;
	for (size_t i = 0; i < len / 2; i++) {
		int high = num_digit(s[2 * i]), low = num_digit(s[2 * i + 1]);

		if (high > 15 || low > 15)
			return -EPROTO;
		to[i] = (uint8_t)(high << 4 | low);
	}
	return (ssize_t)(len / 2);
}

char *mergein_hex(struct arena *a, const json_t *text, size_t *ret_n)
{
	size_t room = json_string_length(text) / 2;
	char *to = arena_alloc(a, room + 1);
	ssize_t n = unhex(text, (uint8_t *)to, room);

	*ret_n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? NULL : to;
}

int64_t mergein_normal(const json_t *object, size_t k)
{
	json_int_t n = json_integer_value(json_array_get(json_object_get(object, "normal"), k));

	return n < 1 ? 1 : n;
}

static int key_bytes(const json_t *key, const struct mergein_form *f, uint8_t *to)
{
	for (size_t i = 0; i < f->nkeys; i++) {
		const struct recfield *k = &f->keys[i];
		const json_t *j = json_array_get(key, i);
		uint64_t v = (uint64_t)json_integer_value(j);
		ssize_t n;

		if (k->kind == FLD_INT) {
			if (!json_is_integer(j))
				return -EPROTO;
			memcpy(to + k->off, &v, k->size); /* the low bytes come first */
			continue;
		}
		n = unhex(j, to + k->off, k->size);
		if (n < 0 || (k->kind == FLD_BYTES && (size_t)n != k->size))
			return -EPROTO;
	}
	return 0;
}

static int value_words(const json_t *words, const struct aggdesc *d, uint64_t *to)
{
	size_t n = json_array_size(words);

	if (n % 2)
		return -EPROTO;
	for (size_t i = 0; i < n; i += 2) {
		const json_t *at = json_array_get(words, i), *word = json_array_get(words, i + 1);
		json_int_t index = json_integer_value(at);

		if (!json_is_integer(at) || !json_is_integer(word) || index < 0 ||
		    index >= (json_int_t)(d->value_size / sizeof(*to)))
			return -EPROTO;
		to[index] = (uint64_t)json_integer_value(word);
	}
	return 0;
}

/* As the machine itself shows it. */
static void divide_value(const struct aggdesc *d, uint64_t *w, int64_t normal)
{
	unsigned __int128 squares;
	uint32_t n = d->value_size / sizeof(*w);

	if (d->func == AGG_STDDEV) {
		squares = ((unsigned __int128)w[3] << 64 | w[2]) / (uint64_t)normal / (uint64_t)normal;
		w[2] = (uint64_t)squares;
		w[3] = (uint64_t)(squares >> 64);
		n = 2;
	}
	for (uint32_t i = d->func == AGG_COUNT ? 0 : 1; i < n; i++)
		w[i] = (uint64_t)((int64_t)w[i] / normal);
}

int mergein_rows(const json_t *object, const struct mergein_form *f, bool divide, mergein_fn *fn, void *ctx)
{
	const json_t *rows = json_object_get(object, "rows"), *row;
	_cleanup_free_ uint8_t *key = calloc(1, f->aggs[0].key_size + sizeof(uint64_t));
	size_t i;
	int r = 0;

	if (!key)
		return -ENOMEM;
	if (json_array_size(rows) > MERGE_ROWS_MAX / (f->row_bytes ? f->row_bytes : 1))
		return -EPROTO;
	json_array_foreach(rows, i, row)
	{
		memset(key, 0, f->aggs[0].key_size);
		r = key_bytes(json_object_get(row, "key"), f, key);
		for (size_t k = 0; k < f->naggs && r == 0; k++) {
			const struct aggdesc *d = &f->aggs[k];
			_cleanup_free_ uint64_t *value = calloc(1, d->value_size);
			struct row out = { .kind = ROW_AGG, .id = (uint32_t)k, .data = key, .len = d->key_size };

			r = value ? value_words(json_array_get(json_object_get(row, "values"), k), d, value) : -ENOMEM;
			if (r == 0 && divide)
				divide_value(d, value, mergein_normal(object, k));
			out.value = value;
			if (r == 0 && value[0])
				r = fn(ctx, &out);
		}
		if (r < 0)
			return r;
	}
	return 0;
}
