/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a recording within its limits of size and age: removes the oldest rows in small steps. Each step is a
 * transaction.
 *
 * Rows are counted between marks, one mark per commit: bytes of each class, and the last numbers of its tables. So it
 * is known without a look at the file how far a class must go to make room, and what goes is a stretch of numbers.
 *
 * By age all classes go together. By size, in this order, until there is room:
 *   1. names of addresses that no row has any more;
 *   2. what was added to aggregations, as far as it is more than a share: it becomes one row per live key
 * (fold.c);
 *   3. processes and costs, histograms of minutes, those of hours, each as far as it is more than a share;
 *   4. the oldest of all: events with their spans and slow events, histograms of seconds, and the classes above;
 *   5. where nothing of that is left: histograms of minutes and hours, and keys of aggregations. */
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/file/int.h"

#define MARKS_MAX 2048	/* then two become one, and what gives way does so in larger pieces */
#define SHARE 8		/* of the file: a class with more than this part gives way before others */
#define PIECE 8		/* part of the time that histograms of minutes and hours lose at once */
#define ROOM_BEFORE 6	/* commits that must have room: indices and half-empty pages take more than is counted … */
#define ROOM_AFTER 7	/* … and that have it when something has given way */
#define LOSSES_MAX 4096 /* rows: then they are added up */
#define RETIRE_CUT_NS 10000000000u /* how often is looked for minutes and hours that are too old */

struct mark {
	uint64_t no, ts;
	uint64_t
		events; /* time of the newest event; drops and notes are reported later than the events of their time */
	struct rec_ids ids;
	uint64_t bytes[RETIRE_N];
	uint64_t names[RETIRE_N]; /* bytes among them that names of addresses take: they are looked for later */
	uint64_t losses;	  /* rows */
};

struct retire {
	struct retire_of of;
	bool *keep; /* by epid - 1: shows or changes aggregations */
	struct fold *fold;
	sqlite3_stmt *used;
	struct rec_room room;
	uint64_t max_age;
	VEC(struct mark) marks;	    /* of which something is still there, oldest first */
	struct mark open;	    /* what has been written since the last of them */
	struct mark gone[RETIRE_N]; /* up to which a class has gone */
	uint64_t total[RETIRE_N];
	uint64_t losses; /* rows of them that have stayed where others have gone */
	uint64_t names;	 /* bytes of those that rows had which have gone, since it was swept */
	uint64_t cut;	 /* when was looked for minutes and hours that are too old */
};

struct rec_room retire_room(uint64_t max_bytes)
{
	struct rec_room r = { .log = max_bytes / 8 };

	/* The log is brought into the file when it is half full, which waits for the disk: not too often. */
	if (r.log < RETIRE_LOG_MIN)
		r.log = max_bytes / 4 < RETIRE_LOG_MIN ? max_bytes / 4 : RETIRE_LOG_MIN;
	if (r.log > RETIRE_LOG_MAX)
		r.log = RETIRE_LOG_MAX;
	r.file = max_bytes - r.log;
	r.commit = r.log / 8;
	return r;
}

int retire_new(const struct retire_of *of, const struct recfile_info *info, struct retire **ret)
{
	const struct rec_schema *schema = of->schema;
	struct retire *r;
	int rc;

	*ret = NULL;
	if (!info->max_bytes && !info->max_age_ns)
		return SQLITE_OK;
	r = calloc(1, sizeof(*r));
	if (!r)
		return SQLITE_NOMEM;
	*ret = r;
	r->of = *of;
	r->max_age = info->max_age_ns;
	r->room = retire_room(info->max_bytes ? info->max_bytes : INT64_MAX);
	r->open.no = 1;
	r->keep = calloc(schema->nfmts + 1, sizeof(*r->keep));
	if (!r->keep)
		return SQLITE_NOMEM;
	/* clear() and the like apply to what came before them: a reader needs all of them, or none and the state that
	 * they led to. */
	for (size_t i = 0; i < schema->nfmts; i++)
		for (size_t k = 0; k < schema->fmts[i]->nacts; k++)
			if (schema->fmts[i]->acts[k].naggs)
				r->keep[i] = true;
	rc = sqlite3_prepare_v3(
		of->db,
		"SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count,"
		" pragma_page_size",
		-1, SQLITE_PREPARE_PERSISTENT, &r->used, NULL);
	return rc == SQLITE_OK ? fold_new(of->db, schema, r->keep, info->wall_off, r->room.file / SHARE, &r->fold) : rc;
}

