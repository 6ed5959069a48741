/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregations of a recording for trace viewers: samples of CPUs by thread and stack, and counters by CPU. Both are
 * read several times a second (aggrate), and a row has what was added since. The names of the aggregations, as in
 * dlib/timeline, tell which they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "view/export/trace.h"
#include "view/stack/recstacks.h"

#define SAMPLES "on_cpu_samples" /* dlib/timeline/samples.d: keys command, pid, tid, stacks */
#define COUNTED "by_cpu_"	 /* dlib/timeline/cycles.d: the beginning of a name; the key is a CPU */
#define CPUS_MAX 65536u		 /* of counters; rows of higher CPUs are no CPUs */
enum { KEY_COMM, KEY_PID, KEY_TID, SAMPLE_KEYS }; /* of samples, before their stacks */

/* -- samples -- */

struct samples {
	const struct trace_sink *sink;
	const struct aggdesc *agg;
	struct recstacks *stacks;
	struct stacktree *tree;
};

static bool is_samples(const struct aggdesc *d)
{
	return !strcmp(d->name, SAMPLES) && d->func == AGG_COUNT && d->nkeys > SAMPLE_KEYS &&
	       d->keys[KEY_COMM].kind == FLD_STRING && d->keys[KEY_PID].kind == FLD_INT &&
	       d->keys[KEY_TID].kind == FLD_INT && recstacks_of(d);
}

static int on_sample(void *ctx, const struct row *row)
{
	struct samples *s = ctx;
	const struct recfield *key = s->agg->keys;
	const uint8_t *data = row->data;
	char comm[64];
	int e;

	if (row->id != s->agg->id || !data || !row->value)
		return 0;
	snprintf(comm, sizeof(comm), "%.*s", (int)key[KEY_COMM].size, (const char *)data + key[KEY_COMM].off);
	e = s->sink->sample(s->sink->ctx, &(struct trace_sample){
						  .at = row->ts,
						  .pid = (uint32_t)recfield_u64(&key[KEY_PID], data + key[KEY_PID].off),
						  .tid = (uint32_t)recfield_u64(&key[KEY_TID], data + key[KEY_TID].off),
						  .comm = comm,
						  .count = row->value[0],
						  .stacks = s->tree,
						  .node = recstacks_node(s->stacks, row, s->tree),
					  });
	return e < 0 ? e : stacktree_error(s->tree);
}

static int give_samples(struct recread *f, struct sym *sym, const struct aggdesc *d, const struct trace_sink *sink,
			struct err *err)
{
	const struct recstacks_opts opts = { .by = SAMPLES, .begin_ns = recread_begun(f) };
	struct samples s = { .sink = sink, .agg = d };
	int e = recstacks_new(recread_schema(f), sym, &opts, &s.stacks, err);

	if (e == 0)
		e = stacktree_new(1, &s.tree);
	if (e == 0)
		e = recread_rows(f, 1u << ROW_AGG, REC_ALL_TIME, on_sample, &s, err);
	stacktree_free(s.tree);
	recstacks_free(s.stacks);
	return e;
}

/* -- counters -- */

struct gain {
	uint64_t at, value;
	uint32_t cpu;
};

struct counters {
	const struct trace_sink *sink;
	const struct aggdesc *agg;
	VEC(struct gain) gains; /* by time */
};

static bool is_counted(const struct aggdesc *d)
{
	return !strncmp(d->name, COUNTED, strlen(COUNTED)) && (d->func == AGG_SUM || d->func == AGG_COUNT) &&
	       d->nkeys == 1 && d->keys[0].kind == FLD_INT;
}

static int on_gain(void *ctx, const struct row *row)
{
	struct counters *c = ctx;
	const struct recfield *key = c->agg->keys;
	uint64_t cpu;

	if (row->id != c->agg->id || !row->data || !row->value)
		return 0;
	cpu = recfield_u64(key, (const uint8_t *)row->data + key->off);
	return cpu >= CPUS_MAX ? 0
			       : vec_try_push(&c->gains, ((struct gain){ .at = row->ts,
									 .value = row->value[c->agg->func == AGG_SUM],
									 .cpu = (uint32_t)cpu }));
}

