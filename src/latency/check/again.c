/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether waits for disks and pages read again what a memory limit has put out: counters "refaults./CGROUP" are
 * pages that were read again. */
#include <string.h>
#include "latency/check/int.h"

#define REFAULTS "refaults."
#define BY_FAR 10 /* pages of files for each one from swap: the limit is what a program meets that reads files */
#define SAME 10	  /* a group below another one has nearly all of its pages: within a tenth */

/* Groups above count the pages of those below, too: the lowest of those that have nearly all. */
static const struct check_counter *most(const struct check *c, double *ret_pages)
{
	const struct check_counter *best = NULL;

	*ret_pages = 0;
	for (size_t i = 0; i < c->counters.n; i++) {
		const struct check_counter *x = &c->counters.v[i];
		double pages = strncmp(x->name, REFAULTS, strlen(REFAULTS)) ? 0 : check_counter(c, x->name);
		bool below = best && pages && !strncmp(x->name, best->name, strlen(best->name));

		if (pages > *ret_pages || (below && pages * SAME > *ret_pages * (SAME - 1))) {
			best = x;
			*ret_pages = pages;
		}
	}
	return best;
}

/* Was any group with a limit looked at? */
static bool any_group(const struct check *c)
{
	for (size_t i = 0; i < c->counters.n; i++)
		if (!strncmp(c->counters.v[i].name, REFAULTS, strlen(REFAULTS)))
			return true;
	return false;
}

char *check_again(const struct check *c, uint64_t nreclaims, double *ret_pages)
{
	const struct check_counter *x = most(c, ret_pages);
	struct strb b = { 0 };

	if (!x && nreclaims && !any_group(c)) {
		*ret_pages = (double)nreclaims; /* each put out a page at least */
		return strdup("its cgroup was gone before the pages that were read again could be counted");
	}
	if (!x)
		return NULL;
	strb_printf(&b, "%.0f pages of files that the limit of cgroup %s had put out were read again", *ret_pages,
		    x->name + strlen(REFAULTS));
	return strb_take(&b);
}

bool check_read_again(const struct check_finding *limit, const struct check_finding *wait)
{
	uint64_t ns = 0;

	if (limit->again < (double)wait->sum.count * (strcmp(wait->rule->id, "swap-in") ? 1 : BY_FAR))
		return false;
	for (unsigned i = 0; i < wait->whom.n; i++)
		for (unsigned k = 0; k < limit->whom.n; k++)
			if (!strcmp(wait->whom.v[i].name, limit->whom.v[k].name))
				ns += wait->whom.v[i].sum.ns;
	return 2 * ns >= wait->sum.ns;
}
