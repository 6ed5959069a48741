/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a ring of the flight recorder while programs write to it: see base/flightfmt.h. Takes everything of the
 * CPUs where the slow event began and ended. From other CPUs it takes the events of the slow event's threads, and of
 * the threads they waited for. */
#include "run/consume/flight.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "store/flight.h"

struct taken {
	struct rec_flight_event e;
	uint64_t seq;
};

struct flight {
	const struct image *img;
	const uint8_t *mem; /* the rings, one after the other */
	size_t size;	    /* bytes of one */
	uint32_t ncpus, entries;
	uint64_t back, began;
	enum role {
		ROLE_OTHER,
		ROLE_SWITCH,
		ROLE_WAKE,
		ROLE_LOCK,
		ROLE_HOLDER,
		ROLE_IRQ,
		ROLE_IRQ_END
	} role[FLIGHT_MAX_KINDS];
	bool has_thread[FLIGHT_MAX_KINDS];
	uint64_t second, taken; /* how many were taken in this second */
	uint64_t missed;	/* said */
	struct taken *v;	/* room for what a CPU gives */
	size_t cap;
	uint8_t *out;
	size_t out_cap;
	uint32_t nout;
};

/* The threads whose events are wanted. */
struct want {
	uint32_t tids[FLIGHT_TIDS];
	unsigned ntids;
	struct rec_flight h;
	bool whole; /* this CPU is of interest itself */
};

/* A CPU being read, backwards. */
struct reading {
	uint32_t cpu;
	size_t n;
	struct flight_entry after; /* the switch read last, that is the next one in time; kind 0: none yet */
	uint64_t after_seq;
	bool after_put;
	uint64_t lock_ts; /* of the lock taken last: its holder has the same time */
	bool under;	  /* the thread that had the CPU when a thread was woken up is still to come */
	int depth;	  /* interrupts that begin less those that end, since the switch read last */
	size_t first;	  /* in f->v, since then */
};