static int by_time(const void *a, const void *b)
{
	const struct gain *x = a, *y = b;

	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Gains from..to-1 were read together, at `at`, and the ones before them at `since`: as events in a second from then
 * on, for all CPUs, also those that gained nothing. */
static int give_read(const struct counters *c, size_t from, size_t to, uint64_t since, uint32_t ncpus)
{
	struct trace_counter t = { .at = since, .name = c->agg->name + strlen(COUNTED) };
	uint64_t ns = c->gains.v[from].at - since;
	int e = 0;

	for (t.cpu = 0; t.cpu < ncpus && e == 0; t.cpu++) {
		t.value = 0;
		if (from < to && c->gains.v[from].cpu == t.cpu)
			t.value = (uint64_t)((double)c->gains.v[from++].value * 1e9 / (double)(ns ? ns : 1));
		e = c->sink->counter(c->sink->ctx, &t);
	}
	return e;
}

static int give_counters(struct recread *f, const struct aggdesc *d, const struct trace_sink *sink, struct err *err)
{
	struct counters c = { .sink = sink, .agg = d };
	uint64_t since = recread_begun(f);
	uint32_t ncpus = 0;
	int e = recread_rows(f, 1u << ROW_AGG, REC_ALL_TIME, on_gain, &c, err);

	if (e == 0 && c.gains.n)
		qsort(c.gains.v, c.gains.n, sizeof(*c.gains.v), by_time);
	for (size_t i = 0; i < c.gains.n; i++)
		ncpus = c.gains.v[i].cpu >= ncpus ? c.gains.v[i].cpu + 1 : ncpus;
	for (size_t i = 0, to; i < c.gains.n && e == 0; i = to) {
		for (to = i; to < c.gains.n && c.gains.v[to].at == c.gains.v[i].at;)
			to++;
		if (c.gains.v[i].at > since)
			e = give_read(&c, i, to, since, ncpus);
		since = c.gains.v[i].at;
	}
	vec_free(&c.gains);
	return e;
}

int trace_aggregations(struct recread *f, struct sym *sym, const struct trace_sink *sink, struct err *err)
{
	const struct rec_schema *schema = recread_schema(f);
	int e = 0;

	for (size_t i = 0; i < schema->naggs && e == 0; i++)
		if (sink->sample && is_samples(schema->aggs[i]))
			e = give_samples(f, sym, schema->aggs[i], sink, err);
		else if (sink->counter && is_counted(schema->aggs[i]))
			e = give_counters(f, schema->aggs[i], sink, err);
	return e;
}

/* -- frequencies -- */

bool trace_frequency(const struct rec_schema *schema, const struct row *row, struct trace_counter *ret)
{
	const struct rec_probe *p = rec_schema_probe(schema, row->probe);
	const struct recfield *value[2];
	size_t n = 0;

	if (!p || strcmp(p->prov, "sdt") != 0 || strcmp(p->name, "cpu_frequency") != 0)
		return false;
	for (size_t i = 0; i < schema->fmts[row->id - 1]->nacts; i++) {
		const struct recact *a = &schema->fmts[row->id - 1]->acts[i];

		for (size_t k = 0; k < a->nfields; k++, n++)
			if (n < ARRAY_SIZE(value))
				value[n] = &a->fields[k];
	}
	if (n != ARRAY_SIZE(value) || value[0]->kind != FLD_INT || value[1]->kind != FLD_INT)
		return false; /* a program of somebody's own */
	*ret = (struct trace_counter){
		.at = row->ts,
		.cpu = (uint32_t)recfield_u64(value[1], (const uint8_t *)row->data + value[1]->off),
		.frequency = true,
		.name = "frequency",
		.value = recfield_u64(value[0], (const uint8_t *)row->data + value[0]->off),
	};
	return true;
}
