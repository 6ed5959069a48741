/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: recorded values by their fields and types. Addresses are strings "0x…", as they are names of places and too
 * large for the numbers of many readers. */
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "view/text/json_int.h"

void json_bytes(struct jsonw *w, const char *name, const uint8_t *p, size_t n)
{
	jsonw_object(w, name);
	jsonw_bytes(w, "bytes", p, n);
	jsonw_end_object(w);
}

/* -- types -- */

struct typed {
	struct text_view *v;
	struct jsonw *w;
	const uint8_t *p;
	uint64_t limit; /* bytes to show */
	bool truncated;
};

static void typed_value(struct typed *t, const char *name, const struct rectype *ty, uint64_t off,
			const struct rec_member *m);

static void put_float(struct jsonw *w, const char *name, const uint8_t *p, uint64_t size)
{
	double d = 0;
	float f = 0;

	if (size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		d = (double)f;
	} else if (size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
	} else {
		json_bytes(w, name, p, size);
		return;
	}
	jsonw_double(w, name, d, 17);
}

static void put_int(struct jsonw *w, const char *name, const struct rectype *ty, uint64_t u)
{
	const char *word = ty->kind == RTY_ENUM ? text_enum_name(ty, u) : NULL;

	if (word)
		jsonw_str(w, name, word);
	else if (ty->kind == RTY_PTR)
		jsonw_hex(w, name, u);
	else if (ty->is_signed)
		jsonw_i64(w, name, (int64_t)u);
	else
		jsonw_u64(w, name, u);
}

/* Members of anonymous members are members of the outer one, as in C. */
static void put_members(struct typed *t, const struct rectype *ty, uint64_t base)
{
	for (uint32_t i = 0; i < ty->nmembers; i++) {
		const struct rec_member *m = &ty->members[i];
		uint64_t off = base + m->bit_off / 8,
			 bytes = m->bit_size ? (m->bit_off % 8 + m->bit_size + 7) / 8 : m->type->size;
		bool inside = m->type->kind == RTY_STRUCT || m->type->kind == RTY_ARRAY;

		if (inside ? off >= t->limit : off + bytes > t->limit)
			t->truncated |= bytes > 0;
		else if (!m->name && m->type->kind == RTY_STRUCT)
			put_members(t, m->type, off);
		else
			typed_value(t, m->name ? m->name : "", m->type, off, m);
	}
}

static void put_array(struct typed *t, const char *name, const struct rectype *ty, uint64_t off)
{
	uint64_t size = ty->elem->size, n = ty->nelems, avail = off < t->limit ? t->limit - off : 0;
	const char *at = (const char *)t->p + off;

	if (size && n > avail / size) {
		n = avail / size;
		t->truncated = true;
	}
	if (ty->elem->kind == RTY_INT && ty->elem->is_char) {
		jsonw_strn(t->w, name, at, strnlen(at, n));
		return;
	}
	jsonw_array(t->w, name);
	for (uint64_t i = 0; i < n && size; i++)
		typed_value(t, NULL, ty->elem, off + i * size, NULL);
	jsonw_end_array(t->w);
}

static void typed_value(struct typed *t, const char *name, const struct rectype *ty, uint64_t off,
			const struct rec_member *m)
{
	uint32_t bits = m ? m->bit_size : 0;
	const uint8_t *p = t->p + off;

	switch (ty->kind) {
	case RTY_STRUCT:
		jsonw_object(t->w, name);
		put_members(t, ty, off);
		jsonw_end_object(t->w);
		break;
	case RTY_ARRAY: put_array(t, name, ty, off); break;
	case RTY_STRING: jsonw_strn(t->w, name, (const char *)p, strnlen((const char *)p, ty->size)); break;
	case RTY_FLOAT: put_float(t->w, name, p, ty->size); break;
	case RTY_BYTES: json_bytes(t->w, name, p, ty->size); break;
	default:
		if (ty->size > 8)
			json_bytes(t->w, name, p, ty->size);
		else
			put_int(t->w, name, ty, text_bits(p, ty->size, bits ? m->bit_off % 8 : 0, bits, ty->is_signed));
	}
}

bool json_typed(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p)
{
	uint64_t limit = v->opts.printsize > 0 ? (uint64_t)v->opts.printsize : 0;
	struct typed t = { .v = v, .w = &v->json, .p = p, .limit = f->size < limit ? f->size : limit };

	if (f->type->kind != RTY_STRUCT && f->type->kind != RTY_ARRAY)
		t.limit = f->size;
	typed_value(&t, name, f->type, 0, NULL);
	return t.truncated;
}

