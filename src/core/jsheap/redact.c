/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what a core without texts keeps of a process with V8, and blanks the rest.
 *
 * In V8's pages, an object that is alive stays but for its text. Characters of strings become x, apart from ends of
 * lines. Bytes of typed arrays become 0. Strings that are names stay: of properties, variables, functions, scripts,
 * symbols, and all of V8's read-only pages. Everywhere else (dead objects, memory of malloc(), stacks, variables,
 * registers) a word stays if it is an address of mapped memory or a small number. Otherwise it becomes 0. Heads of V8's
 * pages and of malloc()'s chunks stay, by which the commands find their way. */
#include "core/jsheap/redact.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/jsheap/int.h"
#include "core/range.h"

#define PAGE 4096u
#define SMALL_NUMBER (UINT64_C(1) << 20) /* has room for two characters */
#define ENTRY_SHIFT 16			 /* of addresses in V8 13.6's table of code. Source: JSDispatchEntry */
#define HEAD_WORDS 10u			 /* of a page */
#define UNKNOWN_WORDS 8u		 /* kept of an object of unknown layout: lengths and flags */
#define MAX_MADE_OF 64u			 /* strings that a name is made of */
#define KIND_MASK 7			 /* of strings' types. Source: include/v8-internal.h of V8 */
#define ONE_BYTE 8

/* How a word is treated. */
enum fate {
	BY_VALUE, /* it stays if it is an address or a small number */
	KEEP,
	UPPER,	/* its upper half stays: of a hash and a length, the length */
	CHARS1, /* characters of one byte become x */
	CHARS2,
	ZERO,
	ONE_X, /* becomes the string "x": of a string of one character, which lies with V8's own */
	NAME,  /* of the first word of a string: it is a name */
};
enum { STRING_SEQ, STRING_CONS, STRING_EXTERNAL, STRING_SLICED, STRING_THIN = 5 };

struct outside {
	uint64_t start, end; /* first, as range_at() wants it */
	uint8_t fate;
};

struct redact {
	struct save_filter filter; /* first */
	struct core *core;
	struct js *js;
	struct js_heap *h;
	uint8_t **fates; /* of the words of each page */
	VEC(struct outside) outside;
	uint64_t one_x; /* tagged; 0: not seen */
	int r;		/* of the first thing that failed */
};

/* -- marking -- */

static void set_outside(struct redact *x, uint64_t from, uint64_t to, enum fate f)
{
	if (x->r == 0 && from < to)
		x->r = vec_try_push(&x->outside, ((struct outside){ from, to, (uint8_t)f }));
}

static uint8_t *fate_at(struct redact *x, uint64_t addr)
{
	const struct js_page *p = range_at(x->h->pages.v, x->h->pages.n, sizeof(*x->h->pages.v), addr);

	return p ? &x->fates[p - x->h->pages.v][(addr - p->base) / JS_WORD] : NULL;
}

/* Bytes of one page, or of none. */
static void set(struct redact *x, uint64_t from, uint64_t n, enum fate f)
{
	const struct js_page *p = range_at(x->h->pages.v, x->h->pages.n, sizeof(*x->h->pages.v), from);

	if (!p)
		set_outside(x, from & ~(uint64_t)7, (from + n + 7) & ~(uint64_t)7, f);
	else if (from + n <= p->limit && n)
		memset(&x->fates[p - x->h->pages.v][(from - p->base) / JS_WORD], f, (size_t)((n + 7) / JS_WORD));
}

static bool read_only(const struct js_page *p)
{
	return p && !p->heap;
}

static void name_it(struct redact *x, uint64_t string, unsigned *left);

/* The strings that a name is made of are names, too. */
static void name_parts(struct redact *x, uint64_t string, int type, unsigned *left)
{
	const struct js *js = x->js;
	int64_t places[2] = { 0, 0 };
	uint64_t part;

	switch (type & KIND_MASK) {
	case STRING_CONS:
		places[0] = js->l.string_first;
		places[1] = js->l.string_second;
		break;
	case STRING_SLICED: places[0] = js->o.sliced_parent; break;
	case STRING_THIN: places[0] = js->l.string_actual; break;
	default: return;
	}
	for (size_t i = 0; i < 2 && places[i]; i++)
		if (js_word(js, string, places[i], &part) == 0)
			name_it(x, part, left);
}

