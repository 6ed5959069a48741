/* SPDX-License-Identifier: Apache-2.0 */
/* Converts DWARF types to BTF. Each entry of .debug_info that is a type becomes one record. Ids are given out when
 * a type is first referred to, and records are written in that order, so nothing recurses. Source: <linux/btf.h>,
 * Documentation/bpf/btf.rst. */
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/dwarf/split.h"
#include "base/hash_try.h"

#define MAX_DIMS 7   /* of an array */
#define KEY_PROTO 15 /* instead of a dimension: the prototype of a function */
#define KEY_VAR 14   /* a variable */
#define KEY_BITS 4
#define MAX_MEMBERS BTF_MAX_VLEN
#define MAX_ORIGINS 8	 /* hops from an entry to the one that describes it */
#define BITFIELD_BITS 24 /* BTF keeps the place of a bit field in as many */
#define INDEX_TYPE 1u	 /* id of the type of array indices, the first record */

struct known {	      /* a type that has an id */
	uint64_t key; /* offset of the entry and dimension */
	uint32_t id;
	UT_hash_handle hh;
};

struct make {
	struct dw main;
	struct dw *d; /* what is being read: main, or a split part of it */
	size_t ndone; /* records of the queue that are made */
	bool missing; /* a split part is not there */
	bool all;     /* what no function refers to, too */
	struct known *known;
	VEC(struct known *) queue; /* by id - 2 */
	VEC(uint8_t) types, strs;
	VEC(struct dwarf_func) funcs;
	int error;
};

/* -- output -- */

static void put(struct make *m, const void *p, size_t n)
{
	if (m->error || vec_reserve_raw((void **)&m->types.v, &m->types.cap, m->types.n + n, 1) < 0) {
		m->error = m->error ? m->error : -ENOMEM;
		return;
	}
	memcpy(m->types.v + m->types.n, p, n);
	m->types.n += n;
}

static uint32_t put_text(struct make *m, const char *s)
{
	size_t at = m->strs.n, n = s ? strlen(s) + 1 : 0;

	if (n <= 1)
		return 0;
	if (at + n > INT32_MAX || vec_reserve_raw((void **)&m->strs.v, &m->strs.cap, at + n, 1) < 0) {
		m->error = -ENOMEM;
		return 0;
	}
	memcpy(m->strs.v + at, s, n);
	m->strs.n += n;
	return (uint32_t)at;
}

/* One record's head; size is the type for kinds that have one instead. */
static void put_type(struct make *m, const char *name, unsigned kind, unsigned vlen, bool flag, uint32_t size)
{
	struct btf_type t = { .name_off = put_text(m, name),
			      .info = (uint32_t)flag << 31 | kind << 24 | vlen,
			      .size = size };

	put(m, &t, sizeof(t));
}

/* -- ids -- */

/* The id of the type at an entry; 0, which is void, for none. */
static uint32_t id_of(struct make *m, uint64_t off, unsigned dim)
{
	uint64_t key = off << KEY_BITS | dim;
	struct known *k;

	if (!off || m->error)
		return 0;
	HASH_FIND(hh, m->known, &key, sizeof(key), k);
	if (k)
		return k->id;
	if (m->queue.n >= DWARF_MAX_TYPES) {
		m->error = -EFBIG;
		return 0;
	}
	k = calloc(1, sizeof(*k));
	if (!k || vec_try_push(&m->queue, k) < 0) {
		free(k);
		m->error = -ENOMEM;
		return 0;
	}
	k->key = key;
	k->id = (uint32_t)m->queue.n + INDEX_TYPE;
	HASH_ADD(hh, m->known, key, sizeof(k->key), k);
	if (!k->hh.tbl)
		m->error = -ENOMEM;
	return k->id;
}

