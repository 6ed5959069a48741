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
	return viewrun_open(&((struct live_stuck *)ctx)->run, schema, sym, why, out, err);
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	return viewrun_row(&((struct live_stuck *)ctx)->run, row, ret_text);
}

static int on_finish(void *ctx)
{
	struct live_stuck *r = ctx;

	return viewrun_finish(&r->run, &r->request.to);
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
	viewrun_begin(&r->run, &view_stuck, &r->view, r->form, NULL);
	if (viewrun_json(&r->run))
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
	view_stuck.done(&r->view);
	return e ? e : r->run.failed;
}
