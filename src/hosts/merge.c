/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the printa() of each machine and shows the merged table. */
#include "hosts/merge.h"
#include <jansson.h>
#include <stdarg.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "hosts/mergein.h"

/* The tables of one printa(), each by machine: NULL where it has not come. */
struct round {
	json_t **tables;
};

struct spot { /* of the program */
	json_int_t place;
	char *ids; /* of its aggregations */
	VEC(struct round) rounds;
	uint64_t *given; /* by machine: how many have come; … */
	uint64_t shown;	 /* … how many were shown, which are no more in rounds */
};

struct merge {
	const char *const *labels;
	size_t nhosts;
	bool *ended;
	struct text_opts opts;
	FILE *out;
	text_msg_fn *msg;
	void *msg_arg;
	VEC(struct spot) spots;
};

__attribute__((format(printf, 2, 3))) static void say(const struct merge *m, const char *fmt, ...)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(&b, fmt, ap);
	va_end(ap);
	m->msg(m->msg_arg, strb_str(&b));
}

struct merge *merge_new(const char *const *labels, size_t n, const struct text_opts *opts, FILE *out, text_msg_fn *msg,
			void *msg_arg)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	*m = (struct merge){ labels, n, calloc(n + 1, sizeof(bool)), *opts, out, msg, msg_arg, { 0 } };
	m->opts.quiet = true; /* no heading of an event */
	m->opts.json = false;
	if (!m->ended) {
		free(m);
		return NULL;
	}
	return m;
}

static void free_round(const struct merge *m, struct round *r)
{
	for (size_t h = 0; h < m->nhosts; h++)
		json_decref(r->tables[h]);
	free(r->tables);
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->spots.n; i++) {
		for (size_t k = 0; k < m->spots.v[i].rounds.n; k++)
			free_round(m, &m->spots.v[i].rounds.v[k]);
		vec_free(&m->spots.v[i].rounds);
		free(m->spots.v[i].given);
		free(m->spots.v[i].ids);
	}
	vec_free(&m->spots);
	free(m->ended);
	free(m);
}

/* -- showing -- */

struct table {
	struct merge *m;
	struct arena *a;
	struct mergein_form form;
	const json_t *first;
	json_t *const *all; /* by machine; NULL: none, or not of this table */
	struct text_view *view;
};

static int show_row(void *ctx, const struct row *row)
{
	return text_view_row(ctx, row);
}

static void read_opts(const json_t *table, struct text_opts *o)
{
	const json_t *j = json_object_get(json_object_get(table, "form"), "opts");

	o->aggsortkey = json_is_true(json_object_get(j, "sortkey"));
	o->aggsortrev = json_is_true(json_object_get(j, "sortrev"));
	o->agghist = json_is_true(json_object_get(j, "hist"));
	o->aggzoom = json_is_true(json_object_get(j, "zoom"));
	o->aggpack = json_is_true(json_object_get(j, "pack"));
	o->aggsortkeypos = json_integer_value(json_object_get(j, "sortkeypos"));
	o->aggsortpos = json_integer_value(json_object_get(j, "sortpos"));
}

/* normalize() with the time that has gone by: it may not be the same everywhere. */
static bool normals_differ(const struct table *t)
{
	for (size_t h = 0; h < t->m->nhosts; h++)
		for (size_t k = 0; t->all[h] && k < t->form.naggs; k++)
			if (mergein_normal(t->all[h], k) != mergein_normal(t->first, k))
				return true;
	return false;
}

/* Adds all of them up, and prints. */
static int fill_and_print(struct table *t, bool divide, const char *fmt, size_t len)
{
	const struct aggdesc *aggs[MERGE_AGGS_MAX];
	struct recact act = { .kind = ACT_PRINTA, .number = 1, .fmt = fmt, .fmt_len = len, .aggs = aggs };
	const struct recfmt f = { .epid = 1, .size = sizeof(struct rec_hdr), .acts = &act, .nacts = 1 };
	const struct recfmt *fmts[] = { &f };
	const struct rec_schema schema = { .fmts = fmts, .nfmts = 1, .aggs = aggs, .naggs = t->form.naggs, .ncpus = 1 };
	const struct rec_hdr hdr = { .fmt = 1 };
	const struct row event = { .kind = ROW_EVENT, .id = 1, .data = &hdr, .len = sizeof(hdr) };
	bool last = json_integer_value(json_object_get(t->first, "place")) == 0;
	struct text_opts opts = t->m->opts;
	int r;

	act.naggs = t->form.naggs;
	for (size_t k = 0; k < t->form.naggs; k++) {
		aggs[k] = &t->form.aggs[k];
		if (divide)
			t->form.aggs[k].normal = 1;
	}
	read_opts(t->first, &opts);
	r = text_view_new(&schema, NULL, &opts, t->m->out, t->m->msg, t->m->msg_arg, &t->view);
	for (size_t h = 0; h < t->m->nhosts && r == 0; h++)
		if (t->all[h])
			r = mergein_rows(t->all[h], &t->form, divide, show_row, t->view);
	if (r == 0)
		r = last ? text_view_finish(t->view) : text_view_row(t->view, &event);
	if (r == 0 && !last)
		r = text_view_flush(t->view);
	text_view_free(t->view);
	return r;
}

