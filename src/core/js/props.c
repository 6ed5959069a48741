/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of JavaScript's objects. An object that is used as a record has them where its map says: in the object or
 * in its array of properties. An object that is used as a table has them in a dictionary. Elements have a store of
 * their own. Source: src/objects/{js-objects,descriptor-array,dictionary,ordered-hash-table,elements-kind}.h of V8. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/js/js.h"

#define WORD 8
/* A place without a value in a store of doubles. Source: kHoleNanInt64, src/common/globals.h. */
#define HOLE_NAN 0xfff7fffffff7ffffu

struct shape {
	uint64_t map, descriptors;
	uint32_t bits3;
	uint8_t words, inobject, bits2;
};

static int read_shape(const struct js *js, uint64_t object, struct shape *ret)
{
	const struct v8_objects *o = &js->o;
	struct shape s;
	int r = js_word(js, object, 0, &s.map);

	if (r == 0 && !v8_is_object(s.map))
		r = -EBADMSG;
	if (r == 0)
		r = v8_bytes(&js->v, s.map, o->map_words, &s.words, 1);
	if (r == 0)
		r = v8_bytes(&js->v, s.map, o->map_inobject, &s.inobject, 1);
	if (r == 0)
		r = v8_bytes(&js->v, s.map, o->map_bits2, &s.bits2, 1);
	if (r == 0)
		r = v8_bytes(&js->v, s.map, o->map_bits3, &s.bits3, sizeof(s.bits3));
	if (r == 0)
		r = js_word(js, s.map, o->map_descriptors, &s.descriptors);
	if (r == 0)
		*ret = s;
	return r;
}

/* The length of an array of words: a small integer that is not negative. */
static int array_length(const struct js *js, uint64_t array, uint64_t *ret)
{
	uint64_t n;
	int r = js_word(js, array, js->l.array_length, &n);

	if (r < 0)
		return r;
	if (!v8_is_smi(n) || v8_smi(n) < 0)
		return -EBADMSG;
	*ret = (uint64_t)v8_smi(n);
	return 0;
}

static int array_word(const struct js *js, uint64_t array, uint64_t i, uint64_t *ret)
{
	return js_word(js, array, js->l.array_data + (int64_t)(i * WORD), ret);
}

/* -- names -- */

/* The value of a property that has a place: in the object, or in its array of properties. */
static int field_value(const struct js *js, uint64_t object, const struct shape *s, uint64_t index, uint64_t *ret)
{
	const uint64_t inside = s->words > s->inobject ? (uint64_t)(s->words - s->inobject) : 0;
	uint64_t store;
	int r;

	if (index < inside)
		return js_word(js, object, (int64_t)((s->inobject + index) * WORD), ret);
	r = js_word(js, object, js->o.object_properties, &store);
	if (r == 0 && js_type(js, store) != js->o.type_properties)
		r = -EBADMSG;
	return r < 0 ? r : array_word(js, store, index - inside, ret);
}

/* The kind of a key. JavaScript has symbols after all strings, whenever they were added. */
enum key { KEY_NONE, KEY_STRING, KEY_SYMBOL };

static enum key key_of(const struct js *js, uint64_t key)
{
	const int type = v8_is_object(key) ? js_type(js, key) : -1;

	return js_is_string(js, type) ? KEY_STRING : type >= 0 && type == js->o.type_symbol ? KEY_SYMBOL : KEY_NONE;
}

static void take_details(const struct js *js, uint32_t details, struct js_prop *p)
{
	p->accessor = details & (uint32_t)js->o.prop_kind_mask;
	p->hidden = details >> js->o.prop_attributes_shift & (uint32_t)js->o.prop_dont_enum;
}

