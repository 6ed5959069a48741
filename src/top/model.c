/* SPDX-License-Identifier: Apache-2.0 */
/* Adds rows to the model under a lock. */
#include "top/model.h"
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "latency/cause/chain.h"
#include "latency/cause/slowwait.h"
#include "latency/cause/whytab.h"
#include "latency/window/window.h"
#include "view/text/text.h"

/* Samples of one process since the interval began. */
struct sampled {
	uint32_t pid;
	char comm[TOP_COMM];
	uint64_t n;
};

struct top_model {
	struct top_config c;
	struct whytab *why;
	struct windows *windows;
	struct chains *chains;
	int64_t to_wall;			     /* ns from CLOCK_MONOTONIC to the wall clock */
	int tracker_of[TOP_TRACKERS];		     /* by index in data: the schema's id */
	uint64_t interval;			     /* when it began */
	uint64_t busy[TOP_CPUS], runnable[TOP_CPUS]; /* samples, and threads in them; of the interval */
	VEC(struct sampled) procs;
	uint64_t probes_ns; /* our programs', in the interval */
	bool probes_known;
	uint64_t user_ns;     /* our own CPU time when the interval began */
	pthread_mutex_t lock; /* of data */
	struct top_data data;
};

/* -- bands -- */

unsigned top_band(uint64_t ns)
{
	unsigned band = 0;

	for (uint64_t from = TOP_BAND_MIN; ns >= 2 * from && band + 2 < TOP_BANDS; from *= 2)
		band += 2;
	return ns >= top_band_from(band + 1) ? band + 1 : band;
}

uint64_t top_band_from(unsigned band)
{
	uint64_t from = (uint64_t)TOP_BAND_MIN << (band / 2);

	return band % 2 ? from + from / 2 : from; /* halves of a power of two: 1, 1.5, 2, 3, 4 … */
}

uint64_t top_column_quantile(const struct top_column *c, double q)
{
	uint64_t want = (uint64_t)ceil(q * (double)c->count), sum = 0;

	for (unsigned i = 0; i < TOP_BANDS && c->count; i++) {
		sum += c->band[i];
		if (sum >= want && c->band[i]) {
			uint64_t to = i + 1 < TOP_BANDS ? top_band_from(i + 1) : c->max;

			return to < c->max ? to : c->max;
		}
	}
	return 0;
}

const struct top_column *top_column(const struct top_tracker *t, uint64_t second)
{
	const struct top_column *c = &t->col[second % TOP_SECONDS];

	return c->second == second && c->count ? c : NULL;
}

/* -- rows -- */

static uint64_t own_time(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return 0;
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * NSEC_PER_SEC +
	       ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000;
}

static int tracker_index(const struct top_model *m, uint32_t id)
{
	for (size_t i = 0; i < m->data.ntrackers; i++)
		if (m->tracker_of[i] == (int)id)
			return (int)i;
	return -1;
}

static void add_column(struct top_tracker *t, const struct rec_histdesc *d, const struct row *row)
{
	const struct rec_hist *h = row->data;
	const struct rec_bucket *b = rechist_buckets(row->data);
	uint64_t second = row->ts / NSEC_PER_SEC;
	struct top_column *c = &t->col[second % TOP_SECONDS];

	if (c->second > second)
		return; /* too late for its column */
	if (c->second < second)
		*c = (struct top_column){ .second = second };
	for (uint32_t i = 0; i < h->nbuckets; i++) {
		double v = rechist_middle(d, b[i].index);

		c->band[v > 0 ? top_band((uint64_t)v) : 0] += (uint32_t)b[i].count;
	}
	c->count += h->count;
	if (h->max > c->max)
		c->max = h->max;
}

static int row_hist(struct top_model *m, const struct row *row)
{
	int i = tracker_index(m, row->id);
	struct rec_histdesc d;

	if (i < 0 || !rec_hist_source(m->c.schema, row->id, &d) || !rechist_fits(&d, row->data, row->len))
		return 0;
	add_column(&m->data.trackers[i], &d, row);
	return windows_add(m->windows, row);
}

static void copy_text(char *dst, size_t size, const char *src)
{
	snprintf(dst, size, "%s", src);
}

static int slow_happened(struct top_model *m, const struct slow_event *e)
{
	struct top_slow *to = &m->data.slow[m->data.nslow % TOP_SLOW];
	struct strb b = { 0 };
	struct slowwait w;
	struct chain ch;
	int r;

	if (!e->tracker || e->fixed.how == SLOW_CONTROL)
		return 0;
	r = slowwait_make(m->c.causes, m->c.sym, e, &w);
	if (r < 0)
		return r;
	chains_add(m->chains, &w.wait);
	if (!m->c.wants(m->c.ctx, e))
		return 0;
	chains_build(m->chains, &w.wait, &ch);
	chain_sentence(&ch, &b);
	*to = (struct top_slow){ .wall = e->fixed.start + e->fixed.delay + (uint64_t)m->to_wall,
				 .delay = e->fixed.delay,
				 .idle = w.wait.idle };
	copy_text(to->tracker, sizeof(to->tracker), e->tracker->name);
	copy_text(to->comm, sizeof(to->comm), w.wait.comm);
	copy_text(to->sentence, sizeof(to->sentence), strb_str(&b));
	m->data.nslow++;
	r = b.failed ? -ENOMEM : 0;
	strb_free(&b);
	return r;
}

