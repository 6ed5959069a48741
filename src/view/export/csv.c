/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the rows of a recording as CSV, for spreadsheets and scripts. Source: RFC 4180. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "store/aggstate.h"
#include "view/export/export.h"
#include "view/form/fieldtext.h"
#include "view/text/int.h"

struct csv {
	struct recread *f;
	const struct rec_schema *schema;
	struct sym *sym;
	const struct aggdesc *agg; /* NULL: events */
	struct strb line, field;
	size_t nvalues; /* of events: in each line */
	bool more;	/* the line has fields */
	FILE *out;
	int error;
};

/* Puts what is in c->field as the next field of the line. */
static void put_field(struct csv *c)
{
	const char *s = strb_str(&c->field);
	bool quote = strpbrk(s, ",\"\r\n") != NULL;

	if (c->more)
		strb_addc(&c->line, ',');
	c->more = true;
	if (quote)
		strb_addc(&c->line, '"');
	for (; *s; s++) {
		if (*s == '"')
			strb_addc(&c->line, '"');
		strb_addc(&c->line, *s);
	}
	if (quote)
		strb_addc(&c->line, '"');
	strb_reset(&c->field);
}

__attribute__((format(printf, 2, 3))) static void put(struct csv *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(&c->field, fmt, ap);
	va_end(ap);
	put_field(c);
}

static void end_line(struct csv *c)
{
	strb_adds(&c->line, "\r\n");
	if (!c->error && (c->line.failed || c->field.failed))
		c->error = -ENOMEM;
	if (!c->error && fwrite(c->line.s, 1, c->line.n, c->out) != c->line.n)
		c->error = errno ? -errno : -EIO;
	strb_reset(&c->line);
	c->more = false;
}

static const char *func_name(enum agg_func f)
{
	static const char *const names[] = { [AGG_COUNT] = "count", [AGG_SUM] = "sum", [AGG_AVG] = "avg",
					     [AGG_MIN] = "min",	    [AGG_MAX] = "max", [AGG_STDDEV] = "stddev" };

	return f < ARRAY_SIZE(names) ? names[f] : "";
}

/* -- aggregations -- */

static void put_keys(struct csv *c, const uint8_t *key)
{
	for (size_t i = 0; i < c->agg->nkeys; i++) {
		const struct recfield *f = &c->agg->keys[i];

		if (key)
			fieldtext_add(&c->field, c->sym, f, key + f->off);
		else
			strb_printf(&c->field, "key%zu", i + 1);
		put_field(c);
	}
}

static void put_buckets(struct csv *c, const struct agg_entry *e)
{
	const struct aggdesc *d = c->agg;
	unsigned n = aggval_nbuckets(d->func, d->param);

	for (unsigned i = 0; i < n; i++) {
		struct aggval_range r;

		if (!e->value[1 + i])
			continue;
		r = aggval_bucket_range(d->func, d->param, i);
		put_keys(c, e->key);
		if (r.has_from)
			strb_printf(&c->field, "%lld", (long long)r.from);
		put_field(c);
		if (r.has_to)
			strb_printf(&c->field, "%lld", (long long)r.to);
		put_field(c);
		put(c, "%llu", (unsigned long long)e->value[1 + i]);
		end_line(c);
	}
}

static int by_key(const void *a, const void *b, void *arg)
{
	return aggstate_key_cmp(arg, ((const struct agg_entry *)a)->key, ((const struct agg_entry *)b)->key);
}

