/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tracker or aggregation that --by names, as a source of distributions. */
#include "view/picture/histsrc.h"
#include <errno.h>
#include <string.h>
#include "base/strb.h"
#include "view/stack/stacksrc.h"

int histsrc_choose(const struct rec_schema *s, const char *by, const char *instead, uint32_t *ret_source,
		   struct rec_histdesc *ret, struct err *err)
{
	const char *name = by && *by == '@' ? by + 1 : by;
	struct strb list = { 0 };
	struct rec_histdesc d;
	size_t n = 0;
	int e = 0;

	for (uint32_t i = 0; i < s->ntrackers + s->naggs; i++) {
		if (!rec_hist_source(s, i, &d))
			continue;
		strb_printf(&list, "%s%s%s", list.n ? ", " : "", d.is_tracker ? "" : "@", d.name);
		if (name && strcmp(name, d.name) != 0)
			continue;
		*ret_source = i;
		*ret = d;
		n++;
	}
	if (n == 0 && !list.n)
		e = err_set(
			err, -EINVAL,
			"there are no distributions in it: a tracker, or an aggregation with quantize() or hist()%s",
			instead);
	else if (n == 0)
		e = err_set(err, -EINVAL, "there is no '%s'; there are: %s", by, list.s);
	else if (n > 1)
		e = err_set(err, -EINVAL, "there are several: %s; choose one with --by", list.s);
	strb_free(&list);
	return e;
}

const char *histsrc_unit(const struct rec_histdesc *d)
{
	return d->is_delay ? "ns" : stacksrc_unit(d->name);
}
