/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/ask.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/num.h"

static const int32_t no_params[4];
const struct rec_histdesc ask_histdesc = {
	.is_tracker = true, .is_delay = true, .func = AGG_HIST, .param = no_params, .nbuckets = AGG_HIST_NBUCKETS
};

enum tables_slot ask_slot(struct ask_range range)
{
	uint64_t n = range.to - range.from;

	if (n <= ASK_SECONDS_MAX)
		return SLOT_SECOND;
	return n <= ASK_MINUTES_MAX ? SLOT_MINUTE : n <= ASK_TENS_MAX ? SLOT_TEN : SLOT_HOUR;
}

static size_t add_part(struct tables_range *v, size_t n, enum tables_slot slot, uint64_t from, uint64_t to)
{
	if (from < to)
		v[n++] = (struct tables_range){ slot, from, to };
	return n;
}

size_t ask_cover(struct ask_range range, uint64_t now, struct tables_range ret[ASK_PARTS_MAX])
{
	uint64_t last = now - ASK_ADDED_S < range.to ? now - ASK_ADDED_S : range.to;
	uint64_t ten = tables_hist[SLOT_TEN].period, hour = tables_hist[SLOT_HOUR].period;
	uint64_t tens = ROUND_UP(range.from, ten), tens_end = last - last % ten;
	uint64_t hours = ROUND_UP(range.from, hour), hours_end = last - last % hour;
	size_t n = 0;

	if (ask_slot(range) == SLOT_SECOND)
		return add_part(ret, 0, SLOT_SECOND, range.from, range.to);
	if (tens >= tens_end)
		return add_part(ret, 0, SLOT_MINUTE, range.from, range.to);
	n = add_part(ret, n, SLOT_MINUTE, range.from, tens);
	if (hours < hours_end) {
		n = add_part(ret, n, SLOT_TEN, tens, hours);
		n = add_part(ret, n, SLOT_HOUR, hours, hours_end);
		tens = hours_end;
	}
	n = add_part(ret, n, SLOT_TEN, tens, tens_end);
	return add_part(ret, n, SLOT_MINUTE, tens_end, range.to);
}

/* Hours within a range of tens of minutes. */
static size_t put_hours(struct ask_range range, uint64_t now, struct tables_range ret[ASK_PARTS_MAX])
{
	uint64_t last = now - ASK_ADDED_S < range.to ? now - ASK_ADDED_S : range.to;
	uint64_t hour = tables_hist[SLOT_HOUR].period, from = ROUND_UP(range.from, hour), to = last - last % hour;
	size_t n;

	if (from >= to)
		return add_part(ret, 0, SLOT_TEN, range.from, range.to);
	n = add_part(ret, 0, SLOT_TEN, range.from, from);
	n = add_part(ret, n, SLOT_HOUR, from, to);
	return add_part(ret, n, SLOT_TEN, to, range.to);
}

size_t ask_parts(struct ask_range range, enum ask_need need, uint64_t now, struct tables_range ret[ASK_PARTS_MAX])
{
	enum tables_slot slot = ask_slot(range);

	if (need == ASK_SUM)
		return ask_cover(range, now, ret);
	if (need == ASK_ALL)
		return add_part(ret, 0, SLOT_ALL, range.from, range.to);
	return need == ASK_HOURS && slot == SLOT_TEN ? put_hours(range, now, ret)
						     : add_part(ret, 0, slot, range.from, range.to);
}

/* -- conditions -- */

/* A pattern of a host's name: '*' stands for anything. As an operand of LIKE. */
static void put_like(struct strb *sql, const char *glob)
{
	_cleanup_(strb_free) struct strb like = { 0 };

	for (const char *s = glob; *s; s++) {
		if (*s == '%' || *s == '_')
			strb_addc(&like, '\\');
		strb_addc(&like, *s == '*' ? '%' : *s);
	}
	click_quote(sql, strb_str(&like));
}

/* NAME, or SITE/NAME. */
static void put_name(struct strb *sql, const char *name)
{
	const char *slash = strchr(name, '/');
	_cleanup_free_ char *site = slash ? strndup(name, (size_t)(slash - name)) : NULL;

	sql->failed |= slash && !site;
	if (site) {
		strb_adds(sql, "site LIKE ");
		put_like(sql, site);
		strb_adds(sql, " AND ");
	}
	strb_adds(sql, "host LIKE ");
	put_like(sql, slash ? slash + 1 : name);
}

#define SITE "site=" /* before its name: not a label, but where a host says that it is */

static bool is_label(const char *selector)
{
	return strchr(selector, '=') && strncmp(selector, SITE, strlen(SITE)) != 0;
}

static void put_selected(struct strb *sql, const struct ask_what *w)
{
	bool names = false, labels = false;

	for (size_t i = 0; i < w->nselectors; i++) {
		const char *s = w->selectors[i];

		labels = labels || is_label(s);
		names = names || !strchr(s, '=');
		if (!strchr(s, '=') || is_label(s))
			continue;
		strb_adds(sql, " AND site LIKE ");
		put_like(sql, s + strlen(SITE));
	}
	for (size_t i = 0, n = 0; names && i < w->nselectors; i++) {
		if (strchr(w->selectors[i], '='))
			continue;
		strb_adds(sql, n++ ? " OR " : " AND (");
		put_name(sql, w->selectors[i]);
	}
	strb_adds(sql, names ? ")" : "");
	if (!labels)
		return;
	strb_adds(
		sql,
		" AND (site, host) IN (SELECT site, host FROM (SELECT site, host, argMax(labels, seen) AS l FROM host WHERE"
		" tenant = ");
	click_quote(sql, w->tenant);
	strb_adds(sql, " GROUP BY site, host) WHERE 1");
	for (size_t i = 0; i < w->nselectors; i++) {
		if (!is_label(w->selectors[i]))
			continue;
		strb_adds(sql, " AND has(splitByChar('\\n', l), ");
		click_quote(sql, w->selectors[i]);
		strb_addc(sql, ')');
	}
	strb_addc(sql, ')');
}

