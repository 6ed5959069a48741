/* SPDX-License-Identifier: Apache-2.0 */
/* What is alive in V8's heap: marked from the roots, as its collector does. */
#include "core/jsheap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jspages.h"
#include "core/range.h"

#define WORD 8
#define CHUNK 65536u	       /* bytes that are read at once */
#define MAX_UNKNOWN (1u << 20) /* bytes of an object whose size is not known: it ends at the next one */
#define PROPERTIES_MASK 1023   /* length of an array of properties, beside a hash. Source: PropertyArray::LengthField */

/* How the bytes of an object are found. */
enum extent_kind {
	EXT_FIXED,
	EXT_WORDS,
	EXT_BYTES,
	EXT_DOUBLES,
	EXT_STRING,
	EXT_PROPERTIES,
	EXT_DESCRIPTORS,
	EXT_UNKNOWN
};

struct js_map_info {
	uint64_t map; /* tagged; 0: free */
	bool is_map;
	int type;
	uint8_t kind;  /* enum extent_kind */
	uint8_t words; /* of EXT_FIXED */
	uint32_t group;
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

static struct js_map_info *slot_of(const struct js_heap *h, uint64_t map)
{
	size_t i = (size_t)((map >> 3) * 0x9e3779b97f4a7c15u >> 40) % (2 * JSHEAP_MAX_MAPS);

	while (h->maps[i].map && h->maps[i].map != map)
		i = (i + 1) % (2 * JSHEAP_MAX_MAPS);
	return &h->maps[i];
}

/* What is known of the first word of an object, or NULL. */
static struct js_map_info *map_info(struct js_heap *h, uint64_t map)
{
	struct js_map_info *m = slot_of(h, map), now = { .map = map };
	uint16_t type = 0;

	if (m->map)
		return m;
	if (h->nmaps == JSHEAP_MAX_MAPS) {
		h->maps_left_out++;
		return NULL;
	}
	now.is_map = js_is_map(h->js, map) && v8_bytes(&h->js->v, map, h->js->l.map_type, &type, sizeof(type)) == 0 &&
		     v8_bytes(&h->js->v, map, h->js->o.map_words, &now.words, 1) == 0;
	now.type = type;
	now.kind = now.words ? EXT_FIXED : (uint8_t)kind_of(h->js, type);
	h->nmaps++;
	*m = now;
	return m;
}

/* -- pages -- */

/* The page whose memory an address is in. */
static struct js_page *page_around(const struct js_heap *h, uint64_t addr)
{
	return range_at(h->pages.v, h->pages.n, sizeof(*h->pages.v), addr);
}

/* The same, for objects. */
static struct js_page *page_at(const struct js_heap *h, uint64_t addr)
{
	struct js_page *p = page_around(h, addr);

	return p && addr >= p->start && addr < p->end ? p : NULL;
}

const struct js_page *js_heap_page(const struct js_heap *h, uint64_t addr)
{
	return page_at(h, addr);
}

/* -- extents -- */

/* Up to the next word that is a pointer to a map: there the next object begins. */
static uint64_t until_next(struct js_heap *h, uint64_t object, uint64_t room)
{
	uint64_t w, n = WORD;

	for (room = room < MAX_UNKNOWN ? room : MAX_UNKNOWN; n < room; n += WORD) {
		const struct js_map_info *m;

		if (js_word(h->js, object, (int64_t)n, &w) < 0)
			break;
		m = v8_is_object(w) && page_at(h, w) ? map_info(h, w) : NULL;
		if (m && m->is_map)
			break;
	}
	return n;
}

/* The length of an array, which is a small integer. */
static int length_of(const struct js *js, uint64_t object, uint64_t *ret)
{
	uint64_t n;
	int r = js_word(js, object, js->l.array_length, &n);

	if (r == 0 && (!v8_is_smi(n) || v8_smi(n) < 0))
		r = -EBADMSG;
	if (r == 0)
		*ret = (uint64_t)v8_smi(n);
	return r;
}

static int extent_of(struct js_heap *h, uint64_t object, const struct js_map_info *m, uint64_t room,
		     struct js_extent *ret)
{
	const uint64_t head = (uint64_t)h->js->l.array_data;
	uint64_t n = 0;
	uint32_t chars = 0;
	uint16_t descriptors;
	bool pointers = true;
	int r = 0;

