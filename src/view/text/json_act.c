/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: what the actions of a record show, one object each. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/recnames.h"
#include "view/text/json_int.h"

struct jctx {
	struct text_view *v;
	const struct recfmt *fmt;
	size_t index;
	const struct recact *act;
	const struct row *row;
	const uint8_t *rec;
};

static const uint8_t *field(const struct jctx *c, size_t i)
{
	return c->rec + c->act->fields[i].off;
}

static void put_value(const struct jctx *c)
{
	json_field(c->v, "value", &c->act->fields[0], field(c, 0));
}

static void put_tracemem(const struct jctx *c)
{
	size_t n = c->act->fields[0].size;

	if (c->act->nfields > 1) {
		int64_t want = (int64_t)recfield_u64(&c->act->fields[1], field(c, 1));

		if (want >= 0 && (uint64_t)want < n)
			n = (size_t)want;
	}
	json_bytes(&c->v->json, "value", field(c, 0), n);
}

static void put_text(const struct jctx *c, const char *name)
{
	FILE *f = json_file(c->v);

	jsonw_begin_str(&c->v->json, name);
	if (f) {
		text_act_to(c->v, c->fmt, c->index, c->row, f);
		if (fclose(f) != 0 && !c->v->error)
			c->v->error = errno ? -errno : -EIO;
	}
	jsonw_end_str(&c->v->json);
}

static void put_args(const struct jctx *c)
{
	jsonw_array(&c->v->json, "args");
	for (size_t i = 0; i < c->act->nfields; i++)
		json_field(c->v, NULL, &c->act->fields[i], field(c, i));
	jsonw_end_array(&c->v->json);
}

static void put_printf(const struct jctx *c)
{
	put_text(c, "text");
	put_args(c);
	if (!json_heading(c->v, c->act, c->rec))
		json_columns(c->v, c->act, c->rec);
}

static void put_command(const struct jctx *c)
{
	put_text(c, "command");
}

static void put_path(const struct jctx *c)
{
	put_text(c, "path");
}

static void put_print(const struct jctx *c)
{
	size_t i = c->act->nfields > 1;
	const struct recfield *f = &c->act->fields[i];

	if (!f->type)
		return;
	jsonw_str(&c->v->json, "ctype", f->type->name);
	if (i)
		jsonw_hex(&c->v->json, "address", recfield_u64(&c->act->fields[0], field(c, 0)));
	if (json_typed(c->v, "value", f, field(c, i)))
		jsonw_bool(&c->v->json, "truncated", true);
}

/* Done in order, as a printa() after it shows the result. */
static void put_aggact(const struct jctx *c)
{
	text_act(c->v, c->fmt, c->index, c->row);
	jsonw_str(&c->v->json, "aggregation", c->act->naggs ? c->act->aggs[0]->name : "");
	if (c->act->nfields)
		put_value(c);
}

static void put_printa(const struct jctx *c)
{
	struct json_row row;
	bool named = json_row_columns(c->v, c->act, &row);

	text_mark_printed(c->v, c->act);
	json_aggs(c->v, c->act->aggs, c->act->naggs, 0, named ? &row : NULL);
	if (c->act->fmt)
		put_text(c, "text");
}

static void put_span(const struct jctx *c)
{
	static const char *const names[] = { "lane", "label", "start", "duration" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && i < c->act->nfields; i++)
		json_field(c->v, names[i], &c->act->fields[i], field(c, i));
}

static void put_slow(const struct jctx *c)
{
	json_slow(c->v, c->act, c->rec);
}

static void put_pcap(const struct jctx *c)
{
	const struct recfield *f = c->act->fields;
	uint64_t n = recfield_u64(&f[REC_PCAP_CAPLEN], field(c, REC_PCAP_CAPLEN));
	struct jsonw *w = &c->v->json;

	jsonw_u64(w, "linktype", recfield_u64(&f[REC_PCAP_LINK], field(c, REC_PCAP_LINK)));
	jsonw_u64(w, "walltime", recfield_u64(&f[REC_PCAP_WALL], field(c, REC_PCAP_WALL)));
	jsonw_u64(w, "length", recfield_u64(&f[REC_PCAP_LEN], field(c, REC_PCAP_LEN)));
	json_bytes(w, "value", field(c, REC_PCAP_DATA), n < f[REC_PCAP_DATA].size ? n : f[REC_PCAP_DATA].size);
}

