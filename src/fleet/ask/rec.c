/* SPDX-License-Identifier: Apache-2.0 */
/* A fleet's histograms as a recording: the views of one machine draw it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "fleet/ask/rows.h"
#include "fleet/wire/bus.h"
#include "store/file/recfile.h"

#define HOST_SIZE 208 /* bytes of a key: a name of ASK_WHO_MAX and its NUL, up to a multiple of 8 */
_Static_assert(HOST_SIZE > ASK_WHO_MAX && HOST_SIZE % 8 == 0, "a host's name fits");

static const struct recfield host_key[] = { { .kind = FLD_STRING, .off = 0, .size = HOST_SIZE } };

struct pair {
	uint32_t series, host;
};

struct making {
	struct aggdesc desc[ASK_SERIES_MAX];
	const struct aggdesc *aggs[ASK_SERIES_MAX];
	size_t n;
	uint32_t *place;	/* of each series' number among them */
	struct keytab who;	/* series and host */
	VEC(struct pair) pairs; /* … by number */
	struct ask_groups groups;
	struct recfile *file;
	struct rechist_buf buf;
	uint64_t words[AGG_HIST_NBUCKETS];
	uint64_t period; /* ns */
	struct err *err;
};

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
	uint32_t who;
	bool fresh;
	int e = keytab_number(&m->who, (uint64_t)r->series << 32 | r->host, &who, &fresh);

	if (e == 0 && fresh)
		e = vec_try_push(&m->pairs, ((struct pair){ r->series, r->host }));
	return e < 0 ? e : ask_groups_add(&m->groups, r->time << 32 | who, r);
}

static void again(void *ctx)
{
	struct making *m = ctx;

	ask_groups_reset(&m->groups);
}

static int put_row(struct making *m, const struct ask_names *names, const struct ask_group *g)
{
	struct rec_hist head = { .period = m->period, .key_size = HOST_SIZE, .flags = HIST_NO_SUM };
	const struct pair *who = &m->pairs.v[(uint32_t)g->key];
	struct row row = { .kind = ROW_HIST, .id = m->place[who->series], .ts = (g->key >> 32) * NSEC_PER_SEC };
	char key[HOST_SIZE] = "";

	snprintf(key, sizeof(key), "%s", names->hosts.v.v[who->host]);
	memset(m->words, 0, sizeof(m->words));
	memcpy(m->words + g->first, g->v,
	       (g->first + g->n > AGG_HIST_NBUCKETS ? AGG_HIST_NBUCKETS - g->first : g->n) * sizeof(*g->v));
	if (rechist_make(&m->buf, &head, key, m->words, AGG_HIST_NBUCKETS) < 0)
		return err_set(m->err, -ENOMEM, "out of memory");
	row.data = m->buf.v;
	row.len = m->buf.n;
	return recfile_append(m->file, &row, m->err);
}

static int make_file(struct making *m, const struct ask_names *names, const char *path, struct err *err)
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
		e = put_row(m, names, &m->groups.v.v[i]);
	closed = recfile_close(m->file, e < 0 ? NULL : err);
	e = e < 0 ? e : closed;
	if (e < 0)
		unlink(path);
	return e;
}

int ask_recording(struct click *c, const struct ask_what *w, const char *path, struct err *err)
{
	_cleanup_free_ struct making *m = calloc(1, sizeof(*m));
	const struct ask_rows_sink sink = { m, false, on_row, again };
	struct ask_names names = { 0 };
	int e;

	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	m->err = err;
	m->period = tables_hist[ask_slot(w->range)].period * NSEC_PER_SEC;
	e = ask_rows(c, w, &names, &sink, err);
	ask_groups_sort(&m->groups);
	if (e == 0 && !m->groups.v.n)
		e = err_set(err, -ENODATA, "there is nothing in this range");
	if (e == 0)
		e = describe(m, &names.series);
	if (e == 0)
		e = make_file(m, &names, path, err);
	if (e == -ENOMEM)
		err_set(err, e, "out of memory");
	ask_groups_free(&m->groups);
	keytab_free(&m->who);
	vec_free(&m->pairs);
	free(m->place);
	ask_names_free(&names);
	rechist_buf_free(&m->buf);
	return e;
}
