/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of .debug_info. Every offset is checked where it is used; work is counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/dwarf/int.h"
#include "sym/elf/unpack.h"

#define MAX_HOPS 4   /* of DW_FORM_indirect */
#define STEP_WORK 64 /* bytes read, or abbreviations compared, that count as much as an entry */

const char *dw_text_at(const struct dw_section *s, uint64_t off)
{
	if (off >= s->n || !memchr(s->p + off, '\0', s->n - off > DWARF_MAX_NAME ? DWARF_MAX_NAME : s->n - off))
		return NULL;
	return (const char *)s->p + off;
}

/* -- sections -- */

/* The next one of this name after *at. */
static int load_next(struct dw *d, const struct elf *e, const char *name, const Elf64_Shdr **at, struct dw_section *ret)
{
	struct dw *c = d->count;
	uint64_t max = c->room < DWARF_MAX_SECTION ? c->room : DWARF_MAX_SECTION;
	int r = elf_section_unpack_next(e, name, at, max, &ret->own, &ret->n);

	ret->p = ret->own;
	if (r == 0) {
		c->room -= ret->n;
		d->loaded += ret->n;
	}
	return r;
}

int dw_load_section(struct dw *d, const struct elf *e, const char *name, struct dw_section *ret)
{
	const Elf64_Shdr *at = NULL;

	return load_next(d, e, name, &at, ret);
}

int dw_append_sections(struct dw *d, const struct elf *e, const char *name, struct dw_section *to, uint64_t *ret_at)
{
	const Elf64_Shdr *at = NULL;
	struct dw_section s;
	int r;

	*ret_at = to->n;
	while ((r = load_next(d, e, name, &at, &s)) == 0) {
		uint8_t *p = realloc(to->own, to->n + s.n);

		if (p) {
			memcpy(p + to->n, s.p, s.n);
			to->p = to->own = p;
			to->n += s.n;
		}
		free(s.own);
		if (!p)
			return -ENOMEM;
	}
	return r == -ENODATA ? 0 : r;
}

/* -- units -- */

/* The end of the section that stands at this place of .debug_info. */
static uint64_t section_end(const struct dw *d, uint64_t off)
{
	return off < d->types_at ? d->types_at : off < d->types_end ? d->types_end : d->info.n;
}

static int by_number(const void *a, const void *b)
{
	const struct dw_signature *x = a, *y = b;

	return (x->signature > y->signature) - (x->signature < y->signature);
}

static int add_unit(struct dw *d, uint64_t *off)
{
	bool alt = d->has_alt && *off >= d->alt.info, types = *off >= d->types_at && *off < d->types_end;
	struct rd r = { d->info.p + *off, d->info.p + section_end(d, *off), false };
	struct dw_unit u = { .base = alt ? &d->alt : &d->own, .off = *off };
	struct dw_signature signature = { 0 };
	unsigned type = types ? 0x02 : 0x01;
	int e = 0;

	if (!rd_initial_length(&r, &u.off_size))
		return -EBADMSG;
	u.end = (uint64_t)(r.end - d->info.p);
	u.version = (unsigned)rd_fixed(&r, 2);
	if (u.version >= 5) {
		type = (unsigned)rd_fixed(&r, 1);
		u.addr_size = (unsigned)rd_fixed(&r, 1);
		u.abbrev = rd_fixed(&r, u.off_size);
	} else {
		u.abbrev = rd_fixed(&r, u.off_size);
		u.addr_size = (unsigned)rd_fixed(&r, 1);
	}
	if (type == 0x04 || type == 0x05) /* skeleton and split: an id */
		u.dwo_id = rd_fixed(&r, 8);
	else if (type == 0x02 || type == 0x06) /* type units */
		signature = (struct dw_signature){ rd_fixed(&r, 8), u.off + rd_fixed(&r, u.off_size) };
	u.abbrev += u.base->abbrev;
	u.first = (uint64_t)(r.p - d->info.p);
	if (u.version >=
	    5) { /* after the heads of the tables, unless an attribute gives another place: never in a split part */
		u.str_base = 2 * u.off_size;
		u.addr_base = 2 * u.off_size;
		u.rnglists_base = type == 0x05 ? u.off_size * 2 + 4 : 0;
	}
	*off = u.end;
	if (r.bad)
		return -EBADMSG;
	if (u.version < 2 || u.version > 5 || (u.addr_size != 4 && u.addr_size != 8))
		return 0; /* of another age */
	if (signature.off > u.off && signature.off < u.end)
		e = vec_try_push(&d->signatures, signature);
	return e < 0 ? e : d->units.n < DWARF_MAX_UNITS ? vec_try_push(&d->units, u) : -EFBIG;
}