void retire_free(struct retire *r)
{
	if (!r)
		return;
	fold_free(r->fold);
	sqlite3_finalize(r->used);
	vec_free(&r->marks);
	free(r->keep);
	free(r);
}

/* -- what has been written -- */

enum retire_class retire_class(struct retire *r, const struct row *row)
{
	switch (row->kind) {
	case ROW_DROPS: r->open.losses++; return RETIRE_ROWS;
	case ROW_AGG: return RETIRE_AGGS;
	case ROW_PROC:
	case ROW_COST: return RETIRE_PROCS;
	case ROW_HIST: return RETIRE_SECONDS;
	case ROW_EVENT:
		return row->id >= 1 && row->id <= r->of.schema->nfmts && r->keep[row->id - 1] ? RETIRE_AGGS
											      : RETIRE_ROWS;
	default: return RETIRE_ROWS;
	}
}

void retire_count(struct retire *r, enum retire_class class, uint64_t bytes, uint64_t ts)
{
	r->open.bytes[class] += bytes;
	r->total[class] += bytes;
	if (ts > r->open.ts)
		r->open.ts = ts;
}

void retire_note_event(struct retire *r, uint64_t ts)
{
	if (ts > r->open.events)
		r->open.events = ts;
}

void retire_note_name(struct retire *r, enum sym_user user, uint64_t bytes)
{
	enum retire_class class = user == SYM_AGGS ? RETIRE_AGGS : RETIRE_ROWS;

	retire_count(r, class, bytes, 0);
	r->open.names[class] += bytes;
}

/* Every second mark goes, its bytes to the one after it. */
static void thin_marks(struct retire *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->marks.n; i++) {
		struct mark m = r->marks.v[i];

		if (i % 2 && n) {
			for (int c = 0; c < RETIRE_N; c++) {
				m.bytes[c] += r->marks.v[n - 1].bytes[c];
				m.names[c] += r->marks.v[n - 1].names[c];
			}
			m.losses += r->marks.v[n - 1].losses;
			r->marks.v[n - 1] = m;
		} else {
			r->marks.v[n++] = m;
		}
	}
	r->marks.n = n;
}

int retire_mark(struct retire *r, int64_t seq)
{
	rowfile_ids(r->of.rows, &r->open.ids);
	r->open.ids.seq = seq;
	if (r->marks.n >= MARKS_MAX)
		thin_marks(r);
	if (vec_try_push(&r->marks, r->open) < 0)
		return SQLITE_NOMEM;
	r->open = (struct mark){ .no = r->open.no + 1, .ts = r->open.ts, .events = r->open.events };
	symfile_mark(r->of.sym, r->open.no);
	return SQLITE_OK;
}

uint64_t retire_used(struct retire *r)
{
	uint64_t n = 0;

	if (sqlite3_step(r->used) == SQLITE_ROW)
		n = (uint64_t)sqlite3_column_int64(r->used, 0);
	sqlite3_reset(r->used);
	return n;
}

/* -- one class -- */

/* Losses are added up where there are many, so that totals remain right. */
static int add_up_losses(struct retire *r, int64_t last)
{
	static const char sum[] =
		"INSERT INTO temp.losses SELECT max(seq), 3, max(ts), cpu, probe, id, sum(count), NULL, NULL, NULL FROM row"
		" WHERE seq > 0 AND seq <= ? AND kind = 3 GROUP BY cpu, probe, id";
	int rc = sqlite3_exec(r->of.db, "CREATE TEMP TABLE losses AS SELECT * FROM row LIMIT 0", NULL, NULL, NULL);

	if (rc == SQLITE_OK)
		rc = recfile_exec(r->of.db, sum, "i", last);
	if (rc == SQLITE_OK)
		rc = recfile_exec(r->of.db, "DELETE FROM row WHERE seq > 0 AND seq <= ? AND kind = 3", "i", last);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(r->of.db, "INSERT INTO row SELECT * FROM temp.losses; DROP TABLE temp.losses", NULL,
				  NULL, NULL);
	r->losses = 0;
	return rc;
}

/* Events (kinds EVENT, FAULT and NOTE) up to a mark, and what was made of them. Rows about aggregations have been
 * removed before. */
