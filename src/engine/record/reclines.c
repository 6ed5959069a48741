/* SPDX-License-Identifier: Apache-2.0 */
/* Collects addresses in a hash table, and looks their source lines up at the end, file by file. So the debug
 * information of one file is in memory at a time. */
#include "engine/record/reclines.h"
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_try.h"
#include "run/os/signals.h"

struct noted {
	struct noted_key {
		uint64_t start, addr;
		uint64_t tgid;
	} key;
	const char *path; /* of its file: equal ones are the same pointer */
	UT_hash_handle hh;
};

struct reclines {
	struct sym *sym;
	struct noted *v;
	size_t n, missing;
};

struct reclines *reclines_new(struct sym *sym)
{
	struct reclines *l = calloc(1, sizeof(*l));

	if (l)
		l->sym = sym;
	return l;
}

void reclines_free(struct reclines *l)
{
	struct noted *at, *next;

	if (!l)
		return;
	HASH_ITER (hh, l->v, at, next) {
		HASH_DEL(l->v, at);
		free(at);
	}
	free(l);
}

void reclines_note(struct reclines *l, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct noted_key k = { start, addr, tgid };
	struct symbol s;
	struct noted *at;

	HASH_FIND(hh, l->v, &k, sizeof(k), at);
	if (at)
		return;
	at = l->n < RECLINES_MAX ? calloc(1, sizeof(*at)) : NULL;
	if (!at) {
		l->missing++;
		return;
	}
	at->key = k;
	sym_user(l->sym, tgid, start, addr, &s);
	at->path = s.path;
	HASH_ADD(hh, l->v, key, sizeof(at->key), at);
	if (!at->hh.tbl) {
		free(at);
		l->missing++;
		return;
	}
	l->n++;
}

static int by_file(const void *a, const void *b)
{
	const struct noted *x = *(const struct noted *const *)a, *y = *(const struct noted *const *)b;

	return x->path != y->path ? (x->path > y->path) - (x->path < y->path)
				  : (x->key.addr > y->key.addr) - (x->key.addr < y->key.addr);
}

static int write_one(struct reclines *l, struct recfile *f, const struct noted *at, struct err *err)
{
	struct recfile_source v[SYM_MAX_LINES];
	struct sym_line lines[SYM_MAX_LINES];
	uint32_t tgid = (uint32_t)at->key.tgid;
	size_t n = sym_user_lines(l->sym, tgid, at->key.start, at->key.addr, lines);

	for (size_t i = 0; i < n; i++)
		v[i] = (struct recfile_source){ .function = lines[i].name,
						.file = lines[i].file,
						.line = lines[i].line,
						.def_file = lines[i].def_file,
						.def_line = lines[i].def_line };
	return recfile_add_source(f, tgid, at->key.start, at->key.addr, v, n, err);
}

int reclines_write(struct reclines *l, struct recfile *f, uint64_t max_ns, size_t *ret_missing, struct err *err)
{
	_cleanup_free_ struct noted **order = malloc((l->n + 1) * sizeof(*order));
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + max_ns;
	struct noted *at, *next;
	int e = 0, before = signals_pending(); /* a signal that comes now ends it */
	size_t i = 0;

	*ret_missing = l->missing + l->n;
	if (!order)
		return 0;
	HASH_ITER (hh, l->v, at, next)
		order[i++] = at;
	qsort(order, l->n, sizeof(*order), by_file);
	for (i = 0; e == 0 && i < l->n && (!order[i]->path || clock_ns(CLOCK_MONOTONIC) < end) &&
		    signals_pending() == before && !signals_cut();
	     i++)
		if (order[i]->path)
			e = write_one(l, f, order[i], err);
	*ret_missing = l->missing + l->n - i;
	sym_lines_done(l->sym);
	return e;
}
