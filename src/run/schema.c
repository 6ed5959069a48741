/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a run's rows. */
#include <stdlib.h>
#include "run/session.h"

static int by_id(const void *a, const void *b)
{
	const struct rec_probe *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* All probes of all clauses, each once, by id. */
static void add_probes(const struct dprog *prog, struct rec_schema *s)
{
	struct rec_probe *v;
	size_t n = 0, kept = 0;

	for (const struct dstmt *st = prog->stmts; st; st = st->next)
		n += st->probes.n;
	v = arena_new_arr(prog->arena, struct rec_probe, n + 1);
	n = 0;
	for (const struct dstmt *st = prog->stmts; st; st = st->next) {
		for (size_t i = 0; i < st->probes.n; i++) {
			const struct probe *p = st->probes.v[i];

			v[n++] = (struct rec_probe){ p->id, p->prov, p->mod, p->func, p->name };
		}
	}
	qsort(v, n, sizeof(*v), by_id);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || v[kept - 1].id != v[i].id)
			v[kept++] = v[i];
	}
	s->probes = v;
	s->nprobes = kept;
}

const struct rec_schema *session_schema(const struct dprog *prog, const struct image *img,
					const struct caps *caps)
{
	struct rec_schema *s = arena_new_obj(prog->arena, struct rec_schema);

	s->fmts = img->fmts;
	s->nfmts = img->nfmts;
	s->aggs = img->aggs;
	s->naggs = img->naggs;
	s->ncpus = caps->possible_cpus ? caps->possible_cpus : 1;
	add_probes(prog, s);
	return s;
}
