/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the statements of lines, and the inlined copies of a function: reads all rows, or all entries, of a file, one
 * unit after the other. */
#include "sym/dwarf/srcfind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sym/dwarf/srcunit.h"

/* -- inlined copies -- */

#define MAX_NAMED 4u /* from an entry to the one that has its name */

/* All copies of a file but those of its split units, and the functions that they are of, by offset: read once. */
struct copy {
	uint64_t off, origin; /* of its entry; of the function's */
	size_t unit;
};
struct copied {
	uint64_t off;
	const char *name, *linkage; /* NULL: it has none */
};
struct srccopies {
	VEC(struct copy) v;
	VEC(struct copied) of;
};

struct search {
	struct srcline *s;
	const char *func;
	struct srccopies *all;
	VEC(uint64_t) origins; /* the entries that are this function, by offset */
	srcfind_fn fn;
	void *arg;
};

/* The entries of a unit in their order. */
static int each_entry(struct search *f, struct unit *u, const struct dw_die *first,
		      int (*fn)(struct search *f, struct unit *u, const struct dw_die *e))
{
	struct dw *d = srcunit_part(f->s, u);
	struct dw_die e = *first;
	int r = 0;

	while (r == 0 && e.next < first->u->end) {
		r = dw_die_read(d, first->u, e.next, &e);
		if (r == 0 && (e.tag == TAG_SUBPROGRAM || e.tag == TAG_INLINED))
			r = fn(f, u, &e);
	}
	return r;
}

/* "twice<long int>" is twice, too. */
static bool is_same(const char *name, const char *wanted)
{
	size_t n = strlen(wanted);

	return name && !strncmp(name, wanted, n) && (!name[n] || name[n] == '<');
}

/* By either name, also where a declaration has it (methods of C++). */
static bool is_called(struct search *f, struct dw *d, const struct dw_die *e)
{
	struct dw_die of = *e;

	for (unsigned i = 0; i < MAX_NAMED; i++) {
		if (is_same(of.name, f->func) || is_same(of.linkage_name, f->func))
			return true;
		if (of.linkage_name || !of.origin || dw_die_at(d, of.origin, &of) < 0)
			return false;
	}
	return false;
}

static int note_origin(struct search *f, struct unit *u, const struct dw_die *e)
{
	if (e->tag != TAG_SUBPROGRAM || !is_called(f, srcunit_part(f->s, u), e))
		return 0;
	return vec_try_push(&f->origins, e->off);
}