const struct dw_unit *dw_unit_at(const struct dw *d, uint64_t off)
{
	const struct dw_unit *v = d->units.v;
	size_t lo = 0, hi = d->units.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].end <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->units.n && off >= v[lo].first ? &v[lo] : NULL;
}

/* -- abbreviations -- */

/* Passes the pairs of name and form of one. */
static int skip_attrs(struct rd *r)
{
	for (unsigned n = 0; n <= DWARF_MAX_ATTRS; n++) {
		uint64_t name = rd_uleb(r), form = rd_uleb(r);

		if (form == 0x21) /* its value stands here */
			rd_sleb(r);
		if (r->bad)
			return -EBADMSG;
		if (!name && !form)
			return 0;
	}
	return -EFBIG;
}

static int read_table(struct dw *d, struct dw_table *t)
{
	struct rd r = { d->abbrev.p + t->off, d->abbrev.p + d->abbrev.n, false };
	int e = 0;

	if (t->off >= d->abbrev.n)
		return -EBADMSG;
	while (e == 0) {
		struct dw_abbrev a = { .code = rd_uleb(&r) };

		if (r.bad)
			return -EBADMSG;
		if (!a.code)
			return 0;
		a.tag = (uint32_t)rd_uleb(&r);
		a.children = rd_fixed(&r, 1) != 0;
		a.attrs = r.p;
		e = skip_attrs(&r);
		if (t->abbrevs.n >= DWARF_MAX_ABBREVS || ++d->nabbrevs > DWARF_MAX_TABLES_ABBREVS)
			return -EFBIG;
		if (e == 0)
			e = vec_try_push(&t->abbrevs, a);
	}
	return e;
}

