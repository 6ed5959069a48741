/* SPDX-License-Identifier: Apache-2.0 */
/* V8's heap: its pages, maps, and the extents of objects. */
#include "core/jsheap/heap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jsheap/index.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"
#include "core/jsheap/pages.h"

#define PROPERTIES_MASK 1023 /* length of an array of properties, beside a hash. Source: PropertyArray::LengthField */
#define HEAD 32u	     /* bytes of an object that tell its size, if its kind is known */

/* How the bytes of an object are found. */
enum extent_kind {
	EXT_FIXED,
	EXT_WORDS,
	EXT_BYTES,
	EXT_DOUBLES,
	EXT_STRING,
	EXT_PROPERTIES,
	EXT_DESCRIPTORS,
	EXT_BIGINT,
	EXT_UNKNOWN
};

/* -- maps -- */

static enum extent_kind kind_of(const struct js *js, int type)
{
	const struct v8_objects *o = &js->o;

	if (type < js->l.type_nonstring)
		return EXT_STRING;
	if (type == o->type_bytes)
		return EXT_BYTES;
	if (type == o->type_doubles)
		return EXT_DOUBLES;
	if (type == o->type_bigint)
		return EXT_BIGINT;
	/* The kinds of arrays of words are numbered one after the other, from the plain one on. */
	if ((type >= js->l.type_array && type < o->type_bytes && type != js->l.type_bytecode) ||
	    (type >= o->type_context_first && type <= o->type_context_last))
		return EXT_WORDS;
	if (type == o->type_properties)
		return EXT_PROPERTIES;
	if (type == o->type_descriptors || type == o->type_descriptors + 1)
		return EXT_DESCRIPTORS;
	return EXT_UNKNOWN;
}

bool js_extent_told(const struct js_map_info *m)
{
	return m->kind != EXT_UNKNOWN;
}

bool js_is_store(const struct js *js, int type)
{
	const enum extent_kind kind = kind_of(js, type);

	return (kind == EXT_WORDS && (type < js->o.type_context_first || type > js->o.type_context_last)) ||
	       kind == EXT_PROPERTIES;
}

#define LEAST_SLOTS 1024u

static uint32_t *slot_of(const struct js_heap *h, uint64_t map)
{
	size_t i = (size_t)((map >> 3) * 0x9e3779b97f4a7c15u >> 40) & (h->nslots - 1);

	while (h->slots[i] && js_heap_map(h, h->slots[i] - 1)->map != map)
		i = (i + 1) & (h->nslots - 1);
	return &h->slots[i];
}

/* Room for one more map: a new piece, and a table that is half empty. */
static int grow_maps(struct js_heap *h)
{
	const size_t n = h->nslots ? 2 * h->nslots : LEAST_SLOTS;
	struct js_map_info **piece;
	uint32_t *slots;

	if (h->nmaps % JSHEAP_PIECE == 0) {
		piece = &h->maps[h->nmaps / JSHEAP_PIECE];
		if (!*piece)
			*piece = malloc(JSHEAP_PIECE * sizeof(**piece));
		if (!*piece)
			return -ENOMEM;
	}
	if (2 * h->nmaps < h->nslots)
		return 0;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(h->slots);
	h->slots = slots;
	h->nslots = n;
	for (size_t i = 0; i < h->nmaps; i++)
		*slot_of(h, js_heap_map(h, i)->map) = (uint32_t)i + 1;
	return 0;
}

void js_heap_forget_maps(struct js_heap *h)
{
	for (size_t i = 0; h->maps && i < JSHEAP_MAX_MAPS / JSHEAP_PIECE; i++)
		free(h->maps[i]);
	free(h->slots);
	free(h->maps);
	h->maps = NULL;
	h->slots = NULL;
	h->nslots = h->nmaps = h->maps_left_out = 0;
}

struct js_map_info *js_map_info(struct js_heap *h, uint64_t map)
{
	struct js_map_info now = { .map = map };
	uint32_t *slot = h->nslots ? slot_of(h, map) : NULL;
	uint16_t type = 0;

