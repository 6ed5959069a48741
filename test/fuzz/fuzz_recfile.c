/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that somebody has changed: the input is SQL, run on a small recording of every kind of row. Opening,
 * reading all rows and asking all questions ends, whatever is in the tables, and stays within the bounds of what is
 * read. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/aggval.h"
#include "fuzz.h"
#include "store/file/recquery.h"

#define SQL_STEPS 20000 /* of SQLite's machine, in thousands: what an input may compute */

struct rec {
	struct rec_hdr h;
	struct rec_slow slow;
	uint64_t key;
	char lane[8], label[8];
	uint64_t start, duration;
	uint64_t stack[4];
};

#define AT(m) .off = offsetof(struct rec, m), .size = sizeof(((struct rec *)0)->m)
static const struct recfield fields[] = {
	{ .kind = FLD_BYTES, AT(slow) },
	{ .kind = FLD_BYTES, AT(key) },
	{ .kind = FLD_STRING, AT(lane), .name = "lane" },
	{ .kind = FLD_STACK, AT(stack), .nframes = 4, .name = "stack" },
	{ .kind = FLD_STRING, AT(label) },
	{ .kind = FLD_INT, AT(start) },
	{ .kind = FLD_INT, AT(duration) },
};
static const struct recfield span_fields[] = {
	{ .kind = FLD_STRING, AT(lane) },
	{ .kind = FLD_STRING, AT(label) },
	{ .kind = FLD_INT, AT(start) },
	{ .kind = FLD_INT, AT(duration) },
};
static const struct recfield key_field = { .kind = FLD_INT, .size = 8 };
static const struct recact acts[] = {
	{ .kind = ACT_SLOW, .number = 1, .fields = fields, .nfields = 4 },
	{ .kind = ACT_SPAN, .number = 2, .fields = span_fields, .nfields = 4 },
	{ .kind = ACT_PRINTF, .number = 3, .fmt = "%d", .fmt_len = 2, .fields = fields + 5, .nfields = 1 },
};
static const struct recfmt fmt = { .epid = 1, .size = sizeof(struct rec), .acts = acts, .nacts = 3 };
static const struct recfmt *const fmts[] = { &fmt };
static const struct aggdesc hist = { .name = "h",
				     .func = AGG_HIST,
				     .keys = &key_field,
				     .nkeys = 1,
				     .key_size = 8,
				     .value_size = 8 * (1 + AGG_HIST_NBUCKETS) };
static const struct aggdesc *const aggs[] = { &hist };
static const struct rec_probe probes[] = { { 1, "p", "m", "f", "n" } };
static const struct rec_tracker trackers[] = { { .name = "t", .keys = &key_field, .nkeys = 1, .key_size = 8 } };
static const struct rec_schema schema = { .fmts = fmts,
					  .nfmts = 1,
					  .aggs = aggs,
					  .naggs = 1,
					  .probes = probes,
					  .nprobes = 1,
					  .trackers = trackers,
					  .ntrackers = 1,
					  .ncpus = 2 };

static char path[64];
static uint8_t *template;
static size_t template_size;

static void fill(struct recfile *f)
{
	static uint64_t value[1 + AGG_HIST_NBUCKETS], percpu[2 * (1 + AGG_HIST_NBUCKETS)];
	struct rec r = { .lane = "l", .label = "m", .stack = { 1, 2 } };
	struct rec_proc proc = { .kind = PROC_EXIT };
	struct rec_cost cost = { 1, 2, 3 };
	uint64_t key = 1;
	const struct row rows[] = {
		{ .kind = ROW_EVENT, .ts = 1, .id = 1, .probe = 1, .data = &r, .len = sizeof(r) },
		{ .kind = ROW_AGG, .ts = 2, .data = &key, .len = 8, .value = value, .percpu = percpu },
		{ .kind = ROW_PROC, .ts = 3, .data = &proc, .len = sizeof(proc) },
		{ .kind = ROW_COST, .ts = 4, .probe = 1, .data = &cost, .len = sizeof(cost) },
		{ .kind = ROW_DROPS, .ts = 5, .count = 1, .probe = 1 },
		{ .kind = ROW_END, .ts = 6 },
	};
	struct recfile_symbol s = { .addr = 1, .found = true, .module = "m", .name = "f" };
	const struct recfile_source lines[] = { { "inner", "a.c", "b.h", 2, 1 },
						{ .function = "f", .file = "a.c", .line = 3 } };

	value[0] = value[7] = 3;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		recfile_append(f, &rows[i], NULL);
	recfile_add_symbol(f, &s, NULL);
	recfile_add_source(f, 1, 2, 3, lines, 2, NULL);
}

