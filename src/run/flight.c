/* SPDX-License-Identifier: Apache-2.0 */
/* How a ring is read while it is written: see base/flightfmt.h. All of the CPUs of the slow event's ends are of interest, of other
 * CPUs what its threads did there. */
#include "run/flight.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "store/flight.h"

struct taken {
	struct rec_flight_event e;
	uint64_t seq;
};

struct flight {
	const struct image *img;
	const uint8_t *mem; /* the rings, one behind the other */
	size_t size;	    /* bytes of one */
	uint32_t ncpus, entries;
	uint64_t back, began;
	bool is_switch[FLIGHT_MAX_KINDS], has_thread[FLIGHT_MAX_KINDS];
	uint64_t second, taken; /* so many of this second */
	struct taken *v;	/* room for what a CPU gives */
	size_t cap;
	uint8_t *out;
	size_t out_cap;
	uint32_t nout;
};

/* Of whom. */
struct want {
	uint32_t tids[FLIGHT_TIDS];
	unsigned ntids;
	struct rec_flight h;
	bool whole; /* this CPU is of interest itself */
};

int flight_new(const struct loaded *l, uint64_t back, uint64_t now, struct flight **ret)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_FLIGHT, 0, 0);
	const struct img_map *im;
	struct flight *f;

	*ret = NULL;
	if (!m || !m->mem)
		return 0;
	im = &l->img->maps[m - l->maps];
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	*f = (struct flight){ .img = l->img, .mem = m->mem, .size = ROUND_UP((size_t)im->value_size, 8), .ncpus = im->max_entries,
			      .back = back, .began = now };
	f->entries = (uint32_t)((im->value_size - sizeof(struct flight_cpu)) / sizeof(struct flight_entry));
	for (uint32_t i = 0; i < l->img->nflights; i++) {
		f->is_switch[i] = !strcmp(l->img->flights[i], "switch");
		f->has_thread[i] = flight_kind_has_thread(l->img->flights[i]);
	}
	*ret = f;
	return 0;
}

void flight_free(struct flight *f)
{
	if (!f)
		return;
	free(f->v);
	free(f->out);
	free(f);
}

static const struct flight_cpu *ring_of(const struct flight *f, uint32_t cpu)
{
	return (const void *)(f->mem + cpu * f->size);
}

