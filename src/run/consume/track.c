/* SPDX-License-Identifier: Apache-2.0 */
/* Reads histograms and losses of trackers out of the kernel, changes their settings, and adapts thresholds. */
#include "run/consume/track.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/trackfmt.h"
#include "load/bpf_sys.h"
#include "store/rechist.h"

/* The threshold adapts to about the last half minute: each second counts this much of the one after it. */
#define ADAPT_DECAY 0.95
/* It is changed by at least this part, so that it does not creep. */
#define ADAPT_STEP 0.1
/* More slow events than this many times the rate in one second raise it at once. */
#define ADAPT_BURST 4

/* Sums of all CPUs, as last read. Words that only grow on each CPU grow as a sum, too (buckets modulo 2^32). */
struct seen {
	uint64_t counts[TRACK_NCOUNTS];
	uint64_t sums[TRACK_SLOTS];
	uint32_t buckets[TRACK_SLOTS][AGG_HIST_NBUCKETS];
};

struct cgroup {
	uint64_t id, threshold;
};

struct tracker {
	const struct tracker_desc *img;
	struct tracker_settings *live; /* settings, in the session's state */
	struct seen *seen;	       /* NULL: none is closed */
	uint64_t rate, floor;
	struct cgroup *cgroups; /* with thresholds of their own */
	uint32_t ncgroups;
	double *recent; /* histogram of the recent past; NULL: nothing adapts yet */
	double weight;	/* … in seconds */
};

struct trackers {
	const struct loaded *l;
	struct tracker *v;
	uint32_t n;
	uint64_t second; /* the first that has not been read */
	uint64_t words[AGG_HIST_NBUCKETS];
	struct rechist_buf buf;
};

/* -- making -- */

static int open_tracker(const struct loaded *l, const struct tracker_desc *img, struct tracker *t)
{
	char *state = (char *)l->state;

	*t = (struct tracker){ .img = img, .rate = img->t->settings[TS_RATE], .floor = img->t->settings[TS_FLOOR] };
	if (state)
		t->live = (struct tracker_settings *)(void *)(state + img->state);
	if (img->hist < 0)
		return 0;
	t->seen = calloc(1, sizeof(*t->seen));
	return t->seen ? 0 : -ENOMEM;
}

int trackers_new(const struct loaded *l, uint64_t now, struct trackers **ret)
{
	struct trackers *t;

	*ret = NULL;
	if (!l->img->ntracks)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->l = l;
	t->second = now / TRACK_PERIOD_NS;
	t->v = calloc(l->img->ntracks, sizeof(*t->v));
	for (; t->v && t->n < l->img->ntracks; t->n++)
		if (open_tracker(l, &l->img->tracks[t->n], &t->v[t->n]) < 0)
			break;
	if (!t->v || t->n < l->img->ntracks) {
		trackers_free(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

void trackers_free(struct trackers *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->v[i].seen);
		free(t->v[i].recent);
		free(t->v[i].cgroups);
	}
	free(t->v);
	rechist_buf_free(&t->buf);
	free(t);
}

/* -- histograms -- */

static unsigned ncpus(const struct trackers *t, const struct tracker *tr)
{
	return t->l->img->maps[tr->img->hist].max_entries;
}

/* CPUs whose part is mapped at the same time: pages are whole with any multiple of 64 of them. */
#define VIEW_CPUS 64u
_Static_assert(sizeof(struct track_cpu) % 64 == 0, "64 parts are whole pages");

/* Calls fn for what programs have written on each CPU. It is mapped for that only, since mapped memory counts as ours,
 * and there may be many CPUs. */
static int each_cpu(const struct trackers *t, const struct tracker *tr,
		    void (*fn)(void *ctx, const struct track_cpu *c), void *ctx)
{
	unsigned all = ncpus(t, tr);

	for (unsigned first = 0; first < all; first += VIEW_CPUS) {
		unsigned n = all - first < VIEW_CPUS ? all - first : VIEW_CPUS;
		size_t len;
		const struct track_cpu *v = load_view(t->l, (uint32_t)tr->img->hist, first, n, &len);

		if (!v)
			return -errno;
		for (unsigned i = 0; i < n; i++)
			fn(ctx, &v[i]);
		munmap((void *)(uintptr_t)v, len);
	}
	return 0;
}

/* A second of all CPUs that is being added up. */
struct adding {
	struct rec_hist *head;
	uint64_t second, sum;
	uint32_t buckets[AGG_HIST_NBUCKETS];
};

static void add_slot(void *ctx, const struct track_cpu *c)
{
	struct adding *a = ctx;
	const volatile struct track_slot *s = &c->slots[a->second % TRACK_SLOTS];

	if (!s->sum && !s->second)
		return;
	for (unsigned i = 0; i < AGG_HIST_NBUCKETS; i++)
		a->buckets[i] += s->buckets[i];
	a->sum += s->sum;
	if (s->second == a->second && s->max > a->head->max)
		a->head->max = s->max;
}

/* Reads what was added to the slot of a second since the last time: words and head. */
static int take_slot(struct trackers *t, struct tracker *tr, uint64_t second, struct rec_hist *head)
{
	unsigned slot = (unsigned)(second % TRACK_SLOTS);
	struct adding a = { .head = head, .second = second };
	uint32_t *seen = tr->seen->buckets[slot];
	int r = each_cpu(t, tr, add_slot, &a);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < AGG_HIST_NBUCKETS; i++) {
		t->words[i] = a.buckets[i] - seen[i];
		head->count += t->words[i];
	}
	memcpy(seen, a.buckets, sizeof(a.buckets));
	head->sum = a.sum - tr->seen->sums[slot];
	tr->seen->sums[slot] = a.sum;
	return 0;
}

