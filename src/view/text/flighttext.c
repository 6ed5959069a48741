/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text/flighttext.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

/* TASK_*: the next state of a thread that leaves a CPU. Source: include/linux/sched.h */
#define STATE_SLEEPS 1u
#define STATE_WAITS 2u
#define STATE_ENDS (0x10u | 0x20u | 0x80u)

/* Source: include/linux/interrupt.h */
static const char *const softirqs[] = { "hi",	    "timer",   "net_tx", "net_rx",  "block",
					"irq_poll", "tasklet", "sched",	 "hrtimer", "rcu" };
/* Source: include/linux/blk_types.h, enum req_op */
static const char *const ops[] = { "read", "write", "flush", "discard" };

static void add_who(struct strb *b, uint32_t tid, const char *comm)
{
	if (tid)
		strb_printf(b, "%s %u", comm, tid);
	else
		strb_adds(b, "idle");
}

/* Adds the thread that has the CPU when event i happens. */
static void add_running(struct strb *b, const struct flight_rec *f, uint32_t i, const char *before)
{
	long at = flight_running(f, i);
	struct flight_event e;

	if (at < 0)
		return;
	e = flight_event(f, (uint32_t)at);
	strb_adds(b, before);
	add_who(b, e.id, e.text);
}

static const char *leaves(uint32_t state)
{
	return !state		      ? "could go on"
	       : state & STATE_ENDS   ? "ends"
	       : state & STATE_WAITS  ? "waits"
	       : state & STATE_SLEEPS ? "sleeps"
				      : "stops";
}

static void add_switch(struct strb *b, const struct flight_rec *f, uint32_t i, const struct flight_event *e)
{
	long at = flight_running(f, i);
	struct flight_event prev = { 0 };

	add_who(b, e->id, e->text);
	strb_adds(b, e->id ? " gets the CPU" : ": nobody wants the CPU");
	if (at < 0)
		return;
	prev = flight_event(f, (uint32_t)at);
	strb_adds(b, e->id ? " from " : ", ");
	add_who(b, prev.id, prev.text);
	if (prev.id)
		strb_printf(b, e->id ? ", which %s" : " %s", leaves(e->info));
}

static void add_lock(struct strb *b, const struct flight_rec *f, uint32_t i, const struct flight_event *e)
{
	long at = flight_holder(f, i);
	struct flight_event holder;

	strb_printf(b, "%s %u waits for a %s", e->text, e->id, flight_lock_name(e->info));
	if (at < 0)
		return;
	holder = flight_event(f, (uint32_t)at);
	strb_printf(b, ", held by %s %u", holder.text, holder.id);
}

/* Kinds that are a pair: begins, ends. */
static bool add_pair(struct strb *b, const struct flight_event *e)
{
	bool end = strlen(e->kind) > 4 && !strcmp(e->kind + strlen(e->kind) - 4, "-end");

	if (flight_is(e, "irq") || flight_is(e, "irq-end"))
		strb_printf(b, "interrupt %u%s%s %s", e->id, e->text[0] ? " " : "", e->text, end ? "ends" : "begins");
	else if (flight_is(e, "softirq") || flight_is(e, "softirq-end"))
		strb_printf(b, "soft interrupt %s %s", e->id < ARRAY_SIZE(softirqs) ? softirqs[e->id] : "",
			    end ? "ends" : "begins");
	else if (flight_is(e, "io") || flight_is(e, "io-end"))
		strb_printf(b, "%s of %s at sector %u %s", e->info < ARRAY_SIZE(ops) ? ops[e->info] : "operation",
			    e->text, e->id, end ? "is done" : "is issued");
	else
		return false;
	return true;
}

