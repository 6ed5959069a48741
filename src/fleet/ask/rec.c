/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet's histograms as a recording: the views of one machine draw it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "fleet/ask/rows.h"
#include "fleet/wire/bus.h"
#include "store/file/recfile.h"

#define HOST_SIZE 208 /* bytes of a key: a name of ASK_WHO_MAX and its NUL, up to a multiple of 8 */
_Static_assert(HOST_SIZE > ASK_WHO_MAX && HOST_SIZE % 8 == 0, "a host's name fits");

static const struct recfield host_key[] = { { .kind = FLD_STRING, .off = 0, .size = HOST_SIZE } };

#define BY "--by" /* the option of views that names the one series that they show */

/* A key of the recording. */
struct key {
	uint32_t series, host;
	bool rest; /* the hosts of a series that have none of their own */
};

struct making {
	struct click *c;
	struct ask_what w;
	char *const *options; /* words of the view's */
	size_t noptions;
	bool sum; /* no times */
	struct aggdesc desc[ASK_SERIES_MAX];
	const struct aggdesc *aggs[ASK_SERIES_MAX];
	size_t n;
	uint32_t *place; /* of each series' number among them */
	struct ask_names names;
	struct texttab apart; /* "SERIES WHO" that have a key of their own, if there are times */
	struct keytab who;    /* series and host */
	VEC(uint32_t) key_of; /* … by number: a number of keys */
	VEC(uint32_t) rest;   /* of each series: the number of its key for the rest, + 1; 0: none */
	VEC(struct key) keys;
	struct ask_groups groups; /* by time and key */
	struct recfile *file;
	struct rechist_buf buf;
	uint64_t words[AGG_HIST_NBUCKETS];
	uint64_t period; /* s */
	int failed;	 /* what again() met */
	struct err *err;
};

/* -- hosts that are told apart -- */

static int on_large(void *ctx, char *const *v, size_t n)
{
	struct making *m = ctx;
	_cleanup_(strb_free) struct strb name = { 0 };
	uint32_t number;

	if (n != 3)
		return ask_refuse(m->err);
	strb_printf(&name, "%s %s", v[0], v[1]);
	return name.failed ? -ENOMEM : texttab_number(&m->apart, name.s, name.n, &number);
}

/* As many more than a picture has as it may leave out. */
static int choose_hosts(struct making *m, bool merged)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	_cleanup_(strb_free) struct strb also = { 0 };
	struct tables_range parts[ASK_PARTS_MAX];
	size_t n = ask_parts(m->w.range, ASK_HOURS, clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, parts);

	texttab_free(&m->apart);
	m->apart = (struct texttab){ 0 };
	if (m->sum)
		return 0;
	ask_where(&also, &m->w, "series");
	tables_largest(&sql, parts, n, strb_str(&also), merged, ASK_APART_MAX + m->noptions);
	return also.failed || sql.failed ? -ENOMEM : click_select(m->c, sql.s, on_large, m, m->err);
}

static bool is_named(const struct making *m, const char *host)
{
	for (size_t i = 0; i < m->noptions; i++) {
		const char *end = strchr(m->options[i], '=');

		if (!strcmp(m->options[i], host) || (end && !strcmp(end + 1, host)))
			return true;
	}
	return false;
}

static bool is_apart(const struct making *m, uint32_t series, uint32_t host)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	const char *who = m->names.hosts.v.v[host];

	strb_printf(&name, "%s %s", m->names.series.v.v[series], who);
	return m->sum || is_named(m, who) || texttab_has(&m->apart, strb_str(&name), name.n);
}

/* The key of a series and host that is met for the first time. */
static int add_key(struct making *m, uint32_t series, uint32_t host)
{
	bool rest = !is_apart(m, series, host);
	uint32_t key = (uint32_t)m->keys.n;
	int e = 0;

	while (e == 0 && m->rest.n <= series)
		e = vec_try_push(&m->rest, UINT32_C(0));
	if (e == 0 && rest && m->rest.v[series])
		key = m->rest.v[series] - 1;
	else if (e == 0)
		e = vec_try_push(&m->keys, ((struct key){ series, host, rest }));
	if (e == 0 && rest)
		m->rest.v[series] = key + 1;
	return e < 0 ? e : vec_try_push(&m->key_of, key);
}

/* The views put the '@' of an aggregation there. */
static const char *plain_name(const char *series)
{
	return series + (*series == '@');
}

/* Aggregations, one for each series, in order of their names. */
static int describe(struct making *m, const struct texttab *series)
{
	_cleanup_free_ const char **names = NULL;
	int e = texttab_sort(series, &names, &m->place);

	if (e == 0 && series->v.n > ASK_SERIES_MAX)
		return err_set(m->err, -E2BIG, "there are more than %u series: name one", ASK_SERIES_MAX);
	for (m->n = 0; e == 0 && m->n < series->v.n; m->n++) {
		m->desc[m->n] = (struct aggdesc){ .id = (uint32_t)m->n,
						  .name = plain_name(names[m->n]),
						  .func = AGG_HIST,
						  .keys = host_key,
						  .nkeys = ARRAY_SIZE(host_key),
						  .key_size = HOST_SIZE,
						  .value_size = aggval_size(AGG_HIST, (const int32_t[4]){ 0 }) };
		m->aggs[m->n] = &m->desc[m->n];
	}
	return e;
}