static int append_hist(struct trackers *t, uint32_t id, uint64_t second, const struct rec_hist *head,
		       struct recording *rec)
{
	struct row row = { .kind = ROW_HIST, .ts = second * TRACK_PERIOD_NS, .id = id };
	int r = rechist_make(&t->buf, head, NULL, t->words, AGG_HIST_NBUCKETS);

	if (r < 0)
		return r;
	row.data = t->buf.v;
	row.len = t->buf.n;
	return recording_append(rec, &row);
}

/* -- thresholds that adapt -- */

/* The general threshold, as it was set or found; programs look at the least of all first. */
static void set_threshold(struct tracker *tr, uint64_t general)
{
	uint64_t least = general;

	for (uint32_t i = 0; i < tr->ncgroups; i++)
		least = tr->cgroups[i].threshold < least ? tr->cgroups[i].threshold : least;
	__atomic_store_n(&tr->live->general, general, __ATOMIC_RELAXED);
	__atomic_store_n(&tr->live->threshold, least, __ATOMIC_RELAXED);
}

/* The delay that `rate` events per second of the recent past were at least as long as. */
static uint64_t adapted(const struct tracker *tr)
{
	double want = (double)tr->rate * tr->weight, above = 0;
	unsigned i = AGG_HIST_NBUCKETS;

	while (i-- > 1) {
		above += tr->recent[i];
		if (above > want)
			return (uint64_t)aggval_hist_bound(i < AGG_HIST_NBUCKETS - 1 ? i + 1 : i);
	}
	return 0;
}

static uint64_t count_from(const struct trackers *t, uint64_t threshold)
{
	uint64_t n = 0;

	for (unsigned i = aggval_hist_bucket((int64_t)threshold); i < AGG_HIST_NBUCKETS; i++)
		n += t->words[i];
	return n;
}

/* After a second whose delays are in words. */
static int adapt(struct trackers *t, struct tracker *tr)
{
	uint64_t now = __atomic_load_n(tr->ncgroups ? &tr->live->general : &tr->live->threshold, __ATOMIC_RELAXED),
		 next;
	bool burst = count_from(t, now) > ADAPT_BURST * tr->rate;

	if (!tr->recent)
		tr->recent = calloc(AGG_HIST_NBUCKETS, sizeof(*tr->recent));
	if (!tr->recent)
		return -ENOMEM;
	tr->weight = tr->weight * ADAPT_DECAY + 1;
	for (unsigned i = 0; i < AGG_HIST_NBUCKETS; i++)
		tr->recent[i] = tr->recent[i] * ADAPT_DECAY + (double)t->words[i];
	next = adapted(tr);
	if (next < tr->floor)
		next = tr->floor;
	if (burst || fabs((double)next - (double)now) > ADAPT_STEP * (double)now)
		set_threshold(tr, next);
	return 0;
}

/* -- losses -- */

static const struct {
	enum track_count from;
	enum rec_counter kind;
} losses[] = {
	{ TRACK_N_FULL, CNT_TRACK_FULL },	{ TRACK_N_DEEP, CNT_TRACK_DEEP },
	{ TRACK_N_LIMITED, CNT_TRACK_LIMITED }, { TRACK_N_COLLECTED, CNT_TRACK_LOST },
	{ TRACK_N_EXITED, CNT_TRACK_EXITED },
};

static void add_counts(void *ctx, const struct track_cpu *c)
{
	uint64_t *n = ctx;

	for (unsigned k = 0; k < TRACK_NCOUNTS; k++)
		n[k] += __atomic_load_n(&c->counts[k], __ATOMIC_RELAXED);
}

