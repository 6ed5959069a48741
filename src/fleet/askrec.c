/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet's histograms as a recording: the views of one machine draw it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/units.h"
#include "fleet/ask.h"
#include "fleet/bus.h"
#include "store/recfile.h"

#define HOST_SIZE 104 /* bytes of a key: a name of BUS_NAME_MAX and its NUL, up to a multiple of 8 */
_Static_assert(HOST_SIZE > BUS_NAME_MAX && HOST_SIZE % 8 == 0, "a host's name fits");

static const struct recfield host_key[] = { { .kind = FLD_STRING, .off = 0, .size = HOST_SIZE } };

struct making {
	struct aggdesc desc[ASK_SERIES_MAX];
	const struct aggdesc *aggs[ASK_SERIES_MAX];
	char *names[ASK_SERIES_MAX];
	size_t n;
	struct recfile *file;
	struct rechist_buf buf;
	struct histsum sum; /* of a row */
	uint64_t words[AGG_HIST_NBUCKETS];
	uint64_t period; /* ns */
	uint64_t rows;
	struct err *err;
};

/* The views put the '@' of an aggregation there. */
static const char *plain_name(const char *series)
{
	return series + (*series == '@');
}

/* Series by name, as they come. */
static int on_series(void *ctx, char *const *v, size_t n)
{
	struct making *m = ctx;

	(void)n;
	if (m->n == ASK_SERIES_MAX)
		return err_set(m->err, -E2BIG, "there are more than %u series: name one", ASK_SERIES_MAX);
	m->names[m->n] = strdup(plain_name(v[0]));
	if (!m->names[m->n])
		return err_set(m->err, -ENOMEM, "out of memory");
	m->desc[m->n] = (struct aggdesc){ .id = (uint32_t)m->n,
					  .name = m->names[m->n],
					  .func = AGG_HIST,
					  .keys = host_key,
					  .nkeys = ARRAY_SIZE(host_key),
					  .key_size = HOST_SIZE,
					  .value_size = aggval_size(AGG_HIST, (const int32_t[4]){ 0 }) };
	m->aggs[m->n] = &m->desc[m->n];
	m->n++;
	return 0;
}

/* series, host, time, count, buckets, counts */
static int on_row(void *ctx, char *const *v, size_t n)
{
	struct making *m = ctx;
	struct rec_hist head = { .period = m->period, .key_size = HOST_SIZE, .flags = HIST_NO_SUM };
	struct row row = { .kind = ROW_HIST };
	char key[HOST_SIZE] = "";
	uint64_t start = 0;
	size_t source = 0;

	while (n == 6 && source < m->n && strcmp(m->names[source], plain_name(v[0])) != 0)
		source++;
	if (n != 6 || source == m->n || num_parse_u64(v[2], &start) < 0 || ask_buckets(v[4], v[5], &m->sum) < 0)
		return ask_refuse(m->err);
	snprintf(key, sizeof(key), "%s", v[1]);
	memset(m->words, 0, sizeof(m->words));
	for (size_t i = 0; i < m->sum.n; i++)
		m->words[m->sum.v[i].index] = m->sum.v[i].count;
	if (rechist_make(&m->buf, &head, key, m->words, AGG_HIST_NBUCKETS) < 0)
		return err_set(m->err, -ENOMEM, "out of memory");
	row.id = (uint32_t)source;
	row.ts = start * NSEC_PER_SEC;
	row.data = m->buf.v;
	row.len = m->buf.n;
	m->rows++;
	return recfile_append(m->file, &row, m->err);
}

static void put_rows(struct strb *sql, const struct ask_what *w, const char *also)
{
	strb_adds(
		sql,
		"SELECT series, host, toUInt32(time), sum(c), tupleElement(sumMap(b, k), 1), tupleElement(sumMap(b, k), 2)"
		" FROM (");
	tables_newest(sql, ask_slot(w->range), w->range.from, w->range.to, also);
	strb_adds(sql, ") GROUP BY series, host, time ORDER BY time, series, host");
}

static int make_file(struct click *c, struct making *m, const char *path, const char *sql, struct err *err)
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
	e = click_select(c, sql, on_row, m, err);
	closed = recfile_close(m->file, e < 0 ? NULL : err);
	e = e < 0 ? e : closed;
	if (e == 0 && !m->rows)
		e = err_set(err, -ENODATA, "there is nothing in this range");
	if (e < 0)
		unlink(path);
	return e;
}

int ask_recording(struct click *c, const struct ask_what *w, const char *path, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	_cleanup_(strb_free) struct strb also = { 0 };
	_cleanup_free_ struct making *m = calloc(1, sizeof(*m));
	int e = m ? 0 : -ENOMEM;

	ask_where(&also, w);
	strb_adds(&sql, "SELECT DISTINCT series FROM (");
	tables_newest(&sql, ask_slot(w->range), w->range.from, w->range.to, strb_str(&also));
	strb_adds(&sql, ") ORDER BY series");
	if (e < 0 || also.failed || sql.failed)
		return err_set(err, -ENOMEM, "out of memory");
	m->err = err;
	m->period = tables_hist[ask_slot(w->range)].period * NSEC_PER_SEC;
	e = click_select(c, sql.s, on_series, m, err);
	strb_reset(&sql);
	put_rows(&sql, w, strb_str(&also));
	if (e == 0 && sql.failed)
		e = err_set(err, -ENOMEM, "out of memory");
	if (e == 0)
		e = make_file(c, m, path, sql.s, err);
	for (size_t i = 0; i < m->n; i++)
		free(m->names[i]);
	rechist_buf_free(&m->buf);
	histsum_free(&m->sum);
	return e;
}
