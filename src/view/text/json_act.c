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
	text_printf(c->v, ",\"value\":");
	json_field(c->v, &c->act->fields[0], field(c, 0));
}

static void put_tracemem(const struct jctx *c)
{
	size_t n = c->act->fields[0].size;

	if (c->act->nfields > 1) {
		int64_t want = (int64_t)recfield_u64(&c->act->fields[1], field(c, 1));

		if (want >= 0 && (uint64_t)want < n)
			n = (size_t)want;
	}
	text_printf(c->v, ",\"value\":");
	json_bytes(c->v, field(c, 0), n);
}

static void put_text(const struct jctx *c, const char *name)
{
	FILE *f = json_file(c->v);

	text_printf(c->v, ",\"%s\":\"", name);
	if (f) {
		text_act_to(c->v, c->fmt, c->index, c->row, f);
		if (fclose(f) != 0 && !c->v->error)
			c->v->error = errno ? -errno : -EIO;
	}
	text_printf(c->v, "\"");
}

static void put_args(const struct jctx *c)
{
	text_printf(c->v, ",\"args\":[");
	for (size_t i = 0; i < c->act->nfields; i++) {
		text_printf(c->v, "%s", i ? "," : "");
		json_field(c->v, &c->act->fields[i], field(c, i));
	}
	text_printf(c->v, "]");
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
	text_printf(c->v, ",\"ctype\":");
	json_str(c->v, f->type->name);
	if (i)
		text_printf(c->v, ",\"address\":\"0x%llx\"",
			    (unsigned long long)recfield_u64(&c->act->fields[0], field(c, 0)));
	text_printf(c->v, ",\"value\":");
	if (json_typed(c->v, f, field(c, i)))
		text_printf(c->v, ",\"truncated\":true");
}

/* Done in order, as a printa() behind it shows the result. */
static void put_aggact(const struct jctx *c)
{
	text_act(c->v, c->fmt, c->index, c->row);
	text_printf(c->v, ",\"aggregation\":");
	json_str(c->v, c->act->naggs ? c->act->aggs[0]->name : "");
	if (c->act->nfields)
		put_value(c);
}

static void put_printa(const struct jctx *c)
{
	struct json_row row;
	bool named = json_row_columns(c->v, c->act, &row);

	text_mark_printed(c->v, c->act);
	text_printf(c->v, ",");
	json_aggs(c->v, c->act->aggs, c->act->naggs, 0, named ? &row : NULL);
	if (c->act->fmt)
		put_text(c, "text");
}

static void put_span(const struct jctx *c)
{
	static const char *const names[] = { "lane", "label", "start", "duration" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && i < c->act->nfields; i++) {
		text_printf(c->v, ",\"%s\":", names[i]);
		json_field(c->v, &c->act->fields[i], field(c, i));
	}
}

static void put_slow(const struct jctx *c)
{
	json_slow(c->v, c->act, c->rec);
}

static void put_pcap(const struct jctx *c)
{
	const struct recfield *f = c->act->fields;
	uint64_t n = recfield_u64(&f[REC_PCAP_CAPLEN], field(c, REC_PCAP_CAPLEN));

	text_printf(c->v, ",\"linktype\":%llu,\"walltime\":%llu,\"length\":%llu,\"value\":",
		    (unsigned long long)recfield_u64(&f[REC_PCAP_LINK], field(c, REC_PCAP_LINK)),
		    (unsigned long long)recfield_u64(&f[REC_PCAP_WALL], field(c, REC_PCAP_WALL)),
		    (unsigned long long)recfield_u64(&f[REC_PCAP_LEN], field(c, REC_PCAP_LEN)));
	json_bytes(c->v, field(c, REC_PCAP_DATA), n < f[REC_PCAP_DATA].size ? n : f[REC_PCAP_DATA].size);
}