static int report_losses(struct trackers *t, struct tracker *tr, uint64_t now, struct recording *rec)
{
	struct row row = { .kind = ROW_DROPS, .ts = now, .probe = tr->img->t->probes[TRACK_ALL]->id };
	uint64_t n[TRACK_NCOUNTS] = { 0 }, *seen = tr->seen->counts;
	int r = each_cpu(t, tr, add_counts, n);

	for (size_t k = 0; k < ARRAY_SIZE(losses) && r == 0; k++) {
		row.id = losses[k].kind;
		row.count = n[losses[k].from] - seen[losses[k].from];
		seen[losses[k].from] = n[losses[k].from];
		if (row.count)
			r = recording_append(rec, &row);
	}
	return r;
}

/* -- once a second -- */

/* One second of one tracker. late: so long ago that its slot may have been used again. */
static int read_second(struct trackers *t, uint32_t id, uint64_t second, bool late, struct recording *rec)
{
	struct rec_hist head = { .period = TRACK_PERIOD_NS, .flags = late ? HIST_BY_READ : 0 };
	struct tracker *tr = &t->v[id];
	int r = 0;

	if (!tr->seen)
		return 0;
	r = take_slot(t, tr, second, &head);
	if (r == 0 && head.count)
		r = append_hist(t, id, second, &head, rec);
	if (r == 0 && tr->rate && tr->live)
		r = adapt(t, tr);
	return r;
}

uint64_t trackers_due(const struct trackers *t)
{
	return (t->second + 1) * TRACK_PERIOD_NS + TRACK_GRACE_NS;
}

int trackers_tick(struct trackers *t, uint64_t now, bool final, struct recording *rec)
{
	uint64_t end = now / TRACK_PERIOD_NS;
	int r = 0;

	if (!final && now < trackers_due(t))
		return 0;
	if (!final && now < end * TRACK_PERIOD_NS + TRACK_GRACE_NS)
		end--;
	if (final)
		end++;
	/* Slots are used again: of what lies further back only the sum is known, as of the oldest second that
	 * can still be read. */
	bool late = end - t->second > TRACK_SLOTS - 1;

	if (late)
		t->second = end - TRACK_SLOTS;
	for (; t->second < end && r == 0; t->second++)
		for (uint32_t i = 0; i < t->n && r == 0; i++)
			r = read_second(t, i, t->second, late, rec);
	for (uint32_t i = 0; i < t->n && r == 0; i++)
		if (t->v[i].seen)
			r = report_losses(t, &t->v[i], now, rec);
	return r;
}

/* -- thresholds -- */

static struct tracker *find_tracker(const struct trackers *t, const char *name)
{
	for (uint32_t k = 0; k < t->n; k++)
		if (!strcmp(t->v[k].img->t->name, name))
			return t->v[k].live ? &t->v[k] : NULL;
	return NULL;
}

static struct cgroup *find_cgroup(const struct tracker *tr, uint64_t id)
{
	for (uint32_t i = 0; i < tr->ncgroups; i++)
		if (tr->cgroups[i].id == id)
			return &tr->cgroups[i];
	return NULL;
}

int trackers_set_cgroup(struct trackers *t, const char *tracker, uint64_t id, uint64_t value)
{
	struct tracker *tr = find_tracker(t, tracker);
	struct cgroup *cg, *v;
	int r;

	if (!tr)
		return -ENOENT;
	if (tr->img->cgroups < 0)
		return -ENOKEY;
	if (value > INT64_MAX)
		return -ERANGE;
	cg = find_cgroup(tr, id);
	if (!cg) {
		v = reallocarray(tr->cgroups, tr->ncgroups + 1, sizeof(*v));
		if (!v)
			return -ENOMEM;
		tr->cgroups = v;
		cg = &v[tr->ncgroups];
	}
	r = bpfsys_map_update(t->l->maps[tr->img->cgroups].fd, &id, &value);
	if (r < 0)
		return r == -E2BIG ? -ENOSPC : r;
	*cg = (struct cgroup){ id, value };
	if (cg == &tr->cgroups[tr->ncgroups])
		tr->ncgroups++;
	set_threshold(tr, tr->live->general);
	__atomic_store_n(&tr->live->ncgroups, tr->ncgroups, __ATOMIC_RELAXED);
	return 0;
}

int trackers_get_cgroup(const struct trackers *t, const char *tracker, uint32_t i, uint64_t *id, uint64_t *value)
{
	const struct tracker *tr = find_tracker(t, tracker);

	if (!tr || i >= tr->ncgroups)
		return -ENOENT;
	*id = tr->cgroups[i].id;
	*value = tr->cgroups[i].threshold;
	return 0;
}

/* -- settings -- */

