/* SPDX-License-Identifier: Apache-2.0 */
/* What costs too much is taken off, and put back when its time is over (run/session/governor.h says which and when).
 * Both are said.
 *
 * While a program is off that ends events of a tracker, none of its events is counted: what is open may have ended
 * unseen. What is open when a program goes or comes back, which begins or ends events, is not counted either, as the
 * times of its begin and its end may not belong together. */
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
		const char *slash;

		if (!st->at.src || st->at.src == last || !has_clause(p, st->epid) || !strstr(st->at.src->name, ".d"))
			continue;
		last = st->at.src; /* clauses of one text follow each other */
		slash = strrchr(last->name, '/');
		strb_printf(b, "%s%s", b->n ? ", " : " (", slash ? slash + 1 : last->name);
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

/* Does the program begin or end (closes: end) events of this tracker? */
static bool is_about(const struct session *s, uint32_t prog, uint32_t tracker, bool closes)
{
	for (const struct clause_instance *st = s->c.prog->instances; st; st = st->next) {
		const bool *which = closes ? st->closes : st->fires;

		if (which && which[tracker] && has_clause(&s->l->img->progs[prog], st->epid))
			return true;
	}
	return false;
}

/* Is a program off, other than this, that ends events of the tracker? */
static bool misses_ends(const struct session *s, uint32_t but, uint32_t tracker)
{
	for (uint32_t i = 0; i < s->l->img->nprogs; i++)
		if (i != but && governor_is_off(s->governor, i) && is_about(s, i, tracker, true))
			return true;
	return false;
}

static void close_trackers(struct session *s, uint32_t prog)
{
	for (uint32_t t = 0; s->trackers && t < s->l->img->ntracks; t++)
		if (is_about(s, prog, t, true))
			trackers_since(s->trackers, t, UINT64_MAX);
		else if (is_about(s, prog, t, false) && !misses_ends(s, prog, t))
			trackers_since(s->trackers, t, clock_ns(CLOCK_MONOTONIC));
}

static void open_trackers(struct session *s, uint32_t prog)
{
	for (uint32_t t = 0; s->trackers && t < s->l->img->ntracks; t++)
		if (is_about(s, prog, t, false) && !misses_ends(s, prog, t))
			trackers_forget(s->trackers, t, clock_ns(CLOCK_MONOTONIC));
}

/* -- off and on -- */

static int take_off(struct session *s, const struct governor_victim *v)
{
	const struct img_prog *p = &s->l->img->progs[v->prog];
	const struct row note = { .id = NOTE_DETACHED, .ts = clock_ns(CLOCK_MONOTONIC) };
	struct strb what = { 0 }, files = { 0 };
	int r;

	close_trackers(s, v->prog);
	session_detach(s, v->prog);
	governor_taken(s->governor, v->prog, note.ts);
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

/* What cannot be attached any more, as its process has ended, is tried again later. */
static int put_back(struct session *s, uint32_t prog)
{
	const struct img_prog *p = &s->l->img->progs[prog];
	struct row note = { .id = NOTE_REATTACHED };
	struct strb what = { 0 }, files = { 0 };
	int r = session_attach(s, prog);

	if (r < 0 && !s->links[prog]) {
		r = session_note(s, "maxcpu: not attached again: %s", s->err->msg);
		err_done(s->err);
		governor_taken(s->governor, prog, clock_ns(CLOCK_MONOTONIC));
		return r;
	}
	note.ts = clock_ns(CLOCK_MONOTONIC);
	note.count = governor_returned(s->governor, prog, note.ts);
	open_trackers(s, prog);
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
	n = governor_look(s->governor, clock_ns(CLOCK_MONOTONIC), s->live, s->victims);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = take_off(s, &s->victims[i]);
	next = r == 0 ? governor_next(s->governor, clock_ns(CLOCK_MONOTONIC)) : -1;
	return next >= 0 ? put_back(s, (uint32_t)next) : r;
}
