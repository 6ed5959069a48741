/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the memory of an open event of each tracker (start, details, key), and describes the trackers for user
 * space. */
#include "cg/gen/layout.h"

static uint32_t keep(uint32_t *size, uint32_t bytes)
{
	uint32_t at = *size;

	*size += bytes;
	return at;
}
#define USES(t, f) ((t)->uses & 1u << TF_##f)

static void lay_details(const struct dtracker *t, struct lay_track *l)
{
	bool opener = USES(t, OPENER_PID) || USES(t, OPENER_TID), who = USES(t, PID) || USES(t, TID);

	l->size = 8; /* the start */
	if (t->timeouts)
		l->timed = keep(&l->size, 8);
	if (USES(t, CPU))
		l->cpu = keep(&l->size, 8);
	if (t->store == TRACK_THREAD)
		return; /* the thread is there when it closes */
	if (opener || (t->store == TRACK_KEYED && (who || t->timeouts || USES(t, STACK))))
		l->ids = keep(&l->size, 8);
	if (USES(t, OPENER_COMM) || (t->store == TRACK_KEYED && USES(t, COMM)))
		l->comm = keep(&l->size, 16);
	if (t->store == TRACK_KEYED && (USES(t, CGROUP) || t->settings[TS_CGROUPS]))
		l->cgroup = keep(&l->size, 8);
}

uint32_t nest_size(const struct dtracker *t, const struct lay_track *l)
{
	unsigned n = (unsigned)t->settings[TS_NESTED];

	return n == 1 ? l->size : (t->store == TRACK_KEYED ? 8 : 0) + n * l->size;
}

int lay_tracks(struct cg *c, uint64_t *tls, uint64_t *state)
{
	uint32_t nscans = 0;
	int r = 0;

	c->tracks = arena_new_arr(c->a, struct lay_track, c->p->ntrackers + 1);
	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		struct lay_track *l = &c->tracks[t->id];

		l->map = l->hist = l->due = l->cgroups = -1;
		lay_details(t, l);
		*state = ROUND_UP(*state, 8);
		l->state = (uint32_t)*state;
		*state += sizeof(struct tracker_settings);
		if (t->store == TRACK_KEYED) {
			l->scan = t->timeouts || t->settings[TS_GC] ? ++nscans : 0;
			r |= lay_make_key(c, t->keys, t->nkeys, 0, t->name, t->at, &l->key);
			continue;
		}
		*tls = ROUND_UP(*tls, 8);
		l->off = (uint32_t)*tls;
		*tls += nest_size(t, l);
	}
	return r;
}

static const struct img_scan_ref *scans(const struct cg *c, uint32_t *n)
{
	struct img_scan_ref *v = arena_new_arr(c->a, struct img_scan_ref, c->p->ntrackers + 1);

	*n = 0;
	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		const struct lay_track *l = &c->tracks[t->id];

		if (l->scan)
			v[(*n)++] = (struct img_scan_ref){
				(uint32_t)l->map, l->state + (uint32_t)offsetof(struct tracker_settings, scan)
			};
	}
	return v;
}

void cg_image_tracks(struct cg *c)
{
	struct tracker_desc *v = arena_new_arr(c->a, struct tracker_desc, c->p->ntrackers + 1);

	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		const struct lay_track *l = &c->tracks[t->id];

		v[t->id] = (struct tracker_desc){ t,	      l->state,	     l->hist,
						  l->cgroups, l->key.fields, l->key.nfields,
						  l->key.size };
	}
	c->img->tracks = v;
	c->img->scans = scans(c, &c->img->nscans);
	c->img->ntracks = c->p->ntrackers;
}
