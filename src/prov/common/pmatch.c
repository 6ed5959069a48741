/* SPDX-License-Identifier: Apache-2.0 */
/* Matches names against probe descriptions, and keeps lists of probes. */
#include <stdlib.h>
#include <string.h>
#include "prov/prov_int.h"

bool prov_match_names(const struct pdesc *d, const char *prov, const char *mod, const char *func, const char *name)
{
	return pdesc_glob(d->prov, prov) && pdesc_glob(d->mod, mod) && pdesc_glob(d->func, func) &&
	       pdesc_glob(d->name, name);
}

void prov_list_add(struct arena *a, struct probe_list *l, struct probe *p)
{
	/* The capacity is the next power of two: grown when n reaches one. */
	if ((l->n & (l->n - 1)) == 0) {
		struct probe **v = arena_new_arr(a, struct probe *, l->n ? l->n * 2 : 1);

		if (l->n)
			memcpy(v, l->v, l->n * sizeof(*v));
		l->v = v;
	}
	l->v[l->n++] = p;
}

static int by_id_order(const void *a, const void *b)
{
	const struct probe *x = *(struct probe *const *)a, *y = *(struct probe *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

void prov_list_sort(struct probe_list *l, size_t first)
{
	if (l->n > first)
		qsort(l->v + first, l->n - first, sizeof(*l->v), by_id_order);
}