/* One that the map describes. */
static int record_property(const struct js *js, uint64_t object, const struct shape *s, int64_t at, struct js_prop *p)
{
	const struct v8_objects *o = &js->o;
	uint64_t details;
	uint32_t d;
	int r = js_word(js, s->descriptors, at + (int64_t)o->desc_details * WORD, &details);

	if (r == 0 && !v8_is_smi(details))
		r = -EBADMSG;
	if (r < 0)
		return r;
	d = (uint32_t)v8_smi(details);
	take_details(js, d, p);
	p->stored = !(d & (uint32_t)o->prop_location_mask);
	if (!p->stored)
		return js_word(js, s->descriptors, at + (int64_t)o->desc_value * WORD, &p->value);
	return field_value(js, object, s, (d & (uint32_t)o->prop_index_mask) >> o->prop_index_shift, &p->value);
}

/* Calls fn for the properties with keys of this kind. */
static int record_properties(const struct js *js, uint64_t object, const struct shape *s, enum key keys, js_prop_fn *fn,
			     void *ctx)
{
	const struct v8_objects *o = &js->o;
	const uint32_t n = (s->bits3 & (uint32_t)o->own_mask) >> o->own_shift;
	int r = 0;

	if (n && js_type(js, s->descriptors) != o->type_descriptors &&
	    js_type(js, s->descriptors) != o->type_descriptors + 1) /* the strong one */
		return -EBADMSG;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const int64_t at = o->desc_header + (int64_t)i * o->desc_size * WORD;
		struct js_prop p = { 0 };
		enum key key;

		r = js_word(js, s->descriptors, at, &p.key);
		key = r == 0 ? key_of(js, p.key) : KEY_NONE;
		if (r == 0 && key == KEY_NONE)
			r = -EBADMSG;
		if (r == 0 && key == keys)
			r = record_property(js, object, s, at, &p);
		if (r == 0 && key == keys)
			r = fn(ctx, &p);
	}
	return r;
}

struct entry {
	struct js_prop p;
	uint64_t order;
};
typedef VEC(struct entry) entries;

static int by_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Entries of a dictionary: after a head, key, value and details of each; those with such keys, KEY_NONE: of numbers. */
static int read_dictionary(const struct js *js, uint64_t dict, enum key keys, entries *ret)
{
	const bool names = keys != KEY_NONE;
	const struct v8_objects *o = &js->o;
	const uint64_t first = (uint64_t)(o->dict_first + (names ? o->dict_prefix : o->number_prefix));
	const uint64_t size = (uint64_t)(names ? o->dict_entry : o->number_entry);
	uint64_t n, w[3];
	int r = array_length(js, dict, &n);

	if (r == 0 && (size != 3 || n < first || n > JS_MAX_ELEMENTS))
		r = n ? -EBADMSG : 0;
	for (uint64_t i = first; r == 0 && i + size <= n; i += size) {
		struct entry e = { 0 };

		r = v8_bytes(&js->v, dict, js->l.array_data + (int64_t)(i * WORD), w, sizeof(w));
		if (r < 0)
			break;
		if (names ? key_of(js, w[0]) != keys : !v8_is_smi(w[0]) && js_type(js, w[0]) != o->type_number)
			continue; /* free, or deleted */
		if (!v8_is_smi(w[2])) {
			r = -EBADMSG;
			break;
		}
		e.p.value = w[1];
		e.p.stored = true;
		take_details(js, (uint32_t)v8_smi(w[2]), &e.p);
		e.p.key = names ? w[0] : 0;
		e.order = (uint64_t)(uint32_t)v8_smi(w[2]) >> o->prop_order_shift;
		if (!names) {
			double d = 0;

			r = v8_is_smi(w[0]) ? 0 : v8_bytes(&js->v, w[0], o->number_value, &d, sizeof(d));
			e.order = v8_is_smi(w[0])	 ? (uint64_t)(uint32_t)v8_smi(w[0])
				  : d >= 0 && d < 0x1p32 ? (uint64_t)d
							 : 0;
			e.p.index = e.order;
		}
		if (r == 0)
			r = vec_try_push(ret, e);
	}
	if (r == 0 && ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_order);
	return r;
}

