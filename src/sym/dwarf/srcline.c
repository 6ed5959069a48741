/* SPDX-License-Identifier: Apache-2.0 */
/* Finds lines and inlined functions of an address: first the unit, then its functions as nested scopes and its
 * rows. Reads a unit when one of its addresses is first asked for. */
#include "sym/dwarf/srcline.h"
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/dwarf/srcfind.h"
#include "sym/dwarf/srcunit.h"

#define MAX_ORIGINS 8u /* from an entry to the one that has its name */
#define LOOK_BACK 64u  /* ranges that begin before an address and are looked at for one that has it */

/* -- ranges of addresses -- */

static int add_range(struct srcline *s, struct ranges *to, uint64_t lo, uint64_t hi, uint32_t of)
{
	if (++s->d.steps > s->d.max_steps)
		return -EFBIG;
	if (lo >= hi || (!lo && !s->zero)) /* at 0: the linker has left it out */
		return 0;
	if (to->n >= SRCLINE_MAX_RANGES)
		return -EFBIG;
	return vec_try_push(to, ((struct range){ lo, hi, of }));
}

/* .debug_ranges: pairs relative to a base, which a pair with the largest address sets. */
static int old_ranges(struct srcline *s, const struct dw *d, const struct dw_die *e, uint64_t base, uint32_t of,
		      struct ranges *to)
{
	struct rd r = { d->ranges.p, d->ranges.p + d->ranges.n, false };
	uint64_t max = e->u->addr_size == 4 ? UINT32_MAX : UINT64_MAX;
	int error = 0;

	rd_skip(&r, e->ranges + e->u->ranges_base);
	while (error == 0 && !r.bad) {
		uint64_t lo = rd_fixed(&r, e->u->addr_size), hi = rd_fixed(&r, e->u->addr_size);

		if (r.bad || (!lo && !hi))
			break;
		if (lo == max)
			base = hi;
		error = add_range(s, to, base + lo, lo == max ? 0 : base + hi, of);
	}
	return error;
}

static uint64_t unit_addr(const struct dw *d, const struct dw_unit *u, struct rd *r)
{
	return dw_indexed(&d->addr, u->base->addr + u->addr_base, rd_uleb(r), u->addr_size);
}

/* One entry of .debug_rnglists. False: the end. Source: DWARF 5, 7.25. */
static bool rnglist_entry(const struct dw *d, const struct dw_unit *u, struct rd *r, uint64_t *base, struct range *ret)
{
	*ret = (struct range){ 0 };
	switch (rd_fixed(r, 1)) {
	case 1: *base = unit_addr(d, u, r); break; /* base_addressx */
	case 2:					   /* startx_endx */
		ret->lo = unit_addr(d, u, r);
		ret->hi = unit_addr(d, u, r);
		break;
	case 3: /* startx_length */
		ret->lo = unit_addr(d, u, r);
		ret->hi = ret->lo + rd_uleb(r);
		break;
	case 4: /* offset_pair */
		ret->lo = *base + rd_uleb(r);
		ret->hi = *base + rd_uleb(r);
		break;
	case 5: *base = rd_fixed(r, u->addr_size); break; /* base_address */
	case 6:						  /* start_end */
		ret->lo = rd_fixed(r, u->addr_size);
		ret->hi = rd_fixed(r, u->addr_size);
		break;
	case 7: /* start_length */
		ret->lo = rd_fixed(r, u->addr_size);
		ret->hi = ret->lo + rd_uleb(r);
		break;
	default: return false;
	}
	return !r->bad;
}

static int new_ranges(struct srcline *s, const struct dw *d, const struct dw_die *e, uint64_t base, uint32_t of,
		      struct ranges *to)
{
	struct rd r = { d->rnglists.p, d->rnglists.p + d->rnglists.n, false };
	uint64_t at = e->ranges;
	struct range one;
	int error = 0;

