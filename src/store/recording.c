/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a recording in memory as a chain of chunks. A row and all that it points to lie together in one chunk, so that
 * reading is sequential and releasing frees whole chunks. One chunk is kept for reuse. */
#include "store/recording.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/recfmt.h"

/* Bytes of an ordinary chunk; a larger row gets one of its own. */
#define CHUNK_SIZE ((size_t)256 << 10)

struct chunk {
	struct chunk *next;
	size_t used, size; /* of mem */
	_Alignas(16) uint8_t mem[];
};

struct recording {
	const struct rec_schema *schema;
	struct chunk *first, *last; /* rows not yet released */
	struct chunk *read;	    /* where recording_next() is; NULL: at first */
	size_t read_off;
	struct chunk *spare;
	struct {
		void (*fn)(void *ctx, const struct row *row);
		void *ctx;
	} tees[RECORDING_TEES];
	size_t ntees;
};

/* A row as it is kept: followed by data, value, percpu, each on a multiple of 8 bytes. */
struct kept {
	struct row row;
	size_t total; /* bytes of this and what follows */
};

int recording_new_memory(const struct rec_schema *schema, struct recording **ret)
{
	struct recording *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->schema = schema;
	*ret = r;
	return 0;
}

void recording_free(struct recording *r)
{
	if (!r)
		return;
	for (struct chunk *c = r->first, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(r->spare);
	free(r);
}

const struct rec_schema *recording_schema(const struct recording *r)
{
	return r->schema;
}

const struct rec_probe *rec_schema_probe(const struct rec_schema *s, uint32_t id)
{
	size_t lo = 0, hi = s->nprobes;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->probes[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nprobes && s->probes[lo].id == id ? &s->probes[lo] : NULL;
}

/* "wakeup_process", of the tracker wakeup. */
static bool named_after_tracker(const struct rec_schema *s, const char *name)
{
	const char *end = name ? strrchr(name, '_') : NULL;
	size_t n = end ? (size_t)(end - name) : 0;

	for (size_t i = 0; n && i < s->ntrackers; i++)
		if (!strncmp(s->trackers[i].name, name, n) && !s->trackers[i].name[n])
			return true;
	return false;
}

bool rec_hist_source(const struct rec_schema *s, uint32_t id, struct rec_histdesc *ret)
{
	static const int32_t no_param[4];
	const struct aggdesc *d;

	if (id < s->ntrackers) {
		*ret = (struct rec_histdesc){ .is_tracker = true,
					      .is_delay = true,
					      .name = s->trackers[id].name,
					      .func = AGG_HIST,
					      .param = no_param,
					      .nbuckets = AGG_HIST_NBUCKETS };
		return true;
	}
	if (id - s->ntrackers >= s->naggs)
		return false;
	d = s->aggs[id - s->ntrackers];
	if (d->func < AGG_QUANTIZE)
		return false;
	*ret = (struct rec_histdesc){ .is_delay = d->func == AGG_HIST && named_after_tracker(s, d->name),
				      .name = d->name,
				      .func = d->func,
				      .param = d->param,
				      .nbuckets = d->value_size / 8 - 1,
				      .keys = d->keys,
				      .nkeys = d->nkeys,
				      .key_size = d->key_size,
				      .slot_ns = d->slot_ns,
				      .slot_wall = d->slot_wall };
	if (d->slot_ns) {
		ret->keys++;
		ret->nkeys--;
	}
	return true;
}

static const char *const proc_names[] = {
	[PROC_FORK] = "fork", [PROC_EXEC] = "exec", [PROC_EXIT] = "exit", [PROC_MMAP] = "mmap", [PROC_ALIVE] = "alive",
};

const char *rec_proc_name(uint32_t kind)
{
	return kind < ARRAY_SIZE(proc_names) ? proc_names[kind] : NULL;
}

static struct chunk *chunk_get(struct recording *r, size_t need)
{
	size_t size = need > CHUNK_SIZE ? need : CHUNK_SIZE;
	struct chunk *c = r->spare;

	if (c && c->size >= need) {
		r->spare = NULL;
	} else {
		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		c->size = size;
	}
	c->next = NULL;
	c->used = 0;
	if (r->last)
		r->last->next = c;
	else
		r->first = c;
	r->last = c;
	return c;
}

/* Copies n bytes to *at and moves it on; NULL stays NULL. */
static const void *put(uint8_t **at, const void *p, size_t n)
{
	void *to = *at;

	if (!p)
		return NULL;
	memcpy(to, p, n);
	*at += ROUND_UP(n, 8);
	return to;
}

void recording_tee(struct recording *r, void (*fn)(void *ctx, const struct row *row), void *ctx)
{
	if (r->ntees < RECORDING_TEES) {
		r->tees[r->ntees].fn = fn;
		r->tees[r->ntees++].ctx = ctx;
	}
}

int recording_append(struct recording *r, const struct row *row)
{
	size_t nvalue = 0, npercpu = 0, total;
	struct chunk *c = r->last;
	struct kept *k;
	uint8_t *at;

	if (row->kind == ROW_AGG) {
		if (row->id >= r->schema->naggs)
			return -EINVAL;
		nvalue = r->schema->aggs[row->id]->value_size;
		npercpu = row->percpu ? nvalue * r->schema->ncpus : 0;
	}
	total = sizeof(*k) + ROUND_UP(row->len, 8) + ROUND_UP(nvalue, 8) + ROUND_UP(npercpu, 8);
	for (size_t i = 0; i < r->ntees; i++)
		r->tees[i].fn(r->tees[i].ctx, row);
	if (!c || c->size - c->used < total)
		c = chunk_get(r, total);
	if (!c)
		return -ENOMEM;
	k = (struct kept *)(void *)(c->mem + c->used);
	at = (uint8_t *)(k + 1);
	k->row = *row;
	k->total = total;
	k->row.data = put(&at, row->data, row->len);
	k->row.value = nvalue ? put(&at, row->value, nvalue) : NULL;
	k->row.percpu = npercpu ? put(&at, row->percpu, npercpu) : NULL;
	c->used += total;
	return 0;
}

bool recording_next(struct recording *r, struct row *ret)
{
	const struct kept *k;

	if (!r->read) {
		r->read = r->first;
		r->read_off = 0;
	}
	while (r->read && r->read_off == r->read->used && r->read->next) {
		r->read = r->read->next;
		r->read_off = 0;
	}
	if (!r->read || r->read_off == r->read->used)
		return false;
	k = (const struct kept *)(const void *)(r->read->mem + r->read_off);
	*ret = k->row;
	r->read_off += k->total;
	return true;
}

static void drop_first(struct recording *r)
{
	struct chunk *c = r->first;

	r->first = c->next;
	if (!r->first)
		r->last = NULL;
	if (r->spare || c->size > CHUNK_SIZE)
		free(c);
	else
		r->spare = c;
}

void recording_release(struct recording *r)
{
	if (!r->read)
		return;
	while (r->first != r->read)
		drop_first(r);
	/* The one being read goes too when nothing is left in it. */
	if (r->read_off == r->read->used) {
		drop_first(r);
		r->read = NULL;
	}
}
