/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the files of trackers share (track.c, nest.c, scan.c). A tracker measures events: begin() opens
 * one by a key and stores its start stamp, end() closes it. Private to the code of trackers. */
#ifndef DWELL_CG_LOWER_TRACK_H
#define DWELL_CG_LOWER_TRACK_H
#include "cg/gen/gen.h"

/* A call of begin(), end() …: the event that it is about. */
struct track {
	const struct node *call;
	const struct dtracker *t;
	const struct lay_track *l;
	struct mem key; /* TRACK_KEYED */
	vreg task;	/* TRACK_TASK */
	struct tref task_type;
	int word; /* … which word of the context it is, or -1 */
	irlabel done;
};

static inline bool track_nests(const struct track *k)
{
	return k->t->settings[TS_NESTED] > 1;
}

/* Where the event is in what track_find() gave. */
struct mem track_mem(const struct track *k, vreg p);
/* Adds the delay to the slot of its second. */
void track_hist(struct gen *g, const struct dtracker *t, const struct lay_track *l, vreg delay);
/* The word of a tracepoint's context that the expression reads, or -1. */
int track_word(const struct gen *g, const struct node *n);
/* Where the open event is: NULL when there is none; with create (not TRACK_KEYED), made if need be, or a jump to
 * k->done. */
vreg track_find(struct gen *g, struct track *k, bool create);
/* The result of inserting the key, 0 or a negative number. */
vreg track_insert(struct gen *g, const struct track *k, struct mem value, uint64_t flags);
/* Deletes the key; jumps to k->done when somebody else has. */
void track_claim(struct gen *g, const struct track *k);
/* With -x noself dwell's own threads open nothing. To be called where what is cached from here on is forgotten at
 * done. */
void track_leave_self_out(struct gen *g, const struct track *k);
/* Stamp and details into m. */
void track_fill(struct gen *g, const struct track *k, struct mem m);
/* Copies what is kept of an event, before the event is removed or overwritten. */
struct mem track_save(struct gen *g, const struct track *k, struct mem m);
/* The event is over: counts its delay, unless it ended otherwise, and fires. */
void track_finish(struct gen *g, const struct track *k, vreg start, struct mem details, enum rec_slow_how how);

/* nest.c: setting nested */
void nest_begin(struct gen *g, struct track *k);
/* Closes the event at p that was opened last. start: its stamp. Gives what is kept of it; jumps to k->done without
 * one. */
struct mem nest_end(struct gen *g, struct track *k, vreg p, vreg start);
vreg nest_pending(struct gen *g, struct track *k);
/* The place that was opened first: at, and its stamp; 0: none is open. */
void nest_oldest(struct gen *g, struct track *k, vreg p, vreg *at, vreg start);
/* The i-th place, and its stamp; to none if nothing is open there. */
vreg nest_place(struct gen *g, struct track *k, vreg p, unsigned i, vreg start, irlabel none);
void nest_closed(struct gen *g, const struct track *k, vreg p); /* a place of a key has been closed */

/* scan.c: looks for entries that are due in this element of a walk */
void track_scan(struct gen *g, struct track *k);

/* The clauses that this one fires, those of slow after the test for it. id: of the exit, or NULL. */
void gen_fire(struct gen *g, struct gen_event *ev, const struct node *id);
/* scan.c: at the start of a program */
void track_scan_init(struct gen *g);
struct irfn *track_scan_fn(struct prog *pr); /* of a walk over keys: where its clauses are */
/* A field of a tracker's struct tracker_settings, as it is now: where it is; its eight bytes. */
vreg gen_track_at(struct gen *g, const struct lay_track *l, size_t off);
vreg gen_track_word(struct gen *g, const struct lay_track *l, size_t off);
void gen_track_count(struct gen *g, const struct dtracker *t, enum track_count what);
#endif