/* An attribute that may stand at the entry that this one continues. */
static void complete(struct make *m, struct dw_die *e)
{
	struct dw_die o = *e;

	for (unsigned i = 0; i < MAX_ORIGINS && o.origin && (!e->type || !e->name); i++) {
		if (dw_die_at(m->d, o.origin, &o) < 0)
			return;
		e->type = e->type ? e->type : o.type;
		e->name = e->name ? e->name : o.name;
	}
}

static void fail(struct make *m, int r)
{
	if (r < 0 && !m->error)
		m->error = r;
}

/* -- types -- */

static void make_base(struct make *m, const struct dw_die *e)
{
	bool sgn = e->encoding == ENC_SIGNED || e->encoding == ENC_SIGNED_CHAR;
	uint32_t size = (uint32_t)e->size, data;

	if (e->encoding == ENC_FLOAT && (size == 4 || size == 8 || size == 16)) {
		put_type(m, e->name, BTF_KIND_FLOAT, 0, false, size);
		return;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16) {
		put_type(m, e->name, BTF_KIND_STRUCT, 0, false, size < INT32_MAX ? size : 0); /* complex and the like */
		return;
	}
	put_type(m, e->name, BTF_KIND_INT, 0, false, size);
	data = (sgn ? BTF_INT_SIGNED : 0) | (e->encoding == ENC_BOOL ? BTF_INT_BOOL : 0);
	data = data << 24 | size * 8;
	put(m, &data, sizeof(data));
}

struct process_filter {
	VEC(struct btf_member) v;
	bool bits;
};

/* Where a member begins, in bits. Older forms count a bit field from the other end of its unit. */
static uint64_t member_bit(struct make *m, const struct dw_die *c)
{
	struct dw_die t;

	if (c->has_data_bit)
		return c->data_bit;
	if (!c->bit_size || !c->bit_off)
		return c->location * 8;
	uint64_t size = c->has_size ? c->size : dw_die_at(m->d, c->type, &t) == 0 ? t.size : 4;

	return c->location * 8 + size * 8 - c->bit_off - c->bit_size;
}

static int collect_members(struct make *m, const struct dw_die *e, struct process_filter *ms)
{
	struct dw_die c;
	uint64_t at = 0;
	struct step s;

	while ((s = dw_child_next(m->d, e, &at, &c)).more) {
		if ((c.tag != TAG_MEMBER && c.tag != TAG_INHERITANCE) || c.declaration || !c.type ||
		    ms->v.n >= MAX_MEMBERS)
			continue;
		uint64_t bit = member_bit(m, &c);

		if (bit > UINT32_MAX || (c.bit_size && (bit >> BITFIELD_BITS || c.bit_size > 64)))
			continue;
		struct btf_member b = { .name_off = put_text(m, c.tag == TAG_MEMBER ? c.name : NULL),
					.type = id_of(m, c.type, 0),
					.offset = (uint32_t)bit | (uint32_t)c.bit_size << BITFIELD_BITS };

		ms->bits |= c.bit_size != 0;
		if (vec_try_push(&ms->v, b) < 0)
			return -ENOMEM;
	}
	return s.error;
}

static void make_struct(struct make *m, const struct dw_die *e)
{
	unsigned kind = e->tag == TAG_UNION ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	struct process_filter ms = { 0 };
	size_t n = 0;

	if (e->declaration) {
		put_type(m, e->name, BTF_KIND_FWD, 0, e->tag == TAG_UNION, 0);
		return;
	}
	fail(m, collect_members(m, e, &ms));
	/* With bit fields the places of all members have fewer bits: what lies beyond is left out. */
	for (size_t i = 0; i < ms.v.n; i++)
		if (!ms.bits || ms.v.v[i].offset >> BITFIELD_BITS <= 64)
			ms.v.v[n++] = ms.v.v[i];
	put_type(m, e->name, kind, (unsigned)n, ms.bits, e->size < UINT32_MAX ? (uint32_t)e->size : 0);
	if (n)
		put(m, ms.v.v, n * sizeof(*ms.v.v));
	vec_free(&ms.v);
}

