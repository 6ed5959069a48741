/* SPDX-License-Identifier: Apache-2.0 */
/* Makes checkpoints while a replay goes where it has not been yet, and thins them out. */
#include "gdb/kept.h"

/* Every other one but the first; from now on they are made half as often. */
static void thin(struct kept_all *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		if (i % 2)
			watch_drop(a->v[i].state);
		else
			a->v[n++] = a->v[i];
	a->n = n;
	a->every *= 2;
}

void kept_add(struct kept_all *a, struct replay *r, const struct kept *k)
{
	const uint64_t now = watch_ran_ns(r);

	a->every = a->every ? a->every : KEPT_EVERY_NS;
	if (a->n && (k->seq <= a->v[a->n - 1].seq || now - a->since < a->every))
		return;
	a->since = now;
	if (a->n == KEPT_MAX)
		thin(a);
	a->v[a->n] = *k;
	if (watch_keep(r, &a->v[a->n].state) == 0)
		a->n++;
}

const struct kept *kept_find(const struct kept_all *a, uint64_t seq, bool with, uint32_t task)
{
	for (size_t i = a->n; i--;)
		if ((a->v[i].seq < seq || (with && a->v[i].seq == seq)) &&
		    (i == 0 || (a->v[i].call_seq && a->v[i].call_task == task)))
			return &a->v[i];
	return a->n && a->v[0].seq == seq ? &a->v[0] : NULL;
}

void kept_free(struct kept_all *a)
{
	while (a->n)
		watch_drop(a->v[--a->n].state);
	a->every = 0;
}