static int remove_rows(struct retire *r, const struct mark *m)
{
	const struct {
		const char *sql;
		int64_t last;
	} steps[] = {
		{ "DELETE FROM row WHERE seq > ? AND seq <= ? AND kind IN (0, 1, 4)", m->ids.seq },
		{ "DELETE FROM flight_event WHERE flight > ? AND flight <= ?", m->ids.flight },
		{ "DELETE FROM flight WHERE id > ? AND id <= ?", m->ids.flight },
		{ "DELETE FROM slow_attr WHERE slow > ? AND slow <= ?", m->ids.slow },
		{ "DELETE FROM slow WHERE id > ? AND id <= ?", m->ids.slow },
		{ "DELETE FROM span WHERE id > ? AND id <= ?", m->ids.span },
	};
	const struct rec_ids *was = &r->gone[RETIRE_ROWS].ids;
	const int64_t first[] = { was->seq, was->flight, was->flight, was->slow, was->slow, was->span };
	int rc = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(steps) && rc == SQLITE_OK; i++)
		if (steps[i].last > first[i])
			rc = recfile_exec(r->of.db, steps[i].sql, "ii", first[i], steps[i].last);
	if (rc == SQLITE_OK)
		rc = rowfile_sweep(r->of.rows, m->ids.slow);
	if (rc == SQLITE_OK && r->losses > LOSSES_MAX)
		rc = add_up_losses(r, m->ids.seq);
	if (rc == SQLITE_OK && m->ids.seq > was->seq)
		rc = recfile_exec(r->of.db,
				  "INSERT INTO meta VALUES('retired', ?1) ON CONFLICT(key) DO UPDATE SET value = ?1",
				  "i", m->ids.seq);
	return rc;
}

static int remove_procs(struct retire *r, const struct mark *m)
{
	const struct rec_ids *was = &r->gone[RETIRE_PROCS].ids;
	int rc = recfile_exec(r->of.db, "DELETE FROM process WHERE id > ? AND id <= ?", "ii", was->process,
			      m->ids.process);

	return rc == SQLITE_OK ? recfile_exec(r->of.db, "DELETE FROM cost WHERE id > ? AND id <= ?", "ii", was->cost,
					      m->ids.cost)
			       : rc;
}

static int remove_class(struct retire *r, enum retire_class class, const struct mark *m)
{
	static const char *const since[RETIRE_N] = { [RETIRE_ROWS] = RECFILE_SINCE "events",
						     [RETIRE_AGGS] = RECFILE_SINCE "aggregations",
						     [RETIRE_PROCS] = RECFILE_SINCE "processes",
						     [RETIRE_SECONDS] = RECFILE_SINCE "seconds" };
	uint64_t before = r->total[class];
	int rc = SQLITE_OK;

	if (m->no <= r->gone[class].no)
		return SQLITE_OK;
	for (size_t i = 0; i < r->marks.n && r->marks.v[i].no <= m->no; i++) {
		r->total[class] -= r->marks.v[i].bytes[class];
		r->marks.v[i].bytes[class] = 0;
		r->names += r->marks.v[i].names[class];
		r->marks.v[i].names[class] = 0;
		if (class == RETIRE_ROWS) {
			r->losses += r->marks.v[i].losses;
			r->marks.v[i].losses = 0;
		}
	}
	switch (class) {
	case RETIRE_ROWS: rc = remove_rows(r, m); break;
	case RETIRE_AGGS:
		if (r->total[class] != before) /* else there are none, and rows of others need not be looked at */
			rc = fold_rows(r->fold, r->gone[class].ids.seq, m->ids.seq, m->ts);
		break;
	case RETIRE_PROCS: rc = remove_procs(r, m); break;
	case RETIRE_SECONDS: rc = histfile_remove(r->of.hist, HIST_SECONDS, m->ts); break;
	case RETIRE_N: break;
	}
	r->gone[class] = *m;
	return rc == SQLITE_OK
		       ? recfile_exec(r->of.db,
				      "INSERT INTO meta VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2", "si",
				      since[class], (int64_t)(class == RETIRE_ROWS && m->events ? m->events : m->ts))
		       : rc;
}

