/* SPDX-License-Identifier: Apache-2.0 */
#include "strace/summary.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "strace/call.h"

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

#define RULE "------ ----------- ----------- --------- --------- ----------------\n"
#define NSEC_PER_USEC 1000
#define NSEC 1e9

static void print_line(FILE *out, const struct summary_row *r, uint64_t all_ns, const char *name)
{
	char errors[24] = "";

	if (r->errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, r->errors);
	fprintf(out, "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " %9s %s\n",
		all_ns ? 100.0 * (double)r->ns / (double)all_ns : 0.0, (double)r->ns / NSEC,
		r->calls ? r->ns / NSEC_PER_USEC / r->calls : 0, r->calls, errors, name);
}

void summary_print(const struct summary *s, FILE *out)
{
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
	fprintf(out, "%% time     seconds  usecs/call     calls    errors syscall\n" RULE);
	for (size_t i = 0; i < n; i++) {
		const struct call_desc *c = call_by_nr(v[i].nr);
		char other[32];

		snprintf(other, sizeof(other), v[i].nr < SUMMARY_CALLS ? "syscall_%#x" : "others", v[i].nr);
		print_line(out, &v[i].row, all.ns, c ? c->name : other);
	}
	fprintf(out, RULE);
	print_line(out, &all, all.ns, "total");
}