	switch ((enum extent_kind)m->kind) {
	case EXT_FIXED: n = (uint64_t)m->words * WORD; break;
	case EXT_WORDS:
		r = length_of(h->js, object, &n);
		n = head + n * WORD;
		break;
	case EXT_PROPERTIES:
		r = length_of(h->js, object, &n);
		n = head + (n & PROPERTIES_MASK) * WORD;
		break;
	case EXT_DESCRIPTORS:
		r = v8_bytes(&h->js->v, object, WORD, &descriptors, sizeof(descriptors));
		n = r == 0 ? (uint64_t)(h->js->o.desc_header + (int64_t)descriptors * h->js->o.desc_size * WORD) : 0;
		break;
	case EXT_DOUBLES:
	case EXT_BYTES:
		r = length_of(h->js, object, &n);
		n = ROUND_UP(head + n * (m->kind == EXT_DOUBLES ? WORD : 1), WORD);
		pointers = false;
		break;
	case EXT_STRING:
		r = v8_bytes(&h->js->v, object, h->js->l.string_length, &chars, sizeof(chars));
		n = ROUND_UP((uint64_t)h->js->l.string_chars + (uint64_t)chars * (m->type & 8 ? 1 : 2), WORD);
		pointers = false;
		break;
	case EXT_UNKNOWN: n = until_next(h, object, room); break;
	}
	if (r == 0 && (n < WORD || n > room))
		r = -EBADMSG;
	if (r == 0)
		*ret = (struct js_extent){ n, pointers ? WORD : n, n };
	return r;
}

int js_heap_extent(struct js_heap *h, uint64_t object, struct js_extent *ret)
{
	const struct js_page *p = page_at(h, object);
	const struct js_map_info *m;
	uint64_t map;
	int r = p ? js_word(h->js, object, 0, &map) : -EFAULT;

	if (r < 0)
		return r;
	m = map_info(h, map);
	return m && m->is_map ? extent_of(h, object, m, p->end - (object - V8_TAG), ret) : -EBADMSG;
}

/* -- marking -- */

typedef VEC(uint64_t) objects;

/* A word that may lead to an object: marks it, once. */
static int mark(struct js_heap *h, uint64_t w, objects *todo)
{
	struct js_page *p;
	uint64_t map, i;

	if (!v8_is_object(w) || (w - V8_TAG) % WORD)
		return 0;
	p = page_at(h, w - V8_TAG);
	if (!p || p->code)
		return 0;
	i = (w - V8_TAG - p->start) / WORD;
	if (p->marks[i / 8] >> (i % 8) & 1)
		return 0;
	if (js_word(h->js, w, 0, &map) < 0 || !v8_is_object(map) || !page_at(h, map))
		return 0;
	const struct js_map_info *m = map_info(h, map);

	if (!m || !m->is_map)
		return 0;
	p->marks[i / 8] |= (uint8_t)(1u << (i % 8));
	h->objects++;
	return vec_try_push(todo, w);
}

/* All words of [from, to). What cannot be read is passed over. */
static int mark_words(struct js_heap *h, uint64_t from, uint64_t to, objects *todo)
{
	uint64_t words[512];
	int r = 0;

	while (from < to && r == 0) {
		const size_t n = to - from < sizeof(words) ? (size_t)(to - from) : sizeof(words);

		if (core_read(h->js->core, from, words, n) == 0)
			for (size_t i = 0; i < n / WORD && r == 0; i++)
				r = mark(h, words[i], todo);
		from += n;
	}
	return r;
}

static int mark_object(struct js_heap *h, uint64_t object, objects *todo)
{
	struct js_extent e;
	uint64_t map;
	int r = js_heap_extent(h, object, &e);

	if (r < 0)
		return r == -ENOMEM ? r : 0; /* damaged: nothing is found through it */
	h->bytes += e.size;
	if (js_word(h->js, object, 0, &map) == 0)
		r = mark(h, map, todo);
	return r < 0 ? r : mark_words(h, object - V8_TAG + e.first, object - V8_TAG + e.end, todo);
}

static int mark_all(struct js_heap *h, objects *todo)
{
	int r = 0;

	while (todo->n && r == 0)
		r = mark_object(h, todo->v[--todo->n], todo);
	return r;
}

/* Memory that can be written and is none of V8's pages, block by block. */
typedef int block_fn(void *ctx, uint64_t addr, const uint64_t *words, size_t n);

static int each_block(struct js_heap *h, block_fn *fn, void *ctx)
{
	const struct core *c = h->js->core;
	_cleanup_free_ uint64_t *words = malloc(CHUNK);
	int r = 0;

	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < c->segs.n && r == 0; i++) {
		const struct core_seg *s = &c->segs.v[i];
		const uint64_t end = s->start + s->bytes;

		for (uint64_t at = s->start; s->flags & PF_W && at < end && r == 0;) {
			const struct js_page *p = page_around(h, at);
			size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;

			if (p) {
				at = p->limit;
				continue;
			}
			n = n < CHUNK - at % CHUNK ? n : CHUNK - (size_t)(at % CHUNK); /* pages begin at multiples */
			if (core_read_direct(h->js->core, at, words, n) == 0)
				r = fn(ctx, at, words, n / WORD);
			at += n;
		}
	}
	return r;
}