static int by_off(const void *a, const void *b)
{
	const struct dw_table *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* Finds out which tables there are. They are read when they are needed. */
static int number_tables(struct dw *d)
{
	const size_t n = d->units.n;
	struct dw_table *t = calloc(n + 1, sizeof(*t)), key;

	if (!t)
		return -ENOMEM;
	d->tables = t;
	for (size_t i = 0; i < n; i++)
		t[i].off = d->units.v[i].abbrev;
	qsort(t, n, sizeof(*t), by_off);
	for (size_t i = 0; i < n; i++)
		if (!i || t[i].off != t[d->ntables - 1].off)
			t[d->ntables++] = t[i];
	for (size_t i = 0; i < n; i++) {
		key.off = d->units.v[i].abbrev;
		d->units.v[i].table = (uint32_t)((struct dw_table *)bsearch(&key, t, d->ntables, sizeof(*t), by_off) -
						 t);
	}
	return 0;
}

static int table_of(struct dw *d, const struct dw_unit *u, const struct dw_table **ret)
{
	struct dw_table *t = &d->tables[u->table];

	if (!t->tried) {
		t->tried = true;
		t->error = read_table(d, t);
	}
	*ret = t;
	return t->error;
}

/* Codes are usually 1, 2, 3 … */
static const struct dw_abbrev *find_abbrev(struct dw *d, const struct dw_table *t, uint64_t code)
{
	const struct dw_abbrev *v = t->abbrevs.v;

	if (code <= t->abbrevs.n && v[code - 1].code == code)
		return &v[code - 1];
	d->count->steps += t->abbrevs.n / STEP_WORK;
	for (size_t i = 0; i < t->abbrevs.n; i++)
		if (v[i].code == code)
			return &v[i];
	return NULL;
}

/* -- attributes -- */

static struct val num(uint64_t n)
{
	return (struct val){ .kind = VAL_NUM, .n = n };
}

static struct val address(uint64_t n)
{
	return (struct val){ .kind = VAL_NUM, .n = n, .is_addr = true };
}

static struct val block(struct rd *r, uint64_t n)
{
	struct val v = { .kind = VAL_BLOCK, .n = n, .p = r->p };

	rd_skip(r, n);
	return v;
}

static struct val text(const char *s)
{
	return (struct val){ .kind = VAL_TEXT, .s = s };
}

static struct val ref(const struct dw_unit *u, uint64_t off)
{
	return (struct val){ .kind = VAL_REF, .n = u->off + off };
}

/* An entry of a table of offsets or addresses. */
uint64_t dw_indexed(const struct dw_section *s, uint64_t base, uint64_t i, unsigned size)
{
	struct rd r;

	if (!s->n || i > s->n || base > s->n)
		return UINT64_MAX;
	r = (struct rd){ s->p, s->p + s->n, false };
	rd_skip(&r, base + i * size);
	i = rd_fixed(&r, size);
	return r.bad ? UINT64_MAX : i;
}

static struct val indexed_text(const struct dw *d, const struct dw_unit *u, uint64_t i)
{
	uint64_t off = dw_indexed(&d->str_offsets, u->base->str_offsets + u->str_base, i, u->off_size);

	return text(dw_text_at(&d->str, off == UINT64_MAX ? off : u->base->str + off));
}

static struct val indexed_addr(const struct dw *d, const struct dw_unit *u, uint64_t i)
{
	return address(dw_indexed(&d->addr, u->base->addr + u->addr_base, i, u->addr_size));
}

static struct val in_line_text(struct rd *r)
{
	const uint8_t *nul = memchr(r->p, '\0', (size_t)(r->end - r->p));
	struct val v = text((const char *)r->p);

	if (!nul) {
		r->bad = true;
		return (struct val){ 0 };
	}
	if ((size_t)(nul - r->p) >= DWARF_MAX_NAME)
		v.s = NULL;
	r->p = nul + 1;
	return v;
}

/* An entry or a text in the other file. */
static struct val in_alt(const struct dw *d, uint64_t off, bool is_text)
{
	if (!d->has_alt)
		return (struct val){ 0 };
	return is_text ? text(dw_text_at(&d->str, d->alt.str + off))
		       : (struct val){ .kind = VAL_REF, .n = d->alt.info + off };
}

/* The entry of a type unit. Without one it is nothing. */
static struct val by_signature(const struct dw *d, uint64_t signature)
{
	const struct dw_signature key = { .signature = signature }, *found = NULL;

	if (d->signatures.n)
		found = bsearch(&key, d->signatures.v, d->signatures.n, sizeof(key), by_number);
	return found ? (struct val){ .kind = VAL_REF, .n = found->off } : (struct val){ 0 };
}

/* Forms that name a text, address or place by an index or offset. */
static struct val read_indirect_form(const struct dw *d, const struct dw_unit *u, struct rd *r, uint64_t form)
{
	switch (form) {
	case 0x0e: return text(dw_text_at(&d->str, u->base->str + rd_fixed(r, u->off_size)));		/* strp */
	case 0x1f: return text(dw_text_at(&d->line_str, u->base->line_str + rd_fixed(r, u->off_size))); /* line_strp */
	case 0x1f02:					  /* GNU_str_index */
	case 0x1a: return indexed_text(d, u, rd_uleb(r)); /* strx */
	case 0x25:
	case 0x26:
	case 0x27:
	case 0x28: /* strx1 … strx4 */ return indexed_text(d, u, rd_fixed(r, (unsigned)(form - 0x24)));
	case 0x1f01:					  /* GNU_addr_index */
	case 0x1b: return indexed_addr(d, u, rd_uleb(r)); /* addrx */
	case 0x29:
	case 0x2a:
	case 0x2b:
	case 0x2c: /* addrx1 … addrx4 */ return indexed_addr(d, u, rd_fixed(r, (unsigned)(form - 0x28)));
	case 0x10: /* ref_addr */
		return (struct val){ .kind = VAL_REF,
				     .n = u->base->info + rd_fixed(r, u->version == 2 ? u->addr_size : u->off_size) };
	case 0x1c: return in_alt(d, rd_fixed(r, 4), false);		/* ref_sup4 */
	case 0x24: return in_alt(d, rd_fixed(r, 8), false);		/* ref_sup8 */
	case 0x1f20: return in_alt(d, rd_fixed(r, u->off_size), false); /* GNU_ref_alt */
	case 0x1d:
	case 0x1f21: return in_alt(d, rd_fixed(r, u->off_size), true); /* strp_sup, GNU_strp_alt */
	case 0x20: return by_signature(d, rd_fixed(r, 8));	       /* ref_sig8 */
	default: r->bad = true; break;				       /* not skippable: its size is unknown */
	}
	return (struct val){ 0 };
}

struct val dw_form_read(const struct dw *d, const struct dw_unit *u, struct rd *r, uint64_t form, int64_t implicit)
{
	struct val v;

	for (unsigned i = 0; form == 0x16 && i < MAX_HOPS; i++) /* indirect */
		form = rd_uleb(r);
	switch (form) {
	case 0x01: return address(rd_fixed(r, u->addr_size)); /* addr */
	case 0x03: return block(r, rd_fixed(r, 2));	      /* block2 */
	case 0x04: return block(r, rd_fixed(r, 4));	      /* block4 */
	case 0x09:
	case 0x18: return block(r, rd_uleb(r));	    /* block, exprloc */
	case 0x0a: return block(r, rd_fixed(r, 1)); /* block1 */
	case 0x1e: return block(r, 16);		    /* data16 */
	case 0x0b:
	case 0x0c: return num(rd_fixed(r, 1)); /* data1, flag */
	case 0x05: return num(rd_fixed(r, 2)); /* data2 */
	case 0x06: return num(rd_fixed(r, 4)); /* data4 */
	case 0x07: return num(rd_fixed(r, 8)); /* data8 */
	case 0x0f:
	case 0x22: return num(rd_uleb(r));						      /* udata, loclistx */
	case 0x23: return (struct val){ .kind = VAL_NUM, .n = rd_uleb(r), .is_index = true }; /* rnglistx */
	case 0x17: return num(rd_fixed(r, u->off_size));				      /* sec_offset */
	case 0x19: return num(1);							      /* flag_present */
	case 0x0d:
	case 0x21: /* sdata, implicit_const */
		v = num((uint64_t)(form == 0x0d ? rd_sleb(r) : implicit));
		v.is_signed = true;
		return v;
	case 0x08: return in_line_text(r); /* string */
	case 0x11: return ref(u, rd_fixed(r, 1));
	case 0x12: return ref(u, rd_fixed(r, 2));
	case 0x13: return ref(u, rd_fixed(r, 4));
	case 0x14: return ref(u, rd_fixed(r, 8));
	case 0x15: return ref(u, rd_uleb(r));
	default: return read_indirect_form(d, u, r, form);
	}
}

/* Where a member is: a number, or the expression "add a number". */
static uint64_t member_location(const struct val *v)
{
	struct rd r = { 0 };

	if (v->kind == VAL_NUM)
		return v->n;
	if (v->kind == VAL_BLOCK)
		r = (struct rd){ v->p, v->p + v->n, false };
	if (v->kind != VAL_BLOCK || rd_fixed(&r, 1) != 0x23) /* plus_uconst */
		return 0;
	return rd_uleb(&r);
}

/* Whether the place of a variable is an address, and no more. */
static bool at_address(const struct val *v)
{
	const bool any = v->kind == VAL_BLOCK && v->n;

	return any && (v->p[0] == 0x03 || v->p[0] == 0xa1); /* addr, addrx */
}

static void note_numbers(struct dw_die *e, uint64_t name, const struct val *v)
{
	uint64_t n = v->kind == VAL_NUM ? v->n : 0;

	switch (name) {
	case 0x0b:
		e->size = n;
		e->has_size = v->kind == VAL_NUM;
		break;			   /* byte_size */
	case 0x0c: e->bit_off = n; break;  /* bit_offset */
	case 0x0d: e->bit_size = n; break; /* bit_size */
	case 0x11:
		e->low = n;
		e->has_low = v->kind == VAL_NUM && n != UINT64_MAX;
		break; /* low_pc */
	case 0x1c:
		e->value = (int64_t)n;
		e->has_value = v->kind == VAL_NUM;
		break; /* const_value */
	case 0x2f:     /* upper_bound: of an empty array it is -1 */
		if (v->kind == VAL_NUM && !e->has_bound && n != UINT64_MAX && n != UINT32_MAX)
			e->count = n + 1;
		e->has_bound = true;
		break;
	case 0x37:
		e->count = n;
		e->has_bound = true;
		break; /* count */
	case 0x02: e->at_address = at_address(v); break;
	case 0x38: e->location = member_location(v); break;
	case 0x3c: e->declaration = n != 0; break;
	case 0x3e: e->encoding = n; break;
	case 0x6b:
		e->data_bit = n;
		e->has_data_bit = true;
		break; /* data_bit_offset */
	default: break;
	}
}

/* Where code is, and where in the source. */
static void note_code(struct dw_die *e, uint64_t name, const struct val *v)
{
	uint64_t n = v->kind == VAL_NUM ? v->n : 0;

	switch (name) {
	case 0x10:
		e->stmt_list = n;
		e->has_lines = v->kind == VAL_NUM;
		break;
	case 0x12: /* high_pc: an address, or a length */
		e->high = n;
		e->has_high = v->kind == VAL_NUM && n != UINT64_MAX;
		e->high_is_addr = v->is_addr;
		break;
	case 0x1b: e->comp_dir = v->kind == VAL_TEXT ? v->s : NULL; break;
	case 0x3a:
		e->decl_file = n;
		e->has_decl_file = v->kind == VAL_NUM;
		break;
	case 0x3b: e->decl_line = n; break;
	case 0x52: /* entry_pc */
		e->entry = n;
		e->has_entry = v->kind == VAL_NUM && n != UINT64_MAX;
		e->entry_is_addr = v->is_addr;
		break;
	case 0x55:
		e->ranges = n;
		e->has_ranges = v->kind == VAL_NUM;
		e->ranges_index = v->is_index;
		break;
	case 0x58: e->call_file = n; break;
	case 0x59: e->call_line = n; break;
	case 0x76:
	case 0x2130: e->dwo_name = v->kind == VAL_TEXT ? v->s : NULL; break; /* dwo_name, and before DWARF 5 */
	case 0x6e:
	case 0x2007: e->linkage_name = v->kind == VAL_TEXT ? v->s : NULL; break; /* and before DWARF 4 */
	default: note_numbers(e, name, v); break;
	}
}

static void note(struct dw_die *e, uint64_t name, const struct val *v)
{
	switch (name) {
	case 0x01: e->sibling = v->kind == VAL_REF ? v->n : 0; break;
	case 0x03: e->name = v->kind == VAL_TEXT ? v->s : NULL; break;
	case 0x49: e->type = v->kind == VAL_REF ? v->n : 0; break;
	case 0x69: e->signature = v->kind == VAL_REF ? v->n : 0; break;
	case 0x31:
	case 0x47: /* abstract_origin, specification */ e->origin = v->kind == VAL_REF ? v->n : 0; break;
	default: note_code(e, name, v); break;
	}
}

/* The bases of tables stand in the first entry of a unit. */
static void note_bases(struct dw_unit *u, uint64_t name, const struct val *v)
{
	if (v->kind != VAL_NUM)
		return;
	switch (name) {
	case 0x72: u->str_base = v->n; break;
	case 0x73:
	case 0x2133: u->addr_base = v->n; break; /* and before DWARF 5 */
	case 0x74: u->rnglists_base = v->n; break;
	case 0x2131: u->dwo_id = v->n; break;
	case 0x2132: u->dwo_ranges_base = v->n; break;
	default: break;
	}
}

static void read_attrs(const struct dw *d, struct dw_unit *bases, const struct dw_abbrev *a, struct rd *r,
		       struct dw_die *e)
{
	struct rd attrs = { a->attrs, d->abbrev.p + d->abbrev.n, false };

	while (!r->bad) {
		uint64_t name = rd_uleb(&attrs), form = rd_uleb(&attrs);
		int64_t implicit = form == 0x21 ? rd_sleb(&attrs) : 0;

		if (!name && !form)
			return;
		struct val v = dw_form_read(d, e->u, r, form, implicit);

		if (bases)
			note_bases(bases, name, &v);
		note(e, name, &v);
	}
}

int dw_die_read(struct dw *d, const struct dw_unit *u, uint64_t off, struct dw_die *ret)
{
	struct rd r = { d->info.p + off, d->info.p + u->end, false };
	const struct dw_abbrev *a;
	const struct dw_table *t;
	uint64_t code;
	int e;

	*ret = (struct dw_die){ .u = u, .off = off };
	if (off < u->first || off >= u->end)
		return -EBADMSG;
	if (++d->count->steps > d->count->max_steps)
		return -EFBIG;
	e = table_of(d, u, &t);
	if (e < 0)
		return e;
	code = rd_uleb(&r);
	if (code) {
		a = find_abbrev(d, t, code);
		if (!a)
			return -EBADMSG;
		ret->tag = a->tag;
		ret->children = a->children;
		read_attrs(d, off == u->first ? &d->units.v[u - d->units.v] : NULL, a, &r, ret);
	}
	ret->next = (uint64_t)(r.p - d->info.p);
	d->count->steps += (ret->next - off) / STEP_WORK;
	return r.bad ? -EBADMSG : 0;
}

int dw_die_at(struct dw *d, uint64_t off, struct dw_die *ret)
{
	const struct dw_unit *u = dw_unit_at(d, off);

	return u ? dw_die_read(d, u, off, ret) : -ENOENT;
}

/* The entry after e and all that is below it. */
static int skip_below(struct dw *d, const struct dw_die *e, uint64_t *ret)
{
	struct dw_die c = *e;
	unsigned depth = 0;
	int r = 0;

	if (!e->children) {
		*ret = e->next;
		return 0;
	}
	if (e->sibling > e->off && e->sibling <= e->u->end) {
		*ret = e->sibling;
		return 0;
	}
	do {
		if (c.tag && c.children && ++depth > DWARF_MAX_DEPTH)
			return -EFBIG;
		if (!c.tag && --depth == 0)
			break;
		if (c.next >= e->u->end)
			break;
		r = dw_die_read(d, e->u, c.next, &c);
	} while (r == 0);
	*ret = c.next;
	return r;
}

struct step dw_child_next(struct dw *d, const struct dw_die *parent, uint64_t *at, struct dw_die *ret)
{
	int r;

	if (!parent->children)
		return step_end();
	if (!*at)
		*at = parent->next;
	if (*at >= parent->u->end)
		return step_end();
	r = dw_die_read(d, parent->u, *at, ret);
	if (r == 0 && ret->tag)
		r = skip_below(d, ret, at);
	return r == 0 && !ret->tag ? step_end() : step_taken(r);
}

int dw_append_types(struct dw *d, const struct elf *e, const char *name)
{
	int r = dw_append_sections(d, e, name, &d->info, &d->types_at);

	d->types_end = d->info.n;
	return r;
}

static int load_sections(struct dw *d, const struct elf *e, const struct elf *alt)
{
	const struct {
		const char *name;
		struct dw_section *into;
		uint64_t *alt_at;
		bool needed;
	} v[] = {
		{ ".debug_info", &d->info, &d->alt.info, true },
		{ ".debug_abbrev", &d->abbrev, &d->alt.abbrev, true },
		{ ".debug_str", &d->str, &d->alt.str, false },
		{ ".debug_line_str", &d->line_str, &d->alt.line_str, false },
		{ ".debug_str_offsets", &d->str_offsets, &d->alt.str_offsets, false },
		{ ".debug_addr", &d->addr, &d->alt.addr, false },
		{ ".debug_line", &d->line, &d->alt.line, false },
		{ ".debug_ranges", &d->ranges, NULL, false },
		{ ".debug_rnglists", &d->rnglists, NULL, false },
	};
	int r = 0;

	d->has_alt = alt != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(v) && r == 0; i++) {
		if (!d->want_lines && (v[i].into == &d->line || !v[i].alt_at))
			continue;
		r = dw_load_section(d, e, v[i].name, v[i].into);
		if (r == -ENODATA && !v[i].needed)
			r = 0;
		if (r == 0 && v[i].into == &d->info && !d->want_lines)
			r = dw_append_types(d, e, ".debug_types");
		if (r == 0 && alt && v[i].alt_at) /* no code is described there */
			r = dw_append_sections(d, alt, v[i].name, v[i].into, v[i].alt_at);
	}
	return r;
}