static void put_hosts(struct strb *sql, const struct ask_what *w)
{
	strb_adds(sql, w->rest ? " AND NOT (1" : "");
	put_selected(sql, w);
	strb_adds(sql, w->rest ? ")" : "");
	for (size_t i = 0; i < w->nexcept; i++) {
		strb_adds(sql, " AND NOT (");
		put_name(sql, w->except[i]);
		strb_addc(sql, ')');
	}
}

static void put_either(struct strb *sql, const char *by, const char *column)
{
	_cleanup_(strb_free) struct strb at = { 0 };

	strb_printf(&at, "@%s", by);
	strb_printf(sql, " AND %s IN (", column);
	click_quote(sql, by);
	strb_adds(sql, ", ");
	click_quote(sql, strb_str(&at));
	strb_addc(sql, ')');
	sql->failed |= at.failed;
}

void ask_where(struct strb *sql, const struct ask_what *w, const char *column)
{
	strb_adds(sql, " AND tenant = ");
	click_quote(sql, w->tenant);
	if (w->series && column) {
		strb_printf(sql, " AND %s = ", column);
		click_quote(sql, w->series);
	}
	if (w->by && column)
		put_either(sql, w->by, column);
	put_hosts(sql, w);
}

static int finish(const struct strb *sql, struct err *err)
{
	return sql->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* -- answers -- */

int ask_refuse(struct err *err)
{
	return err_set(err, -EINVAL, "ClickHouse gives an answer that is not one to the question");
}

struct hosts {
	ask_host_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_host(void *ctx, char *const *v, size_t n)
{
	struct hosts *x = ctx;
	struct ask_host h = { .site = v[0], .host = n == 8 ? v[1] : "" };

	if (n != 8)
		return ask_refuse(x->err);
	h.dwell = v[2];
	h.kernel = v[3];
	h.labels = v[4];
	h.clock = strtoll(v[6], NULL, 10);
	if (num_parse_u64(v[5], &h.silent) < 0 || num_parse_u64(v[7], &h.gaps) < 0)
		return ask_refuse(x->err);
	return x->fn(x->ctx, &h);
}

int ask_hosts(struct click *c, const struct ask_what *w, ask_host_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct hosts x = { fn, ctx, err };
	int e;

	strb_adds(&sql,
		  "SELECT site, host, version, kern, lab, toUInt64(greatest(0, toInt64(toUInt32(now())) -"
		  " toInt64(intDiv(last, 1000000000)))), toInt64(ahead), toUInt64(missing) FROM (SELECT site, host,"
		  " argMax(dwell, seen) AS version, argMax(kernel, seen) AS kern, argMax(labels, seen) AS lab,"
		  " max(seen) AS last, argMax(toInt64(sent) - toInt64(seen), seen) AS ahead FROM host WHERE 1");
	ask_where(&sql, w, NULL);
	strb_adds(
		&sql,
		" GROUP BY site, host) ANY LEFT JOIN (SELECT site, host, sum(toInt64(until) - toInt64(since)) AS missing"
		" FROM (SELECT DISTINCT site, host, toUInt32(since) AS since, toUInt32(until) AS until FROM gap WHERE 1");
	ask_where(&sql, w, NULL);
	strb_adds(&sql, ") GROUP BY site, host) USING site, host ORDER BY site, host");
	e = finish(&sql, err);
	return e < 0 ? e : click_select(c, sql.s, on_host, &x, err);
}

struct programs {
	ask_program_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_program(void *ctx, char *const *v, size_t n)
{
	struct programs *x = ctx;
	struct ask_program p = { .time = v[0] };
	uint64_t *const numbers[] = { &p.seconds, &p.write, &p.status, &p.rows, &p.cpu };

	if (n != 7 + ARRAY_SIZE(numbers))
		return ask_refuse(x->err);
	p.host = v[1];
	p.event = v[2];
	p.user = v[3];
	p.id = v[4];
	p.reason = v[5];
	p.program = v[6];
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (num_parse_u64(v[7 + i], numbers[i]) < 0)
			return ask_refuse(x->err);
	return x->fn(x->ctx, &p);
}

int ask_programs(struct click *c, const struct ask_what *w, ask_program_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct programs x = { fn, ctx, err };
	int e;

	strb_printf(&sql,
		    "SELECT time, " TABLES_WHO
		    " AS who, event, user, id, reason, program, seconds, write, status, rows, cpu"
		    " FROM audit FINAL WHERE time >= toDateTime(%" PRIu64 ") AND time < toDateTime(%" PRIu64 ")",
		    w->range.from, w->range.to);
	ask_where(&sql, w, NULL);
	strb_adds(&sql, " ORDER BY ns, who, event");
	e = finish(&sql, err);
	return e < 0 ? e : click_select(c, sql.s, on_program, &x, err);
}