static void make_enum(struct make *m, const struct dw_die *e)
{
	VEC(struct btf_enum64) v = { 0 };
	bool wide = e->size == 8, negative = false;
	struct dw_die c;
	uint64_t at = 0;
	struct step s;

	while ((s = dw_child_next(m->d, e, &at, &c)).more) {
		if (c.tag != TAG_ENUMERATOR || v.n >= MAX_MEMBERS)
			continue;
		struct btf_enum64 b = { .name_off = put_text(m, c.name),
					.val_lo32 = (uint32_t)c.value,
					.val_hi32 = (uint32_t)((uint64_t)c.value >> 32) };

		negative |= c.value < 0;
		if (vec_try_push(&v, b) < 0) {
			s = step_failed(-ENOMEM);
			break;
		}
	}
	fail(m, s.error);
	put_type(m, e->name, wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, (unsigned)v.n, negative,
		 e->size == 1 || e->size == 2 || wide ? (uint32_t)e->size : 4);
	for (size_t i = 0; i < v.n; i++) {
		struct btf_enum narrow = { .name_off = v.v[i].name_off, .val = (int32_t)v.v[i].val_lo32 };

		put(m, wide ? (void *)&v.v[i] : (void *)&narrow, wide ? sizeof(v.v[i]) : sizeof(narrow));
	}
	vec_free(&v);
}

/* One dimension; the others are types of their own. */
static void make_array(struct make *m, const struct dw_die *e, unsigned dim)
{
	struct btf_array a = { .index_type = INDEX_TYPE };
	struct dw_die c;
	uint64_t at = 0, count = 0;
	unsigned i = 0;
	struct step s;

	while ((s = dw_child_next(m->d, e, &at, &c)).more) {
		if (c.tag != TAG_SUBRANGE)
			continue;
		if (i == dim)
			count = c.count;
		i++;
	}
	fail(m, s.error);
	a.type = dim + 1 < i && dim + 1 < MAX_DIMS ? id_of(m, e->off, dim + 1) : id_of(m, e->type, 0);
	a.nelems = count < UINT32_MAX ? (uint32_t)count : 0;
	put_type(m, NULL, BTF_KIND_ARRAY, 0, false, 0);
	put(m, &a, sizeof(a));
}

/* Pointers to functions: what they return is all that D asks for. For functions: the parameters, too. */
static void make_proto(struct make *m, const struct dw_die *e, bool params)
{
	struct btf_param v[DWARF_MAX_PARAMS];
	struct dw_die c, whole = *e;
	unsigned n = 0;
	uint64_t at = 0;
	struct step s = step_end();

	complete(m, &whole);
	while (params && n < DWARF_MAX_PARAMS && (s = dw_child_next(m->d, e, &at, &c)).more) {
		if (c.tag != TAG_PARAM)
			continue;
		complete(m, &c);
		v[n++] = (struct btf_param){ .name_off = put_text(m, c.name), .type = id_of(m, c.type, 0) };
	}
	fail(m, s.error);
	put_type(m, NULL, BTF_KIND_FUNC_PROTO, n, false, id_of(m, whole.type, 0));
	put(m, v, n * sizeof(v[0]));
}

static void make_var(struct make *m, const struct dw_die *e)
{
	const uint32_t linkage = BTF_VAR_STATIC;
	struct dw_die whole = *e;

	complete(m, &whole);
	put_type(m, whole.name, BTF_KIND_VAR, 0, false, id_of(m, whole.type, 0));
	put(m, &linkage, sizeof(linkage));
}

