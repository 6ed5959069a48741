/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/host.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"

struct events {
	ask_event_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_event(void *ctx, char *const *v, size_t n)
{
	struct events *x = ctx;
	struct ask_event e = { .tracker = v[0] };

	if (n != 12 || num_parse_u64(v[2], &e.delay) < 0 || num_parse_u64(v[3], &e.ended) < 0 ||
	    num_parse_u64(v[4], &e.pid) < 0 || num_parse_u64(v[5], &e.tid) < 0)
		return ask_refuse(x->err);
	e.host = v[1];
	e.comm = v[6];
	e.key = v[7];
	e.cause = v[8];
	e.class = v[9];
	e.stack = v[10];
	e.attrs = v[11];
	return x->fn(x->ctx, &e);
}

int ask_events(struct click *c, const struct ask_what *w, unsigned limit, ask_event_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct events x = { fn, ctx, err };

	strb_adds(&sql, "SELECT tracker, who, delay_ns, end_ns, p, t, co, ke, ca, cl, st, at FROM (");
	ask_slow_events(&sql, w,
			"any(ended) AS end_ns, any(pid) AS p, any(tid) AS t, any(comm) AS co, any(key) AS ke,"
			" any(cause) AS ca, any(class) AS cl, any(stack) AS st, any(attrs) AS at");
	strb_printf(&sql, ") ORDER BY delay_ns DESC, end_ns DESC, who LIMIT %u", limit);
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_event, &x, err);
}

static int on_blame(void *ctx, char *const *v, size_t n)
{
	struct ask_blame *b = ctx;

	if (n != 2)
		return -EINVAL;
	snprintf(b->key, sizeof(b->key), "%s", v[0]);
	snprintf(b->cause, sizeof(b->cause), "%s", v[1]);
	return 0;
}

int ask_blamed(struct click *c, const struct ask_what *w, struct ask_blame *ret, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };

	*ret = (struct ask_blame){ 0 };
	strb_adds(&sql, "SELECT ke, ca FROM (");
	ask_slow_events(&sql, w, "any(key) AS ke, any(cause) AS ca");
	strb_adds(&sql, ") GROUP BY ke, ca ORDER BY sum(delay_ns) DESC, ke, ca LIMIT 1");
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_blame, ret, err);
}