/* -- fields -- */

static void put_frame(struct jsonw *w, const char *member, uint64_t pc, const char *name)
{
	jsonw_object(w, member);
	jsonw_hex(w, "addr", pc);
	jsonw_str(w, "name", name);
	jsonw_end_object(w);
}

static void put_frames(struct text_view *v, const char *member, const struct recfield *f, const uint8_t *p,
		       const struct rec_ustack_hdr *h)
{
	size_t first, n = text_frames(v, f, p, &first);
	char name[1024];

	p += h ? sizeof(*h) : 0;
	jsonw_array(&v->json, member);
	for (size_t i = first; i < n; i++) {
		uint64_t pc;

		memcpy(&pc, p + 8 * i, sizeof(pc));
		if (h)
			text_uaddr_str(v, h->tgid, h->start, pc, true, name, sizeof(name));
		else
			text_kaddr_str(v, pc, true, name, sizeof(name));
		put_frame(&v->json, NULL, pc, name);
	}
	jsonw_end_array(&v->json);
}

/* A kernel stack is a list of frames; a user stack an object, as it has a process and may be cut. */
static void put_stack(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p)
{
	struct jsonw *w = &v->json;
	struct rec_ustack_hdr h;

	if (f->kind != FLD_USTACK) {
		put_frames(v, name, f, p, NULL);
		return;
	}
	memcpy(&h, p, sizeof(h));
	jsonw_object(w, name);
	jsonw_u64(w, "pid", h.tgid);
	jsonw_bool(w, "complete", !(h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT | REC_USTACK_NONE)));
	put_frames(v, "frames", f, p, &h);
	jsonw_end_object(w);
}

static void put_why(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p)
{
	const struct why_words *why = text_why(v, f, p);
	struct jsonw *w = &v->json;

	jsonw_object(w, name);
	jsonw_str(w, "cause", why->words);
	jsonw_str(w, "class", why->class);
	jsonw_end_object(w);
}

static void put_symbol(struct text_view *v, const char *member, const struct recfield *f, const uint8_t *p)
{
	struct rec_uaddr u = { 0 };
	char name[1024];

	if (f->kind >= FLD_USYM)
		memcpy(&u, p, sizeof(u));
	else
		memcpy(&u.addr, p, sizeof(u.addr));
	text_addr_str(v, f, p, name, sizeof(name));
	put_frame(&v->json, member, u.addr, name);
}

void json_field(struct text_view *v, const char *name, const struct recfield *f, const uint8_t *p)
{
	struct jsonw *w = &v->json;
	uint64_t u;

	switch (f->kind) {
	case FLD_INT:
		u = recfield_u64(f, p);
		if (f->is_signed)
			jsonw_i64(w, name, (int64_t)u);
		else
			jsonw_u64(w, name, u);
		break;
	case FLD_STRING: jsonw_strn(w, name, (const char *)p, strnlen((const char *)p, f->size)); break;
	case FLD_BYTES: json_bytes(w, name, p, f->size); break;
	case FLD_STACK:
	case FLD_USTACK: put_stack(v, name, f, p); break;
	case FLD_WHY: put_why(v, name, f, p); break;
	default: put_symbol(v, name, f, p);
	}
}

/* -- aggregation values -- */

static void put_bound(struct jsonw *w, const char *name, bool have, int64_t bound)
{
	if (have)
		jsonw_i64(w, name, bound);
	else
		jsonw_null(w, name);
}

static void put_buckets(struct jsonw *w, const char *name, const struct aggdesc *d, const int64_t *data, int64_t normal)
{
	unsigned n = aggval_nbuckets(d->func, d->param);

	jsonw_array(w, name);
	for (unsigned i = 0; i < n; i++) {
		struct aggval_range r;

		if (!data[i])
			continue;
		r = aggval_bucket_range(d->func, d->param, i);
		jsonw_object(w, NULL);
		put_bound(w, "from", r.has_from, r.from);
		put_bound(w, "to", r.has_to, r.to);
		jsonw_i64(w, "count", data[i] / normal);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

void json_aggvalue(struct jsonw *w, const char *name, const struct aggdesc *d, const uint64_t *value, int64_t normal)
{
	if (!value)
		jsonw_null(w, name);
	else if (text_agg_is_dist(d->func))
		put_buckets(w, name, d, (const int64_t *)value + 1, normal);
	else
		jsonw_i64(w, name, text_aggnumber(d, value, normal));
}