	if (slot && *slot)
		return js_heap_map(h, *slot - 1);
	if (!h->maps)
		h->maps = calloc(JSHEAP_MAX_MAPS / JSHEAP_PIECE, sizeof(struct js_map_info *));
	if (!h->maps || h->nmaps == JSHEAP_MAX_MAPS || grow_maps(h) < 0) {
		h->maps_left_out++;
		return NULL;
	}
	now.is_map = js_is_map(h->js, map) && v8_bytes(&h->js->v, map, h->js->l.map_type, &type, sizeof(type)) == 0 &&
		     v8_bytes(&h->js->v, map, h->js->o.map_words, &now.words, 1) == 0;
	now.type = type;
	now.kind = now.words ? EXT_FIXED : (uint8_t)kind_of(h->js, type);
	*slot_of(h, map) = (uint32_t)h->nmaps + 1;
	*js_heap_map(h, h->nmaps) = now;
	return js_heap_map(h, h->nmaps++);
}

const struct js_page *js_heap_page(const struct js_heap *h, uint64_t addr)
{
	return js_page_of(h, addr);
}

/* -- extents -- */

static uint64_t word_of(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Up to the next word that is a pointer to a map: there the next object begins. */
static uint64_t until_next(struct js_heap *h, const uint8_t *bytes, uint64_t have)
{
	uint64_t n = JS_WORD;

	for (have = have < JS_MAX_UNKNOWN ? have : JS_MAX_UNKNOWN; n + JS_WORD <= have; n += JS_WORD) {
		const uint64_t w = word_of(bytes + n);
		const struct js_map_info *m = v8_is_object(w) && js_page_of(h, w) ? js_map_info(h, w) : NULL;

		if (m && m->is_map)
			break;
	}
	return n;
}

/* The length of an array, which is a small integer. */
static int length_of(const struct js *js, const uint8_t *bytes, uint64_t *ret)
{
	const uint64_t n = word_of(bytes + js->l.array_length);

	if (!v8_is_smi(n) || v8_smi(n) < 0)
		return -EBADMSG;
	*ret = (uint64_t)v8_smi(n);
	return 0;
}

/* The size of an object that holds its own length, at a place that depends on its kind. bytes: the first HEAD bytes of
 * the object. */
static int told_size(const struct js *js, const struct js_map_info *m, const uint8_t *bytes, uint64_t *ret)
{
	const uint64_t head = (uint64_t)js->l.array_data;
	uint64_t n = 0;
	uint32_t w = 0;
	int r = 0;

	switch ((enum extent_kind)m->kind) {
	case EXT_WORDS:
		r = length_of(js, bytes, &n);
		n = head + n * JS_WORD;
		break;
	case EXT_PROPERTIES:
		r = length_of(js, bytes, &n);
		n = head + (n & PROPERTIES_MASK) * JS_WORD;
		break;
	case EXT_DESCRIPTORS:
		memcpy(&w, bytes + JS_WORD, sizeof(uint16_t));
		n = (uint64_t)(js->o.desc_header + (int64_t)w * js->o.desc_size * JS_WORD);
		break;
	case EXT_DOUBLES:
	case EXT_BYTES:
		r = length_of(js, bytes, &n);
		n = ROUND_UP(head + n * (m->kind == EXT_DOUBLES ? JS_WORD : 1), JS_WORD);
		break;
	case EXT_BIGINT:
		memcpy(&w, bytes + js->o.bigint_bits, sizeof(w));
		n = (uint64_t)js->o.bigint_digits + (uint64_t)(w >> 1 & 0x3fffffff) * JS_WORD;
		break;
	case EXT_STRING:
		memcpy(&w, bytes + js->l.string_length, sizeof(w));
		n = ROUND_UP((uint64_t)js->l.string_chars + (uint64_t)w * (m->type & 8 ? 1 : 2), JS_WORD);
		break;
	default: r = -EBADMSG;
	}
	*ret = n;
	return r;
}

int js_extent_of(struct js_heap *h, uint64_t object, const struct js_map_info *m, const uint8_t *bytes, uint64_t have,
		 uint64_t room, struct js_extent *ret)
{
	uint8_t head[HEAD] = { 0 };
	uint64_t n = (uint64_t)m->words * JS_WORD;
	const bool plain = m->kind == EXT_DOUBLES || m->kind == EXT_BYTES || m->kind == EXT_STRING ||
			   m->kind == EXT_BIGINT;
	int r = 0;

	(void)object;
	if (m->kind == EXT_UNKNOWN) {
		n = until_next(h, bytes, have < room ? have : room);
	} else if (m->kind != EXT_FIXED) {
		memcpy(head, bytes, have < HEAD ? (size_t)have : HEAD);
		r = told_size(h->js, m, head, &n);
	}
	if (r == 0 && (n < JS_WORD || n > room))
		r = -EBADMSG;
	if (r == 0)
		*ret = (struct js_extent){ n, plain ? n : JS_WORD, n };
	return r;
}

int js_heap_extent(struct js_heap *h, uint64_t object, struct js_extent *ret)
{
	const struct js_page *p = js_page_of(h, object - V8_TAG);
	const uint64_t room = p ? p->end - (object - V8_TAG) : 0;
	const struct js_map_info *m;
	_cleanup_free_ uint8_t *all = NULL;
	uint8_t head[HEAD] = { 0 };
	uint64_t have = room < HEAD ? room : HEAD;
	int r = p ? core_read(h->js->core, object - V8_TAG, head, (size_t)have) : -EFAULT;

	m = r == 0 && v8_is_object(word_of(head)) ? js_map_info(h, word_of(head)) : NULL;
	if (r < 0)
		return r;
	if (!m || !m->is_map)
		return -EBADMSG;
	if (m->kind == EXT_UNKNOWN) {
		have = room < JS_MAX_UNKNOWN ? room : JS_MAX_UNKNOWN;
		all = malloc((size_t)have);
		if (!all)
			return -ENOMEM;
		js_fill(h, object - V8_TAG, object - V8_TAG + have, all);
	}
	return js_extent_of(h, object, m, all ? all : head, have, room, ret);
}

/* -- all -- */

static int make_table(struct js_heap *h)
{
	size_t units = 0;

	for (size_t i = 0; i < h->pages.n; i++)
		units += (size_t)(((h->pages.v[i].limit - 1) >> JS_UNIT_SHIFT) - (h->pages.v[i].base >> JS_UNIT_SHIFT) +
				  1);
	for (h->ntable = 64; h->ntable < 4 * units;)
		h->ntable *= 2;
	h->table = calloc(h->ntable, sizeof(*h->table));
	if (!h->table)
		return -ENOMEM;
	for (size_t i = 0; i < h->pages.n; i++) {
		const struct js_page *p = &h->pages.v[i];

		for (uint64_t u = p->base >> JS_UNIT_SHIFT; u <= (p->limit - 1) >> JS_UNIT_SHIFT; u++) {
			size_t k = (size_t)(u * 0x9e3779b97f4a7c15u >> 32) & (h->ntable - 1);

			while (h->table[k])
				k = (k + 1) & (h->ntable - 1);
			h->table[k] = (uint32_t)i + 1;
		}
	}
	return 0;
}

static int begin(struct js_heap *h, struct err *err)
{
	js_pages found = { 0 };
	int r = js_pages_find(h->js, &found);

	h->pages.v = found.v;
	h->pages.n = found.n;
	h->pages.cap = found.cap;
	if (r == 0 && !found.n)
		return err_set(
			err, -ENOENT,
			"no page of V8's heap is in memory: the core is cut, or V8 %u.%u.%u.%u keeps it in another way",
			h->js->version >> 8, h->js->version & 255, h->js->build, h->js->patch);
	if (r == 0)
		r = make_table(h);
	for (size_t i = 0; i < found.n && r == 0; i++) {
		struct js_page *p = &h->pages.v[i];

		p->marks = calloc(js_page_bits(p), sizeof(*p->marks));
		p->rooted = calloc(js_page_bits(p), sizeof(*p->rooted));
		r = p->marks && p->rooted ? 0 : -ENOMEM;
	}
	return r;
}

/* -- self-check -- */

#define CHECKED 1000u /* functions that are looked at */

struct checking {
	const struct js *js;
	size_t undefined, functions, good;
};

/* From a function to its source: what a frame's text needs. */
static bool is_good(const struct js *js, uint64_t function)
{
	uint64_t shared, script, source, w;
	int type;

	if (js_word(js, function, js->l.function_shared, &shared) < 0 || js_type(js, shared) != js->l.type_shared ||
	    js_word(js, function, js->o.function_context, &w) < 0 || !v8_is_object(w) ||
	    js_word(js, shared, js->l.shared_script, &script) < 0 || !v8_is_object(script))
		return false;
	type = js_type(js, script);
	if (type != js->l.type_script)
		return type == js->l.type_oddball; /* of V8 itself */
	return js_word(js, script, js->l.script_source, &source) == 0 && v8_is_object(source) &&
	       (js_is_string(js, js_type(js, source)) || js_type(js, source) == js->l.type_oddball);
}

static int check_object(void *ctx, const struct js_object *o)
{
	struct checking *k = ctx;
	uint8_t kind;

	if (o->type == k->js->l.type_oddball)
		k->undefined += v8_bytes(&k->js->v, o->object, k->js->l.oddball_kind + 4, &kind, 1) == 0 &&
				kind == (uint8_t)k->js->l.undefined;
	if (!js_is_function(k->js, o->type) || k->functions == CHECKED)
		return 0;
	k->functions++;
	k->good += is_good(k->js, o->object);
	return 0;
}

/* Known objects are where they should be: `undefined`, and functions that lead to their source. A damaged heap may have
 * some that do not. */
static int self_check(struct js_heap *h, struct err *err)
{
	struct checking k = { .js = h->js };
	int r = js_heap_each(h, check_object, &k);

	if (r < 0 || h->js->core->force || h->js->core->src.mem || (k.undefined && 2 * k.good >= k.functions))
		return r;
	return err_set(
		err, -EBADMSG,
		"the objects are not as V8 %u.%u has them (%s): the heap is damaged, or of another build (--force "
		"goes on)",
		h->js->version >> 8, h->js->version & 255,
		k.undefined ? "functions lead to no source" : "there is no `undefined`");
}

/* Finds the live objects, and the references to them. */
static int search(struct js_heap *h, struct err *err)
{
	int r = js_free_find(h->js->core, &h->stale);

	if (r == 0)
		r = js_mark(h);
	if (r == 0 && !h->objects)
		return err_set(err, -ENOENT,
			       "V8's pages have no object that fits V8 %u.%u: the core is cut, or damaged",
			       h->js->version >> 8, h->js->version & 255);
	if (r == 0)
		r = self_check(h, err);
	return r == 0 ? js_near_make(h) : r;
}

int js_heap_begin(const struct js *js, struct js_heap **ret, struct err *err)
{
	struct js_heap *h = calloc(1, sizeof(*h));
	int r = h ? 0 : -ENOMEM;

	if (h) {
		h->js = js;
		r = begin(h, err);
	}
	if (r < 0)
		js_heap_close(h);
	else
		*ret = h;
	return r;
}

int js_heap_open_by(const struct js *js, struct js_index *index, struct js_heap **ret, struct err *err)
{
	struct js_heap *h = NULL;
	int r = js_heap_begin(js, &h, err);

	if (r == 0)
		r = js_index_take(index, h);
	if (r == -ENOENT && h) {
		r = search(h, err);
		if (r == 0)
			js_index_put(index, h);
	}
	if (r == -ENOMEM)
		err_set(err, r, "out of memory");
	if (r < 0)
		js_heap_close(h);
	else
		*ret = h;
	return r;
}

int js_heap_open(const struct js *js, struct js_heap **ret, struct err *err)
{
	return js_heap_open_by(js, NULL, ret, err);
}

void js_heap_close(struct js_heap *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->pages.n; i++) {
		free(h->pages.v[i].marks);
		free(h->pages.v[i].rooted);
	}
	js_near_free(h->near);
	js_free_done(&h->stale);
	vec_free(&h->pages);
	free(h->table);
	js_heap_forget_maps(h);
	free(h);
}

static bool has_bit(const struct js_heap *h, uint64_t object, bool rooted)
{
	const struct js_page *p = v8_is_object(object) ? js_page_of(h, object - V8_TAG) : NULL;
	const uint64_t at = p ? object - V8_TAG - p->start : 1;

	return at % JS_WORD == 0 && js_bit(rooted ? p->rooted : p->marks, at / JS_WORD);
}

bool js_heap_alive(const struct js_heap *h, uint64_t object)
{
	return has_bit(h, object, false);
}

bool js_heap_rooted(const struct js_heap *h, uint64_t object)
{
	return has_bit(h, object, true);
}
