/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an image: maps, record formats, aggregations, and the programs beside their D text. */
#include <string.h>
#include "base/recnames.h"
#include "cg/bpf/disasm.h"
#include "cg/image.h"

#define COMMENT_COLUMN 48

static const char *const role_names[] = {
	[IMG_MAP_RINGS] = "rings",
	[IMG_MAP_COUNTERS] = "counters",
	[IMG_MAP_HITS] = "hits",
	[IMG_MAP_STATE] = "state",
	[IMG_MAP_RODATA] = "rodata",
	[IMG_MAP_SCRATCH] = "scratch",
	[IMG_MAP_TLS] = "thread-locals",
	[IMG_MAP_CHILL] = "chill",
	[IMG_MAP_SPECS] = "speculations",
	[IMG_MAP_SPECFREE] = "free speculations",
	[IMG_MAP_SHAPE] = "maps of one shape",
	[IMG_MAP_ASSOC] = "array",
	[IMG_MAP_AGG] = "aggregation",
	[IMG_MAP_UW_TABLES] = "unwinding tables",
	[IMG_MAP_UW_AREAS] = "unwinding areas",
	[IMG_MAP_UW_PROCS] = "unwinding processes",
	[IMG_MAP_UW_WANT] = "unwinding wishes",
	[IMG_MAP_UW_FILES] = "unwinding files",
	[IMG_MAP_UW_SCRATCH] = "unwinding scratch",
	[IMG_MAP_PY_PROCS] = "Python interpreters",
	[IMG_MAP_V8_PROCS] = "processes with V8",
	[IMG_MAP_HS_PROCS] = "processes with HotSpot",
	[IMG_MAP_GO_PROCS] = "processes with Go",
	[IMG_MAP_TRACK] = "open events",
	[IMG_MAP_TRACKHIST] = "histograms",
	[IMG_MAP_TRACKDUE] = "due keys",
	[IMG_MAP_TRACKCGROUPS] = "thresholds of cgroups",
	[IMG_MAP_FLIGHT] = "flight recorder",
};

static void pad_to(struct strb *out, size_t line_start, size_t col)
{
	size_t have = out->n - line_start;

	strb_fill(out, ' ', have < col ? col - have : 1);
}

/* The D text of a place, up to its first line end, with its line number in front. */
static void put_d_line(struct strb *out, const struct img_line *l)
{
	struct position pos;
	const char *text, *nl;
	size_t len;

	if (!l->at.src) {
		if (l->epid)
			strb_printf(out, "; clause %u\n", l->epid);
		return;
	}
	pos = source_position(l->at.src, l->at.off);
	text = l->at.src->text + l->at.off;
	len = l->at.off + l->at.len <= l->at.src->len ? l->at.len : 0;
	nl = memchr(text, '\n', len);
	if (nl)
		len = (size_t)(nl - text);
	strb_printf(out, "; line %u, clause %u: ", pos.line, l->epid);
	strb_add(out, text, len);
	strb_addc(out, '\n');
}

void image_disasm(struct strb *out, const struct image *img, const struct img_prog *p)
{
	uint32_t at, line = 0, comment = 0, fn = 0;

	for (at = 0; at < p->ninsns;) {
		size_t start;

		if (fn < p->nfuncs && p->funcs[fn].off == at)
			strb_printf(out, "%s:\n", p->funcs[fn++].name);
		while (line < p->nlines && p->lines[line].off <= at)
			put_d_line(out, &p->lines[line++]);
		start = out->n;
		strb_printf(out, "%5u: ", at);
		at += disasm_insn(out, img, p, at);
		while (comment < p->ncomments && p->comments[comment].off < at) {
			pad_to(out, start, COMMENT_COLUMN);
			strb_printf(out, "; %s", p->comments[comment++].text);
			if (comment < p->ncomments && p->comments[comment].off < at) {
				strb_addc(out, '\n');
				start = out->n;
			}
		}
		strb_addc(out, '\n');
	}
}

static void put_map(struct strb *out, const struct img_map *m, uint32_t n)
{
	strb_printf(out, "map %u %.16s: %s, type %d, key %u, value %u, entries %u, flags 0x%x", n, m->name,
		    role_names[m->role], (int)m->type, m->key_size, m->value_size, m->max_entries, m->flags);
	if (m->inner_size)
		strb_printf(out, ", inner %llu", (unsigned long long)m->inner_size);
	if (m->role == IMG_MAP_AGG)
		strb_printf(out, ", aggregation %u set %u", m->agg, m->set);
	if (m->outer)
		strb_printf(out, ", slot %u of map %u", m->slot, m->outer - 1);
	strb_addc(out, '\n');
}

static void put_fields(struct strb *out, const struct recfield *f, size_t n)
{
	size_t k;

	for (k = 0; k < n; k++)
		strb_printf(out, " %s@%u+%u%s", rec_field_name(f[k].kind), f[k].off, f[k].size,
			    f[k].kind == FLD_INT && f[k].is_signed ? "s" : "");
}

static void put_fmt(struct strb *out, const struct recfmt *f)
{
	size_t k;

	strb_printf(out, "record %u: %u bytes%s%s\n", f->epid, f->size, f->is_default ? ", default action" : "",
		    f->has_exit ? ", exits" : "");
	for (k = 0; k < f->nacts; k++) {
		strb_printf(out, "    #%u %s", f->acts[k].number, rec_act_name(f->acts[k].kind));
		put_fields(out, f->acts[k].fields, f->acts[k].nfields);
		strb_addc(out, '\n');
	}
}

static void put_agg(struct strb *out, const struct aggdesc *a)
{
	strb_printf(out, "aggregation %u @%s: %s, key %u, value %u,%s", a->id, a->name, rec_agg_name(a->func),
		    a->key_size, a->value_size, a->is_signed ? " signed" : " unsigned");
	if (a->nkeys)
		strb_adds(out, ", keys");
	put_fields(out, a->keys, a->nkeys);
	strb_addc(out, '\n');
}

void image_dump(struct strb *out, const struct image *img)
{
	uint32_t k;

	for (k = 0; k < img->nmaps; k++)
		put_map(out, &img->maps[k], k);
	for (k = 0; k < img->naggs; k++)
		put_agg(out, img->aggs[k]);
	for (k = 0; k < img->nfmts; k++) {
		if (img->fmts[k])
			put_fmt(out, img->fmts[k]);
	}
	for (k = 0; k < img->nprogs; k++) {
		const struct img_prog *p = &img->progs[k];

		strb_printf(out, "program %u %.16s: %s, clauses %u-%u, %u instructions\n", k, p->name,
			    p->entry.target ? p->entry.target : "-", p->first_epid, p->last_epid, p->ninsns);
		image_disasm(out, img, p);
	}
}
