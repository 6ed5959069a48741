/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/history.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/num.h"

/* The row before, of which host. */
struct loading {
	struct history *h;
	char *host, *kernel, *dwell, *labels;
	uint64_t at;
	struct err *err;
};

static int note(struct loading *l, const char *name, size_t nname, const char *old, size_t nold, const char *new,
		size_t nnew)
{
	struct history_fact f = { .host = strdup(l->host), .at = l->at };

	if (asprintf(&f.what, "%.*s %.*s -> %.*s", (int)nname, name, (int)nold, old, (int)nnew, new) < 0)
		f.what = NULL;
	if (f.host && f.what && vec_try_push(&l->h->v, f) == 0)
		return 0;
	free(f.host);
	free(f.what);
	return err_set(l->err, -ENOMEM, "out of memory");
}

static int compare(struct loading *l, const char *name, const char *old, const char *new)
{
	return strcmp(old, new) ? note(l, name, strlen(name), old, strlen(old), new, strlen(new)) : 0;
}

/* The value of a label; *n: its length. name: with its '=', nname bytes. NULL: there is no such label. */
static const char *label_of(const char *labels, const char *name, size_t nname, size_t *n)
{
	for (const char *p = labels; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, nname)) {
			*n = strcspn(p + nname, "\n");
			return p + nname;
		}
	}
	return NULL;
}

/* Labels that are new or have another value; gone: those that are no more. */
static int compare_labels(struct loading *l, const char *old, const char *new, bool gone)
{
	int e = 0;

	for (const char *p = new; e == 0 && p &&*p; p = strchr(p, '\n')) {
		size_t name, now, before = 1;
		const char *v;

		p += *p == '\n';
		name = strcspn(p, "=\n");
		if (p[name] != '=')
			continue;
		now = strcspn(p + name + 1, "\n");
		v = label_of(old, p, name + 1, &before);
		if (gone && !v)
			e = note(l, p, name, p + name + 1, now, "-", 1);
		else if (!gone && (!v || before != now || strncmp(v, p + name + 1, now) != 0))
			e = note(l, p, name, v ? v : "-", v ? before : 1, p + name + 1, now);
	}
	return e;
}

static int replace(struct loading *l, char **to, const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		return err_set(l->err, -ENOMEM, "out of memory");
	free(*to);
	*to = copy;
	return 0;
}

/* Host, since, kernel, dwell, labels. */
static int on_row(void *ctx, char *const *v, size_t n)
{
	struct loading *l = ctx;
	int e = 0;

	if (n != 5 || num_parse_u64(v[1], &l->at) < 0)
		return ask_refuse(l->err);
	if (l->host && !strcmp(l->host, v[0])) {
		e = compare(l, "kernel", l->kernel, v[2]);
		e = e ? e : compare(l, "dwell", l->dwell, v[3]);
		e = e ? e : compare_labels(l, l->labels, v[4], false);
		e = e ? e : compare_labels(l, v[4], l->labels, true);
	}
	e = e ? e : replace(l, &l->host, v[0]);
	e = e ? e : replace(l, &l->kernel, v[2]);
	e = e ? e : replace(l, &l->dwell, v[3]);
	return e ? e : replace(l, &l->labels, v[4]);
}

int history_load(struct click *c, const struct ask_what *w, struct history *ret, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct loading l = { .h = ret, .err = err };
	struct ask_what all = { .tenant = w->tenant };
	uint64_t from = w->range.from, length = w->range.to - w->range.from;
	int e;

	ret->about = length / 8 > HISTORY_ABOUT_S ? length / 8 : HISTORY_ABOUT_S;
	from -= from > ret->about + HISTORY_BACK_S ? ret->about + HISTORY_BACK_S : from;
	strb_printf(&sql,
		    "SELECT " TABLES_WHO " AS who, min(since) AS first, kernel, dwell, labels FROM host_history WHERE"
		    " slot >= toDateTime(%" PRIu64 ") AND slot < toDateTime(%" PRIu64 ")",
		    from, w->range.to + ret->about);
	ask_where(&sql, &all, "series");
	strb_adds(&sql, " GROUP BY site, host, slot, kernel, dwell, labels ORDER BY who, first");
	e = sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_row, &l, err);
	free(l.host);
	free(l.kernel);
	free(l.dwell);
	free(l.labels);
	return e;
}

static bool is_about(const struct history *h, const struct history_fact *f, uint64_t at)
{
	return (f->at > at ? f->at - at : at - f->at) <= h->about;
}

/* How many hosts have the same change about then. */
static unsigned count(const struct history *h, const struct history_fact *same)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->v.n; i++)
		n += !strcmp(h->v.v[i].what, same->what) && is_about(h, &h->v.v[i], same->at);
	return n;
}

void history_about(const struct history *h, const char *host, uint64_t at, char words[HISTORY_WORDS_MAX])
{
	size_t n = 0;

	words[0] = '\0';
	for (size_t i = 0; i < h->v.n && n < HISTORY_WORDS_MAX; i++) {
		const struct history_fact *f = &h->v.v[i];
		char hosts[32] = "", clock[16] = "";
		unsigned same;
		time_t t = (time_t)f->at;
		struct tm tm;

		if (strcmp(f->host, host) != 0 || !is_about(h, f, at))
			continue;
		same = count(h, f);
		if (same > 1)
			snprintf(hosts, sizeof(hosts), " on %u hosts", same);
		if (localtime_r(&t, &tm))
			strftime(clock, sizeof(clock), " at %H:%M", &tm);
		n += (size_t)snprintf(words + n, HISTORY_WORDS_MAX - n, "%s%s%s%s", n ? ", " : "", f->what, hosts,
				      clock);
	}
}

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->v.n; i++) {
		free(h->v.v[i].host);
		free(h->v.v[i].what);
	}
	vec_free(&h->v);
}
