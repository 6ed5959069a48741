/* SPDX-License-Identifier: Apache-2.0 */
/* Two checkpoints that share a page of memory are forks of a process that did not write to it between them, not even
 * the same value. That holds for writes only: with a breakpoint, or where reads are watched, nothing is left out.
 * Places of gdb's own in the dynamic linker do not count, as long as no code was mapped. */
#include "gdb/clean.h"
#include "gdb/loader.h"

#define KIND(seven, i) ((seven) >> (16 + 4 * (i)) & 3)
#define KIND_WRITE 1u

static bool only_writes(const struct trip *t)
{
	const struct arms *a = &t->look;
	uint64_t brk = 0;

	if (t->loader.brk_at)
		watch_read(t->now, t->loader.brk_at, &brk, sizeof(brk));
	for (size_t i = 0; i < a->n; i++)
		if (!loader_has(&t->loader, brk, a->brk[i]))
			return false;
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((a->seven >> 2 * i & 3) && KIND(a->seven, i) != KIND_WRITE)
			return false;
	return a->seven != 0;
}

static bool is_clean(const struct arms *a, const struct kept *from, const struct kept *to)
{
	if (from->stops != to->stops)
		return false;
	for (unsigned i = 0; i < TRIP_WATCH; i++)
		if ((a->seven >> 2 * i & 3) && !watch_same_page(from->state, to->state, a->addr[i]))
			return false;
	return true;
}

uint64_t clean_since(const struct trip *t, uint64_t from)
{
	size_t i = t->kept.n;

	while (i && t->kept.v[i - 1].seq > from)
		i--;
	if (!i || t->kept.v[i - 1].seq != from || !only_writes(t))
		return from;
	for (i--; i && is_clean(&t->look, &t->kept.v[i - 1], &t->kept.v[i]); i--)
		;
	return i ? t->kept.v[i].seq : 0;
}