static int dictionary(const struct js *js, uint64_t dict, enum key keys, js_prop_fn *fn, void *ctx)
{
	entries all = { 0 };
	int r = read_dictionary(js, dict, keys, &all);

	for (size_t i = 0; i < all.n && r == 0; i++)
		r = fn(ctx, &all.v[i].p);
	vec_free(&all);
	return r;
}

/* -- elements -- */

static int double_elements(const struct js *js, uint64_t store, uint64_t n, js_prop_fn *fn, void *ctx)
{
	int r = 0;

	for (uint64_t i = 0; i < n && r == 0; i++) {
		struct js_prop p = { .index = i, .is_double = true, .stored = true };
		uint64_t w;

		r = array_word(js, store, i, &w);
		memcpy(&p.number, &w, sizeof(w));
		if (r == 0 && w != HOLE_NAN)
			r = fn(ctx, &p);
	}
	return r;
}

#define MANY 4096u /* words of a store that are read at once; a larger one does not go through the blocks read last */

/* Finds the elements that are one object. Their types need not be read, unlike those of all elements. */
static int equal_elements(const struct js *js, uint64_t store, uint64_t n, uint64_t to, js_prop_fn *fn, void *ctx)
{
	uint64_t w[MANY];
	int r = 0;

	for (uint64_t i = 0; i < n && r == 0; i += MANY) {
		const size_t k = n - i < MANY ? (size_t)(n - i) : MANY;
		const uint64_t addr = store - V8_TAG + (uint64_t)js->l.array_data + i * WORD;

		r = (n > MANY ? core_read_direct : core_read)(js->core, addr, w, k * WORD);
		for (size_t j = 0; j < k && r == 0; j++)
			if (w[j] == to)
				r = fn(ctx, &(struct js_prop){ .index = i + j, .value = to, .stored = true });
	}
	return r;
}

static int word_elements(const struct js *js, uint64_t store, uint64_t n, uint64_t to, js_prop_fn *fn, void *ctx)
{
	int r = to ? equal_elements(js, store, n, to, fn, ctx) : 0;

	for (uint64_t i = 0; i < n && r == 0 && !to; i++) {
		struct js_prop p = { .index = i, .stored = true };

		r = array_word(js, store, i, &p.value);
		if (r == 0 && !js_is_hole(js, p.value))
			r = fn(ctx, &p);
	}
	return r;
}

/* to: other elements are left out, where that is faster; 0: none. */
static int elements(const struct js *js, uint64_t object, uint64_t to, js_prop_fn *fn, void *ctx, uint64_t *ret_length)
{
	const int type = js_type(js, object);
	uint64_t store, n = 0, length = 0;
	struct shape s;
	int r = type < 0 ? type : read_shape(js, object, &s), kind, store_type;

	*ret_length = 0;
	if (r == 0 && type == js->o.type_jsarray) {
		r = js_word(js, object, js->o.array_length, &length);
		*ret_length = r == 0 && v8_is_smi(length) && v8_smi(length) > 0 ? (uint64_t)v8_smi(length) : 0;
	}
	if (r == 0)
		r = js_word(js, object, js->o.object_elements, &store);
	if (r == 0)
		r = array_length(js, store, &n);
	if (r < 0)
		return r;
	if (type != js->o.type_jsarray)
		*ret_length = n;
	kind = (s.bits2 & js->o.kind_mask) >> js->o.kind_shift;
	store_type = js_type(js, store);
	if (kind == js->o.kind_dictionary)
		return dictionary(js, store, KEY_NONE, fn, ctx);
	if (kind > js->o.kind_dictionary)
		return 0; /* arguments of old functions, letters of String objects, bytes of typed arrays */
	n = type == js->o.type_jsarray && *ret_length < n ? *ret_length : n;
	if (store_type == js->o.type_doubles)
		return double_elements(js, store, n, fn, ctx);
	return store_type == js->l.type_array ? word_elements(js, store, n, to, fn, ctx)
	       : store_type < 0		      ? store_type
					      : 0;
}

