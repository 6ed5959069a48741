/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the sorted symbol table of a file from symbols in any order, and reduces aliases to the name that people
 * know. */
#include "sym/elf/symtab.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "sym/sym.h"

struct symtab_raw {
	struct usym s;
	uint32_t rank;
};

int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len, unsigned rank)
{
	if (len > SYMTAB_MAX_NAME)
		len = SYMTAB_MAX_NAME;
	if (t->nraw >= SYM_MAX_SYMBOLS_PER_FILE || t->ntext + len + 1 > SYMTAB_MAX_TEXT)
		return -E2BIG;
	if (vec_reserve_raw((void **)&t->text, &t->captext, t->ntext + len + 1, 1) < 0 ||
	    vec_reserve_raw((void **)&t->raw, &t->capraw, t->nraw + 1, sizeof(*t->raw)) < 0)
		return -ENOMEM;
	t->raw[t->nraw++] = (struct symtab_raw){
		.s = { .addr = addr,
		       .size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		       .name = (uint32_t)t->ntext },
		.rank = rank,
	};
	memcpy(t->text + t->ntext, name, len);
	t->text[t->ntext + len] = '\0';
	t->ntext += len + 1;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct symtab_raw *x = a, *y = b;

	if (x->s.addr != y->s.addr)
		return x->s.addr < y->s.addr ? -1 : 1;
	return x->s.name < y->s.name ? -1 : x->s.name > y->s.name;
}

static bool better(const struct symtab *t, const struct symtab_raw *a, const struct symtab_raw *b)
{
	const char *x = t->text + a->s.name, *y = t->text + b->s.name;

	if (a->rank != b->rank)
		return a->rank > b->rank;
	size_t ux = strspn(x, "_"), uy = strspn(y, "_");

	if (ux != uy)
		return ux < uy;
	return strlen(x) < strlen(y);
}

/* One per address, in place. */
static void drop_aliases(struct symtab *t)
{
	size_t n = 0;

	for (size_t i = 0, j; i < t->nraw; i = j) {
		size_t best = i;

		for (j = i + 1; j < t->nraw && t->raw[j].s.addr == t->raw[i].s.addr; j++) {
			if (better(t, &t->raw[j], &t->raw[best]))
				best = j;
		}
		t->raw[n++] = t->raw[best];
	}
	t->nraw = n;
}

/* Unsized ones end at the next symbol, and vanish inside of a sized one, whose label they are. */
static void settle_unsized(struct symtab *t)
{
	size_t n = 0;
	uint64_t covered = 0; /* end of the sized ones so far */

	for (size_t i = 0; i < t->nraw; i++) {
		struct symtab_raw *r = &t->raw[i];
		uint64_t next = i + 1 < t->nraw ? t->raw[i + 1].s.addr : UINT64_MAX;

		if (r->rank & SYMRANK_SIZED) {
			uint64_t end = r->s.addr + r->s.size;

			covered = end > covered ? end : covered;
		} else if (r->s.addr < covered) {
			continue;
		} else if (r->s.size > next - r->s.addr) {
			r->s.size = (uint32_t)(next - r->s.addr);
		}
		t->raw[n++] = *r;
	}
	t->nraw = n;
}

/* Drops the names of dropped aliases, in the order of addresses. */
static int compact(struct symtab *t)
{
	size_t need = 0;

	for (size_t i = 0; i < t->nraw; i++)
		need += strlen(t->text + t->raw[i].s.name) + 1;
	struct usym *v = malloc((t->nraw + 1) * sizeof(*v));
	char *text = malloc(need + 1);

	if (!v || !text) {
		free(v);
		free(text);
		return -ENOMEM;
	}
	size_t at = 0;

	for (size_t i = 0; i < t->nraw; i++) {
		const char *name = t->text + t->raw[i].s.name;
		size_t len = strlen(name) + 1;

		v[i] = t->raw[i].s;
		v[i].name = (uint32_t)at;
		memcpy(text + at, name, len);
		at += len;
	}
	free(t->text);
	free(t->raw);
	free(t->v);
	*t = (struct symtab){ .v = v, .n = t->nraw, .text = text, .ntext = need, .captext = need + 1, .refs = t->refs };
	return 0;
}

int symtab_finish(struct symtab *t)
{
	bool sorted = true;

	for (size_t i = 1; i < t->nraw && sorted; i++)
		sorted = t->raw[i - 1].s.addr <= t->raw[i].s.addr;
	if (!sorted)
		qsort(t->raw, t->nraw, sizeof(*t->raw), by_addr);
	drop_aliases(t);
	settle_unsized(t);
	return compact(t);
}

void symtab_done(struct symtab *t)
{
	free(t->v);
	free(t->text);
	free(t->raw);
	*t = (struct symtab){ 0 };
}

const struct usym *symtab_at(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n; /* the first symbol above addr */

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < SYMTAB_LOOK_BACK; i--) {
		const struct usym *u = &t->v[i - 1];

		if (addr - u->addr < u->size)
			return u;
	}
	return NULL;
}

size_t symtab_bytes(const struct symtab *t)
{
	return t->n * sizeof(*t->v) + t->ntext;
}
