/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of CPUs: which thread ran there, from switch to switch. They are the running of the rows of threads, seen from
 * the CPUs. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "view/picture/timeline_int.h"

struct on_cpu {
	struct tl_item item;
	uint32_t thread; /* row */
};
typedef VEC(struct on_cpu) on_cpus;

static int by_cpu(const void *a, const void *b)
{
	const struct on_cpu *x = a, *y = b;

	if (x->item.cpu != y->item.cpu)
		return x->item.cpu < y->item.cpu ? -1 : 1;
	return x->item.from < y->item.from ? -1 : x->item.from > y->item.from;
}

static int collect(const struct timeline *t, on_cpus *all)
{
	for (size_t k = 0; k < t->rows.n; k++)
		for (size_t i = 0; t->rows.v[k].group == TL_GROUP_THREADS && i < t->rows.v[k].items.n; i++) {
			const struct tl_item *x = &t->rows.v[k].items.v[i];

			if (x->kind == TL_RUN && x->cpu && vec_try_push(all, ((struct on_cpu){ *x, (uint32_t)k })) < 0)
				return -ENOMEM;
		}
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_cpu);
	return 0;
}

/* The row of a CPU; NULL: no room for it. */
static struct tl_row *cpu_row(struct tl_reader *r, unsigned cpu, unsigned *n)
{
	struct tl_row *row;
	char key[16];

	if (*n == TL_MAX_CPUS) {
		r->t->left_out_rows++;
		return NULL;
	}
	snprintf(key, sizeof(key), "c%u", cpu);
	row = tl_row_of(r, key, TL_GROUP_CPUS);
	if (!row)
		return NULL;
	(*n)++;
	row->tid = cpu;
	tl_label(r, row, "CPU %u", cpu);
	return row;
}

int tl_add_cpus(struct tl_reader *r)
{
	struct tl_row *row = NULL;
	on_cpus all = { 0 };
	unsigned n = 0;
	_cleanup_free_ uint32_t *names = calloc(r->t->rows.n + 1,
						sizeof(*names)); /* by row of a thread; 0: not known yet */
	int e = names ? collect(r->t, &all) : -ENOMEM;

	for (size_t i = 0; i < all.n && e == 0; i++) {
		struct tl_item x = all.v[i].item;

		if (i == 0 || all.v[i - 1].item.cpu != x.cpu)
			row = cpu_row(r, x.cpu - 1u, &n);
		if (!row)
			continue;
		x.kind = TL_TASK;
		if (!names[all.v[i].thread])
			names[all.v[i].thread] = tl_text_of(r, r->t->rows.v[all.v[i].thread].label);
		x.text = names[all.v[i].thread];
		tl_add_item(r, row, x);
		e = r->error;
	}
	vec_free(&all);
	return e == 0 ? r->error : e;
}
