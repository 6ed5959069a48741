/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the split part of a unit, in the package of the program or in a file of its own, and checks that it
 * belongs to this skeleton. */
#include "sym/dwarf/split.h"
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"

#define LOAD_WORK 64u /* bytes read that count as much as an entry */

enum { /* sections in the index of a package: of version 2 (GNU), and of version 5 */
       SECT_INFO = 1,
       SECT_ABBREV = 3,
       SECT_STR_OFFSETS = 6,
       SECT_RNGLISTS = 8, /* version 5 only: before it, ranges stay in the program */
};

int dw_split_init(struct dw_split *s, struct dw *main, const struct debugplace *place)
{
	*s = (struct dw_split){ .main = main };
	if (!place)
		return 0;
	s->tgid = place->tgid;
	s->path = strdup(place->path);
	return s->path ? 0 : -ENOMEM;
}

void dw_split_done(struct dw_split *s)
{
	struct dw_package *p = &s->package;
	struct dw_section *const all[] = { &p->index, &p->info, &p->abbrev, &p->str, &p->str_offsets, &p->rnglists };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		free(all[i]->own);
	free(s->path);
	*s = (struct dw_split){ 0 };
}

/* A section, or nothing where there is none. */
static int load(struct dw *d, const struct elf *e, const char *name, struct dw_section *ret)
{
	int r = dw_load_section(d, e, name, ret);

	d->count->steps += ret->n / LOAD_WORK;
	return r == -ENODATA ? 0 : r;
}

/* -- the package -- */

/* The index: for each unit a row with the piece of each section (column) that belongs to it. */
struct index {
	uint32_t version, ncols, nunits, nslots;
	const uint8_t *ids, *rows, *cols, *offsets, *sizes;
};

static uint32_t u32_at(const uint8_t *v, uint64_t i)
{
	struct rd r = { v + 4 * i, v + 4 * i + 4, false };

	return (uint32_t)rd_fixed(&r, 4);
}

static int read_index(const struct dw_section *s, struct index *ret)
{
	struct rd r = { s->p, s->p + s->n, false };

	ret->version = (uint32_t)rd_fixed(&r, 4) & 0xffff; /* version 5 has 2 bytes, and padding */
	ret->ncols = (uint32_t)rd_fixed(&r, 4);
	ret->nunits = (uint32_t)rd_fixed(&r, 4);
	ret->nslots = (uint32_t)rd_fixed(&r, 4);
	if (r.bad || (ret->version != 2 && ret->version != 5) || ret->ncols > SPLIT_MAX_COLUMNS ||
	    ret->nunits > DWARF_MAX_UNITS || (ret->nslots & (ret->nslots - 1)))
		return -EBADMSG;
	ret->ids = r.p;
	rd_skip(&r, 8ull * ret->nslots);
	ret->rows = r.p;
	rd_skip(&r, 4ull * ret->nslots);
	ret->cols = r.p;
	rd_skip(&r, 4ull * ret->ncols);
	ret->offsets = r.p;
	rd_skip(&r, 4ull * ret->ncols * ret->nunits);
	ret->sizes = r.p;
	rd_skip(&r, 4ull * ret->ncols * ret->nunits);
	return r.bad ? -EBADMSG : 0;
}

