/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two stretches of time of the same hosts, or hosts with the rest of the fleet in one stretch. It compares the
 * histograms of each series, slot by slot, as `dwell latency diff` does (latency/compare/diff.h). Words and JSON are
 * the same, too. Rates are not compared with the rest: the rest has another number of hosts. */
#ifndef DWELL_FLEET_ASK_DIFF_H
#define DWELL_FLEET_ASK_DIFF_H
#include "fleet/ask/show.h"

#define ASKDIFF_LATE_S 5u /* seconds that are younger may not all be there */

/* Finds the whole slots of a range that are complete at `now` (s since 1970), and the same slots `earlier` before
 * (earlier 0: the same). 0, or -ENODATA: there are none. */
int askdiff_ranges(struct ask_range asked, uint64_t earlier, uint64_t now, struct ask_range ret[2]);
/* The answer, on a->out. 0 or -errno with *err. */
int askdiff_show(struct click *c, struct askshow *a, struct err *err);
#endif
