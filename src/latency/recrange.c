/* SPDX-License-Identifier: Apache-2.0 */
/* Parses ranges of time of a recording, and lists its sources of histograms. */
#include "latency/recrange.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"

/* -- stretches -- */

static uint64_t within(const struct rec_range *all, uint64_t t)
{
	return t < all->from ? all->from : t > all->to ? all->to : t;
}

static bool moment(const char *text, const struct rec_range *all, uint64_t begun, uint64_t *ret)
{
	bool from_end = text[0] == '-';
	uint64_t ns;

	if (num_parse_time(text + from_end, &ns) < 0)
		return false;
	if (from_end)
		*ret = ns > all->to - all->from ? all->from : all->to - ns;
	else if (!ns) /* all of it: its first second began before it */
		*ret = all->from;
	else
		*ret = ns > UINT64_MAX - begun ? all->to : within(all, begun + ns);
	return true;
}

int latency_range(struct recread *r, const struct latency_range *asked, bool whole, struct rec_range *ret,
		  struct err *err)
{
	struct rec_range all;

	return latency_range_in(recread_hist_extent(r, &all) ? &all : NULL, recread_begun(r), asked, whole, ret, err);
}

int latency_range_in(const struct rec_range *extent, uint64_t begun, const struct latency_range *asked, bool whole,
		     struct rec_range *ret, struct err *err)
{
	struct rec_range all;

	if (!extent)
		return err_set(err, -ENODATA,
			       "the recording has no histograms: its programs have no trackers and no distributions");
	all = *extent;
	if (whole && all.to - all.from > 4 * RECFILE_SECOND_NS) {
		all.from += RECFILE_SECOND_NS;
		all.to -= RECFILE_SECOND_NS;
	}
	*ret = all;
	begun = begun ? begun : all.from;
	if (asked->from && !moment(asked->from, &all, begun, &ret->from))
		return err_set(err, -EINVAL, "\"%s\" is no time such as 30s or -1m", asked->from);
	if (asked->to && !moment(asked->to, &all, begun, &ret->to))
		return err_set(err, -EINVAL, "\"%s\" is no time such as 30s or -1m", asked->to);
	if (ret->from >= ret->to)
		return err_set(err, -ENODATA, "the recording has nothing between these times: it has %llu s",
			       (unsigned long long)((all.to - all.from) / RECFILE_SECOND_NS));
	return 0;
}
