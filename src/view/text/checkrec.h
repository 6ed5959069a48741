/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings as `dwell check` looks at them. */
#ifndef DWELL_VIEW_TEXT_CHECKREC_H
#define DWELL_VIEW_TEXT_CHECKREC_H
#include "latency/check.h"
#include "latency/recset.h"

/* Adds all rows of the recordings. 0; < 0 with *err. */
int checkrec_read(struct check *c, const struct recset *s, struct err *err);
#endif
