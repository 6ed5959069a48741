/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a lane of a timeline from dwell's notes about itself: late records, pauses, detached programs. */
#include <errno.h>
#include "view/picture/timeline_int.h"

/* The program that was detached at `from` is attached again. False: that was before what is shown. */
static bool end_gap(struct tl_reader *r, struct tl_row *lane, struct rec_range gone)
{
	size_t i = 0, k = 0;

	while (i < r->gaps.n && (r->gaps.v[i].from != gone.from || r->gaps.v[i].to != INT64_MAX))
		i++;
	if (i < r->gaps.n)
		r->gaps.v[i].to = gone.to;
	else if (vec_try_push(&r->gaps, gone) < 0)
		r->error = -ENOMEM;
	while (lane && k < lane->items.n && (lane->items.v[k].from != gone.from || !(lane->items.v[k].flags & TL_OPEN)))
		k++;
	if (!lane || k == lane->items.n)
		return false;
	lane->items.v[k].to = gone.to;
	lane->items.v[k].flags = 0;
	return true;
}

/* A note of dwell becomes an item of its lane. A program that is detached leaves a gap until it is attached again:
 * what it would have seen is not known. */
int tl_note(struct tl_reader *r, const struct row *row)
{
	struct tl_item x = { .from = row->ts, .to = row->ts + NOTE_NS, .kind = TL_LOST };
	struct tl_row *lane = tl_row_of(r, "n", TL_GROUP_LOSSES);

	if (lane && !lane->label)
		tl_label(r, lane, "dwell");
	if (row->id == NOTE_PAUSE) {
		x.from = row->count < row->ts ? row->ts - row->count : 0;
		x.to = row->ts;
		r->pause = (struct rec_range){ x.from, x.to };
	}
	if (row->id == NOTE_REATTACHED) {
		x.from = (x.to = row->ts) - row->count;
		if (end_gap(r, lane, (struct rec_range){ x.from, x.to }))
			return 0;
	}
	if (note_is_detached(row)) {
		x.flags = TL_OPEN;
		if (vec_try_push(&r->gaps, ((struct rec_range){ x.from, INT64_MAX })) < 0)
			r->error = -ENOMEM;
	}
	strb_reset(&r->key);
	strb_printf(&r->key, "dwell: %.*s", (int)row->len, (const char *)row->data);
	x.text = tl_text_of(r, strb_str(&r->key));
	tl_add_item(r, lane, x);
	return r->error;
}