/* The recording that inputs change, made once. */
static void make_template(void)
{
	struct recfile_info info = { 0 };
	struct recfile *f = NULL;
	FILE *in;

	snprintf(path, sizeof(path), "/tmp/dwell-fuzz-%d", (int)getpid());
	unlink(path);
	if (recfile_create(path, &schema, &info, &f, NULL) < 0)
		abort();
	fill(f);
	recfile_close(f, NULL);
	in = fopen(path, "re");
	template = malloc(1 << 20);
	template_size = in && template ? fread(template, 1, 1 << 20, in) : 0;
	if (in)
		fclose(in);
	unlink(path);
}

static int stop(void *ctx)
{
	unsigned *n = ctx;

	return ++*n > SQL_STEPS;
}

/* A stranger may change this file, but not others. */
static int only_here(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)ctx;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return action == SQLITE_ATTACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static void change(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size);
	unsigned steps = 0;
	sqlite3 *db = NULL;

	if (sql && sqlite3_open(path, &db) == SQLITE_OK) {
		sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
		sqlite3_progress_handler(db, 1000, stop, &steps);
		sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA max_page_count = 2000",
			     NULL, NULL, NULL);
		sqlite3_set_authorizer(db, only_here, NULL);
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	sqlite3_close(db);
	free(sql);
}

/* -- questions -- */

static unsigned sum; /* of what was seen, so that reads are not optimised away */

static void see(const void *p, size_t n)
{
	for (size_t i = 0; p && i < n; i++)
		sum += ((const uint8_t *)p)[i];
}

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	struct rec_stack st;

	for (size_t i = 0; i < s->nattrs; i++)
		if (s->attrs[i].kind == REC_ATTR_STACK && recread_stack(ctx, s->attrs[i].value, &st, NULL) == 0)
			see(st.frames, st.n * 8);
	see(s->key, strlen(s->key));
	return 0;
}

static int on_column(void *ctx, const struct rec_column *c)
{
	(void)ctx;
	see(c->buckets, c->head.nbuckets * sizeof(*c->buckets));
	return 0;
}

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	(void)ctx;
	(void)key;
	see(text, strlen(text));
	see(data, data && text[0] ? 1 : 0);
	return 0;
}

static int on_span(void *ctx, const struct rec_span *s)
{
	(void)ctx;
	see(s->lane, strlen(s->lane));
	return 0;
}

static int on_proc(void *ctx, const struct rec_proc_row *p)
{
	(void)ctx;
	see(p->name, strlen(p->name));
	return 0;
}

static int on_cost(void *ctx, const struct rec_cost_row *c)
{
	(void)ctx;
	see(&c->c, sizeof(c->c));
	return 0;
}

static int on_row(void *ctx, const struct row *row)
{
	const struct rec_schema *s = ctx;

	see(row->data, row->len);
	if (row->kind == ROW_AGG)
		see(row->value, s->aggs[row->id]->value_size);
	if (row->kind == ROW_AGG && row->percpu)
		see(row->percpu, (size_t)s->aggs[row->id]->value_size * s->ncpus);
	return 0;
}

static void ask_source(struct recread *r)
{
	const struct recfile_source *v;

	for (uint32_t tgid = 0; tgid < 3; tgid++)
		for (size_t n = recread_source(r, tgid, 2, 3, &v); n--;)
			for (unsigned i = 0; i < 3; i++) {
				const char *text = i == 0 ? v[n].function : i == 1 ? v[n].file : v[n].def_file;

				see(text, text ? strlen(text) : 0);
			}
}

static void ask(struct recread *r)
{
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1 };
	const struct rec_schema *s = recread_schema(r);
	struct histsum h = { 0 };
	struct rec_range all;
	struct row row;

	while (recread_next(r, &row, NULL).more)
		on_row((void *)s, &row);
	recread_rows(r, UINT32_MAX, REC_ALL_TIME, on_row, (void *)s, NULL);
	recread_slow(r, &q, on_slow, r, NULL);
	for (uint32_t i = 0; i < s->ntrackers + s->naggs && i < 8; i++) {
		recread_columns(r, i, RECFILE_SECOND_NS, REC_ALL_TIME, -1, on_column, NULL, NULL);
		recread_hist_keys(r, i, on_key, NULL, NULL);
		recread_hist(r, i, REC_ALL_TIME, -1, &h, NULL);
	}
	histsum_free(&h);
	recread_spans(r, REC_ALL_TIME, on_span, NULL, NULL);
	recread_procs(r, REC_ALL_TIME, on_proc, NULL, NULL);
	recread_costs(r, REC_ALL_TIME, on_cost, NULL, NULL);
	ask_source(r);
	recread_extent(r, &all);
	recread_wall_off(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recread *r = NULL;
	int fd;

	if (!template)
		make_template();
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, template, template_size) != (ssize_t)template_size)
		abort();
	close(fd);
	change(data, size);
	if (recread_open(path, &r, NULL) == 0)
		ask(r);
	recread_close(r);
	unlink(path);
	*(volatile unsigned *)&sum = sum;
	return 0;
}