static void name_it(struct redact *x, uint64_t string, unsigned *left)
{
	uint8_t *f = v8_is_object(string) ? fate_at(x, string - V8_TAG) : NULL;
	const int type = f && *f != NAME && *left ? js_type(x->js, string) : -1;

	if (!js_is_string(x->js, type))
		return;
	*f = NAME;
	--*left;
	name_parts(x, string, type, left);
}

static void name_word(struct redact *x, uint64_t object, int64_t at)
{
	unsigned left = MAX_MADE_OF;
	uint64_t w;

	if (js_word(x->js, object, at, &w) == 0)
		name_it(x, w, &left);
}

/* Names of properties: every `step` words from `first` on. */
static void name_each(struct redact *x, uint64_t object, uint64_t first, uint64_t step, uint64_t end)
{
	for (uint64_t at = first; at + JS_WORD <= end && step; at += step)
		name_word(x, object, (int64_t)at);
}

/* The dictionary that a receiver has its properties in. */
static void name_dictionary(struct redact *x, const struct js_object *o)
{
	const struct js *js = x->js;
	const uint64_t entry = (uint64_t)js->o.dict_entry * JS_WORD;
	const uint64_t first = (uint64_t)js->l.array_data + (uint64_t)(js->o.dict_first + js->o.dict_prefix) * JS_WORD;
	struct js_extent e;
	uint64_t store;
	uint32_t bits;

	if (v8_bytes(&js->v, o->m->map, js->o.map_bits3, &bits, sizeof(bits)) == 0 &&
	    bits >> js->o.dictionary_shift & 1 && js_word(js, o->object, js->o.object_properties, &store) == 0 &&
	    v8_is_object(store) && js_heap_extent(x->h, store, &e) == 0)
		name_each(x, store, first, entry, e.size);
}

/* A table that V8 wrote for itself: positions in code. */
static void keep_table(struct redact *x, uint64_t object, int64_t at)
{
	const struct js *js = x->js;
	uint64_t table, n;

	if (js_word(js, object, at, &table) == 0 && v8_is_object(table) && !js_is_string(js, js_type(js, table)) &&
	    js_word(js, table, js->l.array_length, &n) == 0 && v8_is_smi(n) && v8_smi(n) > 0 &&
	    (uint32_t)v8_smi(n) <= V8_MAX_POSITIONS)
		set(x, table - V8_TAG, (uint64_t)js->l.array_data + (uint64_t)v8_smi(n), KEEP);
}

static void keep_code(struct redact *x, uint64_t code)
{
	const struct js *js = x->js;
	uint64_t deopt;

	keep_table(x, code, js->l.code_positions);
	if (js_word(js, code, js->l.code_deopt, &deopt) == 0 && v8_is_object(deopt))
		keep_table(x, deopt, js->l.array_data + (int64_t)js->l.deopt_inlining * JS_WORD);
}

/* -- objects -- */

static int see_names(void *ctx, const struct js_object *o)
{
	struct redact *x = ctx;
	const struct v8_layout *l = &x->js->l;
	const struct v8_objects *k = &x->js->o;

	if (o->type == k->type_descriptors || o->type == k->type_descriptors + 1)
		name_each(x, o->object, (uint64_t)k->desc_header, (uint64_t)k->desc_size * JS_WORD, o->size);
	else if (o->type == l->type_scope)
		name_each(x, o->object, JS_WORD, JS_WORD, o->size);
	else if (o->type == l->type_shared)
		name_word(x, o->object, l->shared_name);
	else if (o->type == l->type_script)
		name_word(x, o->object, l->script_name);
	else if (o->type == k->type_symbol)
		name_word(x, o->object, k->symbol_name);
	else if (o->type == k->type_cell)
		name_word(x, o->object, k->cell_name);
	else if (o->type == l->type_bytecode)
		keep_table(x, o->object, l->bytecode_positions);
	else if (o->type == l->type_code)
		keep_code(x, o->object);
	else if (js_is_receiver(x->js, o->type))
		name_dictionary(x, o);
	return x->r;
}

