/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of `dwell latency`, as text and as JSON. */
#ifndef DWELL_VIEW_SUMMARY_LATENCYPRINT_H
#define DWELL_VIEW_SUMMARY_LATENCYPRINT_H
#include <stdio.h>
#include "base/jsonw.h"
#include "latency/window/sum.h"

/* A table and what is not in it. ns: the time that the summary is about. now: CLOCK_MONOTONIC. cost: what the
 * measurement took, too. Errors of writing are out's. */
void latencyprint_text(const struct latencysum *s, FILE *out, uint64_t ns, uint64_t now, bool cost);
#define LATENCYPRINT_GROUPS 20 /* of a tracker, in the table */
/* A table of groups, sorted; by: what they are, "container". Names are the kernel's or of /etc/passwd. */
void latencyprint_groups(const struct latencygroups *g, const char *by, FILE *out);
/* The members "by" and "groups" of the open object. */
void latencyprint_groups_json(const struct latencygroups *g, const char *by, struct jsonw *w);
/* The members "trackers" and "cost" of the open object. */
void latencyprint_json(const struct latencysum *s, uint64_t now, struct jsonw *w);
#endif