static bool is_origin(const struct search *f, uint64_t off)
{
	size_t lo = 0, hi = f->origins.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->origins.v[mid] == off)
			return true;
		if (f->origins.v[mid] < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* Where a copy is entered: compilers that do not say it mean where its code begins. 0: it has none. */
static int entry_of(struct search *f, struct unit *u, const struct dw_die *e, uint64_t *ret)
{
	uint64_t base = u->first.has_low ? u->first.low : 0;
	struct ranges v = { 0 };
	int r = 0;

	*ret = e->has_entry && e->entry_is_addr ? e->entry : e->has_low ? e->low : 0;
	if (!*ret)
		r = srcunit_ranges(f->s, srcunit_part(f->s, u), e, base, 0, &v);
	if (r == 0 && v.n)
		*ret = v.v[0].lo;
	if (*ret && e->has_entry && !e->entry_is_addr)
		*ret += e->entry;
	vec_free(&v);
	return r;
}

static int give_copy(struct search *f, struct unit *u, const struct dw_die *e)
{
	struct srcplace p = { .line = e->call_line > UINT32_MAX ? 0 : (uint32_t)e->call_line };
	struct dw_lines *l;
	int r;

	if (e->tag != TAG_INLINED || !is_origin(f, e->origin))
		return 0;
	r = entry_of(f, u, e, &p.addr);
	if (r < 0 || !p.addr)
		return r;
	l = srcunit_files(f->s, u);
	p.file = l ? dw_lines_path(l, e->call_file) : NULL;
	return f->fn(f->arg, &p);
}

/* A split unit is closed again: it can be asked for its copies while it is open only. */
static int search_split(struct search *f, struct unit *u)
{
	struct dw_die first = u->first;
	int r = 0;

	srcunit_open_part(f->s, u, &first);
	f->origins.n = 0;
	if (u->part) {
		r = each_entry(f, u, &first, note_origin);
		if (r == 0 && f->origins.n)
			r = each_entry(f, u, &first, give_copy);
	}
	srcunit_drop(u);
	return r;
}

static int note_copy(struct search *f, struct unit *u, const struct dw_die *e)
{
	const struct copy c = { e->off, e->origin, (size_t)(u - f->s->units) };
	const struct copied of = { .off = e->origin };
	int r;

	if (e->tag != TAG_INLINED || !e->origin)
		return 0;
	r = vec_try_push(&f->all->v, c);
	return r ? r : vec_try_push(&f->all->of, of);
}

/* As is_called(). */
static void name_copied(struct srcline *s, struct copied *c)
{
	struct dw_die e;

	if (dw_die_at(&s->d, c->off, &e) < 0 || e.tag != TAG_SUBPROGRAM)
		return;
	for (unsigned i = 0; i < MAX_NAMED; i++) {
		c->name = c->name ? c->name : e.name;
		c->linkage = e.linkage_name;
		if (c->linkage || !e.origin || dw_die_at(&s->d, e.origin, &e) < 0)
			return;
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct copied *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

static void free_copies(struct srccopies *all)
{
	if (!all)
		return;
	vec_free(&all->v);
	vec_free(&all->of);
	free(all);
}

static int read_copies(struct srcline *s)
{
	struct search f = { .s = s, .all = calloc(1, sizeof(*f.all)) };
	int r = f.all ? 0 : -ENOMEM;
	size_t n = 0;

	for (size_t i = 0; r == 0 && i < s->d.units.n; i++)
		if (s->units[i].first.u && !s->units[i].first.dwo_name && s->units[i].first.u->base == &s->d.own)
			r = each_entry(&f, &s->units[i], &s->units[i].first, note_copy);
	if (r < 0) {
		free_copies(f.all);
		return r;
	}
	if (f.all->of.n)
		qsort(f.all->of.v, f.all->of.n, sizeof(*f.all->of.v), by_offset);
	for (size_t i = 0; i < f.all->of.n; i++) {
		if (n && f.all->of.v[n - 1].off == f.all->of.v[i].off)
			continue;
		f.all->of.v[n] = f.all->of.v[i];
		name_copied(s, &f.all->of.v[n++]);
	}
	f.all->of.n = n;
	s->copies = f.all;
	return 0;
}

/* Gives the copies of one function, which were read before. */
static int search_read(struct search *f)
{
	struct srccopies *all = f->s->copies;
	int r = 0;

	for (size_t i = 0; r == 0 && i < all->of.n; i++)
		if (is_same(all->of.v[i].name, f->func) || is_same(all->of.v[i].linkage, f->func))
			r = vec_try_push(&f->origins, all->of.v[i].off);
	for (size_t i = 0; r == 0 && f->origins.n && i < all->v.n; i++) {
		struct dw_die e;

		if (!is_origin(f, all->v.v[i].origin))
			continue;
		r = dw_die_at(&f->s->d, all->v.v[i].off, &e);
		r = r ? r : give_copy(f, &f->s->units[all->v.v[i].unit], &e);
	}
	return r;
}

void srcfind_done(struct srcline *s)
{
	free_copies(s->copies);
	s->copies = NULL;
}

int srcfind_copies(struct srcline *s, const char *func, srcfind_fn fn, void *arg)
{
	struct search f = { .s = s, .func = func, .fn = fn, .arg = arg };
	int r = s->copies ? 0 : read_copies(s);

	if (r == 0)
		r = search_read(&f);
	for (size_t i = 0; r == 0 && i < s->d.units.n; i++)
		if (s->units[i].first.u && s->units[i].first.dwo_name)
			r = search_split(&f, &s->units[i]);
	vec_free(&f.origins);
	return r;
}

/* -- statements -- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool wants_any(struct dw_lines *l, bool (*want)(void *arg, const char *base), void *arg)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (l->files.v[i].name && want(arg, base_of(l->files.v[i].name)))
			return true;
	return false;
}

static int unit_statements(struct srcline *s, struct unit *u, bool (*want)(void *arg, const char *base), srcfind_fn fn,
			   void *arg)
{
	struct dw_lines *l = srcunit_files(s, u);
	int r = 0;

	if (!l || !wants_any(l, want, arg))
		return 0;
	l->want_stmts = true;
	l->has_rows = false;
	dw_lines_run(l, s->zero); /* what it has read before it failed is right */
	for (size_t i = 0; r == 0 && i < l->stmts.n; i++) {
		const struct dw_row *row = &l->stmts.v[i];
		const struct srcplace p = { row->addr, dw_lines_path(l, row->file), row->line };

		if (p.file && want(arg, base_of(p.file)))
			r = fn(arg, &p);
	}
	return r;
}

int srcfind_statements(struct srcline *s, bool (*want)(void *arg, const char *base), srcfind_fn fn, void *arg)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->d.units.n; i++) {
		r = unit_statements(s, &s->units[i], want, fn, arg);
		srcunit_drop(&s->units[i]);
	}
	return r;
}