/* The machines of `all` have tables of one form. */
static int show_table(struct merge *m, const json_t *first, json_t *const *all)
{
	struct table t = { .m = m, .a = arena_new(ARENA_DEFAULT_LIMIT), .first = first, .all = all };
	const json_t *format = json_object_get(json_object_get(first, "form"), "format");
	size_t len = 0;
	char *fmt = NULL;
	int r = mergein_form(t.a, first, &t.form);

	for (size_t h = 0; h < m->nhosts && r == 0; h++)
		if (all[h])
			r = mergein_measure(all[h], &t.form);
	if (r == 0 && format) {
		fmt = mergein_hex(t.a, format, &len);
		r = fmt ? 0 : -EPROTO;
	}
	if (r == 0) {
		mergein_layout(&t.form);
		r = fill_and_print(&t, normals_differ(&t), fmt, len);
	}
	arena_free(t.a);
	return r;
}

/* The one of machine h alone: it is of another form than the others'. */
static int show_alone(struct merge *m, size_t h, json_t *table)
{
	_cleanup_free_ json_t **all = calloc(m->nhosts, sizeof(*all));

	if (!all)
		return -ENOMEM;
	all[h] = table;
	say(m, "%s: keys or values are of another size there, so this is its table alone:", m->labels[h]);
	return show_table(m, table, all);
}

static bool same_form(const json_t *a, const json_t *b)
{
	return json_equal(json_object_get(a, "form"), json_object_get(b, "form"));
}

static int show_round(struct merge *m, const struct round *r)
{
	_cleanup_free_ json_t **all = calloc(m->nhosts, sizeof(*all));
	const json_t *first = NULL;
	int e = 0;

	if (!all)
		return -ENOMEM;
	for (size_t h = 0; h < m->nhosts; h++) {
		if (!first)
			first = r->tables[h];
		if (r->tables[h] && same_form(first, r->tables[h]))
			all[h] = r->tables[h];
	}
	if (first)
		e = show_table(m, first, all);
	for (size_t h = 0; h < m->nhosts && e == 0; h++)
		if (r->tables[h] && !all[h])
			e = show_alone(m, h, r->tables[h]);
	return e;
}

/* Shows what all have that still run, or what nobody waits for any longer. */
static int show_whole(struct merge *m, struct spot *s)
{
	int e = 0;

	while (s->rounds.n && e == 0) {
		bool whole = true;

		for (size_t h = 0; h < m->nhosts; h++)
			whole &= m->ended[h] || s->given[h] > s->shown;
		if (!whole && s->rounds.n <= MERGE_PENDING_MAX)
			return 0;
		e = show_round(m, &s->rounds.v[0]);
		free_round(m, &s->rounds.v[0]);
		memmove(s->rounds.v, s->rounds.v + 1, --s->rounds.n * sizeof(*s->rounds.v));
		s->shown++;
	}
	return e;
}

/* -- what comes -- */

static struct spot *find_spot(struct merge *m, const json_t *table)
{
	json_int_t place = json_integer_value(json_object_get(table, "place"));
	_cleanup_free_ char *ids = json_dumps(json_object_get(table, "ids"), JSON_COMPACT);
	struct spot s = { .place = place };

	if (!ids)
		return NULL;
	for (size_t i = 0; i < m->spots.n; i++)
		if (m->spots.v[i].place == place && !strcmp(m->spots.v[i].ids, ids))
			return &m->spots.v[i];
	if (m->spots.n >= MERGE_PLACES_MAX)
		return NULL;
	s.given = calloc(m->nhosts, sizeof(*s.given));
	if (!s.given || vec_try_push(&m->spots, s) < 0) {
		free(s.given);
		return NULL;
	}
	m->spots.v[m->spots.n - 1].ids = take_ptr(ids);
	return &m->spots.v[m->spots.n - 1];
}

/* Takes the table over. */
static int put_table(struct merge *m, struct spot *s, size_t host, json_t *table)
{
	uint64_t n = s->given[host]++;

	if (n < s->shown) /* it was waited for long enough: shown after the others */
		n = s->given[host] = s->shown + 1, n--;
	while (s->rounds.n <= n - s->shown) {
		struct round r = { calloc(m->nhosts, sizeof(*r.tables)) };

		if (!r.tables || vec_try_push(&s->rounds, r) < 0) {
			free(r.tables);
			json_decref(table);
			return -ENOMEM;
		}
	}
	s->rounds.v[n - s->shown].tables[host] = table;
	return show_whole(m, s);
}

int merge_add(struct merge *m, size_t host, const char *json, size_t n)
{
	json_t *table = json_loadb(json, n, JSON_REJECT_DUPLICATES, NULL);
	struct spot *s = table ? find_spot(m, table) : NULL;

	if (!s) {
		json_decref(table);
		return -EPROTO;
	}
	return put_table(m, s, host, table);
}

int merge_ended(struct merge *m, size_t host)
{
	int r = 0;

	m->ended[host] = true;
	for (size_t i = 0; i < m->spots.n && r == 0; i++)
		r = show_whole(m, &m->spots.v[i]);
	return r;
}
