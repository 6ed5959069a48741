/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the latencies of the last minute, 5 minutes, hour and day, in bounded memory. Every source and key has rings of
 * 60 seconds, 60 minutes and 24 hours (and a few slots more, for late rows). Each slot is a histogram with exact
 * number, sum and maximum. */
#ifndef DWELL_LATENCY_WINDOW_H
#define DWELL_LATENCY_WINDOW_H
#include "base/strb.h"
#include "store/rechist.h"

#define WINDOWS_SERIES_MAX 256		     /* of source and key; beyond, the least recently used key joins "other" */
#define WINDOWS_BYTES_MAX ((size_t)16 << 20) /* of buckets; beyond, the same */
#define WINDOWS_POWERS 65

enum window { WINDOW_MINUTE, WINDOW_5_MINUTES, WINDOW_HOUR, WINDOW_DAY, NWINDOWS };

struct windows;
struct window_series {
	uint32_t source; /* see rec_hist_source() */
	bool other;	 /* of all keys that found no room */
	const char *key; /* in words; "" without */
};

/* schema must outlive it. wall_off: CLOCK_REALTIME - CLOCK_MONOTONIC, ns: minutes and hours begin with the wall
 * clock's. max_bytes 0: WINDOWS_BYTES_MAX. */
int windows_new(const struct rec_schema *schema, uint64_t wall_off, size_t max_bytes, struct windows **ret);
void windows_free(struct windows *w); /* accepts NULL */
/* Takes in a ROW_HIST, or a ROW_AGG of a distribution; other rows, and what is damaged, change nothing. 0, or
 * -ENOMEM. */
int windows_add(struct windows *w, const struct row *row);
/* All series, in order of appearance; valid until the next windows_add(). */
size_t windows_series(struct windows *w, const struct window_series **ret);
/* All of a window up to now of one series (an index of the above). *ret_from, when not NULL: since when. A window is
 * as long as its name says, or longer by at most one of its slots (second, minute, hour). 0, or -ENOMEM. */
int windows_get(struct windows *w, size_t series, enum window window, uint64_t now, struct histsum *ret,
		uint64_t *ret_from);
/* All that was ever added: number and sum, which never shrink. */
void windows_total(const struct windows *w, size_t series, uint64_t *ret_count, uint64_t *ret_sum);
/* All that was ever added to a tracker's series, by powers of two: element p counts delays of 2^(p-1) to 2^p - 1 ns, 0
 * those of 0. WINDOWS_POWERS of them. */
const uint64_t *windows_powers(const struct windows *w, size_t series);
size_t windows_bytes(const struct windows *w);
uint64_t windows_late(const struct windows *w); /* values too old for any slot */
#endif