/* V8 has all strings of one character of one byte itself, so that they tell which character it is. Within a string that
 * is put together, they are all "x". */
static void see_parts(struct redact *x, uint64_t string)
{
	const struct js *js = x->js;
	const int64_t places[2] = { js->l.string_first, js->l.string_second };
	uint64_t part;
	uint32_t n;

	for (size_t i = 0; i < 2; i++)
		if (js_word(js, string, places[i], &part) == 0 && v8_is_object(part) &&
		    v8_bytes(&js->v, part, js->l.string_length, &n, sizeof(n)) == 0 && n == 1 &&
		    read_only(js_heap_page(x->h, part - V8_TAG)))
			set(x, string - V8_TAG + (uint64_t)places[i], JS_WORD, ONE_X);
}

static void see_string(struct redact *x, const struct js_object *o, bool name)
{
	const struct v8_layout *l = &x->js->l;
	const bool one = o->type & ONE_BYTE;
	const uint64_t at = o->object - V8_TAG, chars = (uint64_t)l->string_chars;
	const int kind = o->type & KIND_MASK;
	const struct core_seg *s;
	uint64_t data;
	uint32_t n = 0;

	set(x, at, o->size, KEEP);
	(void)v8_bytes(&x->js->v, o->object, l->string_length, &n, sizeof(n));
	if (n == 1 && one && kind == STRING_SEQ && read_only(o->page) && o->bytes[chars] == 'x')
		x->one_x = o->object;
	if (name || read_only(o->page))
		return;
	set(x, at + JS_WORD, JS_WORD, UPPER);
	if (kind == STRING_SEQ && o->size > chars) {
		set(x, at + chars, o->size - chars, one ? CHARS1 : CHARS2);
	} else if (kind == STRING_CONS) {
		see_parts(x, o->object);
	} else if (kind == STRING_EXTERNAL && js_word(x->js, o->object, l->string_data, &data) == 0) {
		s = core_seg_at(x->core, data);
		if (s && s->flags & PF_W)
			set(x, data, one ? n : 2 * (uint64_t)n, one ? CHARS1 : CHARS2);
	}
}

/* The memory of an ArrayBuffer. */
static void see_buffer(struct redact *x, uint64_t object)
{
	uint64_t store, n;

	if (js_word(x->js, object, x->js->o.buffer_store, &store) == 0 &&
	    js_word(x->js, object, x->js->o.buffer_length, &n) == 0 && n <= UINT64_MAX - store && store &&
	    core_seg_at(x->core, store))
		set(x, store, n, ZERO);
}

static int see_object(void *ctx, const struct js_object *o)
{
	struct redact *x = ctx;
	const struct v8_layout *l = &x->js->l;
	const uint64_t at = o->object - V8_TAG, data = (uint64_t)l->array_data;
	uint8_t *f = fate_at(x, at);
	uint64_t n;

	if (!f)
		return x->r;
	if (js_is_string(x->js, o->type)) {
		see_string(x, o, *f == NAME);
	} else if (o->type == x->js->o.type_bytes) {
		if (*f == KEEP)
			return x->r;
		set(x, at, data, KEEP);
		if (o->size > data)
			set(x, at + data, o->size - data, ZERO);
	} else if (js_extent_told(o->m)) {
		set(x, at, o->size, KEEP);
		if (o->type == x->js->o.type_buffer)
			see_buffer(x, o->object);
	} else if (*f != KEEP) {
		set(x, at, o->size < UNKNOWN_WORDS * JS_WORD ? o->size : UNKNOWN_WORDS * JS_WORD, KEEP);
		if (o->type == l->type_bytecode && js_word(x->js, o->object, l->array_length, &n) == 0 &&
		    v8_is_smi(n) && v8_smi(n) > 0 && (uint64_t)l->bytecode_data + (uint64_t)v8_smi(n) <= o->size)
			set(x, at, (uint64_t)l->bytecode_data + (uint64_t)v8_smi(n), KEEP);
	}
	return x->r;
}

