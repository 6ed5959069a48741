/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: strings, and recorded values by their fields and types. Addresses are strings "0x…", as they
 * are names of places and too large for the numbers of many readers. */
#include <math.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "view/text/json_int.h"

/* -- strings -- */

void json_text(struct text_view *v, const char *s, size_t n)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	jsonstr_add(&b, s, n);
	text_printf(v, "%s", strb_str(&b));
}

void json_str(struct text_view *v, const char *s)
{
	json_text(v, s, strlen(s));
}

struct jsonfile {
	FILE *out;
	struct strb raw, text; /* not yet taken; escaped */
};

static bool pass_on(struct jsonfile *j, bool last)
{
	size_t n;

	strb_reset(&j->text);
	n = jsonstr_part(&j->text, strb_str(&j->raw), j->raw.n, last);
	if (j->raw.failed || j->text.failed)
		return false;
	if (n)
		memmove(j->raw.s, j->raw.s + n, j->raw.n - n);
	j->raw.n -= n;
	return fwrite(strb_str(&j->text), 1, j->text.n, j->out) == j->text.n;
}

static ssize_t on_write(void *cookie, const char *s, size_t n)
{
	struct jsonfile *j = cookie;

	strb_add(&j->raw, s, n);
	return pass_on(j, false) ? (ssize_t)n : 0;
}

static int on_close(void *cookie)
{
	struct jsonfile *j = cookie;
	bool ok = pass_on(j, true);

	strb_free(&j->raw);
	strb_free(&j->text);
	free(j);
	return ok ? 0 : -1;
}

FILE *json_file(struct text_view *v)
{
	static const cookie_io_functions_t ops = { .write = on_write, .close = on_close };
	struct jsonfile *j = calloc(1, sizeof(*j));
	FILE *f = j ? fopencookie(j, "w", ops) : NULL;

	if (!f) {
		free(j);
		return NULL;
	}
	j->out = v->out;
	return f;
}

static void put_hex(struct text_view *v, const uint8_t *p, size_t n)
{
	text_printf(v, "\"");
	for (size_t i = 0; i < n; i++)
		text_printf(v, "%02x", p[i]);
	text_printf(v, "\"");
}

void json_bytes(struct text_view *v, const uint8_t *p, size_t n)
{
	text_printf(v, "{\"bytes\":");
	put_hex(v, p, n);
	text_printf(v, "}");
}

/* -- types -- */

struct typed {
	struct text_view *v;
	const uint8_t *p;
	uint64_t limit; /* bytes to show */
	bool truncated;
};

static void typed_value(struct typed *t, const struct rectype *ty, uint64_t off, const struct rec_member *m);

static void put_float(struct text_view *v, const uint8_t *p, uint64_t size)
{
	double d = 0;
	float f = 0;

	if (size == sizeof(f)) {
		memcpy(&f, p, sizeof(f));
		d = (double)f;
	} else if (size == sizeof(d)) {
		memcpy(&d, p, sizeof(d));
	} else {
		json_bytes(v, p, size);
		return;
	}
	if (isfinite(d))
		text_printf(v, "%.17g", d);
	else
		text_printf(v, "null");
}

static void put_int(struct text_view *v, const struct rectype *ty, uint64_t u)
{
	const char *name = ty->kind == RTY_ENUM ? text_enum_name(ty, u) : NULL;

	if (name)
		json_str(v, name);
	else if (ty->kind == RTY_PTR)
		text_printf(v, "\"0x%llx\"", (unsigned long long)u);
	else if (ty->is_signed)
		text_printf(v, "%lld", (long long)u);
	else
		text_printf(v, "%llu", (unsigned long long)u);
}

/* Members of anonymous members are members of the outer one, as in C. */
static void put_members(struct typed *t, const struct rectype *ty, uint64_t base, bool *first)
{
	for (uint32_t i = 0; i < ty->nmembers; i++) {
		const struct rec_member *m = &ty->members[i];
		uint64_t off = base + m->bit_off / 8,
			 bytes = m->bit_size ? (m->bit_off % 8 + m->bit_size + 7) / 8 : m->type->size;
		bool inside = m->type->kind == RTY_STRUCT || m->type->kind == RTY_ARRAY;

		if (inside ? off >= t->limit : off + bytes > t->limit) {
			t->truncated |= bytes > 0;
			continue;
		}
		if (!m->name && m->type->kind == RTY_STRUCT) {
			put_members(t, m->type, off, first);
			continue;
		}
		text_printf(t->v, "%s", *first ? "" : ",");
		*first = false;
		json_str(t->v, m->name ? m->name : "");
		text_printf(t->v, ":");
		typed_value(t, m->type, off, m);
	}
}

static void put_array(struct typed *t, const struct rectype *ty, uint64_t off)
{
	uint64_t size = ty->elem->size, n = ty->nelems, avail = off < t->limit ? t->limit - off : 0;

	if (size && n > avail / size) {
		n = avail / size;
		t->truncated = true;
	}
	if (ty->elem->kind == RTY_INT && ty->elem->is_char) {
		json_text(t->v, (const char *)t->p + off, strnlen((const char *)t->p + off, n));
		return;
	}
	text_printf(t->v, "[");
	for (uint64_t i = 0; i < n && size; i++) {
		text_printf(t->v, "%s", i ? "," : "");
		typed_value(t, ty->elem, off + i * size, NULL);
	}
	text_printf(t->v, "]");
}

