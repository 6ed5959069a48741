/* SPDX-License-Identifier: Apache-2.0 */
/* Detaches programs that cost too much, and reattaches them later (run/session/governor.h decides which and when). Both
 * produce a note in the recording.
 *
 * While a program that ends events of a tracker is detached, no event of the tracker is counted: an open event may have
 * ended unseen. An event that is open when such a program is detached or reattached is not counted either: its
 * beginning and its end may not belong together. */
#include <string.h>
#include "base/clock.h"
#include "run/session/int.h"

static bool has_clause(const struct img_prog *p, uint32_t epid)
{
	for (uint32_t i = 0; i < p->nlines; i++)
		if (p->lines[i].epid == epid)
			return true;
	return false;
}

/* " (wakeup.d, offcpu.d)": the files whose clauses are in a program; nothing for what stood on the command line. */
static void put_files(const struct session *s, const struct img_prog *p, struct strb *b)
{
	const struct source *last = NULL;

	for (const struct clause_instance *st = s->c.prog->instances; st; st = st->next) {
		if (!st->at.src || st->at.src == last || !st->at.src->is_file || !has_clause(p, st->epid))
			continue;
		last = st->at.src; /* clauses of one text follow each other */
		strb_printf(b, "%s%s", b->n ? ", " : " (", basename(last->name));
	}
	if (b->n)
		strb_addc(b, ')');
}

static void put_probe(const struct img_prog *p, struct strb *b)
{
	const struct probe *first = p->nprobes ? p->probes[0] : NULL;

	strb_printf(b, "%s:%s:%s:%s", first ? first->prov : "", first ? first->mod : "", first ? first->func : "",
		    first ? first->name : p->name);
}

/* -- trackers -- */

/* Whether the program begins or ends (closes: ends) events of this tracker. */
static bool uses_tracker(const struct session *s, uint32_t prog, uint32_t tracker, bool closes)
{
	for (const struct clause_instance *st = s->c.prog->instances; st; st = st->next) {
		const bool *which = closes ? st->closes : st->fires;

		if (which && which[tracker] && has_clause(&s->l->img->progs[prog], st->epid))
			return true;
	}
	return false;
}

/* Whether a program that ends events of the tracker is detached. */
static bool misses_ends(const struct session *s, uint32_t tracker)
{
	for (uint32_t i = 0; i < s->l->img->nprogs; i++)
		if (governor_is_detached(s->governor, i) && uses_tracker(s, i, tracker, true))
			return true;
	return false;
}

static void suspend_trackers(struct session *s, uint32_t prog)
{
	for (uint32_t t = 0; s->trackers && t < s->l->img->ntracks; t++)
		if (uses_tracker(s, prog, t, true))
			trackers_since(s->trackers, t, UINT64_MAX);
		else if (uses_tracker(s, prog, t, false) && !misses_ends(s, t))
			trackers_since(s->trackers, t, clock_ns(CLOCK_MONOTONIC));
}

static void resume_trackers(struct session *s, uint32_t prog)
{
	for (uint32_t t = 0; s->trackers && t < s->l->img->ntracks; t++)
		if (uses_tracker(s, prog, t, false) && !misses_ends(s, t))
			trackers_forget(s->trackers, t, clock_ns(CLOCK_MONOTONIC));
}

/* -- detach and reattach -- */

static int detach_program(struct session *s, const struct governor_costly *v)
{
	const struct img_prog *p = &s->l->img->progs[v->prog];
	const struct row note = { .id = NOTE_DETACHED, .ts = clock_ns(CLOCK_MONOTONIC) };
	struct strb what = { 0 }, files = { 0 };
	int r;

	suspend_trackers(s, v->prog);
	session_detach(s, v->prog);
	governor_detached(s->governor, v->prog, note.ts);
	put_probe(p, &what);
	put_files(s, p, &files);
	r = session_note_program(s, &note, v->prog,
				 "maxcpu: detached %s%s%s: it used %.1f%% of the CPUs, the limit is %g%%",
				 strb_str(&what), p->nprobes > 1 ? " and others with it" : "", strb_str(&files),
				 v->percent, governor_limit(s->governor));
	strb_free(&what);
	strb_free(&files);
	return r;
}

/* A program that cannot be attached any more, since its process has ended, is tried again later. */
static int reattach_program(struct session *s, uint32_t prog)
{
	const struct img_prog *p = &s->l->img->progs[prog];
	struct row note = { .id = NOTE_REATTACHED };
	struct strb what = { 0 }, files = { 0 };
	int r = session_attach(s, prog);

	if (r < 0 && !s->links[prog]) {
		r = session_note(s, "maxcpu: not attached again: %s", s->err->msg);
		err_done(s->err);
		governor_detached(s->governor, prog, clock_ns(CLOCK_MONOTONIC));
		return r;
	}
	note.ts = clock_ns(CLOCK_MONOTONIC);
	note.count = governor_reattached(s->governor, prog, note.ts);
	resume_trackers(s, prog);
	put_probe(p, &what);
	put_files(s, p, &files);
	if (r == 0)
		r = session_note_program(s, &note, prog, "maxcpu: attached %s%s again%s: not measured for %.1f s",
					 strb_str(&what), p->nprobes > 1 ? " and others with it" : "", strb_str(&files),
					 (double)note.count / 1e9);
	strb_free(&what);
	strb_free(&files);
	return r;
}

int session_govern(struct session *s)
{
	int64_t next;
	uint32_t n;
	int r = 0;

	for (uint32_t i = 0; i < s->l->img->nprogs; i++)
		s->live[i] = s->links[i] != NULL;
	n = governor_measure(s->governor, clock_ns(CLOCK_MONOTONIC), s->live, s->costly);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = detach_program(s, &s->costly[i]);
	next = r == 0 ? governor_next(s->governor, clock_ns(CLOCK_MONOTONIC)) : -1;
	return next >= 0 ? reattach_program(s, (uint32_t)next) : r;
}