/* -- what is around them -- */

/* Pages of code stay; the tables that code of V8 10.2 leads to do, too. */
static void see_code_page(struct redact *x, const struct js_page *p)
{
	set(x, p->base, p->limit - p->base, KEEP);
	for (uint64_t at = p->start; at + JS_WORD <= p->end && x->js->version < V8_VERSION(11, 0); at += JS_WORD)
		if (js_type(x->js, at + V8_TAG) == x->js->l.type_code)
			keep_code(x, at + V8_TAG);
}

static void see_head(struct redact *x, const struct js_page *p)
{
	uint64_t w[2];

	set(x, p->base, HEAD_WORDS * JS_WORD, KEEP);
	if (x->js->version >= V8_VERSION(13, 0) && core_read(x->core, p->base, w, sizeof(w)) == 0 && w[1] % 8 == 0)
		set(x, w[1], HEAD_WORDS * JS_WORD, KEEP);
}

static int by_start(const void *a, const void *b)
{
	const struct outside *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

/* Sorts what is outside, and makes it one thing after the other. */
static void sort_outside(struct redact *x)
{
	uint64_t end = 0;
	size_t n = 0;

	if (x->outside.n)
		qsort(x->outside.v, x->outside.n, sizeof(*x->outside.v), by_start);
	for (size_t i = 0; i < x->outside.n; i++) {
		struct outside o = x->outside.v[i];

		if (o.start < end)
			o.start = end;
		if (o.start >= o.end)
			continue;
		end = o.end;
		x->outside.v[n++] = o;
	}
	x->outside.n = n;
}

/* Addresses and small numbers. */
static bool stays(const struct core *c, uint64_t w)
{
	if (w < SMALL_NUMBER || (!(uint32_t)w && w >> 32 < SMALL_NUMBER))
		return true;
	return core_seg_at(c, w) || core_seg_at(c, w >> ENTRY_SHIFT);
}

static void see_threads(struct redact *x)
{
	struct core *c = x->core;

	for (size_t i = 0; i < c->threads.n; i++)
		for (size_t k = 0; k < CORE_NREGS; k++)
			if (!stays(c, c->threads.v[i].regs[k]))
				c->threads.v[i].regs[k] = 0;
	c->cmdline[strcspn(c->cmdline, " ")] = '\0';
}

static int see_all(struct redact *x)
{
	js_free_pieces heads = { 0 };

	x->fates = calloc(x->h->pages.n, sizeof(*x->fates));
	if (!x->fates)
		return -ENOMEM;
	for (size_t i = 0; i < x->h->pages.n; i++) {
		const struct js_page *p = &x->h->pages.v[i];

		x->fates[i] = calloc((size_t)((p->limit - p->base) / JS_WORD), 1);
		if (!x->fates[i])
			return -ENOMEM;
	}
	x->r = js_heap_each(x->h, see_names, x);
	for (size_t i = 0; i < x->h->pages.n && x->r == 0; i++)
		if (x->h->pages.v[i].code)
			see_code_page(x, &x->h->pages.v[i]);
		else
			see_head(x, &x->h->pages.v[i]);
	if (x->r == 0)
		x->r = js_heap_each(x->h, see_object, x);
	if (x->r == 0)
		x->r = js_free_heads(x->core, &heads);
	for (size_t i = 0; i < heads.n; i++)
		set_outside(x, heads.v[i].start, heads.v[i].end, KEEP);
	vec_free(&heads);
	sort_outside(x);
	see_threads(x);
	return x->r;
}

static int plan(struct save_filter *f, struct core *c, struct err *err)
{
	struct redact *x = (struct redact *)f;
	int r = js_open(c, &x->js, err);

	x->core = c;
	if (r == 0)
		r = js_heap_open(x->js, &x->h, err);
	if (r == 0) {
		r = see_all(x);
		if (r < 0)
			err_set(err, r, "%s", strerror(-r));
	}
	return r;
}

/* -- blanking -- */

/* Ends of lines stay, by which lines are counted. Source: IsLineTerminatorSequence(), src/strings/char-predicates.h */
static uint64_t blank_chars(uint64_t w, unsigned size)
{
	const uint64_t mask = size == 1 ? 0xff : 0xffff;
	uint64_t ret = 0;

	for (unsigned i = 0; i < 64; i += 8 * size) {
		const uint64_t c = w >> i & mask;
		const bool ends = c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029;

		ret |= (ends ? c : (uint64_t)'x') << i;
	}
	return ret;
}

static uint64_t blank_word(const struct redact *x, uint64_t w, enum fate f)
{
	switch (f) {
	case ONE_X: return x->one_x;
	case KEEP: return w;
	case UPPER: return w >> 32 << 32;
	case CHARS1: return blank_chars(w, 1);
	case CHARS2: return blank_chars(w, 2);
	case ZERO: return 0;
	default: return stays(x->core, w) ? w : 0;
	}
}

/* Whether all of 4 KiB stays: code, and the head of a file with its build id. */
static bool whole(const struct core *c, uint64_t addr, const uint8_t *bytes)
{
	const struct core_seg *s = core_seg_at(c, addr);
	const struct core_map *m = core_map_at(c, addr);

	return s && !(s->flags & PF_W) &&
	       (s->flags & PF_X || (m && !m->off && addr == m->start && !memcmp(bytes, ELFMAG, SELFMAG)));
}

/* The words of at most 4 KiB in one page or in none. */
static void blank(struct redact *x, uint64_t addr, uint8_t *buf, size_t n, size_t *next)
{
	const uint8_t *fates = fate_at(x, addr);

	if (!fates && whole(x->core, addr, buf))
		return;
	for (size_t i = 0; i + JS_WORD <= n; i += JS_WORD) {
		enum fate f = fates ? (enum fate)fates[i / JS_WORD] : BY_VALUE;
		uint64_t w;

		while (!fates && *next < x->outside.n && x->outside.v[*next].end <= addr + i)
			++*next;
		if (!fates && *next < x->outside.n && x->outside.v[*next].start <= addr + i)
			f = (enum fate)x->outside.v[*next].fate;
		memcpy(&w, buf + i, sizeof(w));
		/* In V8's own memory a number may be larger: it is in the upper half of its word. */
		if (f != BY_VALUE || !fates || (uint32_t)w)
			w = blank_word(x, w, f);
		memcpy(buf + i, &w, sizeof(w));
	}
}

static void apply(struct save_filter *f, uint64_t addr, uint8_t *buf, size_t n)
{
	struct redact *x = (struct redact *)f;
	size_t next = 0, hi = x->outside.n;

	while (next < hi) { /* the first one that ends above addr */
		const size_t mid = next + (hi - next) / 2;

		if (x->outside.v[mid].end <= addr)
			next = mid + 1;
		else
			hi = mid;
	}
	for (size_t at = 0; at < n; at += PAGE)
		blank(x, addr + at, buf + at, n - at < PAGE ? n - at : PAGE, &next);
}

struct save_filter *js_redact_new(void)
{
	struct redact *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->filter = (struct save_filter){ plan, apply };
	return &x->filter;
}

void js_redact_free(struct save_filter *f)
{
	struct redact *x = (struct redact *)f;

	if (!x)
		return;
	for (size_t i = 0; x->fates && i < x->h->pages.n; i++)
		free(x->fates[i]);
	free(x->fates);
	vec_free(&x->outside);
	js_heap_close(x->h);
	js_close(x->js);
	free(x);
}
