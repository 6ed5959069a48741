/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the run time of the programs with -x maxcpu. The kernel counts run time while a descriptor of
 * BPF_ENABLE_STATS is open. */
#include "run/session/governor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"

struct turn {			/* of a program */
	uint64_t detached_at;	/* ns */
	uint64_t tried_at;	/* when it was detached, or reattaching it was tried in vain */
	uint64_t reattached_at; /* 0: it is detached, or never was */
	uint64_t wait_ns;	/* from tried_at until it may be reattached */
	double used;		/* percent, when it was detached */
	bool detached;
};

struct governor {
	const struct loaded *l;
	unsigned cpus;
	double limit; /* percent of all CPUs */
	int stats_fd;
	uint64_t last_ns;
	uint64_t *run_ns;   /* by program, at last_ns */
	double *used;	    /* by program, percent */
	struct turn *turns; /* by program */
	bool looked;	    /* the last look found all within the limit, and nothing was reattached since */
};

static int parse_percent(const char *text, double *ret)
{
	char *end;
	double v = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(v > 0) || v > 100)
		return -EINVAL;
	*ret = v;
	return 0;
}

int governor_new(const struct loaded *l, unsigned online_cpus, const char *text, struct governor **ret, struct err *err)
{
	struct governor *g;
	double limit;

	*ret = NULL;
	if (!text || !*text)
		return 0;
	if (parse_percent(text, &limit) < 0)
		return err_set(err, -EINVAL, "maxcpu is a share of the CPUs from 0 to 100%%, not \"%s\"", text);
	g = calloc(1, sizeof(*g));
	if (!g)
		return err_set(err, -ENOMEM, "out of memory");
	g->l = l;
	g->limit = limit;
	g->cpus = online_cpus ? online_cpus : 1;
	g->run_ns = calloc(l->room + 1, sizeof(*g->run_ns));
	g->used = calloc(l->room + 1, sizeof(*g->used));
	g->turns = calloc(l->room + 1, sizeof(*g->turns));
	g->stats_fd = bpfsys_enable_run_stats();
	if (!g->run_ns || !g->used || !g->turns || g->stats_fd < 0) {
		int code = g->stats_fd < 0 ? g->stats_fd : -ENOMEM;

		governor_free(g);
		return err_set(err, code, "maxcpu: the kernel does not measure BPF programs: %s", strerror(-code));
	}
	*ret = g;
	return 0;
}

void governor_free(struct governor *g)
{
	if (!g)
		return;
	closep(&g->stats_fd);
	free(g->run_ns);
	free(g->used);
	free(g->turns);
	free(g);
}

/* Percent of all CPUs by program since the last look; the sum over live ones. */
static double measure(struct governor *g, uint64_t now, const bool *live)
{
	double capacity = (double)(now - g->last_ns) * g->cpus, sum = 0;

	for (uint32_t i = 0; i < g->l->img->nprogs; i++) {
		struct bpf_prog_info info;

		g->used[i] = 0;
		if (!live[i] || bpfsys_prog_info(g->l->progs[i], &info) < 0)
			continue;
		if (g->last_ns)
			g->used[i] = 100.0 * (double)(info.run_time_ns - g->run_ns[i]) / capacity;
		g->run_ns[i] = info.run_time_ns;
		sum += g->used[i];
	}
	return sum;
}

uint32_t governor_measure(struct governor *g, uint64_t now, const bool *live, struct governor_costly *costly)
{
	uint32_t n = 0;
	double sum;

	if (g->last_ns && now - g->last_ns < GOVERNOR_PERIOD_NS)
		return 0;
	sum = measure(g, now, live);
	g->last_ns = now;
	g->looked = sum <= g->limit;
	while (sum > g->limit) {
		uint32_t worst = 0;

		for (uint32_t i = 1; i < g->l->img->nprogs; i++)
			if (g->used[i] > g->used[worst])
				worst = i;
		if (!(g->used[worst] > 0))
			break;
		costly[n++] = (struct governor_costly){ worst, g->used[worst] };
		g->turns[worst].used = g->used[worst];
		sum -= g->used[worst];
		g->used[worst] = 0;
	}
	return n;
}

void governor_detached(struct governor *g, uint32_t prog, uint64_t now)
{
	struct turn *t = &g->turns[prog];
	bool again = t->wait_ns && (!t->reattached_at || now - t->reattached_at < t->wait_ns);

	t->wait_ns = again ? 2 * t->wait_ns : GOVERNOR_DETACHED_NS;
	if (t->wait_ns > GOVERNOR_DETACHED_MAX_NS)
		t->wait_ns = GOVERNOR_DETACHED_MAX_NS;
	if (!t->detached)
		t->detached_at = now;
	t->tried_at = now;
	t->reattached_at = 0;
	t->detached = true;
}

uint64_t governor_reattached(struct governor *g, uint32_t prog, uint64_t now)
{
	g->turns[prog].detached = false;
	g->turns[prog].reattached_at = now;
	return now - g->turns[prog].detached_at;
}

bool governor_is_detached(const struct governor *g, uint32_t prog)
{
	return g->turns[prog].detached;
}

int64_t governor_next(struct governor *g, uint64_t now)
{
	int64_t next = -1;

	for (uint32_t i = 0; g->looked && i < g->l->img->nprogs; i++) {
		const struct turn *t = &g->turns[i];

		if (t->detached && now - t->tried_at >= t->wait_ns && (next < 0 || t->used < g->turns[next].used))
			next = i;
	}
	g->looked = g->looked && next < 0;
	return next;
}

double governor_limit(const struct governor *g)
{
	return g->limit;
}
