/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/callsprint.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/strb.h"
#include "base/units.h"
#include "base/vec.h"
#include "view/form/fieldtext.h"
#include "view/form/table.h"

#define HUNDRED 100.0

struct sums {
	uint64_t calls, ns, longest;
};

struct named {
	char *name;
	struct sums s;
	char *reason; /* left out */
	bool pointer; /* called by one: without times */
};

struct list {
	VEC(struct named) v;
	uint64_t more; /* calls of names beyond the limit */
};

struct callsprint {
	struct sums all;
	uint64_t again;
	struct list callees, callers, left;
};

struct callsprint *callsprint_new(void)
{
	return calloc(1, sizeof(struct callsprint));
}

static void list_free(struct list *l)
{
	for (size_t i = 0; i < l->v.n; i++) {
		free(l->v.v[i].name);
		free(l->v.v[i].reason);
	}
	vec_free(&l->v);
}

void callsprint_free(struct callsprint *c)
{
	if (!c)
		return;
	list_free(&c->callees);
	list_free(&c->callers);
	list_free(&c->left);
	free(c);
}

/* 0 or -ENOMEM; *ret NULL: beyond the limit. */
static int find(struct list *l, const char *name, bool pointer, struct named **ret)
{
	struct named n = { .pointer = pointer };

	*ret = NULL;
	for (size_t i = 0; i < l->v.n; i++)
		if (l->v.v[i].pointer == pointer && !strcmp(l->v.v[i].name, name))
			*ret = &l->v.v[i];
	if (*ret || l->v.n >= CALLSPRINT_MAX)
		return 0;
	n.name = strdup(name);
	if (!n.name || vec_try_push(&l->v, n) < 0) {
		free(n.name);
		return -ENOMEM;
	}
	*ret = &l->v.v[l->v.n - 1];
	return 0;
}

static void add(struct sums *s, const char *what, const uint64_t *value)
{
	if (strstr(what, "time"))
		s->ns += value[1];
	else if (!strstr(what, "longest"))
		s->calls += value[0];
	else if (value[0] && value[1] > s->longest)
		s->longest = value[1];
}

static int add_named(struct list *l, const struct aggdesc *a, struct sym *sym, const struct row *row, bool pointer)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct named *n;
	int r;

	fieldtext_add(&b, sym, &a->keys[0], row->data);
	r = find(l, strb_str(&b), pointer, &n);
	if (r < 0)
		return r;
	if (n)
		add(&n->s, a->name, row->value);
	else if (!strstr(a->name, "time") && !strstr(a->name, "longest"))
		l->more += row->value[0];
	return 0;
}

int callsprint_row(struct callsprint *c, const struct rec_schema *schema, struct sym *sym, const struct row *row)
{
	const struct aggdesc *a = row->kind == ROW_AGG && row->id < schema->naggs ? schema->aggs[row->id] : NULL;

	if (!a)
		return 0;
	if (a->nkeys == 1) {
		bool pointer = !strcmp(a->name, "pointer");

		return add_named(!strcmp(a->name, "callers") ? &c->callers : &c->callees, a, sym, row, pointer);
	}
	if (!strcmp(a->name, "again"))
		c->again += row->value[0];
	else
		add(&c->all, a->name, row->value);
	return 0;
}

int callsprint_left_out(struct callsprint *c, const char *name, const char *reason)
{
	struct named *n;
	int r = find(&c->left, name, false, &n);

	if (r < 0 || !n || n->reason)
		return r;
	n->reason = strdup(reason);
	return n->reason ? 0 : -ENOMEM;
}

static int by_time(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->s.ns != y->s.ns)
		return x->s.ns < y->s.ns ? 1 : -1;
	if (x->s.calls != y->s.calls)
		return x->s.calls < y->s.calls ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void line(struct table *t, const char *name, const struct sums *s, bool timed, uint64_t all_ns)
{
	char time[UNITS_LEN] = "-", mean[UNITS_LEN] = "-", longest[UNITS_LEN] = "-";
	double share = timed && all_ns ? HUNDRED * (double)s->ns / (double)all_ns : NAN;
	const struct cell v[] = {
		{ "CALLS", CELL_UINT, 10, 0, { .u = s->calls } },  { "TIME", CELL_TEXT, 10, 0, { .s = time } },
		{ "%", CELL_NUMBER, 6, 1, { .d = share } },	   { "MEAN", CELL_TEXT, 10, 0, { .s = mean } },
		{ "LONGEST", CELL_TEXT, 10, 0, { .s = longest } }, { "CALLEE", CELL_TEXT, -1, 0, { .s = name } },
	};

	if (timed) {
		units_ns(s->ns, time);
		units_ns(s->calls ? s->ns / s->calls : 0, mean);
	}
	if (timed && s->longest)
		units_ns(s->longest, longest);
	table_line(t, v, ARRAY_SIZE(v));
}