/* Marks of which everything has gone. */
static void drop_marks(struct retire *r)
{
	uint64_t no = UINT64_MAX;
	size_t n = 0;

	for (int c = 0; c < RETIRE_N; c++)
		no = r->gone[c].no < no ? r->gone[c].no : no;
	while (n < r->marks.n && r->marks.v[n].no <= no)
		n++;
	if (!n)
		return;
	for (size_t i = n; i < r->marks.n; i++)
		r->marks.v[i - n] = r->marks.v[i];
	r->marks.n -= n;
}

/* Removes classes (bits) up to a mark, but not more than one commit may change. Events never stay longer than what
 * changes aggregations: both are in one table, and a row of it that is gone must not be looked for. */
static int remove_to(struct retire *r, unsigned classes, size_t last)
{
	uint64_t bytes = 0;
	struct mark m = { 0 };
	int rc = SQLITE_OK;

	for (size_t i = 0; i <= last && i < r->marks.n; i++) {
		const struct mark *k = &r->marks.v[i];
		bool any = false;

		for (unsigned c = 0; c < RETIRE_N; c++)
			any |= (classes & 1u << c) && k->no > r->gone[c].no;
		if (!any)
			continue;
		for (unsigned c = 0; c < RETIRE_N; c++)
			bytes += k->bytes[c];
		if (m.no && bytes > r->room.commit)
			break;
		m = *k;
	}
	if (!m.no)
		return SQLITE_OK;
	if (classes & 1u << RETIRE_ROWS)
		classes |= 1u << RETIRE_AGGS;
	for (unsigned c = 0; c < RETIRE_N && rc == SQLITE_OK; c++)
		if (classes & 1u << c)
			rc = remove_class(r, (enum retire_class)c, &m);
	drop_marks(r);
	return rc;
}

/* -- age -- */

#define ALL_CLASSES ((1u << RETIRE_N) - 1)

/* The last mark that is too old for what is still there; false: none is. */
static bool aged(struct retire *r, uint64_t now, size_t *ret)
{
	size_t n = 0;

	if (!r->max_age || now <= r->max_age)
		return false;
	while (n < r->marks.n && r->marks.v[n].ts < now - r->max_age)
		n++;
	*ret = n - 1;
	return n > 0;
}

static int cut_rollups(struct retire *r, uint64_t now)
{
	static const struct {
		enum hist_tier tier;
		uint64_t age;
	} tiers[] = { { HIST_MINUTES, RECFILE_MINUTES_AGE_NS }, { HIST_HOURS, RECFILE_HOURS_AGE_NS } };
	int rc = SQLITE_OK;

	r->cut = now;
	for (size_t i = 0; i < ARRAY_SIZE(tiers) && rc == SQLITE_OK; i++) {
		uint64_t age = r->max_age > tiers[i].age ? r->max_age : tiers[i].age;

		if (now > age)
			rc = histfile_remove(r->of.hist, tiers[i].tier, now - age);
	}
	return rc;
}

/* -- size -- */

/* Up to which time classes must go to free this many bytes; false: they have nothing. */
static bool far_enough(const struct retire *r, unsigned classes, uint64_t bytes, size_t *ret)
{
	uint64_t sum = 0;
	bool any = false;

	for (size_t i = 0; i < r->marks.n && (!any || sum < bytes); i++)
		for (unsigned c = 0; c < RETIRE_N; c++)
			if ((classes & 1u << c) && r->marks.v[i].no > r->gone[c].no) {
				any = true;
				sum += r->marks.v[i].bytes[c];
				*ret = i;
			}
	return any;
}

static void sweep_address(void *ctx, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	symfile_knows(ctx, space, tgid, start, addr); /* which uses it */
}

/* Names that no row that is left has. */
static int sweep_symbols(struct retire *r)
{
	const uint64_t gone[SYM_USERS] = { [SYM_ROWS] = r->gone[RETIRE_ROWS].no, [SYM_AGGS] = r->gone[RETIRE_AGGS].no };
	bool more = false;
	int rc;

	symfile_use_for(r->of.sym, SYM_AGGS);
	fold_addresses(r->fold, sweep_address, r->of.sym);
	symfile_use_for(r->of.sym, SYM_ROWS);
	rc = symfile_sweep(r->of.sym, gone, r->room.commit, &more);
	if (!more)
		r->names = 0;
	return rc;
}

static int put_forgotten(struct retire *r)
{
	return recfile_exec(r->of.db,
			    "INSERT INTO meta VALUES('" RECFILE_FORGOTTEN
			    "', ?1) ON CONFLICT(key) DO UPDATE SET value = ?1",
			    "i", (int64_t)fold_forgotten(r->fold));
}