/* Keys of a slot together; slots of one host follow each other in the order of time. */
static int on_row(void *ctx, const struct ask_row *r)
{
	struct making *m = ctx;
	uint64_t slot = m->sum ? m->w.range.from : r->time;
	uint32_t who;
	bool fresh;
	int e = keytab_number(&m->who, (uint64_t)r->series << 32 | r->host, &who, &fresh);

	if (e == 0 && fresh)
		e = m->failed ? m->failed : add_key(m, r->series, r->host);
	return e < 0 ? e : ask_groups_add(&m->groups, (slot - slot % m->period) << 32 | m->key_of.v[who], r);
}

static void forget(struct making *m)
{
	ask_groups_reset(&m->groups);
	keytab_reset(&m->who);
	m->key_of.n = m->rest.n = m->keys.n = 0;
}

static void again(void *ctx)
{
	struct making *m = ctx;

	forget(m);
	m->failed = choose_hosts(m, true);
}

static int put_row(struct making *m, const struct ask_group *g)
{
	const struct key *k = &m->keys.v[(uint32_t)g->key];
	struct rec_hist head = { .period = m->period * NSEC_PER_SEC,
				 .key_size = k->rest ? 0 : HOST_SIZE,
				 .flags = HIST_NO_SUM | (k->rest ? HIST_OTHER : 0) };
	struct row row = { .kind = ROW_HIST, .id = m->place[k->series], .ts = (g->key >> 32) * NSEC_PER_SEC };
	char key[HOST_SIZE] = "";

	snprintf(key, sizeof(key), "%s", m->names.hosts.v.v[k->host]);
	memset(m->words, 0, sizeof(m->words));
	memcpy(m->words + g->first, g->v,
	       (g->first + g->n > AGG_HIST_NBUCKETS ? AGG_HIST_NBUCKETS - g->first : g->n) * sizeof(*g->v));
	if (rechist_make(&m->buf, &head, key, m->words, AGG_HIST_NBUCKETS) < 0)
		return err_set(m->err, -ENOMEM, "out of memory");
	row.data = m->buf.v;
	row.len = m->buf.n;
	return recfile_append(m->file, &row, m->err);
}

static int make_file(struct making *m, const char *path, struct err *err)
{
	const struct rec_schema schema = { .aggs = m->aggs, .naggs = m->n, .ncpus = 1 };
	const struct recfile_pair meta[] = { { "dwell", DWELL_VERSION },
					     { "host", "fleet" },
					     { "begun_realtime_ns", "0" },
					     { "begun_monotonic_ns", "0" },
					     { 0 } };
	const struct recfile_pair none[] = { { 0 } };
	const struct recfile_info info = { .meta = meta, .options = none, .programs = none };
	int e = recfile_create(path, &schema, &info, &m->file, err), closed;

	if (e < 0)
		return e;
	for (size_t i = 0; e == 0 && i < m->groups.v.n; i++)
		e = put_row(m, &m->groups.v.v[i]);
	closed = recfile_close(m->file, e < 0 ? NULL : err);
	e = e < 0 ? e : closed;
	if (e < 0)
		unlink(path);
	return e;
}

static int read_rows(struct making *m, const char *by)
{
	const struct ask_rows_sink sink = { m, m->sum ? ASK_SUM : ASK_HOURS, on_row, again };
	int e;

	m->w.by = by;
	forget(m);
	e = choose_hosts(m, false);
	return e < 0 ? e : ask_rows(m->c, &m->w, &m->names, &sink, m->err);
}

/* The series that the option --by names, without its '@'. NULL: there is no such option. */
static const char *shown_series(const struct making *m)
{
	for (size_t i = 0; i < m->noptions; i++) {
		const char *s = m->options[i];

		if (strncmp(s, BY, strlen(BY)) != 0)
			continue;
		s += strlen(BY);
		if (*s == '=')
			return plain_name(s + 1);
		if (!*s && i + 1 < m->noptions)
			return plain_name(m->options[i + 1]);
	}
	return NULL;
}

static int make_recording(struct making *m, const char *path)
{
	const char *by = m->w.series ? NULL : shown_series(m);
	int e = read_rows(m, by);

	if (e == 0 && by && !m->groups.v.n)
		e = read_rows(m, NULL); /* the view tells which there are */
	if (e < 0)
		return e;
	ask_groups_sort(&m->groups);
	if (!m->groups.v.n)
		return err_set(m->err, -ENODATA, "there is nothing in this range");
	e = describe(m, &m->names.series);
	return e < 0 ? e : make_file(m, path, m->err);
}

int ask_recording(struct click *c, const struct ask_what *w, char *const *words, bool sum, const char *path,
		  struct err *err)
{
	_cleanup_free_ struct making *m = calloc(1, sizeof(*m));
	enum tables_slot slot = ask_slot(w->range);
	int e;

	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	m->c = c;
	m->w = *w;
	m->options = words;
	while (words[m->noptions])
		m->noptions++;
	m->sum = sum;
	m->err = err;
	m->period = tables_hist[sum || slot == SLOT_TEN ? SLOT_HOUR : slot].period;
	e = make_recording(m, path);
	if (e == -ENOMEM)
		err_set(err, e, "out of memory");
	ask_groups_free(&m->groups);
	keytab_free(&m->who);
	vec_free(&m->key_of);
	vec_free(&m->rest);
	vec_free(&m->keys);
	texttab_free(&m->apart);
	free(m->place);
	ask_names_free(&m->names);
	rechist_buf_free(&m->buf);
	return e;
}
