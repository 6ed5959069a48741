/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tracker or the aggregation that a picture of distributions shows, by its name. */
#ifndef DWELL_VIEW_PICTURE_HISTSRC_H
#define DWELL_VIEW_PICTURE_HISTSRC_H
#include "base/err.h"
#include "store/file/recquery.h"

/* The tracker or aggregation of this name ("@name", "name"; NULL: the only one) that has distributions. -EINVAL: there
 * is none, or there are several; err says which there are. instead: what else can be done without any, "" for nothing.
 */
int histsrc_choose(const struct rec_schema *s, const char *by, const char *instead, uint32_t *ret_source,
		   struct rec_histdesc *ret, struct err *err);
/* The unit of its values: "ns", …; "": not known. */
const char *histsrc_unit(const struct rec_histdesc *d);
#endif
