/* SPDX-License-Identifier: Apache-2.0 */
/* Reads run time and number of runs of each program from the kernel and appends them to the recording. */
#include "run/consume/cost.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"

struct cost {
	const struct loaded *l;
	int stats_fd;
	struct prog_cost {
		uint64_t run_ns, run_cnt, at;
	} * progs; /* at the last report */
};

int cost_new(const struct loaded *l, uint64_t now, struct cost **ret, struct err *err)
{
	struct cost *c = calloc(1, sizeof(*c));

	*ret = NULL;
	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->l = l;
	c->stats_fd = bpfsys_enable_run_stats();
	c->progs = calloc(l->room + 1, sizeof(*c->progs));
	if (c->stats_fd < 0 || !c->progs) {
		int code = c->stats_fd < 0 ? c->stats_fd : -ENOMEM;

		cost_free(c);
		return err_set(err, code, "cost: the kernel does not measure BPF programs: %s", strerror(-code));
	}
	for (uint32_t i = 0; i < l->room; i++)
		c->progs[i].at = now;
	*ret = c;
	return 0;
}

void cost_free(struct cost *c)
{
	if (!c)
		return;
	closep(&c->stats_fd);
	free(c->progs);
	free(c);
}

int cost_report(struct cost *c, uint64_t now, struct recording *rec)
{
	int r = 0;

	for (uint32_t i = 0; c && i < c->l->img->nprogs && r == 0; i++) {
		const struct img_prog *p = &c->l->img->progs[i];
		struct prog_cost *last = &c->progs[i];
		struct bpf_prog_info info;
		struct rec_cost cost;
		struct row row = { .kind = ROW_COST, .ts = now, .id = i, .data = &cost, .len = sizeof(cost) };

		if (bpfsys_prog_info(c->l->progs[i], &info) < 0)
			continue;
		cost = (struct rec_cost){ info.run_time_ns - last->run_ns, info.run_cnt - last->run_cnt,
					  now - last->at };
		if (!cost.run_cnt)
			continue;
		row.probe = p->nprobes ? p->probes[0]->id : 0;
		*last = (struct prog_cost){ info.run_time_ns, info.run_cnt, now };
		r = recording_append(rec, &row);
	}
	return r;
}