	if (e->ranges_index) {
		at = dw_indexed(&d->rnglists, e->u->rnglists_base, e->ranges, e->u->off_size);
		if (at == UINT64_MAX)
			return 0;
		at += e->u->rnglists_base;
	}
	rd_skip(&r, at);
	while (error == 0 && !r.bad && rnglist_entry(d, e->u, &r, &base, &one))
		error = add_range(s, to, one.lo, one.hi, of);
	return error;
}

int srcunit_ranges(struct srcline *s, const struct dw *d, const struct dw_die *e, uint64_t base, uint32_t of,
		   struct ranges *to)
{
	if (e->has_ranges)
		return e->u->version >= 5 ? new_ranges(s, d, e, base, of, to) : old_ranges(s, d, e, base, of, to);
	if (!e->has_low || !e->has_high)
		return 0;
	return add_range(s, to, e->low, e->high_is_addr ? e->high : e->low + e->high, of);
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->of > y->of) - (x->of < y->of);
}

static void sort_ranges(struct ranges *r)
{
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_start);
}

/* The range with the address that begins last; NULL: none has it. */
static const struct range *range_at(const struct ranges *r, uint64_t addr)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (unsigned i = 0; lo && i < LOOK_BACK; i++)
		if (addr < r->v[--lo].hi)
			return &r->v[lo];
	return NULL;
}

/* -- the file -- */

static int map_units(struct srcline *s)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < s->d.units.n; i++) {
		const struct dw_unit *u = &s->d.units.v[i];
		struct dw_die *first = &s->units[i].first;

		if (u->first >= u->end)
			continue;
		/* dw_open() has read it before: now the bases that it tells of are known. */
		r = dw_die_read(&s->d, u, u->first, first);
		if (r == 0 && u->base == &s->d.own)
			r = srcunit_ranges(s, &s->d, first, first->has_low ? first->low : 0, i, &s->map);
	}
	sort_ranges(&s->map);
	return r;
}

static int load(struct srcline *s, const struct elf *e, const struct elf *alt, const struct debugplace *place)
{
	int r = dw_open(&s->d, e, alt, true, SRCLINE_MAX_BYTES);

	if (r == 0)
		r = dw_split_init(&s->split, &s->d, place);

	if (r < 0)
		return r;
	s->d.steps = 0;
	s->d.max_steps = SRCLINE_MAX_STEPS;
	s->zero = e->type == ET_REL;
	s->units = calloc(s->d.units.n + 1, sizeof(*s->units));
	return s->units ? map_units(s) : -ENOMEM;
}

int srcline_open(const struct elf *e, const struct elf *alt, const struct debugplace *place, struct srcline **ret)
{
	struct srcline *s = calloc(1, sizeof(*s));
	int r = s ? load(s, e, alt, place) : -ENOMEM;

	if (r < 0)
		srcline_free(s);
	else
		*ret = s;
	return r;
}

/* With what dwz has taken out of the file. */
static int open_with_alt(const struct elf *e, const char *path, const char *dir, uint32_t tgid, struct srcline **ret)
{
	const struct debugplace place = { path, tgid };
	struct debugfile alt;
	int r;

	if (!dir || debugfile_open_alt(e, path, dir, tgid, &alt) < 0)
		return srcline_open(e, NULL, &place, ret);
	r = srcline_open(e, &alt.elf, &place, ret);
	debugfile_close(&alt);
	return r;
}

int srcline_open_file(const struct elf *e, const char *path, const char *dir, uint32_t tgid, struct srcline **ret)
{
	struct debugfile d;
	int r = open_with_alt(e, path, dir, tgid, ret);

	if (r == -ENODATA && dir && debugfile_open(e, path, dir, tgid, &d) == 0) {
		r = open_with_alt(&d.elf, d.path, dir, tgid, ret);
		debugfile_close(&d);
	}
	return r;
}

void srcunit_drop(struct unit *u)
{
	if (u->part)
		dw_close(u->part);
	free(u->part);
	u->part = NULL;
	dw_lines_done(&u->lines);
	vec_free(&u->scopes);
	vec_free(&u->ranges);
	vec_free(&u->funcs);
	u->tried = u->lines_tried = false;
}

