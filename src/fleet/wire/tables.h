/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a fleet in ClickHouse. A row that is stored twice counts once. Every table has a key and a version:
 * ClickHouse removes older versions of a key some time later, and until then questions take the newest one themselves.
 */
#ifndef DWELL_FLEET_WIRE_TABLES_H
#define DWELL_FLEET_WIRE_TABLES_H
#include <stdbool.h>
#include "fleet/wire/click.h"

#define TABLES_DATABASE "dwell"
/* 2: sums of ten minutes; 3: sites in the keys; 4: programs; 5: history of hosts; 6: few, many; 7: all hosts together
 */
#define TABLES_VERSION 7
#define TABLES_SITE "default" /* what a host has that was given none: its name is shown without it */
/* How a host is called in answers: NAME or SITE/NAME. */
#define TABLES_WHO "if(site = '" TABLES_SITE "', host, concat(site, '/', host))"

#define TABLES_HISTORY_S 600u /* slots of a host's history: a row for each description in it */

/* Makes the database and what is not there yet. 0 or -errno; -EINVAL: the tables are of a newer dwell. */
int tables_init(const struct click_options *o, struct err *err);
/* Whether the tables are of this version. 0; -ENOENT, -EINVAL. */
int tables_check(struct click *c, struct err *err);

/* Histograms by the length of their slots: "hist" of seconds, "hist_minute", "hist_ten" of ten minutes, "hist_hour".
 * Each is added up from the one before. "hist_all" has the minutes of all hosts and keys of a tenant together: site,
 * host and key are empty. */
enum tables_slot { SLOT_SECOND, SLOT_MINUTE, SLOT_TEN, SLOT_HOUR, SLOT_ALL, TABLES_NSLOTS };
struct tables_hist {
	const char *table;
	uint64_t period; /* s */
	uint64_t few_max;
	enum tables_slot of; /* that it is added up from */
};
extern const struct tables_hist tables_hist[TABLES_NSLOTS];
/* The columns of tables_hist, in the order in which rows are put in. How often each bucket was met is in `few`, up to
 * few_max; what is beyond that is in `many`, of the buckets in `many_bucket`. Rows of older dwells have `n` instead of
 * these. SQL adds up all of them by sumMap(buckets, counts). */
#define TABLES_HIST_COLUMNS \
	"day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few, many_bucket, many"
struct tables_range {
	enum tables_slot slot;
	uint64_t from, to; /* s since 1970: slots that begin in [from, to) */
};
/* Appends a SELECT of histograms in format Native: series, site, host, key, time, count, sum, max, flags, bucket, few,
 * many_bucket, many, n. also: " AND …", or "". merged: of each key the newest version only; else a key may come twice.
 */
void tables_rows(struct strb *sql, const struct tables_range *r, const char *also, bool merged);
/* Appends a SELECT of series, who (TABLES_WHO) and total: how often things happened, on the hosts with most of it, most
 * first. hosts: how many of each series. The rest is as of tables_rows(). */
void tables_largest(struct strb *sql, const struct tables_range *r, size_t nranges, const char *also, bool merged,
		    size_t hosts);
/* Appends a SELECT of totals by series and column (`step` s each, from r->from on), without buckets: series, column,
 * count and sum of all rows; how many rows `here` fits, their count, sum, largest max and flags. A key that is there
 * twice counts twice. also: " AND …", or ""; here: a condition. */
void tables_totals(struct strb *sql, const struct tables_range *r, uint64_t step, const char *also, const char *here);
/* Adds the slots of `below` in [from, to), which begins and ends with a slot of `slot`, up into `slot`, again if they
 * were before. 0 or -errno. */
int tables_roll(struct click *c, enum tables_slot slot, uint64_t from, uint64_t to, struct err *err);
/* Adds up what is not added up, or not wholly, of slots that ended before `to` and began after `from`. How many slots,
 * or -errno. */
int tables_repair(struct click *c, enum tables_slot slot, uint64_t from, uint64_t to, struct err *err);
#endif
