/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of a run. */
#include "run/counters.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "load/bpf_sys.h"

/* What is known of one program: totals seen last, by enum rec_counter. */
struct prog_counts {
	uint64_t total[REC_NLOSSES];
	uint64_t reported[REC_NLOSSES];
	uint64_t expected; /* timers: firings that should have been */
	uint64_t ntimers;
	bool timer;
};

struct counters {
	const struct loaded *l;
	int fd;		/* of the map, or -1 */
	uint64_t *buf;	/* values of all CPUs of one program */
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
	c->progs = calloc(l->img->nprogs + 1, sizeof(*c->progs));
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

/* Sums a program's counters over the CPUs. */
static void read_map(struct counters *c, uint32_t prog)
{
	uint64_t *total = c->progs[prog].total;
	uint32_t key = c->l->img->progs[prog].index;

	if (c->fd < 0 || bpfsys_map_lookup(c->fd, &key, c->buf) < 0)
		return;
	memset(total, 0, REC_NCOUNTERS * sizeof(*total));
	for (unsigned cpu = 0; cpu < c->l->ncpus; cpu++)
		for (unsigned k = 0; k < REC_NCOUNTERS; k++)
			total[k] += c->buf[cpu * REC_NCOUNTERS + k];
}

static void read_prog(struct counters *c, uint32_t i, bool final)
{
	struct prog_counts *p = &c->progs[i];
	struct bpf_prog_info info;
	uint64_t slack;

	read_map(c, i);
	if (bpfsys_prog_info(c->l->progs[i], &info) == 0)
		p->total[CNT_RECURSION] = info.recursion_misses;
	if (!p->timer || !p->total[CNT_FIRINGS])
		return;
	/* One firing per timer may be on its way. */
	slack = p->total[CNT_FIRINGS] + (final ? 0 : p->ntimers);
	if (p->expected > slack && p->expected - slack > p->total[CNT_TIMER_MISSES])
		p->total[CNT_TIMER_MISSES] = p->expected - slack;
}

static int report_prog(struct counters *c, uint32_t i, uint64_t now, struct recording *rec)
{
	const struct img_prog *prog = &c->l->img->progs[i];
	struct prog_counts *p = &c->progs[i];

	for (unsigned k = 0; k < REC_NLOSSES; k++) {
		struct row row = { .kind = ROW_DROPS, .ts = now, .id = k };
		int r;

		row.count = p->total[k] - p->reported[k];
		if (k == CNT_FIRINGS || p->total[k] <= p->reported[k])
			continue;
		row.probe = prog->nprobes ? prog->probes[0]->id : 0;
		r = recording_append(rec, &row);
		if (r < 0)
			return r;
		p->reported[k] = p->total[k];
	}
	return 0;
}

int counters_report(struct counters *c, uint64_t now, bool final, struct recording *rec)
{
	int r = 0;

	for (uint32_t i = 0; i < c->l->img->nprogs && r == 0; i++) {
		read_prog(c, i, final);
		r = report_prog(c, i, now, rec);
	}
	return r;
}

uint64_t counters_firings(const struct counters *c, uint32_t prog)
{
	return c->progs[prog].total[CNT_FIRINGS];
}