static uint64_t key_int(const struct aggdesc *d, size_t i, const uint8_t *key)
{
	uint64_t v = 0;

	memcpy(&v, key + d->keys[i].off, d->keys[i].size < sizeof(v) ? d->keys[i].size : sizeof(v));
	return v;
}

static int sampled(struct top_model *m, const struct aggdesc *d, const struct row *row)
{
	struct sampled s = { .pid = (uint32_t)key_int(d, 0, row->data), .n = row->value[0] };
	const struct recfield *f = &d->keys[1];

	snprintf(s.comm, sizeof(s.comm), "%.*s", (int)f->size, (const char *)row->data + f->off);
	for (size_t i = 0; i < m->procs.n; i++)
		if (m->procs.v[i].pid == s.pid && !strcmp(m->procs.v[i].comm, s.comm)) {
			m->procs.v[i].n += s.n;
			return 0;
		}
	return vec_try_push(&m->procs, s);
}

static int row_agg(struct top_model *m, const struct row *row)
{
	const struct aggdesc *d = row->id < m->c.schema->naggs ? m->c.schema->aggs[row->id] : NULL;

	if (!d || row->len < d->key_size)
		return 0;
	if (!strcmp(d->name, "oncpu") && d->func == AGG_COUNT && d->nkeys == 2 && d->keys[1].kind == FLD_STRING)
		return sampled(m, d, row);
	if (!strcmp(d->name, "runnable") && d->func == AGG_AVG && d->nkeys == 1) {
		uint64_t cpu = key_int(d, 0, row->data);

		if (cpu < TOP_CPUS) {
			m->busy[cpu] += row->value[0];
			m->runnable[cpu] += row->value[1];
		}
		return 0;
	}
	return whytab_add(m->why, m->c.schema, row);
}

static void row_drops(struct top_model *m, const struct row *row)
{
	const char *tag = text_drop_tag(row->id);

	if (!tag || rec_loss(row->id) != REC_LOST)
		return;
	m->data.lost += row->count;
	snprintf(m->data.lost_words, sizeof(m->data.lost_words), "%llu %s", (unsigned long long)row->count, tag);
}

/* -- intervals -- */

static int proc_cmp(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;

	return x->n < y->n ? 1 : x->n > y->n ? -1 : x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void end_cpus(struct top_model *m, double seconds)
{
	double all = seconds * m->c.profile_hz;

	for (size_t i = 0; i < m->data.ncpus; i++) {
		double busy = all > 0 ? (double)m->busy[i] / all : 0;

		m->data.cpus[i] = (struct top_cpu){ busy < 1 ? busy : 1,
						    m->busy[i] ? (double)m->runnable[i] / (double)m->busy[i] : 0 };
		m->busy[i] = m->runnable[i] = 0;
	}
	if (m->procs.n)
		qsort(m->procs.v, m->procs.n, sizeof(*m->procs.v), proc_cmp);
	m->data.nprocs = m->procs.n < TOP_PROCS ? m->procs.n : TOP_PROCS;
	for (size_t i = 0; i < m->data.nprocs; i++) {
		struct top_proc *p = &m->data.procs[i];

		*p = (struct top_proc){ .pid = m->procs.v[i].pid,
					.share = all > 0 ? (double)m->procs.v[i].n / all : 0 };
		memcpy(p->comm, m->procs.v[i].comm, sizeof(p->comm));
	}
	m->procs.n = 0;
}

static void take_causes(struct top_model *m, bool now, struct top_causes *to, uint64_t ns)
{
	const struct why_row *const *rows;
	size_t n = whytab_rows(m->why, now, &rows);

	to->n = 0;
	to->ns = ns;
	for (size_t i = 0; i < n && to->n < TOP_CAUSES; i++) {
		const struct why_row *r = rows[i];
		const struct why_sum *s = now ? &r->now : &r->all;
		struct top_cause *c = &to->v[to->n++];

		*c = (struct top_cause){ .pid = (uint32_t)r->who,
					 .idle = cause_is_idle(r->class),
					 .inferred = r->inferred,
					 .count = s->count,
					 .total = s->total,
					 .max = s->max };
		copy_text(c->comm, sizeof(c->comm), r->others ? "others" : r->comm);
		copy_text(c->words, sizeof(c->words), r->others ? "more causes than are kept" : r->words);
	}
}

/* Numbers of the last minute. */
static int take_minute(struct top_model *m, uint64_t now)
{
	const struct window_series *series;
	size_t n = windows_series(m->windows, &series);

	for (size_t k = 0; k < n; k++) {
		int i = tracker_index(m, series[k].source);
		struct histsum sum = { 0 };
		struct rec_histdesc d;
		uint64_t from = 0;
		int e;

		if (i < 0 || !rec_hist_source(m->c.schema, series[k].source, &d))
			continue;
		e = windows_get(m->windows, k, WINDOW_MINUTE, now, &sum, &from);
		if (e == 0) {
			struct top_tracker *t = &m->data.trackers[i];
			uint64_t ns = now > from && now - from < 60 * NSEC_PER_SEC ? now - from : 60 * NSEC_PER_SEC;

			if (now - m->data.since < ns)
				ns = now - m->data.since;
			t->count = sum.count;
			t->p50 = sum.count ? (uint64_t)histsum_quantile(&sum, &d, 0.5) : 0;
			t->p99 = sum.count ? (uint64_t)histsum_quantile(&sum, &d, 0.99) : 0;
			t->max = sum.max;
			t->per_s = ns ? (double)sum.count * (double)NSEC_PER_SEC / (double)ns : 0;
		}
		histsum_free(&sum);
		if (e < 0)
			return e;
	}
	return 0;
}

static int end_interval(struct top_model *m)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ns = now - m->interval, user = own_time();

	end_cpus(m, (double)ns / (double)NSEC_PER_SEC);
	take_causes(m, true, &m->data.last, ns);
	take_causes(m, false, &m->data.all, now - m->data.since);
	whytab_next(m->why);
	m->data.own_probes = m->probes_known && ns ? (double)m->probes_ns / (double)ns : -1;
	m->data.own_user = ns ? (double)(user - m->user_ns) / (double)ns : 0;
	m->probes_ns = 0;
	m->user_ns = user;
	m->interval = now;
	m->data.intervals++;
	return take_minute(m, now);
}