/* Times are those of calls that have ended, a callee's may belong to one that has not. */
static int show_text(struct callsprint *c, const char *function, size_t unknown, FILE *out)
{
	struct table callees = { .out = out }, callers = { .out = out };
	char all[UNITS_LEN], mean[UNITS_LEN], longest[UNITS_LEN];
	struct sums own = { .calls = c->all.calls, .ns = c->all.ns };

	fprintf(out, "%s: %llu call%s, %s in all, %s each, %s at most\n", function, (unsigned long long)c->all.calls,
		c->all.calls == 1 ? "" : "s", units_ns(c->all.ns, all),
		units_ns(c->all.calls ? c->all.ns / c->all.calls : 0, mean), units_ns(c->all.longest, longest));
	if (c->again)
		fprintf(out, "calls from within a call are not among them: %llu\n", (unsigned long long)c->again);
	fputc('\n', out);
	for (size_t i = 0; i < c->callees.v.n; i++) {
		const struct named *n = &c->callees.v.v[i];
		const char *sign = n->pointer ? " (by a pointer)" : "";
		_cleanup_(strb_free) struct strb b = { 0 };

		strb_printf(&b, "%s%s", n->name, sign);
		line(&callees, strb_str(&b), &n->s, !n->pointer, c->all.ns);
		own.ns -= n->s.ns < own.ns ? n->s.ns : own.ns;
	}
	own.longest = 0;
	line(&callees, "(itself, and what has no times)", &own, true, c->all.ns);
	fputc('\n', out);
	for (size_t i = 0; i < c->callers.v.n; i++) {
		const struct named *n = &c->callers.v.v[i];
		const struct cell v[] = { { "CALLS", CELL_UINT, 10, 0, { .u = n->s.calls } },
					  { "CALLER", CELL_TEXT, -1, 0, { .s = n->name } } };

		table_line(&callers, v, ARRAY_SIZE(v));
	}
	if (c->callees.more || c->callers.more)
		fprintf(out, "\n%llu calls of more than %d names are left out\n",
			(unsigned long long)(c->callees.more + c->callers.more), CALLSPRINT_MAX);
	if (unknown)
		fprintf(out, "\n%zu calls in the code are by a pointer that is not looked at\n", unknown);
	if (c->left.v.n)
		fprintf(out, "\nwithout probes:\n");
	for (size_t i = 0; i < c->left.v.n; i++)
		fprintf(out, "  %s: %s\n", c->left.v.v[i].name, c->left.v.v[i].reason);
	return callees.error ? callees.error : callers.error;
}

static void json_sums(struct jsonw *j, const struct sums *s, bool timed)
{
	jsonw_u64(j, "calls", s->calls);
	if (!timed)
		return;
	jsonw_u64(j, "ns", s->ns);
	jsonw_u64(j, "longest_ns", s->longest);
}

static void json_list(struct strb *b, const struct list *l, const char *type, bool timed)
{
	for (size_t i = 0; i < l->v.n; i++) {
		const struct named *n = &l->v.v[i];
		struct jsonw j = jsonw_to(b);

		jsonw_object(&j, NULL);
		jsonw_str(&j, "type", type);
		jsonw_str(&j, "function", n->name);
		if (n->reason)
			jsonw_str(&j, "why", n->reason);
		else
			json_sums(&j, &n->s, timed && !n->pointer);
		if (n->pointer)
			jsonw_bool(&j, "pointer", true);
		jsonw_end_object(&j);
		jsonw_line(&j);
	}
}

static int show_json(struct callsprint *c, const char *function, size_t unknown, FILE *out)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "function");
	jsonw_str(&j, "function", function);
	json_sums(&j, &c->all, true);
	jsonw_u64(&j, "again", c->again);
	jsonw_u64(&j, "unknown_pointers", unknown);
	jsonw_u64(&j, "left_out_calls", c->callees.more + c->callers.more);
	jsonw_end_object(&j);
	jsonw_line(&j);
	json_list(&b, &c->callees, "callee", true);
	json_list(&b, &c->callers, "caller", false);
	json_list(&b, &c->left, "left_out", false);
	if (b.failed)
		return -ENOMEM;
	return fputs(strb_str(&b), out) < 0 ? -EIO : 0;
}

int callsprint_show(struct callsprint *c, const char *function, size_t unknown, bool json, FILE *out)
{
	if (c->callees.v.n)
		qsort(c->callees.v.v, c->callees.v.n, sizeof(*c->callees.v.v), by_time);
	if (c->callers.v.n)
		qsort(c->callers.v.v, c->callers.v.n, sizeof(*c->callers.v.v), by_time);
	return (json ? show_json : show_text)(c, function, unknown, out);
}
