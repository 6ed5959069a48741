/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an aggregation from a line of the text view into values. */
#include <string.h>
#include "base/cleanup.h"
#include "lib/int.h"
#include "lib/pull.h"

static bool take_row(struct pull row, struct dwell_snapshot_row *r)
{
	struct pull keys = pull_member(row, "key");
	struct dwell_value *v = calloc(pull_count(keys) + 1, sizeof(*v));

	if (!v)
		return false;
	r->keys = v;
	for (struct pull k = pull_first(keys); k.p; k = pull_after(k))
		if (!pull_copy(k, &v[r->nkeys++]))
			return false;
	return pull_copy(pull_first(pull_member(row, "values")), &r->value);
}

static char *take_text(struct pull v)
{
	struct dwell_value t = { 0 };

	return pull_copy(v, &t) ? (char *)t.text : NULL;
}

struct dwell_snapshot *snapshot_of_line(struct strb *line)
{
	struct pull all = pull_value(strb_str(line)), rows = pull_member(all, "rows");
	struct dwell_snapshot *s = calloc(1, sizeof(*s));
	struct dwell_snapshot_row *r = calloc(pull_count(rows) + 1, sizeof(*r));

	if (!s || !r) {
		free(s);
		free(r);
		return NULL;
	}
	s->rows = r;
	s->function = take_text(pull_member(pull_first(pull_member(all, "aggregations")), "function"));
	for (struct pull e = pull_first(rows); e.p; e = pull_after(e))
		if (!take_row(e, &r[s->nrows++])) {
			dwell_snapshot_free(s);
			return NULL;
		}
	s->json = strb_take(line); /* the last: values are read out of it before */
	if (!s->json || !s->function) {
		dwell_snapshot_free(s);
		return NULL;
	}
	return s;
}

void dwell_snapshot_free(struct dwell_snapshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nrows; i++) {
		for (size_t k = 0; k < s->rows[i].nkeys; k++)
			free((char *)s->rows[i].keys[k].text);
		free((struct dwell_value *)s->rows[i].keys);
		free((char *)s->rows[i].value.text);
	}
	free((struct dwell_snapshot_row *)s->rows);
	free((char *)s->function);
	free((char *)s->json);
	free(s);
}