static void typed_value(struct typed *t, const struct rectype *ty, uint64_t off, const struct rec_member *m)
{
	uint32_t bits = m ? m->bit_size : 0;
	bool first = true;

	switch (ty->kind) {
	case RTY_STRUCT:
		text_printf(t->v, "{");
		put_members(t, ty, off, &first);
		text_printf(t->v, "}");
		break;
	case RTY_ARRAY: put_array(t, ty, off); break;
	case RTY_STRING: json_text(t->v, (const char *)t->p + off, strnlen((const char *)t->p + off, ty->size)); break;
	case RTY_FLOAT: put_float(t->v, t->p + off, ty->size); break;
	case RTY_BYTES: json_bytes(t->v, t->p + off, ty->size); break;
	default:
		if (ty->size > 8)
			json_bytes(t->v, t->p + off, ty->size);
		else
			put_int(t->v, ty,
				text_bits(t->p + off, ty->size, bits ? m->bit_off % 8 : 0, bits, ty->is_signed));
	}
}

bool json_typed(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	uint64_t limit = v->opts.printsize > 0 ? (uint64_t)v->opts.printsize : 0;
	struct typed t = { .v = v, .p = p, .limit = f->size < limit ? f->size : limit };

	if (f->type->kind != RTY_STRUCT && f->type->kind != RTY_ARRAY)
		t.limit = f->size;
	typed_value(&t, f->type, 0, NULL);
	return t.truncated;
}

/* -- fields -- */

static void put_frame(struct text_view *v, uint64_t pc, const char *name, bool first)
{
	text_printf(v, "%s{\"addr\":\"0x%llx\",\"name\":", first ? "" : ",", (unsigned long long)pc);
	json_str(v, name);
	text_printf(v, "}");
}

/* A kernel stack is a list of frames; a user stack an object, as it has a process and may be cut. */
static void put_stack(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	struct rec_ustack_hdr h = { 0 };
	size_t first, n;
	char name[1024];

	n = text_frames(v, f, p, &first);
	if (f->kind == FLD_USTACK) {
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		text_printf(v, "{\"pid\":%u,\"complete\":%s,\"frames\":", h.tgid,
			    h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT | REC_USTACK_NONE) ? "false" : "true");
	}
	text_printf(v, "[");
	for (size_t i = first; i < n; i++) {
		uint64_t pc;

		memcpy(&pc, p + 8 * i, sizeof(pc));
		if (f->kind == FLD_USTACK)
			text_uaddr_str(v, h.tgid, h.start, pc, true, name, sizeof(name));
		else
			text_kaddr_str(v, pc, true, name, sizeof(name));
		put_frame(v, pc, name, i == first);
	}
	text_printf(v, f->kind == FLD_USTACK ? "]}" : "]");
}

static void put_symbol(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	struct rec_uaddr u = { 0 };
	char name[1024];

	if (f->kind == FLD_WHY) {
		json_why(v, f, p);
		return;
	}
	if (f->kind >= FLD_USYM)
		memcpy(&u, p, sizeof(u));
	else
		memcpy(&u.addr, p, sizeof(u.addr));
	text_addr_str(v, f, p, name, sizeof(name));
	put_frame(v, u.addr, name, true);
}

void json_field(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	uint64_t u;

	switch (f->kind) {
	case FLD_INT:
		u = recfield_u64(f, p);
		text_printf(v, f->is_signed ? "%lld" : "%llu", (unsigned long long)u);
		break;
	case FLD_STRING: json_text(v, (const char *)p, strnlen((const char *)p, f->size)); break;
	case FLD_BYTES: json_bytes(v, p, f->size); break;
	case FLD_STACK:
	case FLD_USTACK: put_stack(v, f, p); break;
	default: put_symbol(v, f, p);
	}
}

/* -- aggregation values -- */

static void put_bound(struct text_view *v, const char *name, bool have, int64_t bound)
{
	if (have)
		text_printf(v, "\"%s\":%lld,", name, (long long)bound);
	else
		text_printf(v, "\"%s\":null,", name);
}

static void put_buckets(struct text_view *v, const struct aggdesc *d, const int64_t *data, int64_t normal)
{
	unsigned n = aggval_nbuckets(d->func, d->param);
	bool first = true;

	text_printf(v, "[");
	for (unsigned i = 0; i < n; i++) {
		struct aggval_range r;

		if (!data[i])
			continue;
		r = aggval_bucket_range(d->func, d->param, i);
		text_printf(v, "%s{", first ? "" : ",");
		first = false;
		put_bound(v, "from", r.has_from, r.from);
		put_bound(v, "to", r.has_to, r.to);
		text_printf(v, "\"count\":%lld}", (long long)(data[i] / normal));
	}
	text_printf(v, "]");
}

void json_aggvalue(struct text_view *v, const struct aggdesc *d, const uint64_t *value, int64_t normal)
{
	if (!value)
		text_printf(v, "null");
	else if (text_agg_is_dist(d->func))
		put_buckets(v, d, (const int64_t *)value + 1, normal);
	else
		text_printf(v, "%lld", (long long)text_aggnumber(d, value, normal));
}
