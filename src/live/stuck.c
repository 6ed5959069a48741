/* SPDX-License-Identifier: Apache-2.0 */
#include "live/stuck.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "engine/front/cgroupid.h"
#include "engine/front/wanted.h"

static bool wants(void *filter, uint32_t pid)
{
	return process_filter_has(filter, pid);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_stuck *r = ctx;
	int e = slowfilter_read(&r->filter, err);

	if (e == 0 && r->filter.process_filter) {
		r->view.print.wants = wants;
		r->view.print.wants_ctx = r->filter.process_filter;
	}
	return e ? e : viewrun_open(&r->run, schema, sym, why, out, err);
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
	snprintf(path, sizeof(path), "%s%s%s", strncmp(arg, CGROUPID_ROOT, strlen(CGROUPID_ROOT)) ? CGROUPID_ROOT : "",
		 arg[0] == '/' ? "" : "/", arg);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL, "--cgroup: there is no cgroup '%s' (%s)", arg, path);
	*ret = st.st_ino;
	return 0;
}

/* In a container or unit that has no process nothing is stuck. 0, or -EINVAL with a message. */
static int check_somebody(struct live_stuck *r, struct err *err)
{
	struct slowfilter container = { .arena = r->request.arena };
	int e = slowfilter_somebody(&r->filter, err);

	if (e == 0 && r->view.print.container)
		e = slowfilter_only(&container, "container", r->view.print.container, err);
	return e ? e : slowfilter_somebody(&container, err);
}

int live_stuck_whose(struct live_stuck *r, bool recorded, struct err *err)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *reason = NULL;
	struct dopts o = r->request.opts;
	uint64_t id;

	if (!recorded && r->view.print.pid && kill((pid_t)r->view.print.pid, 0) < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "there is no process %u", r->view.print.pid);
	if (!recorded && check_somebody(r, err) < 0)
		return -EINVAL;
	if (!r->cgroup)
		return 0;
	if (recorded || (num_parse_u64(r->cgroup, &id) == 0 && id))
		return live_stuck_cgroup(r->cgroup, &r->view.print.cgroup, err);
	o.cgroup = r->cgroup;
	if (wanted_text(r->request.arena, &o, &b, &reason) < 0)
		return err_set(err, -EINVAL, "%s", reason);
	r->filter.arena = r->request.arena;
	return slowfilter_only(&r->filter, "cgroup", r->cgroup, err);
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
	slowfilter_done(&r->filter, &r->request.to);
	request_done(&r->request);
	view_stuck.done(&r->view);
	return e ? e : r->run.failed;
}