int dw_find_units(struct dw *d)
{
	uint64_t off = 0;
	int r = 0;

	if (!d->types_end) /* without .debug_types, or in a split part */
		d->types_at = d->types_end = d->has_alt ? d->alt.info : d->info.n;
	while (r == 0 && off < d->info.n)
		r = add_unit(d, &off);
	if (d->signatures.n)
		qsort(d->signatures.v, d->signatures.n, sizeof(*d->signatures.v), by_number);
	if (r == 0)
		r = number_tables(d);
	/* Their bases, before an entry of one is asked for by another. */
	for (size_t i = 0; r == 0 && i < d->units.n; i++) {
		const struct dw_unit *u = &d->units.v[i];
		struct dw_die first;

		if (u->first < u->end)
			r = dw_die_read(d, u, u->first, &first);
	}
	return r;
}

int dw_open(struct dw *d, const struct elf *e, const struct elf *alt, bool lines, uint64_t max_bytes)
{
	int r;

	*d = (struct dw){ .want_lines = lines, .room = max_bytes, .max_steps = DWARF_MAX_STEPS, .count = d };
	r = load_sections(d, e, alt);
	if (r == 0)
		r = dw_find_units(d);
	if (r < 0)
		dw_close(d);
	return r;
}

void dw_close(struct dw *d)
{
	struct dw_section *const all[] = { &d->info, &d->abbrev, &d->str,    &d->line_str, &d->str_offsets,
					   &d->addr, &d->line,	 &d->ranges, &d->rnglists };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		free(all[i]->own);
	if (d->count && d->count != d)
		d->count->room += d->loaded;
	for (size_t i = 0; i < d->ntables; i++)
		vec_free(&d->tables[i].abbrevs);
	free(d->tables);
	vec_free(&d->units);
	vec_free(&d->signatures);
	*d = (struct dw){ 0 };
}