static void make_record(struct make *m, const struct dw_die *e, unsigned dim)
{
	switch (e->tag) {
	case TAG_BASE: make_base(m, e); return;
	case TAG_POINTER:
	case TAG_REFERENCE:
	case TAG_RVALUE_REF: put_type(m, NULL, BTF_KIND_PTR, 0, false, id_of(m, e->type, 0)); return;
	case TAG_STRUCT:
	case TAG_CLASS:
	case TAG_UNION: make_struct(m, e); return;
	case TAG_ENUM: make_enum(m, e); return;
	case TAG_ARRAY: make_array(m, e, dim); return;
	case TAG_TYPEDEF:
		put_type(m, e->name ? e->name : "?", BTF_KIND_TYPEDEF, 0, false, id_of(m, e->type, 0));
		return;
	case TAG_CONST:
	case TAG_ATOMIC: put_type(m, NULL, BTF_KIND_CONST, 0, false, id_of(m, e->type, 0)); return;
	case TAG_VOLATILE:
	case TAG_RESTRICT: put_type(m, NULL, BTF_KIND_VOLATILE, 0, false, id_of(m, e->type, 0)); return;
	case TAG_SUBROUTINE: make_proto(m, e, false); return;
	default: /* void under another name, or what C has not */
		put_type(m, e->name ? e->name : "?", BTF_KIND_TYPEDEF, 0, false, 0);
		return;
	}
}

static void make_queued(struct make *m)
{
	for (; m->ndone < m->queue.n && !m->error; m->ndone++) {
		uint64_t key = m->queue.v[m->ndone]->key;
		unsigned dim = key & ((1u << KEY_BITS) - 1);
		struct dw_die e, whole;

		if (dw_die_at(m->d, key >> KEY_BITS, &e) < 0)
			e = (struct dw_die){ 0 }; /* a reference to nowhere */
		if (e.signature && dw_die_at(m->d, e.signature, &whole) == 0)
			e = whole;
		if (dim == KEY_PROTO)
			make_proto(m, &e, true);
		else if (dim == KEY_VAR)
			make_var(m, &e);
		else
			make_record(m, &e, dim);
	}
}

/* -- functions -- */

/* A named type, or a variable, is of use without a function. */
static void take_other(struct make *m, const struct dw_die *e)
{
	switch (e->tag) {
	case TAG_BASE:
	case TAG_STRUCT:
	case TAG_CLASS:
	case TAG_UNION:
	case TAG_ENUM:
	case TAG_TYPEDEF:
		if (e->name && !e->declaration)
			id_of(m, e->off, 0);
		break;
	case TAG_VARIABLE:
		if (e->at_address)
			id_of(m, e->off, KEY_VAR);
		break;
	default: break;
	}
}

static int find_functions(struct make *m)
{
	for (size_t i = 0; i < m->d->units.n; i++) {
		const struct dw_unit *u = &m->d->units.v[i];
		struct dw_die e;

		if (u->base == &m->d->alt)
			break; /* no code is described there */
		for (uint64_t at = u->first; at < u->end; at = e.next) {
			int r = dw_die_read(m->d, u, at, &e);

			if (r < 0)
				return r;
			if (at == u->first && e.dwo_name && m->d == &m->main)
				break; /* its functions are in another file: here they are without parameters */
			if (m->all)
				take_other(m, &e);
			if (e.tag != TAG_SUBPROGRAM || !e.has_low || !e.low || e.declaration)
				continue;
			struct dwarf_func f = { .addr = e.low, .proto = id_of(m, at, KEY_PROTO) };

			if (m->error || vec_try_push(&m->funcs, f) < 0)
				return m->error ? m->error : -ENOMEM;
		}
	}
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct dwarf_func *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int assemble(struct make *m, struct dwarf_types *ret)
{
	struct btf_header h = { .magic = BTF_MAGIC,
				.version = BTF_VERSION,
				.hdr_len = sizeof(h),
				.type_len = (uint32_t)m->types.n,
				.str_off = (uint32_t)m->types.n,
				.str_len = (uint32_t)m->strs.n };
	uint8_t *p;

	if (m->types.n > INT32_MAX)
		return -EFBIG;
	p = malloc(sizeof(h) + m->types.n + m->strs.n);
	if (!p)
		return -ENOMEM;
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), m->types.v, m->types.n);
	memcpy(p + sizeof(h) + m->types.n, m->strs.v, m->strs.n);
	if (m->funcs.n)
		qsort(m->funcs.v, m->funcs.n, sizeof(*m->funcs.v), by_addr);
	*ret = (struct dwarf_types){ p, sizeof(h) + m->types.n + m->strs.n, m->funcs.v, m->funcs.n };
	m->funcs.v = NULL;
	return 0;
}

