/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what dwell's own programs cost: adds up ROW_COSTs by program, and prints a line for each at the end. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "view/text/int.h"

struct text_cost {
	uint32_t program, probe;
	struct rec_cost sum;
};

int text_cost_row(struct text_view *v, const struct row *row)
{
	struct text_cost *t = NULL;
	struct rec_cost c;

	if (row->len < sizeof(c))
		return 0;
	memcpy(&c, row->data, sizeof(c));
	for (size_t i = 0; i < v->ncosts && !t; i++)
		if (v->costs[i].program == row->id)
			t = &v->costs[i];
	if (!t) {
		struct text_cost *p = reallocarray(v->costs, v->ncosts + 1, sizeof(*p));

		if (!p)
			return -ENOMEM;
		v->costs = p;
		t = &v->costs[v->ncosts++];
		*t = (struct text_cost){ .program = row->id, .probe = row->probe };
	}
	t->sum.run_ns += c.run_ns;
	t->sum.run_cnt += c.run_cnt;
	t->sum.interval += c.interval;
	return 0;
}

static int dearest_first(const void *a, const void *b)
{
	const struct text_cost *x = a, *y = b;

	if (x->sum.run_ns != y->sum.run_ns)
		return x->sum.run_ns > y->sum.run_ns ? -1 : 1;
	return x->program < y->program ? -1 : x->program > y->program;
}

void text_cost_finish(struct text_view *v)
{
	if (v->ncosts)
		qsort(v->costs, v->ncosts, sizeof(*v->costs), dearest_first);
	for (size_t i = 0; i < v->ncosts; i++) {
		const struct text_cost *t = &v->costs[i];
		struct row row = { .probe = t->probe };
		const struct rec_probe *p = text_row_probe(v, &row);
		struct strb b = { 0 };

		strb_printf(&b, "cost of %s:%s:%s:%s: %llu run%s, %llu ns each", p->prov, p->mod, p->func, p->name,
			    (unsigned long long)t->sum.run_cnt, t->sum.run_cnt == 1 ? "" : "s",
			    (unsigned long long)(t->sum.run_cnt ? t->sum.run_ns / t->sum.run_cnt : 0));
		if (t->sum.interval)
			strb_printf(&b, ", %.2f%% of a CPU", 100.0 * (double)t->sum.run_ns / (double)t->sum.interval);
		if (v->opts.json)
			json_cost(v, p, &t->sum, strb_str(&b));
		else
			text_msg(v, "%s", strb_str(&b));
		strb_free(&b);
	}
}

void text_cost_free(struct text_view *v)
{
	free(v->costs);
}
