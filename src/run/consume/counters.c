/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of a run. */
#include "run/consume/counters.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "load/bpf_sys.h"

/* What is known of one program. */
struct prog_counts {
	uint64_t *reported;	    /* [cpu][kind] of what the program counts; NULL: nothing yet */
	uint64_t firings;	    /* all CPUs */
	uint64_t recursion, misses; /* reported */
	uint64_t expected;	    /* timers: firings that should have been */
	uint64_t ntimers;
	bool timer;
};

struct counters {
	const struct loaded *l;
	int fd;	       /* of the map, or -1 */
	uint64_t *buf; /* values of all CPUs of one program */
	struct prog_counts *progs;
};

int counters_new(const struct loaded *l, struct counters **ret)
{
	const struct load_map *m = load_find_map(l, IMG_MAP_COUNTERS, 0, 0);
	struct counters *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->l = l;
	c->fd = m ? m->fd : -1;
	c->buf = calloc(l->ncpus, REC_NCOUNTERS * sizeof(uint64_t));
	c->progs = calloc(l->room + 1, sizeof(*c->progs));
	if (!c->buf || !c->progs) {
		counters_free(c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->progs && i < c->l->img->nprogs; i++)
		free(c->progs[i].reported);
	free(c->buf);
	free(c->progs);
	free(c);
}

void counters_note_timers(struct counters *c, struct link *const *links)
{
	for (uint32_t i = 0; i < c->l->img->nprogs; i++) {
		const struct entry *e = &c->l->img->progs[i].entry;
		struct prog_counts *p = &c->progs[i];

		if (e->kind != ENTRY_PERF_EVENT || !e->period_ns || !links[i])
			continue;
		p->timer = link_perf_periods(links[i], e->period_ns, &p->expected, &p->ntimers) == 0;
	}
}

struct report {
	const struct img_prog *prog;
	struct recording *rec;
	uint64_t now;
};

/* total is what was lost so far, *reported what has been said of it. */
static int say(const struct report *r, unsigned kind, unsigned cpu, uint64_t total, uint64_t *reported)
{
	struct row row = { .kind = ROW_DROPS, .ts = r->now, .cpu = cpu, .id = kind };
	int e;

	if (total <= *reported)
		return 0;
	row.count = total - *reported;
	row.probe = r->prog->nprobes ? r->prog->probes[0]->id : 0;
	e = recording_append(r->rec, &row);
	if (e == 0)
		*reported = total;
	return e;
}

/* True when the program has lost anything on any CPU. */
static bool any_loss(const struct counters *c)
{
	for (unsigned i = 0; i < c->l->ncpus * REC_NCOUNTERS; i++)
		if (i % REC_NCOUNTERS != CNT_FIRINGS && c->buf[i])
			return true;
	return false;
}

/* What the program counted itself. */
static int report_map(struct counters *c, struct prog_counts *p, const struct report *rep)
{
	uint32_t key = rep->prog->index;
	int r = 0;

	if (c->fd < 0 || bpfsys_map_lookup(c->fd, &key, c->buf) < 0)
		return 0;
	p->firings = 0;
	for (unsigned cpu = 0; cpu < c->l->ncpus; cpu++)
		p->firings += c->buf[cpu * REC_NCOUNTERS + CNT_FIRINGS];
	if (!any_loss(c))
		return 0;
	if (!p->reported)
		p->reported = calloc(c->l->ncpus * REC_NCOUNTERS, sizeof(*p->reported));
	if (!p->reported)
		return -ENOMEM;
	for (unsigned i = 0; i < c->l->ncpus * REC_NCOUNTERS && r == 0; i++)
		if (i % REC_NCOUNTERS != CNT_FIRINGS)
			r = say(rep, i % REC_NCOUNTERS, i / REC_NCOUNTERS, c->buf[i], &p->reported[i]);
	return r;
}

/* What the kernel knows of it. */
static int report_prog(struct counters *c, uint32_t i, bool final, const struct report *rep)
{
	struct prog_counts *p = &c->progs[i];
	struct bpf_prog_info info;
	uint64_t slack;
	int r = 0;

	if (bpfsys_prog_info(c->l->progs[i], &info) == 0)
		r = say(rep, CNT_RECURSION, 0, info.recursion_misses, &p->recursion);
	/* A program that does not count its firings cannot miss any. */
	if (r < 0 || !p->timer || !p->firings)
		return r;
	/* One firing per timer may be on its way. */
	slack = p->firings + (final ? 0 : p->ntimers);
	return p->expected > slack ? say(rep, CNT_TIMER_MISSES, 0, p->expected - slack, &p->misses) : 0;
}

int counters_report(struct counters *c, uint64_t now, bool final, struct recording *rec)
{
	int r = 0;

	for (uint32_t i = 0; i < c->l->img->nprogs && r == 0; i++) {
		struct report rep = { &c->l->img->progs[i], rec, now };

		r = report_map(c, &c->progs[i], &rep);
		if (r == 0)
			r = report_prog(c, i, final, &rep);
	}
	return r;
}
