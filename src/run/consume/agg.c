/* SPDX-License-Identifier: Apache-2.0 */
/* Reads aggregations out of the kernel. */
#include "run/consume/agg.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "load/bpf_sys.h"
#include "load/link.h"

struct agg_reader {
	const struct loaded *l;
	const struct rec_schema *schema;
	bool percpu;
	bool no_batch; /* the kernel has no batches for per-CPU hashes (before 5.6) */
	size_t batch;  /* entries that keys and values have room for */
	size_t keys_cap, values_cap, idle_cap;
	uint8_t *keys;
	uint64_t *values;
	uint8_t *idle; /* keys to be deleted */
	size_t nidle;
	uint64_t *merged;   /* one value */
	uint64_t *spread;   /* the values of all CPUs, when percpu */
	uint32_t *nentries; /* by map: how many it had when it was read last */
};

/* One aggregation being read. */
struct agg_source {
	struct agg_reader *a;
	const struct aggdesc *desc;
	const struct agg_sink *sink;
	uint64_t now;
	int fd;
	size_t words;	 /* of one value */
	size_t key_size; /* of the map: perhaps with the CPU after the key */
	size_t ncpus;	 /* values of one entry */
	bool take;	 /* what was read is taken out */
	bool empty;	 /* by deleting */
	uint32_t n;	 /* entries read */
};

int agg_reader_new(const struct loaded *l, const struct rec_schema *schema, bool percpu, struct agg_reader **ret)
{
	struct agg_reader *a = calloc(1, sizeof(*a));
	size_t largest = 0;

	if (!a)
		return -ENOMEM;
	a->l = l;
	a->schema = schema;
	a->percpu = percpu;
	for (size_t i = 0; i < schema->naggs; i++)
		if (schema->aggs[i]->value_size > largest)
			largest = schema->aggs[i]->value_size;
	a->merged = malloc(largest + sizeof(uint64_t));
	a->spread = percpu ? malloc((largest + sizeof(uint64_t)) * l->ncpus) : NULL;
	a->nentries = calloc(l->img->nmaps + 1, sizeof(*a->nentries));
	if (!a->merged || !a->nentries || (percpu && !a->spread)) {
		agg_reader_free(a);
		return -ENOMEM;
	}
	*ret = a;
	return 0;
}

void agg_reader_free(struct agg_reader *a)
{
	if (!a)
		return;
	free(a->keys);
	free(a->values);
	free(a->idle);
	free(a->nentries);
	free(a->merged);
	free(a->spread);
	free(a);
}

/* Room for n entries of this aggregation. */
static int reserve(struct agg_source *s, size_t n)
{
	struct agg_reader *a = s->a;
	size_t stride = s->words * s->ncpus;

	if (vec_reserve_raw((void **)&a->keys, &a->keys_cap, n * (s->key_size + 1), 1) < 0 ||
	    vec_reserve_raw((void **)&a->idle, &a->idle_cap, n * (s->key_size + 1), 1) < 0 ||
	    vec_reserve_raw((void **)&a->values, &a->values_cap, n * stride, sizeof(uint64_t)) < 0)
		return -ENOMEM;
	a->batch = n;
	return 0;
}

/* All CPUs' values, of which an entry with the CPU after its key has one. */
static const uint64_t *spread(struct agg_source *s, const uint8_t *key, const uint64_t *value)
{
	struct agg_reader *a = s->a;
	uint64_t cpu;

	memcpy(&cpu, key + s->desc->key_size, sizeof(cpu));
	memset(a->spread, 0, s->words * sizeof(uint64_t) * a->l->ncpus);
	if (cpu < a->l->ncpus)
		memcpy(a->spread + cpu * s->words, value, s->desc->value_size);
	return a->spread;
}

/* Merges the CPUs' values of one entry and appends it. */
static int emit(struct agg_source *s, const void *key, const uint64_t *values)
{
	const struct aggdesc *d = s->desc;
	struct agg_reader *a = s->a;
	struct row row = {
		.kind = ROW_AGG,
		.ts = s->now,
		.id = d->id,
		.data = d->key_size ? key : NULL,
		.len = d->key_size,
		.value = a->merged,
		.percpu = a->percpu ? values : NULL,
	};

	if (a->percpu && s->ncpus < a->l->ncpus)
		row.percpu = spread(s, key, values);
	memset(a->merged, 0, d->value_size);
	for (size_t cpu = 0; cpu < s->ncpus; cpu++)
		aggval_merge(d->func, d->is_signed, d->param, a->merged, values + cpu * s->words);
	if (!a->merged[0]) {
		memcpy(a->idle + a->nidle++ * s->key_size, key, s->key_size);
		return 0;
	}
	if (s->sink->proc)
		decode_field_procs(d->keys, d->nkeys, key, d->key_size, s->sink->proc, s->sink->ctx);
	return recording_append(s->sink->rec, &row);
}

static int emit_all(struct agg_source *s, size_t n)
{
	int r = 0;

	s->a->nidle = 0;
	s->n += (uint32_t)n;
	for (size_t i = 0; i < n && r == 0; i++)
		r = emit(s, s->a->keys + i * s->key_size, s->a->values + i * s->words * s->ncpus);
	if (r == 0 && n > 0 && s->sink->batch)
		r = s->sink->batch(s->sink->ctx);
	return r;
}