static void drop_units(struct srcline *s)
{
	for (size_t i = 0; s->units && i < s->d.units.n; i++)
		srcunit_drop(&s->units[i]);
	s->cached = 0;
}

void srcline_free(struct srcline *s)
{
	if (!s)
		return;
	srcfind_done(s);
	drop_units(s);
	dw_close(&s->d);
	dw_split_done(&s->split);
	free(s->units);
	vec_free(&s->map);
	free(s);
}

/* -- functions of a unit -- */

static uint32_t clamp32(uint64_t v)
{
	return v > UINT32_MAX ? 0 : (uint32_t)v;
}

struct dw *srcunit_part(struct srcline *s, const struct unit *u)
{
	return u->part ? u->part : &s->d;
}

static int add_scope(struct srcline *s, struct unit *u, const struct dw_die *e)
{
	uint32_t i = (uint32_t)u->scopes.n, first = (uint32_t)u->ranges.n;
	int r;

	if (i >= SRCLINE_MAX_SCOPES)
		return -EFBIG;
	r = srcunit_ranges(s, srcunit_part(s, u), e, u->first.has_low ? u->first.low : 0, i, &u->ranges);
	if (r < 0 || u->ranges.n == first)
		return r;
	r = vec_try_push(&u->scopes, ((struct scope){ e->off, first, (uint32_t)u->ranges.n - first, i + 1,
						      clamp32(e->call_file), clamp32(e->call_line) }));
	/* after it, since they have its number */
	for (size_t k = first; r == 0 && e->tag == TAG_SUBPROGRAM && k < u->ranges.n; k++)
		r = vec_try_push(&u->funcs, u->ranges.v[k]);
	return r;
}

/* All entries of the unit in their order. Entries above the limits, or after damage, are left out. */
static int read_scopes(struct srcline *s, struct unit *u, const struct dw_die *first)
{
	uint32_t open[DWARF_MAX_DEPTH]; /* scopes, from 1, of the entries that e is in; 0: no scope */
	const struct dw_unit *du = first->u;
	struct dw_die e = *first;
	unsigned depth = 0;
	int r = 0;

	while (r == 0) {
		size_t before = u->scopes.n;

		if (e.tag == TAG_SUBPROGRAM || (e.tag == TAG_INLINED && depth))
			r = add_scope(s, u, &e);
		if (e.tag && e.children) {
			if (depth == DWARF_MAX_DEPTH) {
				r = -EFBIG;
				break;
			}
			open[depth++] = u->scopes.n > before ? (uint32_t)u->scopes.n : 0;
		} else if (!e.tag) {
			if (!depth || !--depth)
				break;
			if (open[depth])
				u->scopes.v[open[depth] - 1].end = (uint32_t)u->scopes.n;
		}
		if (e.next >= du->end)
			break;
		if (r == 0)
			r = dw_die_read(srcunit_part(s, u), du, e.next, &e);
	}
	while (depth--) /* left open by damage, or since there are more levels than that */
		if (open[depth])
			u->scopes.v[open[depth] - 1].end = (uint32_t)u->scopes.n;
	return r;
}

struct dw_lines *srcunit_files(struct srcline *s, struct unit *u)
{
	if (!u->lines_tried) {
		u->lines_tried = true;
		if (u->first.u && dw_lines_open(&s->d, &u->first, &u->lines) == 0)
			s->cached += dw_lines_bytes(&u->lines);
	}
	return u->lines.files.n ? &u->lines : NULL;
}

void srcunit_open_part(struct srcline *s, struct unit *u, struct dw_die *ret)
{
	const struct dw_unit *du;

	u->part = u->first.dwo_name ? malloc(sizeof(*u->part)) : NULL;
	if (!u->part)
		return;
	if (dw_split_open(&s->split, &u->first, u->part, &du) == 0) {
		s->cached += u->part->loaded;
		if (dw_die_read(u->part, du, du->first, ret) == 0)
			return;
		dw_close(u->part);
	}
	free(u->part);
	u->part = NULL;
}

