/* SPDX-License-Identifier: Apache-2.0 */
#include "live/stuck.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/num.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_stuck *r = ctx;
	struct causes *c;
	int e = why_read(why, &c, err);

	r->schema = schema;
	r->print.sym = sym;
	r->print.out = out;
	if (e < 0)
		return e;
	return stuck_new(c, sym, &r->threads) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_stuck *r = ctx;
	const struct recfmt *f = row->id >= 1 && row->id <= r->schema->nfmts ? r->schema->fmts[row->id - 1] : NULL;

	*ret_text = row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT;
	return row->kind == ROW_EVENT && f ? stuck_add(r->threads, f, row->data) : 0;
}

static int on_finish(void *ctx)
{
	struct live_stuck *r = ctx;

	return stuckprint(&r->print, r->threads);
}

/* A cgroup's number is that of its folder. */
int live_stuck_cgroup(const char *arg, uint64_t *ret, struct err *err)
{
	char path[4096];
	struct stat st;

	if (num_parse_u64(arg, ret) == 0 && *ret)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", strncmp(arg, CGROUP_ROOT, strlen(CGROUP_ROOT)) ? CGROUP_ROOT : "",
		 arg[0] == '/' ? "" : "/", arg);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL, "--cgroup: there is no cgroup '%s' (%s)", arg, path);
	*ret = st.st_ino;
	return 0;
}

void live_stuck_request(struct live_stuck *r)
{
	struct stuck_print *p = &r->print;

	p->all |= p->pid || p->comm || p->container || p->cgroup; /* a filter also shows threads that only sleep */
	if (p->json)
		request_option(&r->request, "oformat", "json");
	/* All threads: those that are not shown may have what others wait for. */
	request_param(&r->request, "every", "1");
	request_param(&r->request, "raw", "1");
	request_shipped(&r->request, "latency/stuck");
}

int live_stuck_run(struct live_stuck *r)
{
	const struct run_observer show = { .ctx = r, .open = on_open, .row = on_row, .finish = on_finish };
	int e;

	live_stuck_request(r);
	e = request_run(&r->request, &show, NULL);
	request_done(&r->request);
	stuck_free(r->threads);
	return e;
}
