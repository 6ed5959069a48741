/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the counters of lost records and skipped firings, and appends the differences as rows. */
#include "run/consume/counters.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "load/bpf_sys.h"
#include "load/cpus.h"

/* The counts of one program. */
struct prog_counts {
	uint64_t *reported;		/* [cpu][kind] of what the program counts; NULL: nothing yet */
	uint64_t firings, idle_firings; /* all CPUs */
	uint64_t recursion, misses;	/* reported */
	uint64_t kprobe_missed, missed; /* by the links; reported of it */
	uint64_t due, idle, asleep;	/* reported */
	uint64_t expected;		/* timers: firings that should have been */
	uint64_t idle_base, idle_ns;	/* timers: idle time of their CPUs at the start, and since then */
	uint64_t ntimers;
	bool timer, all_cpus, based;
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
	c->buf = calloc(l->ncpus, REC_NSLOTS * sizeof(uint64_t));
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

/* The first call is at the start. */
static void note_idle(struct prog_counts *p, const struct entry *e, const char *stat)
{
	uint64_t ns;

	if (!stat || cpus_parse_idle(stat, e->cpu, (unsigned long)sysconf(_SC_CLK_TCK), &ns) < 0)
		return;
	if (!p->based)
		p->idle_base = ns;
	p->based = true;
	p->idle_ns = ns > p->idle_base ? ns - p->idle_base : 0;
}

void counters_note_links(struct counters *c, struct link *const *links)
{
	_cleanup_free_ char *stat = NULL; /* read once for all timers */

	for (uint32_t i = 0; i < c->l->img->nprogs; i++) {
		const struct entry *e = &c->l->img->progs[i].entry;
		struct prog_counts *p = &c->progs[i];

		if (e->kind == ENTRY_KPROBE && links[i])
			p->kprobe_missed = link_kprobe_missed(links[i]);
		if (e->kind != ENTRY_PERF_EVENT || !e->period_ns || !links[i])
			continue;
		p->timer = link_perf_periods(links[i], e->period_ns, &p->expected, &p->ntimers) == 0;
		p->all_cpus = e->cpu < 0;
		if (!p->timer)
			continue;
		stat = stat ? stat : cpus_read_stat();
		note_idle(p, e, stat);
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

static bool is_loss(unsigned slot)
{
	return slot != CNT_FIRINGS && slot < REC_NCOUNTERS;
}

/* True when the program has lost anything on any CPU. */
static bool any_loss(const struct counters *c)
{
	for (unsigned i = 0; i < c->l->ncpus * REC_NSLOTS; i++)
		if (is_loss(i % REC_NSLOTS) && c->buf[i])
			return true;
	return false;
}

/* Reports the program's own counts. */
static int report_map(struct counters *c, struct prog_counts *p, const struct report *rep)
{
	uint32_t key = rep->prog->index;
	int r = 0;

	if (c->fd < 0 || bpfsys_map_lookup(c->fd, &key, c->buf) < 0)
		return 0;
	p->firings = p->idle_firings = 0;
	for (unsigned cpu = 0; cpu < c->l->ncpus; cpu++) {
		p->firings += c->buf[cpu * REC_NSLOTS + CNT_FIRINGS];
		p->idle_firings += c->buf[cpu * REC_NSLOTS + SLOT_IDLE_FIRINGS];
	}
	if (!any_loss(c))
		return 0;
	if (!p->reported)
		p->reported = calloc(c->l->ncpus * REC_NSLOTS, sizeof(*p->reported));
	if (!p->reported)
		return -ENOMEM;
	for (unsigned i = 0; i < c->l->ncpus * REC_NSLOTS && r == 0; i++)
		if (is_loss(i % REC_NSLOTS))
			r = say(rep, i % REC_NSLOTS, i / REC_NSLOTS, c->buf[i], &p->reported[i]);
	return r;
}

/* Idle time is known in steps of 10 ms, of each CPU. */
#define IDLE_STEP_NS (NSEC_PER_SEC / 100)

/* An idle CPU need not fire (on a virtual machine it may be off), and what it does not do is no loss. */
static int report_timer(struct prog_counts *p, uint64_t period, bool final, const struct report *rep)
{
	/* One firing per timer may be on its way. */
	uint64_t slack = p->firings + (final ? 0 : p->ntimers);
	uint64_t missed = p->expected > slack ? p->expected - slack : 0;
	uint64_t idle = p->idle_ns ? (p->idle_ns + p->ntimers * IDLE_STEP_NS) / period : 0;
	uint64_t asleep = idle > p->idle_firings ? idle - p->idle_firings : 0;
	int r;

	asleep = asleep < missed ? asleep : missed;
	r = say(rep, CNT_TIMER_MISSES, 0, missed - asleep, &p->misses);
	if (r == 0 && p->all_cpus)
		r = say(rep, CNT_TIMER_DUE, 0, p->expected, &p->due);
	if (r == 0 && p->all_cpus)
		r = say(rep, CNT_TIMER_IDLE, 0, p->idle_firings + asleep, &p->idle);
	if (r == 0)
		r = say(rep, CNT_TIMER_ASLEEP, 0, asleep, &p->asleep);
	return r;
}

/* Reports the kernel's counts of the program. */
static int report_prog(struct counters *c, uint32_t i, bool final, const struct report *rep)
{
	struct prog_counts *p = &c->progs[i];
	const struct entry *e = &c->l->img->progs[i].entry;
	bool follows = e->is_return || c->l->joined[i]; /* calls to their returns */
	struct bpf_prog_info info;
	int r = 0;

	if (bpfsys_prog_info(c->l->progs[i], &info) == 0)
		r = say(rep, CNT_RECURSION, 0, info.recursion_misses + (follows ? 0 : p->kprobe_missed), &p->recursion);
	if (r == 0 && follows)
		r = say(rep, CNT_CALL_MISSED, 0, p->kprobe_missed, &p->missed);
	/* A program that does not count its firings cannot miss any. */
	if (r < 0 || !p->timer || !p->firings)
		return r;
	return report_timer(p, e->period_ns, final, rep);
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