int js_elements(const struct js *js, uint64_t object, js_prop_fn *fn, void *ctx, uint64_t *ret_length)
{
	return elements(js, object, 0, fn, ctx, ret_length);
}

int js_properties_to(const struct js *js, uint64_t object, uint64_t to, js_prop_fn *fn, void *ctx)
{
	const int type = js_type(js, object);
	struct shape s;
	uint64_t dict, n;
	int r;

	if (type < 0)
		return type;
	if (!js_is_receiver(js, type) || type == js->o.type_proxy)
		return 0;
	r = elements(js, object, to, fn, ctx, &n);
	if (r == 0)
		r = read_shape(js, object, &s);
	if (r != 0)
		return r;
	if (type == js->o.type_global)
		return 0; /* its names are cells */
	if (!(s.bits3 >> js->o.dictionary_shift & 1)) {
		r = record_properties(js, object, &s, KEY_STRING, fn, ctx);
		return r ? r : record_properties(js, object, &s, KEY_SYMBOL, fn, ctx);
	}
	r = js_word(js, object, js->o.object_properties, &dict);
	if (r < 0 || !v8_is_object(dict))
		return r;
	r = dictionary(js, dict, KEY_STRING, fn, ctx);
	return r ? r : dictionary(js, dict, KEY_SYMBOL, fn, ctx);
}

/* -- Map and Set -- */

int js_entries(const struct js *js, uint64_t object, bool map, js_entry_fn *fn, void *ctx)
{
	const uint64_t size = map ? 3 : 2; /* with the number of the next one of the bucket */
	uint64_t table, n = 0, head[3], used, first;
	int r = js_word(js, object, js->o.collection_table, &table);

	if (r == 0)
		r = array_length(js, table, &n);
	if (r == 0)
		r = v8_bytes(&js->v, table, js->l.array_data, head, sizeof(head));
	for (unsigned i = 0; r == 0 && i < 3; i++)
		r = v8_is_smi(head[i]) && v8_smi(head[i]) >= 0 ? 0 : -EBADMSG;
	if (r < 0)
		return r;
	used = (uint64_t)v8_smi(head[0]) + (uint64_t)v8_smi(head[1]); /* there are, were deleted */
	first = 3 + (uint64_t)v8_smi(head[2]);			      /* after the buckets */
	if (used > JS_MAX_ELEMENTS || first + used * size > n)
		return -EBADMSG;
	for (uint64_t i = 0; i < used && r == 0; i++) {
		uint64_t w[2] = { 0 };

		r = v8_bytes(&js->v, table, js->l.array_data + (int64_t)((first + i * size) * WORD), w,
			     map ? sizeof(w) : WORD);
		if (r == 0 && !js_is_hole(js, w[0]))
			r = fn(ctx, w[0], w[1]);
	}
	return r;
}

/* After a map and a length: how many there are, were deleted, fit; then pairs. Source: src/objects/hash-table.h. */
int js_weak_entries(const struct js *js, uint64_t object, bool map, js_entry_fn *fn, void *ctx)
{
	const uint64_t first = 3;
	uint64_t table, n = 0;
	int r = js_word(js, object, js->o.collection_table, &table);

	if (r == 0 && js_type(js, table) != js->o.type_ephemerons)
		r = -EBADMSG;
	if (r == 0)
		r = array_length(js, table, &n);
	for (uint64_t i = first; r == 0 && i + 1 < n; i += 2) {
		uint64_t w[2] = { 0 };

		r = v8_bytes(&js->v, table, js->l.array_data + (int64_t)(i * WORD), w, sizeof(w));
		if (r == 0 && v8_is_object(w[0]) &&
		    (js_is_receiver(js, js_type(js, w[0])) || js_type(js, w[0]) == js->o.type_symbol))
			r = fn(ctx, w[0], map ? w[1] : 0);
	}
	return r;
}

int js_properties(const struct js *js, uint64_t object, js_prop_fn *fn, void *ctx)
{
	return js_properties_to(js, object, 0, fn, ctx);
}
