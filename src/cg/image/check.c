/* SPDX-License-Identifier: Apache-2.0 */
/* Checks an image for consistency: maps, record formats, aggregations. prog_check.c checks programs. */
#include "cg/image/check.h"
#include <errno.h>
#include <string.h>
#include "base/aggval.h"

static bool int_size(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Smallest size of a field of this kind. */
static uint64_t field_min_size(const struct recfield *f)
{
	switch (f->kind) {
	case FLD_WHY:
	case FLD_STACK: return 8ull * f->nframes;
	case FLD_USTACK: return sizeof(struct rec_ustack_hdr) + 8ull * f->nframes;
	case FLD_SYM:
	case FLD_FUNC:
	case FLD_MOD: return 8;
	case FLD_USYM:
	case FLD_UFUNC:
	case FLD_UMOD:
	case FLD_UADDR: return sizeof(struct rec_uaddr);
	case FLD_BYTES: return 0; /* slow() of a tracker without key */
	default: return 1;
	}
}

/* A field inside [start, size). */
static bool field_ok(const struct recfield *f, uint32_t start, uint32_t size)
{
	if (f->kind > FLD_WHY || f->off < start || f->off > size || f->size > size - f->off)
		return false;
	if (f->kind == FLD_INT && !int_size(f->size))
		return false;
	return f->size >= field_min_size(f);
}

static int check_act(const struct image *img, const struct recfmt *f, const struct recact *a, struct err *err)
{
	size_t k;

	if (a->kind > ACT_PCAP)
		return err_set(err, -EBADMSG, "record %u: unknown action %d", f->epid, (int)a->kind);
	for (k = 0; k < a->nfields; k++) {
		if (!field_ok(&a->fields[k], sizeof(struct rec_hdr), f->size))
			return err_set(err, -EBADMSG, "record %u, action %u: field %zu (%u+%u) is outside %u bytes",
				       f->epid, a->number, k, a->fields[k].off, a->fields[k].size, f->size);
	}
	for (k = 0; k < a->naggs; k++) {
		if (!a->aggs[k] || a->aggs[k]->id >= img->naggs || img->aggs[a->aggs[k]->id] != a->aggs[k])
			return err_set(err, -EBADMSG, "record %u, action %u: foreign aggregation", f->epid, a->number);
	}
	return 0;
}

static int check_fmts(const struct image *img, struct err *err)
{
	uint32_t n;
	size_t k;
	int r;

	for (n = 0; n < img->nfmts; n++) {
		const struct recfmt *f = img->fmts[n];

		if (!f)
			continue;
		if (f->epid != n + 1)
			return err_set(err, -EBADMSG, "record %u is at place %u", f->epid, n + 1);
		if (f->size % 8 || f->size > CG_MAX_RECORD_SIZE || (f->size && f->size < sizeof(struct rec_hdr)))
			return err_set(err, -EBADMSG, "record %u has %u bytes", f->epid, f->size);
		for (k = 0; k < f->nacts; k++) {
			r = check_act(img, f, &f->acts[k], err);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int check_aggs(const struct image *img, struct err *err)
{
	uint32_t n;
	size_t k;

	for (n = 0; n < img->naggs; n++) {
		const struct aggdesc *a = img->aggs[n];

		if (!a || a->id != n)
			return err_set(err, -EBADMSG, "aggregation %u is at the wrong place", n);
		if (a->key_size % 8 || a->key_size > CG_MAX_LONG_KEY || (a->nkeys && !a->key_size))
			return err_set(err, -EBADMSG, "aggregation %u has a key of %u bytes", n, a->key_size);
		if (!a->value_size || a->value_size != aggval_size(a->func, a->param))
			return err_set(err, -EBADMSG, "aggregation %u has values of %u bytes", n, a->value_size);
		for (k = 0; k < a->nkeys; k++) {
			if (!field_ok(&a->keys[k], 0, a->key_size))
				return err_set(err, -EBADMSG, "aggregation %u: key %zu (%u+%u) is outside %u bytes", n,
					       k, a->keys[k].off, a->keys[k].size, a->key_size);
		}
	}
	return 0;
}

static int check_map(const struct image *img, uint32_t n, struct err *err)
{
	const struct img_map *m = &img->maps[n];
	const struct aggdesc *a;

	if (m->role >= IMG_MAP_ROLES_ || strnlen(m->name, sizeof(m->name)) == sizeof(m->name))
		return err_set(err, -EBADMSG, "map %u has no role or name", n);
	if (m->role == IMG_MAP_RINGS && (m->inner_size < 4096 || (m->inner_size & (m->inner_size - 1))))
		return err_set(err, -EBADMSG, "map %u: rings of %llu bytes", n, (unsigned long long)m->inner_size);
	if (m->role != IMG_MAP_RINGS && !m->value_size)
		return err_set(err, -EBADMSG, "map %u has no values", n);
	if (m->outer && (m->outer > img->nmaps || img->maps[m->outer - 1].role != IMG_MAP_SHAPE ||
			 m->slot >= img->maps[m->outer - 1].max_entries))
		return err_set(err, -EBADMSG, "map %u has no place %u in map %u", n, m->slot, m->outer - 1);
	if (m->role != IMG_MAP_AGG)
		return 0;
	if (m->agg >= img->naggs || m->set > 1)
		return err_set(err, -EBADMSG, "map %u: no aggregation %u set %u", n, m->agg, m->set);
	a = img->aggs[m->agg];
	if (m->value_size != a->value_size || (a->key_size && m->key_size != img_agg_key_size(m, a)))
		return err_set(err, -EBADMSG, "map %u does not fit aggregation %u", n, m->agg);
	return 0;
}

static int check_prog(const struct image *img, const struct img_prog *p, struct err *err)
{
	if (p->first_epid > p->last_epid || p->last_epid > img->nfmts)
		return err_set(err, -EBADMSG, "program %.16s: clauses %u-%u of %u", p->name, p->first_epid,
			       p->last_epid, img->nfmts);
	return prog_check(img, p, err);
}

int image_check(const struct image *img, struct err *err)
{
	uint32_t n;
	int r;

	if (img->nprogs > CG_MAX_PROGS)
		return err_set(err, -EBADMSG, "%u programs", img->nprogs);
	r = check_aggs(img, err);
	for (n = 0; r == 0 && n < img->nmaps; n++)
		r = check_map(img, n, err);
	if (r == 0)
		r = check_fmts(img, err);
	for (n = 0; r == 0 && n < img->nprogs; n++)
		r = check_prog(img, &img->progs[n], err);
	return r;
}