static const struct {
	const char *name;
	enum track_setting s;
	bool is_time;
} changeable[] = {
	{ "threshold", TS_THRESHOLD, true }, { "timeout", TS_TIMEOUT, true }, { "gc", TS_GC, true },
	{ "worst", TS_WORST, false },	     { "limit", TS_LIMIT, false },    { "rate", TS_RATE, false },
	{ "floor", TS_FLOOR, true },
};

static uint64_t *setting_at(const struct trackers *t, const char *tracker, const char *setting, int *err)
{
	struct tracker *tr = find_tracker(t, tracker);
	size_t i = 0;

	while (i < ARRAY_SIZE(changeable) && strcmp(changeable[i].name, setting) != 0)
		i++;
	*err = !tr ? -ENOENT : i == ARRAY_SIZE(changeable) ? -ENOKEY : 0;
	if (*err)
		return NULL;
	switch (changeable[i].s) {
	case TS_THRESHOLD: return tr->ncgroups ? &tr->live->general : &tr->live->threshold; /* "worst" changes it */
	case TS_TIMEOUT: return &tr->live->timeout;
	case TS_GC: return &tr->live->gc;
	case TS_WORST: return &tr->live->worst;
	case TS_LIMIT: return &tr->live->limit;
	case TS_RATE: return &tr->rate;
	default: return &tr->floor;
	}
}

int trackers_set(struct trackers *t, const char *tracker, const char *setting, uint64_t value)
{
	uint64_t *at;
	int r;

	at = setting_at(t, tracker, setting, &r);
	if (r == 0 && value > INT64_MAX)
		r = -ERANGE;
	if (r < 0)
		return r;
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
	if (!strcmp(setting, "threshold"))
		set_threshold(find_tracker(t, tracker), value);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i].live)
			__atomic_store_n(&t->v[i].live->scan.timeout,
					 img_tracker_due(t->v[i].live->timeout, t->v[i].live->gc), __ATOMIC_RELAXED);
	return 0;
}

int trackers_get(const struct trackers *t, const char *tracker, const char *setting, uint64_t *ret)
{
	uint64_t *at;
	int r;

	at = setting_at(t, tracker, setting, &r);
	if (r == 0)
		*ret = __atomic_load_n(at, __ATOMIC_RELAXED);
	return r;
}

/* -- programs that were off -- */

void trackers_since(struct trackers *t, uint32_t id, uint64_t since)
{
	if (t->v[id].live)
		__atomic_store_n(&t->v[id].live->since, since < INT64_MAX ? since : INT64_MAX, __ATOMIC_RELAXED);
}

/* Has a key nothing open that began later? Source: cg/lower/nest.c: a word in front of the places; else the stamp is
 * first. */
static bool is_old(const struct dtracker *d, const char *value, size_t size, uint64_t since)
{
	size_t n = d->settings[TS_NESTED] > 1 ? (size_t)d->settings[TS_NESTED] : 1, head = n > 1 ? 8 : 0,
	       place = (size - head) / n;
	uint64_t start;

	for (size_t i = 0; i < n; i++) {
		memcpy(&start, value + head + i * place, sizeof(start));
		if (start > since)
			return false;
	}
	return true;
}

void trackers_forget(struct trackers *t, uint32_t id, uint64_t since)
{
	const struct img_map *m = t->l->img->maps;
	uint32_t i = 0;

	trackers_since(t, id, since);
	while (i < t->l->img->nmaps && (m[i].role != IMG_MAP_TRACK || m[i].track != id))
		i++;
	if (i == t->l->img->nmaps)
		return;
	_cleanup_free_ char *keys = calloc(2, m[i].key_size), *value = malloc(m[i].value_size);
	char *key = keys, *next = keys ? keys + m[i].key_size : NULL;
	int fd = t->l->maps[i].fd, r = keys && value ? bpfsys_map_next_key(fd, NULL, next) : -ENOMEM;

	/* A key that goes while this is on begins the walk anew: then it has an end of its own. */
	for (uint32_t n = 0; r == 0 && n < 2 * m[i].max_entries; n++) {
		memcpy(key, next, m[i].key_size);
		r = bpfsys_map_next_key(fd, key, next);
		if (bpfsys_map_lookup(fd, key, value) == 0 && is_old(t->v[id].img->t, value, m[i].value_size, since))
			bpfsys_map_delete(fd, key);
	}
}

const char *trackers_setting(unsigned i, bool *is_time)
{
	if (i >= ARRAY_SIZE(changeable))
		return NULL;
	*is_time = changeable[i].is_time;
	return changeable[i].name;
}

const char *trackers_name(const struct trackers *t, unsigned i)
{
	return i < t->n ? t->v[i].img->t->name : NULL;
}