static uint64_t load(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* The entry at a place, if it is whole and of this lap. */
static bool read_entry(const struct flight *f, const struct flight_cpu *c, uint64_t seq, struct flight_entry *ret)
{
	const struct flight_entry *e = &c->v[seq & (f->entries - 1)];
	const uint64_t *word = (const void *)&e->id;
	uint64_t before = load(word), words[sizeof(*ret) / 8];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = load((const uint64_t *)(const void *)e + i);
	memcpy(ret, words, sizeof(*ret));
	return before == load(word) && ret->kind && ret->kind <= f->img->nflights &&
	       ret->lap == (uint8_t)(seq / f->entries % FLIGHT_LAPS);
}

static void put(struct flight *f, size_t *n, const struct flight_entry *e, uint32_t cpu, uint64_t seq)
{
	struct taken *t = &f->v[(*n)++];

	*t = (struct taken){ .e = { .ts = e->ts, .cpu = cpu, .id = e->id, .info = e->info }, .seq = seq };
	snprintf(t->e.kind, sizeof(t->e.kind), "%s", f->img->flights[e->kind - 1]);
	memcpy(t->e.text, e->text, sizeof(t->e.text));
}

static bool is_wanted(const struct flight *f, const struct want *w, const struct flight_entry *e)
{
	for (unsigned i = 0; f->has_thread[e->kind - 1] && i < w->ntids; i++)
		if (w->tids[i] == e->id)
			return true;
	return w->whole;
}

/* From the youngest back to who had the CPU when the window began. Entries into f->v, youngest first. */
static size_t read_cpu(struct flight *f, uint32_t cpu, struct want *w)
{
	size_t most = w->whole ? FLIGHT_CPU_EVENTS : FLIGHT_OTHER_EVENTS, n = 0;
	const struct flight_cpu *c = ring_of(f, cpu);
	uint64_t head = load(&c->head), low = head > f->entries ? head - f->entries : 0, seq = head, oldest = f->began;
	struct flight_entry e, after = { 0 };
	uint64_t after_seq = 0;
	bool done = false;

	while (!done && seq > low && n + 2 <= most) {
		if (!read_entry(f, c, --seq, &e)) {
			w->h.torn++;
			continue;
		}
		if (e.ts > w->h.to)
			continue;
		oldest = e.ts;
		done = e.ts < w->h.from && f->is_switch[e.kind - 1];
		if ((e.ts >= w->h.from || done) && is_wanted(f, w, &e)) {
			/* and who takes the CPU from it */
			if (!w->whole && f->is_switch[e.kind - 1] && after.kind)
				put(f, &n, &after, cpu, after_seq);
			put(f, &n, &e, cpu, seq);
		}
		if (f->is_switch[e.kind - 1]) {
			after = e;
			after_seq = seq;
		}
	}
	if (!seq) /* all that there ever was */
		oldest = f->began;
	if (oldest > w->h.covered)
		w->h.covered = oldest;
	/* what was written over meanwhile is not believed */
	head = load(&c->head);
	while (n && head > f->entries && f->v[n - 1].seq < head - f->entries) {
		n--;
		w->h.covered = n && f->v[n - 1].e.ts > w->h.covered ? f->v[n - 1].e.ts : w->h.covered;
	}
	return n;
}

static int keep(struct flight *f, size_t n)
{
	size_t need = sizeof(struct rec_flight) + (f->nout + n) * sizeof(struct rec_flight_event);
	struct rec_flight_event *to;

	if (need > f->out_cap) {
		uint8_t *more = realloc(f->out, 2 * need);

		if (!more)
			return -ENOMEM;
		f->out = more;
		f->out_cap = 2 * need;
	}
	to = (void *)(f->out + sizeof(struct rec_flight));
	while (n)
		to[f->nout++] = f->v[--n].e;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct rec_flight_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void add_tid(struct want *w, uint32_t tid)
{
	for (unsigned i = 0; i < w->ntids; i++)
		if (w->tids[i] == tid)
			return;
	if (tid && w->ntids < FLIGHT_TIDS)
		w->tids[w->ntids++] = tid;
}

/* The threads that the slow event names: holder_tid, waker_tid … */
static void add_named(struct want *w, const struct slow_event *e)
{
	for (size_t i = 0; i < e->nattrs; i++) {
		const struct recfield *a = &e->attrs[i];
		size_t len = a->name ? strlen(a->name) : 0;
		uint32_t tid = 0;

		if (a->kind != FLD_INT || len < 4 || strcmp(a->name + len - 4, "_tid") != 0)
			continue;
		memcpy(&tid, e->rec + a->off, a->size < sizeof(tid) ? a->size : sizeof(tid));
		add_tid(w, tid);
	}
}

static bool too_many(struct flight *f, uint64_t now)
{
	if (f->second != now / 1000000000) {
		f->second = now / 1000000000;
		f->taken = 0;
	}
	return f->taken++ >= FLIGHT_PER_SECOND;
}

int flight_take(struct flight *f, const struct slow_event *e, uint64_t now, struct row *ret)
{
	const struct rec_slow *s = &e->fixed;
	uint64_t from = s->start > f->back ? s->start - f->back : 0;
	struct want w = { .h = { .from = from, .to = s->start + s->delay, .covered = from, .start = s->start, .tid = s->tid,
				 .cpu = s->cpu, .end_tid = s->end_tid, .end_cpu = s->end_cpu } };
	int r = 0;

	f->nout = 0;
	if (!f->v && !(f->v = calloc(FLIGHT_CPU_EVENTS, sizeof(*f->v))))
		return -ENOMEM;
	add_tid(&w, s->tid);
	add_tid(&w, s->end_tid);
	add_named(&w, e);
	w.h.skipped = too_many(f, now);
	for (uint32_t cpu = 0; cpu < f->ncpus && !w.h.skipped && r == 0; cpu++) {
		w.whole = cpu == s->cpu || cpu == s->end_cpu;
		r = keep(f, read_cpu(f, cpu, &w));
	}
	if (r == 0 && !f->nout)
		r = keep(f, 0);
	if (r < 0)
		return r;
	if (f->nout)
		qsort(f->out + sizeof(w.h), f->nout, sizeof(struct rec_flight_event), by_time);
	w.h.n = f->nout;
	memcpy(f->out, &w.h, sizeof(w.h));
	*ret = (struct row){ .kind = ROW_FLIGHT, .ts = w.h.to, .cpu = s->end_cpu, .data = f->out,
			     .len = sizeof(w.h) + f->nout * sizeof(struct rec_flight_event) };
	return 0;
}