/* Takes the entries out that were just read: zero, or away when they were zero already. */
static int take_out(struct agg_source *s, uint32_t n)
{
	struct agg_reader *a = s->a;

	if (!s->take || s->empty || n == 0)
		return 0;
	memset(a->values, 0, n * s->words * sizeof(uint64_t) * s->ncpus);
	if (a->nidle < n) {
		int r = bpfsys_map_update_batch(s->fd, a->keys, a->values, &n);

		if (r < 0)
			return r;
	}
	return a->nidle ? bpfsys_map_delete_batch(s->fd, a->idle, (uint32_t)a->nidle) : 0;
}

/* Reads a per-CPU hash, some buckets at a time. */
static int read_batches(struct agg_source *s)
{
	size_t entry = s->words * sizeof(uint64_t) * s->ncpus + s->key_size;
	size_t want = AGG_BATCH_BYTES / entry;
	uint32_t token = 0, next = 0; /* of a hash: a bucket's number */
	bool first = true;
	int r, q;

	want = want > AGG_BATCH_MAX ? AGG_BATCH_MAX : want < 16 ? 16 : want;
	r = reserve(s, want);
	while (r == 0) {
		uint32_t n = (uint32_t)s->a->batch;

		q = bpfsys_map_read_batch(s->fd, s->empty, first ? NULL : &token, &next, s->a->keys, s->a->values, &n);
		if (q == -ENOSPC) { /* one bucket has more entries than that */
			r = reserve(s, s->a->batch * 2);
			continue;
		}
		if (q < 0 && q != -ENOENT)
			return q;
		r = emit_all(s, n);
		if (r == 0)
			r = take_out(s, n);
		if (q == -ENOENT)
			break;
		token = next;
		first = false;
	}
	return r;
}

/* The same, entry by entry, for kernels without batches. */
static int take_singly(struct agg_source *s)
{
	int r = reserve(s, 1);
	unsigned n = 0;

	while (r == 0 && bpfsys_map_next_key(s->fd, NULL, s->a->keys) == 0) {
		s->a->nidle = 0;
		r = bpfsys_map_lookup(s->fd, s->a->keys, s->a->values);
		if (r == 0)
			r = bpfsys_map_delete(s->fd, s->a->keys);
		if (r == 0)
			r = emit(s, s->a->keys, s->a->values);
		if (r == 0 && s->sink->batch && ++n % AGG_BATCH_MAX == 0)
			r = s->sink->batch(s->sink->ctx);
	}
	return r;
}

/* An aggregation without key: the only entry of a per-CPU array, or an array by CPU; set to zero again. */
static int take_array(struct agg_source *s, bool by_cpu)
{
	uint32_t key = 0, n = by_cpu ? (uint32_t)s->ncpus : 1;
	int r = reserve(s, 1);

	for (key = 0; r == 0 && key < n; key++)
		r = bpfsys_map_lookup(s->fd, &key, s->a->values + key * s->words);
	if (r == 0)
		r = emit_all(s, 1);
	if (r < 0)
		return r;
	memset(s->a->values, 0, s->words * sizeof(uint64_t) * s->ncpus);
	for (key = 0; r == 0 && key < n; key++)
		r = bpfsys_map_update(s->fd, &key, s->a->values);
	return r;
}

static int read_map(struct agg_reader *a, uint32_t i, uint64_t now, enum agg_when when, const struct agg_sink *sink)
{
	const struct img_map *m = &a->l->img->maps[i];
	struct agg_source s = { .a = a, .sink = sink, .now = now, .fd = a->l->maps[i].fd, .take = when != AGG_LAST };
	int r = -EOPNOTSUPP;

	if (m->agg >= a->schema->naggs)
		return -EINVAL;
	s.desc = a->schema->aggs[m->agg];
	if (m->value_size != s.desc->value_size || (s.desc->key_size && m->key_size != img_agg_key_size(m, s.desc)))
		return -EINVAL;
	s.words = ROUND_UP((size_t)m->value_size, 8) / sizeof(uint64_t);
	s.key_size = m->key_size;
	s.ncpus = m->type == BPF_MAP_TYPE_HASH ? 1 : a->l->ncpus;
	if (m->type == BPF_MAP_TYPE_ARRAY)
		s.ncpus = m->max_entries;
	if (m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_ARRAY)
		return take_array(&s, m->type == BPF_MAP_TYPE_ARRAY);
	/* Setting to zero makes a new entry in a plain hash: there, deleting costs less. */
	s.empty = s.take &&
		  (m->type == BPF_MAP_TYPE_HASH || a->nentries[i] > m->max_entries / AGG_FULL_DEN * AGG_FULL_NUM);
	if (!a->no_batch)
		r = read_batches(&s);
	if (r == -EOPNOTSUPP || (r == -EINVAL && s.n == 0)) {
		a->no_batch = true;
		r = take_singly(&s);
	}
	a->nentries[i] = s.n;
	return r;
}

int agg_snapshot(struct agg_reader *a, uint64_t now, enum agg_when when, const struct agg_sink *sink, struct err *err)
{
	struct img_state *st = a->l->state;
	uint32_t old = st ? st->epoch & 1 : 0;

	if (!a->schema->naggs)
		return 0;
	if (st && when == AGG_RUNNING) {
		__atomic_store_n(&st->epoch, !old, __ATOMIC_RELEASE);
		link_barrier();
	}
	for (uint32_t i = 0; i < a->l->img->nmaps; i++) {
		const struct img_map *m = &a->l->img->maps[i];
		int r;

		if (m->role != IMG_MAP_AGG || (when == AGG_RUNNING && m->set != old))
			continue;
		r = read_map(a, i, now, when, sink);
		if (r < 0)
			return err_set(err, r, "cannot read the aggregation @%s: %s",
				       m->agg < a->schema->naggs ? a->schema->aggs[m->agg]->name : "", strerror(-r));
	}
	return 0;
}