static void put_exit(const struct jctx *c)
{
	c->v->json_exited = true;
	c->v->json_status = (int)(int64_t)recfield_u64(&c->act->fields[0], field(c, 0));
	text_printf(c->v, ",\"status\":%d", c->v->json_status);
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

/* NULL: not shown. */
static const struct {
	const char *name;
	void (*put)(const struct jctx *c);
} shown[] = {
	[ACT_TRACE] = { "trace", put_value },
	[ACT_TRACEMEM] = { "tracemem", put_tracemem },
	[ACT_PRINTF] = { "printf", put_printf },
	[ACT_PRINTA] = { "printa", put_printa },
	[ACT_STACK] = { "stack", put_value },
	[ACT_USTACK] = { "ustack", put_value },
	[ACT_JSTACK] = { "jstack", put_value },
	[ACT_SYM] = { "sym", put_value },
	[ACT_FUNC] = { "func", put_value },
	[ACT_MOD] = { "mod", put_value },
	[ACT_USYM] = { "usym", put_value },
	[ACT_UFUNC] = { "ufunc", put_value },
	[ACT_UMOD] = { "umod", put_value },
	[ACT_UADDR] = { "uaddr", put_value },
	[ACT_EXIT] = { "exit", put_exit },
	[ACT_CLEAR] = { "clear", put_aggact },
	[ACT_TRUNC] = { "trunc", put_aggact },
	[ACT_NORMALIZE] = { "normalize", put_aggact },
	[ACT_DENORMALIZE] = { "denormalize", put_aggact },
	[ACT_FREOPEN] = { "freopen", put_path },
	[ACT_SYSTEM] = { "system", put_command },
	[ACT_FTRUNCATE] = { "ftruncate", put_nothing },
	[ACT_SPAN] = { "span", put_span },
	[ACT_SLOW] = { "slow", put_slow },
	[ACT_PCAP] = { "pcap", put_pcap },
	[ACT_SETOPT] = { "setopt", put_setopt },
	[ACT_PRINT] = { "print", put_print },
};

void json_acts(struct text_view *v, const struct recfmt *fmt, const struct row *row)
{
	bool first = true;

	for (size_t i = 0; i < fmt->nacts && row->len >= fmt->size; i++) {
		struct jctx c = { v, fmt, i, &fmt->acts[i], row, row->data };

		if ((size_t)c.act->kind >= ARRAY_SIZE(shown) || !shown[c.act->kind].put)
			continue;
		text_printf(v, "%s{\"action\":\"%s\"", first ? "" : ",", shown[c.act->kind].name);
		first = false;
		shown[c.act->kind].put(&c);
		text_printf(v, "}");
	}
}

/* -- aggregations -- */

struct rows {
	struct text_view *v;
	const struct aggdesc *const *aggs;
	size_t naggs;
	const struct json_row *columns;
	size_t skip; /* rows that are left out, the first ones: in the usual order the least */
	bool more;
};

/* The same by the names of columns. */
static void put_columns(const struct rows *r, const uint8_t *key, const uint64_t *const *values)
{
	text_printf(r->v, ",\"columns\":{");
	for (size_t i = 0; i < r->columns->n; i++) {
		int n = r->columns->value[i];
		const struct recfield *f = n < 0 ? &r->aggs[0]->keys[-1 - n] : NULL;

		text_printf(r->v, "%s", i ? "," : "");
		json_str(r->v, r->v->columns[r->columns->at + i]);
		text_printf(r->v, ":");
		if (f)
			json_field(r->v, f, key + f->off);
		else
			json_aggvalue(r->v, r->aggs[n], values[n], aggstate_normal(r->v->aggs, r->aggs[n]->id));
	}
	text_printf(r->v, "}");
}

static void put_row(void *ctx, const uint8_t *key, const uint64_t *const *values)
{
	struct rows *r = ctx;
	const struct aggdesc *d = r->aggs[0];

	if (r->skip) {
		r->skip--;
		return;
	}
	text_printf(r->v, "%s{\"key\":[", r->more ? "," : "");
	r->more = true;
	for (size_t i = 0; i < d->nkeys; i++) {
		text_printf(r->v, "%s", i ? "," : "");
		json_field(r->v, &d->keys[i], key + d->keys[i].off);
	}
	text_printf(r->v, "],\"values\":[");
	for (size_t k = 0; k < r->naggs; k++) {
		text_printf(r->v, "%s", k ? "," : "");
		json_aggvalue(r->v, r->aggs[k], values[k], aggstate_normal(r->v->aggs, r->aggs[k]->id));
	}
	text_printf(r->v, "]");
	if (r->columns)
		put_columns(r, key, values);
	text_printf(r->v, "}");
}

void json_aggs(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, size_t skip,
	       const struct json_row *columns)
{
	struct rows r = { v, aggs, naggs, columns, skip, false };

	text_printf(v, "\"aggregations\":[");
	for (size_t k = 0; k < naggs; k++) {
		text_printf(v, "%s{\"name\":", k ? "," : "");
		json_str(v, aggs[k]->name);
		text_printf(v, ",\"function\":\"%s\"}", rec_agg_name(aggs[k]->func));
	}
	text_printf(v, "],\"rows\":[");
	text_agg_rows(v, aggs, naggs, put_row, &r);
	text_printf(v, "]");
}