void flighttext_event(struct strb *b, const struct flight_rec *f, uint32_t i)
{
	const struct flight_event e = flight_event(f, i);

	if (flight_is(&e, "switch")) {
		add_switch(b, f, i, &e);
	} else if (flight_is(&e, "wake")) {
		add_who(b, e.id, e.text);
		strb_adds(b, e.info ? " is woken up by an interrupt" : " is woken up");
		add_running(b, f, i, " under ");
	} else if (flight_is(&e, "lock")) {
		add_lock(b, f, i, &e);
	} else if (flight_is(&e, "lock-end")) {
		strb_printf(b, "%s %u has the lock", e.text, e.id);
	} else if (flight_is(&e, "holder")) {
		strb_printf(b, "%s %u has a %s that is waited for", e.text, e.id, flight_lock_name(e.info));
	} else if (!add_pair(b, &e)) {
		strb_printf(b, "%s %u %u %s", e.kind, e.id, e.info, e.text);
	}
}

/* The first `most` by name. */
static void add_shares(struct strb *b, const struct flight_shares *s, size_t most)
{
	uint64_t others = s->others;
	char ns[UNITS_LEN];

	for (size_t i = most; i < s->n; i++)
		others += s->v[i].ns;
	for (size_t i = 0; i < s->n && i < most; i++) {
		strb_adds(b, i ? ", " : "");
		add_who(b, s->v[i].tid, s->v[i].comm);
		strb_printf(b, " %s", units_ns(s->v[i].ns, ns));
	}
	if (others)
		strb_printf(b, ", others %s", units_ns(others, ns));
	if (s->unknown)
		strb_printf(b, "%snot known %s", s->n ? ", " : "", units_ns(s->unknown, ns));
}

static void add_head(struct strb *b, const struct flight_rec *f, bool all)
{
	const struct rec_flight *h = &f->h;
	struct flight_shares s;
	char ns[UNITS_LEN];

	if (h->skipped) {
		strb_adds(b, "    flight recorder: not read, there were too many slow events in this second\n");
		return;
	}
	strb_printf(b, "    flight recorder: %u events", h->n);
	strb_printf(b, ", %s before the end", units_ns(h->to - h->from, ns));
	if (h->covered > h->from) {
		uint64_t covered = h->to > h->covered ? h->to - h->covered : 0;

		strb_printf(b, ", of which it covers the last %s", units_ns(covered, ns));
	}
	if (h->torn)
		strb_printf(b, ", %u were being written", h->torn);
	strb_addc(b, '\n');
	flight_shares(f, h->end_cpu, h->start, h->to, &s);
	if (!s.n)
		return;
	strb_printf(b, "      CPU %u meanwhile: ", h->end_cpu);
	add_shares(b, &s, all ? s.n : FLIGHTTEXT_NAMED);
	if (s.irq)
		strb_printf(b, "; %s of it in interrupts", units_ns(s.irq, ns));
	strb_addc(b, '\n');
}

/* How long the request to a disk was there that event i begins or ends; as far as is known. */
static uint64_t request_time(const struct flight_rec *f, uint32_t i)
{
	const struct flight_event e = flight_event(f, i);
	const bool begins = flight_is(&e, "io");

	for (uint32_t k = i; begins ? ++k < f->h.n : k-- > 0;) {
		struct flight_event o = flight_event(f, k);

		if (o.id == e.id && flight_is(&o, begins ? "io-end" : "io"))
			return begins ? o.ts - e.ts : e.ts - o.ts;
	}
	return begins ? f->h.to - e.ts : e.ts - f->h.from;
}

/* Is the event one that explains the delay? */
static bool matters(const struct flight_rec *f, uint32_t i)
{
	const struct flight_event e = flight_event(f, i);
	const uint64_t least = (f->h.to - f->h.start) / 100 * FLIGHTTEXT_SHARE;
	const char *end = flight_is(&e, "switch")    ? "switch"
			  : flight_is(&e, "irq")     ? "irq-end"
			  : flight_is(&e, "softirq") ? "softirq-end"
						     : NULL;
	uint64_t from, to;
	long at;

	if (flight_kind_has_thread(e.kind) && e.id == f->h.tid)
		return true;
	if (flight_is(&e, "io") || flight_is(&e, "io-end"))
		return e.ts >= f->h.start && request_time(f, i) >= least;
	if (flight_is(&e, "switch") && e.ts <= f->h.start && (at = flight_running(f, i)) >= 0 &&
	    flight_event(f, (uint32_t)at).id == f->h.tid)
		return true; /* it leaves the CPU */
	if (!end || e.cpu != f->h.end_cpu)
		return false;
	to = flight_until(f, i, end);
	from = e.ts > f->h.start ? e.ts : f->h.start;
	return to > from && to - from >= least;
}

