/* SPDX-License-Identifier: Apache-2.0 */
#include "live/top.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "latency/cause/trackers.h"
#include "run/session.h"

#define REFRESH_NS 500000000ull
#define PROFILE_HZ 99 /* of dlib/latency/top.d */

static bool wants(void *ctx, const struct slow_event *e)
{
	struct live_top *t = ctx;

	return slowfilter_matches(&t->filter, e);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_top *t = ctx;
	struct top_config c = {
		.schema = schema, .sym = sym, .profile_hz = PROFILE_HZ, .hidden = "wait", .wants = wants, .ctx = t
	};
	struct causes *causes;
	int e = why_read(why, &causes, err);

	(void)out;
	t->schema = schema;
	if (e < 0)
		return e;
	c.causes = causes;
	return top_model_new(&c, &t->model) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_top *t = ctx;
	int opened;

	t->filter.root = (uint32_t)target;
	opened = slowfilter_open(&t->filter, &t->request.to, err);
	if (opened < 0)
		return opened;
	for (size_t i = 0; t->over_ns && i < t->schema->ntrackers; i++) {
		const char *name = t->schema->trackers[i].name;
		int e = strcmp(name, "wait") ? session_set(s, name, "threshold", t->over_ns) : 0;

		if (e < 0)
			return err_set(err, e, "tracker %s: cannot be set: %s", name, strerror(-e));
	}
	return 0;
}

/* The thread that draws is started by the first row: all is attached then, and privileges are dropped. */
static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_top *t = ctx;
	int e = 0;

	(void)ret_text;
	slowfilter_row(&t->filter, t->schema, row);
	if (!t->screen)
		e = screen_start(&t->config, t->model, &t->screen);
	if (e == 0)
		e = top_model_row(t->model, row);
	return e;
}

static int on_finish(void *ctx)
{
	struct live_top *t = ctx;

	t->hangs = !screen_stop(take_ptr(t->screen));
	return 0;
}

void live_top_begin(struct live_top *t)
{
	t->config.refresh_ns = REFRESH_NS;
	t->config.title = t->title;
	t->every_ns = LIVE_TOP_EVERY_NS;
	t->request.opts.quiet = true;
	t->filter.arena = t->request.arena;
	gethostname(t->title, sizeof(t->title) - 1);
	request_option(&t->request, "oformat", "json"); /* nothing is printed: this keeps the line after Ctrl-C away */
}

int live_top_only(void *top, const struct optrow *o, const char *name, struct err *err)
{
	struct live_top *t = top;
	const char *of = o->name;
	int e = slowfilter_only(&t->filter, of, name, err);

	if (e < 0)
		return e;
	snprintf(t->title, sizeof(t->title), "%s %s", of, name);
	if (!strcmp(of, "comm"))
		request_param(&t->request, "comm", name);
	request_option(&t->request, of, name);
	return 0;
}

int live_top_check(const struct live_top *t, struct err *err)
{
	if (t->every_ns < LIVE_TOP_EVERY_NS_MIN)
		return err_set(err, -EINVAL, "--every: at least 100ms");
	if (screen_check(err) == 0)
		return 0;
	err_prefix(err, "top: ");
	return -ENOTTY;
}

void live_top_request(struct live_top *t)
{
	struct request *c = &t->request;
	const char *file;

	request_param(c, "every", arena_printf(c->arena, "%lluns", (unsigned long long)t->every_ns));
	c->opts.cost |= t->cost;
	c->opts.zdepends = true;
	for (size_t i = 0; (file = trackers_default(i)); i++)
		request_shipped(c, arena_printf(c->arena, "latency/%s", file));
	request_shipped(c, "latency/top");
	request_shipped(c, "latency/why");
	request_param(c, "by", "1");
	slowfilter_program(&t->filter, c);
}

int live_top_run(struct live_top *t)
{
	const struct run_observer show = {
		.ctx = t, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready
	};
	int e;

	live_top_request(t);
	e = request_run(&t->request, &show, NULL);
	request_done(&t->request);
	if (screen_stop(take_ptr(t->screen)) && !t->hangs)
		top_model_free(t->model);
	slowfilter_done(&t->filter, &t->request.to);
	return e;
}