static enum role role_of(const char *kind)
{
	static const struct {
		const char *kind;
		enum role role;
	} roles[] = { { "switch", ROLE_SWITCH },   { "wake", ROLE_WAKE },
		      { "lock", ROLE_LOCK },	   { "holder", ROLE_HOLDER },
		      { "irq", ROLE_IRQ },	   { "softirq", ROLE_IRQ },
		      { "irq-end", ROLE_IRQ_END }, { "softirq-end", ROLE_IRQ_END } };

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (!strcmp(kind, roles[i].kind))
			return roles[i].role;
	return ROLE_OTHER;
}

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
	*f = (struct flight){ .img = l->img,
			      .mem = m->mem,
			      .size = ROUND_UP((size_t)im->value_size, 8),
			      .ncpus = im->max_entries,
			      .back = back,
			      .began = now };
	f->entries = (uint32_t)((im->value_size - sizeof(struct flight_cpu)) / sizeof(struct flight_entry));
	for (uint32_t i = 0; i < l->img->nflights; i++) {
		f->role[i] = role_of(l->img->flights[i]);
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

int flight_report(struct flight *f, uint64_t now, struct recording *rec)
{
	struct row row = { .kind = ROW_DROPS, .ts = now, .id = CNT_FLIGHT_MISSED };
	uint64_t n = __atomic_load_n(&ring_of(f, 0)->missed, __ATOMIC_RELAXED);

	row.count = n - f->missed;
	f->missed = n;
	return row.count ? recording_append(rec, &row) : 0;
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

static void put(struct flight *f, struct reading *r, const struct flight_entry *e, uint64_t seq)
{
	struct taken *t = &f->v[r->n++];

	*t = (struct taken){ .e = { .ts = e->ts, .cpu = r->cpu, .id = e->id, .info = e->info }, .seq = seq };
	snprintf(t->e.kind, sizeof(t->e.kind), "%s", f->img->flights[e->kind - 1]);
	memcpy(t->e.text, e->text, sizeof(t->e.text));
}

static bool is_wanted(const struct flight *f, const struct want *w, const struct reading *r,
		      const struct flight_entry *e)
{
	for (unsigned i = 0; f->has_thread[e->kind - 1] && i < w->ntids; i++)
		if (w->tids[i] == e->id)
			return true;
	return w->whole || (f->role[e->kind - 1] == ROLE_HOLDER && e->ts == r->lock_ts);
}

/* Until then info of a thread that is woken up has the depth there. known: the switch before has been read. */
static void end_part(struct flight *f, struct reading *r, bool known)
{
	for (size_t i = r->first; i < r->n; i++)
		if (!strcmp(f->v[i].e.kind, "wake"))
			f->v[i].e.info = known && r->depth > (int)f->v[i].e.info;
	r->first = r->n;
	r->depth = 0;
}

/* No thread gets a CPU in an interrupt: what has begun since the last switch and not ended was there when a thread was
 * woken up. */
static void note_interrupts(struct flight *f, struct reading *r, enum role role, bool took)
{
	r->depth += role == ROLE_IRQ ? 1 : role == ROLE_IRQ_END ? -1 : 0;
	if (role == ROLE_WAKE && took)
		f->v[r->n - 1].e.info = (uint32_t)r->depth;
	if (role == ROLE_SWITCH)
		end_part(f, r, true);
}

/* Two places are free. Was it taken? */
static bool take_entry(struct flight *f, const struct want *w, struct reading *r, const struct flight_entry *e,
		       uint64_t seq)
{
	const enum role role = f->role[e->kind - 1];

	if (is_wanted(f, w, r, e)) {
		/* and the thread that takes the CPU from it */
		if (!w->whole && role == ROLE_SWITCH && r->after.kind && !r->after_put)
			put(f, r, &r->after, r->after_seq);
		put(f, r, e, seq);
		r->lock_ts = role == ROLE_LOCK ? e->ts : r->lock_ts;
		r->under = !w->whole && (r->under ? role != ROLE_SWITCH : role == ROLE_WAKE);
		return true;
	}
	if (!r->under || role != ROLE_SWITCH)
		return false;
	put(f, r, e, seq);
	r->under = false;
	return true;
}

/* Reads from the youngest entry back to the thread that had the CPU when the window began. Entries into f->v, youngest
 * first; how many. */
static size_t read_cpu(struct flight *f, uint32_t cpu, struct want *w)
{
	size_t most = w->whole ? FLIGHT_CPU_EVENTS : FLIGHT_OTHER_EVENTS;
	const struct flight_cpu *c = ring_of(f, cpu);
	uint64_t head = load(&c->head), low = head > f->entries ? head - f->entries : 0, seq = head, oldest = f->began;
	struct reading r = { .cpu = cpu };
	struct flight_entry e;
	bool done = false, took;

	while (!done && seq > low && r.n + 2 <= most) {
		if (!read_entry(f, c, --seq, &e)) {
			w->h.torn++;
			continue;
		}
		oldest = e.ts < w->h.to ? e.ts : w->h.to;
		if (e.ts > w->h.to)
			continue;
		done = e.ts < w->h.from && f->role[e.kind - 1] == ROLE_SWITCH;
		took = (e.ts >= w->h.from || done) && take_entry(f, w, &r, &e, seq);
		note_interrupts(f, &r, f->role[e.kind - 1], took);
		if (f->role[e.kind - 1] == ROLE_SWITCH) {
			r.after = e;
			r.after_seq = seq;
			r.after_put = took;
		}
	}
	end_part(f, &r, false);
	if (!seq) /* all that there ever was */
		oldest = f->began;
	if (oldest > w->h.covered)
		w->h.covered = oldest;
	/* what was written over meanwhile is not believed */
	head = load(&c->head);
	while (r.n && head > f->entries && f->v[r.n - 1].seq < head - f->entries) {
		r.n--;
		w->h.covered = r.n && f->v[r.n - 1].e.ts > w->h.covered ? f->v[r.n - 1].e.ts : w->h.covered;
	}
	return r.n;
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
	if (f->second != now / NSEC_PER_SEC) {
		f->second = now / NSEC_PER_SEC;
		f->taken = 0;
	}
	return f->taken++ >= FLIGHT_PER_SECOND;
}

/* All CPUs, into f->out, in the order of time. */
static int read_all(struct flight *f, struct want *w)
{
	int r = 0;

	f->nout = 0;
	w->h.covered = w->h.from;
	w->h.torn = 0;
	for (uint32_t cpu = 0; cpu < f->ncpus && r == 0; cpu++) {
		w->whole = cpu == w->h.cpu || cpu == w->h.end_cpu;
		r = keep(f, read_cpu(f, cpu, w));
	}
	if (w->h.cpu >= f->ncpus || w->h.end_cpu >= f->ncpus) /* came online later */
		w->h.covered = w->h.to;
	if (r == 0 && f->nout)
		qsort(f->out + sizeof(w->h), f->nout, sizeof(struct rec_flight_event), by_time);
	w->h.n = f->nout;
	return r;
}

/* Adds the threads for which those of interest waited long. False: there is none. */
static bool add_further(const struct flight *f, struct want *w)
{
	const struct flight_rec rec = { .h = w->h, .v = (const void *)(f->out + sizeof(w->h)) };
	const uint64_t least = (w->h.to - w->h.start) / 100 * FLIGHT_FURTHER_SHARE;
	const unsigned before = w->ntids;
	struct flight_wait x;

	for (unsigned i = 0; i < before; i++) {
		flight_longest_wait(&rec, w->tids[i], w->h.start, w->h.to, &x);
		if (x.to - x.from > least)
			add_tid(w, x.by_tid);
	}
	return w->ntids > before;
}

int flight_collect(struct flight *f, const struct slow_event *e, uint64_t now, struct row *ret)
{
	const struct rec_slow *s = &e->fixed;
	uint64_t from = s->start > f->back ? s->start - f->back : 0;
	struct want w = { .h = { .from = from,
				 .to = s->start + s->delay,
				 .covered = from,
				 .start = s->start,
				 .tid = s->tid,
				 .cpu = s->cpu,
				 .end_tid = s->end_tid,
				 .end_cpu = s->end_cpu } };
	int r = keep(f, f->nout = 0);

	if (!f->v && !(f->v = calloc(FLIGHT_CPU_EVENTS, sizeof(*f->v))))
		return -ENOMEM;
	add_tid(&w, s->tid);
	add_tid(&w, s->end_tid);
	add_named(&w, e);
	w.h.skipped = too_many(f, now);
	if (r == 0 && !w.h.skipped)
		r = read_all(f, &w);
	for (unsigned i = 0; i < FLIGHT_ROUNDS && r == 0 && !w.h.skipped && add_further(f, &w); i++)
		r = read_all(f, &w);
	if (r < 0)
		return r;
	memcpy(f->out, &w.h, sizeof(w.h));
	*ret = (struct row){ .kind = ROW_FLIGHT,
			     .ts = w.h.to,
			     .cpu = s->end_cpu,
			     .data = f->out,
			     .len = sizeof(w.h) + f->nout * sizeof(struct rec_flight_event) };
	return 0;
}