static void read_unit(struct srcline *s, struct unit *u)
{
	struct dw_die first = u->first;
	struct dw_lines *l;

	if (u->tried)
		return;
	u->tried = true;
	srcunit_open_part(s, u, &first);
	read_scopes(s, u, &first); /* what it has read before it failed is right */
	sort_ranges(&u->funcs);
	l = srcunit_files(s, u);
	if (l) {
		s->cached -= dw_lines_bytes(l);
		dw_lines_run(l, s->zero);
		s->cached += dw_lines_bytes(l);
	}
	s->cached += u->scopes.cap * sizeof(*u->scopes.v) + (u->ranges.cap + u->funcs.cap) * sizeof(struct range);
}

/* -- an address -- */

static bool scope_has(const struct unit *u, const struct scope *c, uint64_t addr)
{
	for (uint32_t i = 0; i < c->nranges; i++)
		if (addr - u->ranges.v[c->first + i].lo < u->ranges.v[c->first + i].hi - u->ranges.v[c->first + i].lo)
			return true;
	return false;
}

/* The function with an address, then what is inlined in it there. Returns how many; ret has the outermost ones. */
static size_t scopes_at(const struct unit *u, uint64_t addr, const struct scope *ret[SRCLINE_MAX_FRAMES])
{
	const struct range *r = range_at(&u->funcs, addr);
	size_t n = 0;

	if (!r)
		return 0;
	ret[n++] = &u->scopes.v[r->of];
	for (uint32_t i = r->of + 1, end = ret[0]->end; i < end && n < SRCLINE_MAX_FRAMES;) {
		const struct scope *c = &u->scopes.v[i];

		if (scope_has(u, c, addr)) {
			ret[n++] = c;
			end = c->end;
			i++;
		} else {
			i = c->end;
		}
	}
	return n;
}

static const char *path_in(struct srcline *s, const struct dw_unit *u, uint64_t file)
{
	struct dw_lines *l = srcunit_files(s, &s->units[u - s->d.units.v]);

	return l ? dw_lines_path(l, file) : NULL;
}

/* Name and place of a function, from its entry or the ones it refers to. */
static void describe(struct srcline *s, struct unit *u, uint64_t die, struct srcframe *f)
{
	const char *name = NULL;
	struct dw_die e;

	for (unsigned i = 0; die && i < MAX_ORIGINS && dw_die_at(srcunit_part(s, u), die, &e) == 0; i++) {
		if (!f->func)
			f->func = e.linkage_name;
		if (!name)
			name = e.name;
		if (!f->def_line)
			f->def_line = clamp32(e.decl_line);
		if (!f->def_file && e.has_decl_file)
			f->def_file = path_in(s, u->part ? u->first.u : e.u, e.decl_file);
		die = e.origin;
	}
	if (!f->func)
		f->func = name;
}

size_t srcline_at(struct srcline *s, uint64_t addr, struct srcframe ret[SRCLINE_MAX_FRAMES])
{
	const struct scope *scopes[SRCLINE_MAX_FRAMES];
	const struct range *r = range_at(&s->map, addr);
	const struct dw_row *row;
	struct unit *u;
	size_t n;

	if (!r || s->d.steps > s->d.max_steps)
		return 0;
	if (s->cached > SRCLINE_MAX_CACHE)
		drop_units(s);
	u = &s->units[r->of];
	read_unit(s, u);
	n = scopes_at(u, addr, scopes);
	row = u->lines.has_rows ? dw_lines_at(&u->lines, addr) : NULL;
	for (size_t i = 0; i < n; i++) { /* scopes: outermost first */
		struct srcframe *f = &ret[n - 1 - i];

		*f = (struct srcframe){ 0 };
		describe(s, u, scopes[i]->die, f);
		if (i + 1 < n) {
			f->line = scopes[i + 1]->call_line;
			f->file = path_in(s, u->first.u, scopes[i + 1]->call_file);
		}
	}
	if (!n && row)
		ret[n++] = (struct srcframe){ 0 }; /* the file names no function: as of assembler source */
	if (row) {
		ret[0].file = dw_lines_path(&u->lines, row->file);
		ret[0].line = row->line;
	}
	return n;
}