struct marking {
	struct js_heap *h;
	objects *todo;
};

static int mark_block(void *ctx, uint64_t addr, const uint64_t *words, size_t n)
{
	struct marking *m = ctx;
	int r = 0;

	(void)addr;
	for (size_t i = 0; i < n && r == 0; i++)
		if (words[i])
			r = mark(m->h, words[i], m->todo);
	return r < 0 ? r : mark_all(m->h, m->todo);
}

static int mark_roots(struct js_heap *h)
{
	objects todo = { 0 };
	struct marking m = { h, &todo };
	int r = 0;

	for (size_t i = 0; i < h->js->core->threads.n && r == 0; i++)
		r = mark_block(&m, 0, h->js->core->threads.v[i].regs, CORE_NREGS);
	if (r == 0)
		r = each_block(h, mark_block, &m);
	vec_free(&todo);
	return r;
}

struct finding_roots {
	uint64_t object;
	js_root_fn *fn;
	void *ctx;
};

static int find_root(void *ctx, uint64_t addr, const uint64_t *words, size_t n)
{
	const struct finding_roots *f = ctx;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		if (words[i] == f->object)
			r = f->fn(f->ctx, addr + i * WORD);
	return r;
}

int js_heap_roots(struct js_heap *h, uint64_t object, js_root_fn *fn, void *ctx)
{
	struct finding_roots f = { object, fn, ctx };

	return each_block(h, find_root, &f);
}

/* -- all -- */

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
	for (size_t i = 0; i < found.n && r == 0; i++) {
		struct js_page *p = &h->pages.v[i];

		p->marks = calloc(1, (size_t)((p->end - p->start) / WORD / 8 + 1));
		r = p->marks ? 0 : -ENOMEM;
	}
	h->maps = calloc(2 * (size_t)JSHEAP_MAX_MAPS, sizeof(*h->maps));
	return h->maps ? r : -ENOMEM;
}

int js_heap_open(const struct js *js, struct js_heap **ret, struct err *err)
{
	struct js_heap *h = calloc(1, sizeof(*h));
	int r = h ? 0 : -ENOMEM;

	if (h) {
		h->js = js;
		r = begin(h, err);
	}
	if (r == 0)
		r = mark_roots(h);
	if (r == 0 && !h->objects)
		r = err_set(err, -ENOENT, "V8's pages have no object that fits V8 %u.%u: the core is cut, or damaged",
			    js->version >> 8, js->version & 255);
	if (r < 0) {
		if (r == -ENOMEM)
			err_set(err, r, "out of memory");
		js_heap_close(h);
		return r;
	}
	*ret = h;
	return 0;
}

void js_heap_close(struct js_heap *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->pages.n; i++)
		free(h->pages.v[i].marks);
	vec_free(&h->pages);
	free(h->maps);
	free(h);
}

int js_heap_each(struct js_heap *h, js_object_fn *fn, void *ctx)
{
	int r = 0;

	for (size_t i = 0; i < h->pages.n; i++) {
		const struct js_page *p = &h->pages.v[i];
		const uint64_t n = (p->end - p->start) / WORD;

		for (uint64_t k = 0; k < n && r == 0; k++) {
			const uint64_t object = p->start + k * WORD + V8_TAG;
			struct js_map_info *m;
			struct js_extent e;
			uint64_t map;

			if (!p->marks[k / 8]) {
				k |= 7;
				continue;
			}
			if (!(p->marks[k / 8] >> (k % 8) & 1) || js_word(h->js, object, 0, &map) < 0)
				continue;
			m = map_info(h, map);
			if (m && m->is_map && extent_of(h, object, m, p->end - (object - V8_TAG), &e) == 0)
				r = fn(ctx, &(struct js_object){ object, map, m->type, e.size, &m->group });
		}
	}
	return r;
}

void js_heap_ungroup(struct js_heap *h)
{
	for (size_t i = 0; i < 2 * (size_t)JSHEAP_MAX_MAPS; i++)
		h->maps[i].group = 0;
}