static int row_event(struct top_model *m, const struct row *row)
{
	const struct rec_schema *s = m->c.schema;
	const struct recfmt *f = row->id >= 1 && row->id <= s->nfmts ? s->fmts[row->id - 1] : NULL;
	int e = 0;

	if (whytab_is_end(s, row))
		return end_interval(m);
	for (size_t i = 0; f && i < f->nacts && e == 0; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event ev = slow_event(s, &f->acts[i], row->data);

			e = slow_happened(m, &ev);
		}
	return e;
}

static void row_cost(struct top_model *m, const struct row *row)
{
	struct rec_cost cost;

	if (row->len < sizeof(cost))
		return;
	memcpy(&cost, row->data, sizeof(cost));
	m->probes_ns += cost.run_ns;
	m->probes_known = true;
}

int top_model_row(struct top_model *m, const struct row *row)
{
	int e = 0;

	pthread_mutex_lock(&m->lock);
	m->data.now = clock_ns(CLOCK_MONOTONIC);
	switch (row->kind) {
	case ROW_EVENT: e = row_event(m, row); break;
	case ROW_AGG: e = row_agg(m, row); break;
	case ROW_HIST: e = row_hist(m, row); break;
	case ROW_DROPS: row_drops(m, row); break;
	case ROW_COST: row_cost(m, row); break;
	default: break;
	}
	pthread_mutex_unlock(&m->lock);
	return e;
}

void top_model_copy(struct top_model *m, struct top_data *ret)
{
	pthread_mutex_lock(&m->lock);
	*ret = m->data;
	pthread_mutex_unlock(&m->lock);
}

/* -- making -- */

static void choose_trackers(struct top_model *m)
{
	const struct rec_schema *s = m->c.schema;

	for (size_t i = 0; i < s->ntrackers && m->data.ntrackers < TOP_TRACKERS; i++) {
		if (m->c.hidden && !strcmp(s->trackers[i].name, m->c.hidden))
			continue;
		copy_text(m->data.trackers[m->data.ntrackers].name, TOP_NAME, s->trackers[i].name);
		m->tracker_of[m->data.ntrackers++] = (int)s->trackers[i].id;
	}
}

int top_model_new(const struct top_config *config, struct top_model **ret)
{
	struct top_model *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	pthread_mutex_init(&m->lock, NULL);
	m->c = *config;
	m->data.since = m->data.now = m->interval = clock_ns(CLOCK_MONOTONIC);
	m->to_wall = (int64_t)(clock_ns(CLOCK_REALTIME) - m->data.since);
	m->data.own_probes = -1;
	m->data.ncpus = config->schema->ncpus < TOP_CPUS ? config->schema->ncpus : TOP_CPUS;
	m->user_ns = own_time();
	choose_trackers(m);
	if (whytab_new(config->causes, config->sym, &m->why) < 0 || chains_new(&m->chains) < 0 ||
	    windows_new(config->schema, (uint64_t)m->to_wall, 0, &m->windows) < 0) {
		top_model_free(m);
		return -ENOMEM;
	}
	*ret = m;
	return 0;
}

void top_model_free(struct top_model *m)
{
	if (!m)
		return;
	whytab_free(m->why);
	windows_free(m->windows);
	chains_free(m->chains);
	vec_free(&m->procs);
	pthread_mutex_destroy(&m->lock);
	free(m);
}