static int put_aggregation(struct csv *c, struct aggstate *s)
{
	const struct agg_entry *e;
	size_t n = aggstate_entries(s, c->agg->id, &e);
	bool dist = text_agg_is_dist(c->agg->func);
	_cleanup_free_ struct agg_entry *v = malloc((n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	if (n)
		memcpy(v, e, n * sizeof(*v));
	qsort_r(v, n, sizeof(*v), by_key, (void *)(uintptr_t)c->agg);
	put_keys(c, NULL);
	if (dist) {
		put(c, "from");
		put(c, "to");
	}
	put(c, "count");
	if (!dist && c->agg->func != AGG_COUNT)
		put(c, "%s", func_name(c->agg->func));
	end_line(c);
	for (size_t i = 0; i < n; i++) {
		if (dist) {
			put_buckets(c, &v[i]);
			continue;
		}
		put_keys(c, v[i].key);
		put(c, "%llu", (unsigned long long)v[i].value[0]);
		if (c->agg->func != AGG_COUNT)
			put(c, "%lld", (long long)text_aggnumber(c->agg, v[i].value, 1));
		end_line(c);
	}
	return c->error;
}

/* -- events -- */

static size_t nvalues(const struct recfmt *fmt)
{
	size_t n = 0;

	for (size_t i = 0; i < fmt->nacts; i++)
		n += fmt->acts[i].nfields;
	return n;
}

/* The number of values of the clause that traces most: all lines have as many fields. Source: RFC 4180, 2.4. */
static size_t most_values(const struct rec_schema *s)
{
	size_t most = 0;

	for (size_t i = 0; i < s->nfmts; i++)
		most = nvalues(s->fmts[i]) > most ? nvalues(s->fmts[i]) : most;
	return most;
}

static void put_event(struct csv *c, const struct row *row)
{
	const struct recfmt *fmt = c->schema->fmts[row->id - 1];
	const struct rec_probe *p = rec_schema_probe(c->schema, row->probe);

	put(c, "%llu", (unsigned long long)row->ts);
	put(c, "%u", row->cpu);
	put(c, "%s", p ? p->prov : "");
	put(c, "%s", p ? p->mod : "");
	put(c, "%s", p ? p->func : "");
	put(c, "%s", p ? p->name : "");
	for (size_t i = 0; i < fmt->nacts; i++)
		for (size_t k = 0; k < fmt->acts[i].nfields; k++) {
			const struct recfield *f = &fmt->acts[i].fields[k];

			fieldtext_add(&c->field, c->sym, f, (const uint8_t *)row->data + f->off);
			put_field(c);
		}
	for (size_t n = nvalues(fmt); n < c->nvalues; n++)
		put_field(c);
	end_line(c);
}

static int read_rows(struct csv *c, struct err *err)
{
	struct aggstate *s = NULL;
	struct step step = step_end();
	struct row row;
	int e = aggstate_new(c->schema, &s);

	if (!c->agg) {
		put(c, "time_ns");
		for (const char *const *n =
			     (const char *const[]){ "cpu", "provider", "module", "function", "name", NULL };
		     *n; n++)
			put(c, "%s", *n);
		c->nvalues = most_values(c->schema);
		for (size_t i = 1; i <= c->nvalues; i++)
			put(c, "value%zu", i);
		end_line(c);
	}
	while (e == 0 && (step = recread_next(c->f, &row, err)).more) {
		e = c->error;
		if (c->agg && row.kind == ROW_AGG && row.id == c->agg->id)
			e = aggstate_apply(s, &row);
		else if (!c->agg && row.kind == ROW_EVENT)
			put_event(c, &row);
	}
	if (e == 0)
		e = step.error;
	if (e == 0 && c->agg)
		e = put_aggregation(c, s);
	aggstate_free(s);
	return e < 0 ? e : c->error;
}

static int choose(struct csv *c, const char *by, struct err *err)
{
	const char *name = by && *by == '@' ? by + 1 : by;
	struct strb list = { 0 };
	size_t n = 0;

	if (name && !strcmp(name, "events"))
		return 0;
	for (size_t i = 0; i < c->schema->naggs; i++) {
		strb_printf(&list, "%s@%s", i ? ", " : "", c->schema->aggs[i]->name);
		if (name && strcmp(name, c->schema->aggs[i]->name) != 0)
			continue;
		c->agg = c->schema->aggs[i];
		n++;
	}
	if (n > 1)
		err_set(err, -EINVAL, "there are several aggregations: %s; choose one with --by, or 'events'",
			strb_str(&list));
	else if (by && n == 0)
		err_set(err, -EINVAL, "there is no aggregation '%s'; there are: %s", by, list.n ? list.s : "none");
	strb_free(&list);
	return n > 1 || (by && n == 0) ? -EINVAL : 0;
}

int export_csv(struct recread *f, struct sym *sym, const char *by, FILE *out, struct err *err)
{
	struct csv c = { .f = f, .schema = recread_schema(f), .sym = sym, .out = out };
	int e = choose(&c, by, err);

	if (e == 0)
		e = read_rows(&c, err);
	strb_free(&c.line);
	strb_free(&c.field);
	return e;
}