/* Where all that has marks has gone. */
static int last_resort(struct retire *r, bool *ret_did)
{
	int rc = SQLITE_OK;

	if (r->names) {
		*ret_did = true;
		rc = sweep_symbols(r);
	}
	if (rc == SQLITE_OK && !*ret_did)
		rc = histfile_thin(r->of.hist, HIST_SECONDS, PIECE, ret_did);
	if (rc == SQLITE_OK && !*ret_did)
		rc = histfile_thin(r->of.hist, HIST_MINUTES, PIECE, ret_did);
	if (rc == SQLITE_OK && !*ret_did)
		rc = histfile_thin(r->of.hist, HIST_HOURS, PIECE, ret_did);
	if (rc == SQLITE_OK && !*ret_did && fold_bytes(r->fold)) {
		*ret_did = true;
		rc = fold_forget(r->fold);
	}
	return rc;
}

/* Removes rows of a class that has more than its share, in the order above, and at most as many bytes as are needed. */
static int shrink_large(struct retire *r, uint64_t need, bool *ret_did)
{
	static const enum retire_class classes[] = { RETIRE_AGGS, RETIRE_PROCS };
	static const enum hist_tier tiers[] = { HIST_MINUTES, HIST_HOURS };
	uint64_t share = r->room.file / SHARE;
	size_t last;

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		uint64_t have = r->total[classes[i]];

		if (have > share && far_enough(r, 1u << classes[i], need < have - share ? need : have - share, &last)) {
			*ret_did = true;
			return remove_to(r, 1u << classes[i], last);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(tiers); i++)
		if (histfile_bytes(r->of.hist, tiers[i]) > share)
			return histfile_thin(r->of.hist, tiers[i], PIECE, ret_did);
	return SQLITE_OK;
}

/* How many counted bytes make this many in the file: indices and half-empty pages come on top. */
static uint64_t counted(struct retire *r, uint64_t used, uint64_t bytes)
{
	uint64_t all = fold_bytes(r->fold) + histfile_bytes(r->of.hist, HIST_MINUTES) +
		       histfile_bytes(r->of.hist, HIST_HOURS);

	for (int c = 0; c < RETIRE_N; c++)
		all += r->total[c];
	return used > all && used ? (uint64_t)((double)bytes * (double)all / (double)used) : bytes;
}

static int shrink(struct retire *r, uint64_t used, bool *ret_did)
{
	uint64_t target = r->room.file - ROOM_AFTER * r->room.commit, need = counted(r, used, used - target);
	uint64_t forgotten = fold_forgotten(r->fold);
	size_t last;
	int rc = SQLITE_OK;

	if (r->names > r->room.commit) {
		*ret_did = true;
		rc = sweep_symbols(r);
	}
	if (rc == SQLITE_OK && !*ret_did)
		rc = shrink_large(r, need, ret_did);
	if (rc == SQLITE_OK && !*ret_did && far_enough(r, ALL_CLASSES, need, &last)) {
		*ret_did = true;
		rc = remove_to(r, ALL_CLASSES, last);
	}
	if (rc == SQLITE_OK && !*ret_did)
		rc = last_resort(r, ret_did);
	return rc == SQLITE_OK && forgotten != fold_forgotten(r->fold) ? put_forgotten(r) : rc;
}

bool retire_wanted(struct retire *r, uint64_t now)
{
	size_t last;

	return aged(r, now, &last) || (r->max_age && now > r->cut + RETIRE_CUT_NS) || retire_full(r);
}

bool retire_full(struct retire *r)
{
	return retire_used(r) > r->room.file - ROOM_BEFORE * r->room.commit;
}

int retire_step(struct retire *r, uint64_t now, bool *ret_did)
{
	uint64_t used;
	size_t last;

	*ret_did = true;
	if (aged(r, now, &last))
		return remove_to(r, ALL_CLASSES, last);
	if (r->max_age && now > r->cut + RETIRE_CUT_NS)
		return cut_rollups(r, now);
	used = retire_used(r);
	*ret_did = false;
	return used > r->room.file - ROOM_AFTER * r->room.commit ? shrink(r, used, ret_did) : SQLITE_OK;
}

uint64_t retire_forgotten(const struct retire *r)
{
	return fold_forgotten(r->fold);
}