static void put_exit(const struct jctx *c)
{
	c->v->json_exited = true;
	c->v->json_status = (int)(int64_t)recfield_u64(&c->act->fields[0], field(c, 0));
	jsonw_i64(&c->v->json, "status", c->v->json_status);
}

static void put_setopt(const struct jctx *c)
{
	put_args(c);
	text_act(c->v, c->fmt, c->index, c->row);
}

static void put_nothing(const struct jctx *c)
{
	(void)c;
}

#define put_none NULL /* not shown */
static const struct {
	const char *name;
	void (*put)(const struct jctx *c);
} shown[] = {
#define RECACT(kind, name, nfields, naggs, fmt, text, json) [ACT_##kind] = { name, put_##json },
#include "base/recact.def"
#undef RECACT
};

void json_acts(struct text_view *v, const struct recfmt *fmt, const struct row *row)
{
	for (size_t i = 0; i < fmt->nacts && row->len >= fmt->size; i++) {
		struct jctx c = { v, fmt, i, &fmt->acts[i], row, row->data };

		if ((size_t)c.act->kind >= ARRAY_SIZE(shown) || !shown[c.act->kind].put)
			continue;
		jsonw_object(&v->json, NULL);
		jsonw_str(&v->json, "action", shown[c.act->kind].name);
		shown[c.act->kind].put(&c);
		jsonw_end_object(&v->json);
		json_drain(v);
	}
}

/* -- aggregations -- */

struct rows {
	struct text_view *v;
	const struct aggdesc *const *aggs;
	size_t naggs;
	const struct json_row *columns;
	size_t skip; /* rows that are left out, the first ones: in the usual order the least */
};

static int64_t normal_of(const struct rows *r, size_t k)
{
	return aggstate_normal(r->v->aggs, r->aggs[k]->id);
}

/* The same by the names of columns. */
static void put_columns(const struct rows *r, const uint8_t *key, const uint64_t *const *values)
{
	struct jsonw *w = &r->v->json;

	jsonw_object(w, "columns");
	for (size_t i = 0; i < r->columns->n; i++) {
		const char *name = r->v->columns[r->columns->at + i];
		int n = r->columns->value[i];
		const struct recfield *f = n < 0 ? &r->aggs[0]->keys[-1 - n] : NULL;

		if (f)
			json_field(r->v, name, f, key + f->off);
		else
			json_aggvalue(w, name, r->aggs[n], values[n], normal_of(r, (size_t)n));
	}
	jsonw_end_object(w);
}

static void put_row(void *ctx, const uint8_t *key, const uint64_t *const *values)
{
	struct rows *r = ctx;
	const struct aggdesc *d = r->aggs[0];
	struct jsonw *w = &r->v->json;

	if (r->skip) {
		r->skip--;
		return;
	}
	jsonw_object(w, NULL);
	jsonw_array(w, "key");
	for (size_t i = 0; i < d->nkeys; i++)
		json_field(r->v, NULL, &d->keys[i], key + d->keys[i].off);
	jsonw_end_array(w);
	jsonw_array(w, "values");
	for (size_t k = 0; k < r->naggs; k++)
		json_aggvalue(w, NULL, r->aggs[k], values[k], normal_of(r, k));
	jsonw_end_array(w);
	if (r->columns)
		put_columns(r, key, values);
	jsonw_end_object(w);
	json_drain(r->v);
}

void json_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, size_t skip,
	       const struct json_row *columns)
{
	struct rows r = { v, aggs, naggs, columns, skip };
	struct jsonw *w = &v->json;

	jsonw_array(w, "aggregations");
	for (size_t k = 0; k < naggs; k++) {
		jsonw_object(w, NULL);
		jsonw_str(w, "name", aggs[k]->name);
		jsonw_str(w, "function", rec_agg_name(aggs[k]->func));
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_array(w, "rows");
	text_agg_rows(v, aggs, naggs, put_row, &r);
	jsonw_end_array(w);
}