/* The line of the lock names it. */
static bool is_holder(const struct flight_rec *f, uint32_t i)
{
	const struct flight_event e = flight_event(f, i);

	return flight_is(&e, "holder");
}

static void add_line(struct strb *b, const struct flight_rec *f, uint32_t i)
{
	const struct flight_event e = flight_event(f, i);
	char ns[UNITS_LEN], when[UNITS_LEN + 1];

	snprintf(when, sizeof(when), "%s%s", f->h.to > e.ts ? "-" : "",
		 units_ns(f->h.to > e.ts ? f->h.to - e.ts : 0, ns));
	strb_printf(b, "      %9s  CPU %-2u ", when, e.cpu);
	flighttext_event(b, f, i);
	strb_addc(b, '\n');
}

void flighttext(struct strb *b, const struct flight_rec *f, bool all)
{
	uint32_t shown[FLIGHTTEXT_LINES], n = 0, left_out = 0, earlier = 0;

	add_head(b, f, all);
	for (uint32_t i = 0; all && i < f->h.n; i++)
		if (!is_holder(f, i))
			add_line(b, f, i);
	/* backwards: what is nearest to the end */
	for (uint32_t i = f->h.n; !all && i-- > 0;) {
		bool before = flight_event(f, i).ts < f->h.start;

		if (n < FLIGHTTEXT_LINES && (!before || earlier < FLIGHTTEXT_EARLIER) && matters(f, i)) {
			shown[n++] = i;
			earlier += before;
		} else {
			left_out += !is_holder(f, i);
		}
	}
	for (uint32_t i = n; i-- > 0;)
		add_line(b, f, shown[i]);
	if (left_out)
		strb_printf(b, "      %u more: -v\n", left_out);
}

/* -- JSON -- */

static void put_shares(struct jsonw *w, const struct flight_rec *f)
{
	struct flight_shares s;

	flight_shares(f, f->h.end_cpu, f->h.start, f->h.to, &s);
	jsonw_array(w, "shares");
	for (size_t i = 0; i < s.n; i++) {
		jsonw_object(w, NULL);
		jsonw_u64(w, "tid", s.v[i].tid);
		jsonw_str(w, "comm", s.v[i].comm);
		jsonw_u64(w, "ns", s.v[i].ns);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void put_event(struct jsonw *w, const struct flight_event *e)
{
	jsonw_object(w, NULL);
	jsonw_u64(w, "time", e->ts);
	jsonw_u64(w, "cpu", e->cpu);
	jsonw_str(w, "kind", e->kind);
	jsonw_u64(w, "id", e->id);
	jsonw_u64(w, "info", e->info);
	jsonw_str(w, "text", e->text);
	jsonw_end_object(w);
}

void flightjson(struct jsonw *w, const char *name, const struct flight_rec *f)
{
	const struct rec_flight *h = &f->h;

	jsonw_object(w, name);
	jsonw_u64(w, "from", h->from);
	jsonw_u64(w, "to", h->to);
	jsonw_u64(w, "covered", h->covered);
	jsonw_u64(w, "start", h->start);
	jsonw_u64(w, "tid", h->tid);
	jsonw_u64(w, "cpu", h->cpu);
	jsonw_u64(w, "end_tid", h->end_tid);
	jsonw_u64(w, "end_cpu", h->end_cpu);
	jsonw_u64(w, "torn", h->torn);
	jsonw_bool(w, "skipped", h->skipped);
	put_shares(w, f);
	jsonw_array(w, "events");
	for (uint32_t i = 0; i < h->n; i++) {
		struct flight_event e = flight_event(f, i);

		put_event(w, &e);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}