static void make_done(struct make *m)
{
	HASH_CLEAR(hh, m->known);
	for (size_t i = 0; i < m->queue.n; i++)
		free(m->queue.v[i]);
	vec_free(&m->queue);
	vec_free(&m->types);
	vec_free(&m->strs);
	vec_free(&m->funcs);
	dw_close(&m->main);
}

/* Functions of what is in m->d, and the types that they refer to: ids are those of one file. */
static void read_part(struct make *m)
{
	fail(m, find_functions(m));
	make_queued(m);
	HASH_CLEAR(hh, m->known);
}

static void read_splits(struct make *m, const struct debugplace *place)
{
	struct dw_split split;

	fail(m, dw_split_init(&split, &m->main, place));
	for (size_t i = 0; i < m->main.units.n && !m->error; i++) {
		const struct dw_unit *u = &m->main.units.v[i], *du;
		struct dw_die first;
		struct dw part;

		if (u->base != &m->main.own || u->first >= u->end)
			continue;
		fail(m, dw_die_read(&m->main, u, u->first, &first));
		if (m->error || !first.dwo_name)
			continue;
		if (dw_split_open(&split, &first, &part, &du) < 0) {
			m->missing = true;
			continue;
		}
		m->d = &part;
		read_part(m);
		m->d = &m->main;
		dw_close(&part);
	}
	dw_split_done(&split);
}

static int read_all(const struct elf *e, const struct elf *alt, const struct debugplace *place, bool all,
		    struct dwarf_types *ret)
{
	const struct dw_die index = { .name = "unsigned int", .size = 4 };
	struct make m = { .all = all };
	int r = dw_open(&m.main, e, alt, false, DWARF_MAX_BYTES);

	if (r < 0)
		return r;
	m.d = &m.main;
	if (vec_try_push(&m.strs, (uint8_t)0) < 0)
		m.error = -ENOMEM;
	make_base(&m, &index);
	read_part(&m);
	read_splits(&m, place);
	r = m.error ? m.error : m.missing && !m.funcs.n ? -ENODATA : assemble(&m, ret);
	make_done(&m);
	return r;
}

int dwarf_read_types(const struct elf *e, const struct elf *alt, const struct debugplace *place,
		     struct dwarf_types *ret)
{
	return read_all(e, alt, place, false, ret);
}

int dwarf_read_all_types(const struct elf *e, const struct elf *alt, const struct debugplace *place,
			 struct dwarf_types *ret)
{
	return read_all(e, alt, place, true, ret);
}

static int read_with_alt(const struct elf *e, const char *path, uint32_t tgid, bool all, struct dwarf_types *ret)
{
	const struct debugplace place = { path, tgid };
	struct debugfile alt;
	int r;

	if (debugfile_open_alt(e, path, DEBUGFILE_DIR, tgid, &alt) < 0)
		return read_all(e, NULL, &place, all, ret);
	r = read_all(e, &alt.elf, &place, all, ret);
	debugfile_close(&alt);
	return r;
}

int dwarf_read_file_types(const struct elf *e, const char *path, uint32_t tgid, bool all, struct dwarf_types *ret)
{
	struct debugfile d;
	int r = read_with_alt(e, path, tgid, all, ret);

	if (r == -ENODATA && debugfile_open(e, path, DEBUGFILE_DIR, tgid, &d) == 0) {
		r = read_with_alt(&d.elf, d.path, tgid, all, ret);
		debugfile_close(&d);
	}
	return r;
}

void dwarf_types_done(struct dwarf_types *t)
{
	free(t->btf);
	free(t->funcs);
	*t = (struct dwarf_types){ 0 };
}