/* The row of a unit, from 0; UINT32_MAX: it is not in the package. */
static uint32_t find_row(const struct index *x, uint64_t id)
{
	uint64_t mask = (uint64_t)x->nslots - 1, at = id & mask, step = ((id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < x->nslots; i++, at = (at + step) & mask) {
		struct rd r = { x->ids + 8 * at, x->ids + 8 * at + 8, false };
		uint32_t row = u32_at(x->rows, at);

		if (!row || row > x->nunits)
			return UINT32_MAX;
		if (rd_fixed(&r, 8) == id)
			return row - 1;
	}
	return UINT32_MAX;
}

/* The piece of a section that belongs to a row. Empty, if the index has no such section. */
static int piece(const struct index *x, uint32_t row, uint32_t section, const struct dw_section *of,
		 struct dw_section *ret)
{
	*ret = (struct dw_section){ 0 };
	for (uint32_t i = 0; i < x->ncols; i++) {
		uint64_t off = u32_at(x->offsets, (uint64_t)row * x->ncols + i);
		uint64_t size = u32_at(x->sizes, (uint64_t)row * x->ncols + i);

		if (u32_at(x->cols, i) != section)
			continue;
		if (off > of->n || size > of->n - off)
			return -EBADMSG;
		ret->p = of->p + off;
		ret->n = size;
		return 0;
	}
	return 0;
}

static void open_package(struct dw_split *s)
{
	struct dw_package *p = &s->package;
	const struct debugplace place = { s->path, s->tgid };
	struct debugfile f;
	int r;

	p->tried = true;
	s->main->steps += SPLIT_WORK;
	if (debugfile_open_package(&place, &f) < 0)
		return;
	r = load(s->main, &f.elf, ".debug_cu_index", &p->index);
	if (r == 0)
		r = load(s->main, &f.elf, ".debug_info.dwo", &p->info);
	if (r == 0)
		r = load(s->main, &f.elf, ".debug_abbrev.dwo", &p->abbrev);
	if (r == 0)
		r = load(s->main, &f.elf, ".debug_str.dwo", &p->str);
	if (r == 0)
		r = load(s->main, &f.elf, ".debug_str_offsets.dwo", &p->str_offsets);
	if (r == 0 && s->main->want_lines)
		r = load(s->main, &f.elf, ".debug_rnglists.dwo", &p->rnglists);
	p->open = r == 0;
	debugfile_close(&f);
}

static int from_package(struct dw_split *s, uint64_t id, struct dw *d)
{
	const struct dw_package *p = &s->package;
	struct index x;
	uint32_t row;
	int r;

	if (!s->package.tried)
		open_package(s);
	if (!p->open)
		return -ENOENT;
	r = read_index(&p->index, &x);
	if (r < 0)
		return r;
	row = find_row(&x, id);
	if (row == UINT32_MAX)
		return -ENOENT;
	r = piece(&x, row, SECT_INFO, &p->info, &d->info);
	if (r == 0)
		r = piece(&x, row, SECT_ABBREV, &p->abbrev, &d->abbrev);
	if (r == 0)
		r = piece(&x, row, SECT_STR_OFFSETS, &p->str_offsets, &d->str_offsets);
	if (r == 0 && x.version >= 5 && d->want_lines)
		r = piece(&x, row, SECT_RNGLISTS, &p->rnglists, &d->rnglists);
	d->str = p->str;
	d->str.own = NULL;
	return r;
}

/* -- files of their own -- */

static int from_file(struct dw_split *s, const struct dw_die *skeleton, struct dw *d)
{
	const struct debugplace place = { s->path, s->tgid };
	struct debugfile f;
	uint64_t at;
	int r;

	s->main->steps += SPLIT_WORK;
	if (s->main->steps > s->main->max_steps)
		return -EFBIG;
	if (debugfile_open_split(&place, skeleton->comp_dir, skeleton->dwo_name, &f) < 0)
		return -ENOENT;
	/* Each type unit is a section of its own. */
	r = dw_append_sections(d, &f.elf, ".debug_info.dwo", &d->info, &at);
	d->count->steps += d->info.n / LOAD_WORK;
	if (r == 0 && !s->main->want_lines)
		r = dw_append_types(d, &f.elf, ".debug_types.dwo");
	if (r == 0)
		r = load(d, &f.elf, ".debug_abbrev.dwo", &d->abbrev);
	if (r == 0)
		r = load(d, &f.elf, ".debug_str.dwo", &d->str);
	if (r == 0)
		r = load(d, &f.elf, ".debug_str_offsets.dwo", &d->str_offsets);
	if (r == 0 && s->main->want_lines)
		r = load(d, &f.elf, ".debug_rnglists.dwo", &d->rnglists);
	debugfile_close(&f);
	return r;
}

static struct dw_section borrowed(const struct dw_section *s)
{
	return (struct dw_section){ s->p, s->n, NULL };
}

/* The unit of an id; it gets the bases that only the skeleton tells. */
static const struct dw_unit *adopt(struct dw *d, const struct dw_unit *skeleton)
{
	for (size_t i = 0; i < d->units.n; i++) {
		struct dw_unit *u = &d->units.v[i];

		if (u->dwo_id != skeleton->dwo_id || u->first >= u->end)
			continue;
		u->addr_base = skeleton->addr_base;
		u->ranges_base = skeleton->dwo_ranges_base;
		return u;
	}
	return NULL;
}

int dw_split_open(struct dw_split *s, const struct dw_die *skeleton, struct dw *ret, const struct dw_unit **ret_unit)
{
	int r = -ENOENT;

	if (!s->path)
		return r;
	*ret = (struct dw){ .count = s->main, .want_lines = s->main->want_lines };
	ret->addr = borrowed(&s->main->addr);
	ret->ranges = borrowed(&s->main->ranges);
	r = from_package(s, skeleton->u->dwo_id, ret);
	if (r == -ENOENT)
		r = from_file(s, skeleton, ret);
	if (r == 0)
		r = dw_find_units(ret);
	*ret_unit = r == 0 ? adopt(ret, skeleton->u) : NULL;
	if (r == 0 && !*ret_unit)
		r = -ENOENT;
	if (r < 0)
		dw_close(ret);
	return r;
}
