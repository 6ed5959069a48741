/* SPDX-License-Identifier: Apache-2.0 */
/* Adds calls up and prints the table. */
#include "strace/summary.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "strace/call.h"
#include "view/form/table.h"

void summary_row(struct summary *s, const struct rec_schema *schema, const struct row *row)
{
	const struct aggdesc *a;
	uint64_t nr;

	if (row->kind != ROW_AGG || row->id >= schema->naggs)
		return;
	a = schema->aggs[row->id];
	if (a->nkeys != 1 || !row->data)
		return;
	nr = recfield_u64(&a->keys[0], row->data);
	nr = nr < SUMMARY_CALLS ? nr : SUMMARY_CALLS;
	if (!strcmp(a->name, "strace_errors")) {
		s->of[nr].errors += row->value[0];
	} else if (!strcmp(a->name, "strace_calls")) {
		s->of[nr].calls += row->value[0];
		s->of[nr].ns += row->value[1];
	}
}

struct line {
	uint32_t nr;
	struct summary_row row;
};

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->row.ns != y->row.ns)
		return x->row.ns < y->row.ns ? 1 : -1;
	return x->nr < y->nr ? -1 : 1;
}

#define NSEC_PER_USEC 1000
#define NSEC 1e9

/* The columns of strace(1). */
static const struct cell columns[] = {
	{ "% time", CELL_NUMBER, 6, 2, { NULL } },    { "seconds", CELL_NUMBER, 11, 6, { NULL } },
	{ "usecs/call", CELL_UINT, 11, 0, { NULL } }, { "calls", CELL_UINT, 9, 0, { NULL } },
	{ "errors", CELL_TEXT, 9, 0, { NULL } },      { "syscall", CELL_TEXT, -16, 0, { NULL } },
};

static void print_line(struct table *t, const struct summary_row *r, uint64_t all_ns, const char *name)
{
	struct cell v[ARRAY_SIZE(columns)];
	char errors[24] = "";

	if (r->errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, r->errors);
	memcpy(v, columns, sizeof(columns));
	v[0].v.d = all_ns ? 100.0 * (double)r->ns / (double)all_ns : 0.0;
	v[1].v.d = (double)r->ns / NSEC;
	v[2].v.u = r->calls ? r->ns / NSEC_PER_USEC / r->calls : 0;
	v[3].v.u = r->calls;
	v[4].v.s = errors;
	v[5].v.s = name;
	table_line(t, v, ARRAY_SIZE(v));
}

void summary_print(const struct summary *s, FILE *out)
{
	struct table t = { .out = out, .gap = 1 };
	struct line v[SUMMARY_CALLS + 1];
	struct summary_row all = { 0 };
	size_t n = 0;

	for (uint32_t nr = 0; nr <= SUMMARY_CALLS; nr++) {
		if (!s->of[nr].calls)
			continue;
		v[n++] = (struct line){ nr, s->of[nr] };
		all.calls += s->of[nr].calls;
		all.errors += s->of[nr].errors;
		all.ns += s->of[nr].ns;
	}
	qsort(v, n, sizeof(*v), by_time);
	table_heading(&t, columns, ARRAY_SIZE(columns));
	table_rule(&t, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		const struct call_desc *c = call_by_nr(v[i].nr);
		char other[32];

		snprintf(other, sizeof(other), v[i].nr < SUMMARY_CALLS ? "syscall_%#x" : "others", v[i].nr);
		print_line(&t, &v[i].row, all.ns, c ? c->name : other);
	}
	table_rule(&t, columns, ARRAY_SIZE(columns));
	print_line(&t, &all, all.ns, "total");
}
