/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the rows of a run for its readers: aggregations, records and their columns. */
#include <stdlib.h>
#include <string.h>
#include "run/session.h"

static int by_id(const void *a, const void *b)
{
	const struct rec_probe *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Arrays of probes have room up to the next power of two. */
static struct rec_probe *new_probes(struct arena *a, size_t n)
{
	size_t room = 1;

	while (room < n)
		room *= 2;
	return arena_new_arr(a, struct rec_probe, room);
}

/* All probes of all clauses, each once, by id. */
static void add_probes(const struct dprog *prog, struct rec_schema *s)
{
	struct rec_probe *v;
	size_t n = 0, kept = 0;

	n = prog->ntrackers;
	for (const struct clause_instance *st = prog->instances; st; st = st->next)
		n += st->probes.n;
	v = arena_new_arr(prog->arena, struct rec_probe, n + 1);
	n = 0;
	/* losses of a tracker are told by its probe, whether a clause has it or not */
	for (const struct dtracker *t = prog->trackers; t; t = t->next)
		v[n++] = (struct rec_probe){ t->probes[TRACK_ALL]->id, "latency", t->name, "", "all" };
	for (const struct clause_instance *st = prog->instances; st; st = st->next) {
		for (size_t i = 0; i < st->probes.n; i++) {
			const struct probe *p = st->probes.v[i];

			if (!p->later)
				v[n++] = (struct rec_probe){ p->id, p->prov, p->mod, p->func, p->name };
		}
	}
	qsort(v, n, sizeof(*v), by_id);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || v[kept - 1].id != v[i].id)
			v[kept++] = v[i];
	}
	s->probes = new_probes(prog->arena, kept);
	if (kept)
		memcpy((struct rec_probe *)s->probes, v, kept * sizeof(*v));
	s->nprobes = kept;
}

static void add_trackers(const struct dprog *prog, const struct image *img, struct rec_schema *s)
{
	struct rec_tracker *v = arena_new_arr(prog->arena, struct rec_tracker, img->ntracks + 1);

	for (uint32_t i = 0; i < img->ntracks; i++) {
		const struct tracker_desc *t = &img->tracks[i];

		v[i] = (struct rec_tracker){ .id = i,
					     .name = t->t->name,
					     .keys = t->keys,
					     .nkeys = t->nkeys,
					     .threshold = t->t->settings[TS_THRESHOLD],
					     .timeout = t->t->settings[TS_TIMEOUT],
					     .key_size = t->key_size };
	}
	s->trackers = v;
	s->ntrackers = img->ntracks;
}

void session_schema_add(struct arena *a, struct rec_schema *s, const struct probe *p)
{
	struct rec_probe *v = (struct rec_probe *)s->probes;
	size_t n = s->nprobes, at = n;

	if (rec_schema_probe(s, p->id))
		return;
	if ((n & (n - 1)) == 0) {
		v = new_probes(a, n + 1);
		if (n)
			memcpy(v, s->probes, n * sizeof(*v));
	}
	for (; at > 0 && v[at - 1].id > p->id; at--)
		v[at] = v[at - 1];
	v[at] = (struct rec_probe){ p->id, p->prov, p->mod, p->func, p->name };
	s->probes = v;
	s->nprobes++;
}

struct rec_schema *session_schema(const struct dprog *prog, const struct image *img, const struct caps *caps)
{
	struct rec_schema *s = arena_new_obj(prog->arena, struct rec_schema);

	s->fmts = img->fmts;
	s->nfmts = img->nfmts;
	s->aggs = img->aggs;
	s->naggs = img->naggs;
	add_trackers(prog, img, s);
	s->ncpus = caps->possible_cpus ? caps->possible_cpus : 1;
	add_probes(prog, s);
	return s;
}

/* Actions whose row must come after everything that was aggregated before it. */
static bool act_needs_agg(const struct recact *a)
{
	switch (a->kind) {
	case ACT_PRINTA:
	case ACT_CLEAR:
	case ACT_TRUNC:
	case ACT_NORMALIZE:
	case ACT_DENORMALIZE: return true;
	default: return false;
	}
}

bool session_shows_aggs(const struct recfmt *f)
{
	for (size_t k = 0; k < f->nacts; k++)
		if (act_needs_agg(&f->acts[k]))
			return true;
	return false;
}
