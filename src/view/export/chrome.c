/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events in JSON. Intervals are asynchronous pairs (b, e with an id), since waits of one thread may overlap;
 * times are microseconds since the recording began. Source: "Trace Event Format" (Google, 2016). */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "store/flight.h"
#include "store/recquery.h"
#include "store/slow.h"
#include "view/export/export.h"
#include "view/form/fieldtext.h"
#include "view/text/flighttext.h"
#include "view/picture/timeline.h"

/* Process ids of what is no process; real ones are below 2^22. */
enum { PID_CPUS = 1 << 23, PID_SPANS, PID_LOSSES, PID_FLIGHT, PID_TASKS };
#define LANES_MAX 1024 /* spans of further lanes share the last */

struct chrome {
	struct recread *f;
	const struct rec_schema *schema;
	struct sym *sym;
	const struct timeline *states; /* of threads; NULL: not in the recording */
	uint64_t begun;
	uint64_t ids;	/* given to intervals */
	uint64_t flown; /* end of the last record of the flight recorder */
	char *lanes[LANES_MAX];
	unsigned nlanes;
	struct strb b;
	struct jsonw w; /* writes to b */
	FILE *out;
	int error;
};

static int flush(struct chrome *c)
{
	if (!c->error && c->b.failed)
		c->error = -ENOMEM;
	if (!c->error && c->b.n && fwrite(c->b.s, 1, c->b.n, c->out) != c->b.n)
		c->error = errno ? -errno : -EIO;
	strb_reset(&c->b);
	return c->error;
}

/* A time in microseconds with three decimals. */
static void put_us(struct chrome *c, const char *name, uint64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));

	jsonw_raw(&c->w, name, text, (size_t)n);
}

/* Begins an event, on a line of its own; further members follow, then end_event(). */
static void event(struct chrome *c, const char *ph, uint64_t ts, uint64_t pid, uint64_t tid, const char *name)
{
	jsonw_object(&c->w, NULL);
	jsonw_str(&c->w, "ph", ph);
	put_us(c, "ts", ts > c->begun ? ts - c->begun : 0);
	jsonw_u64(&c->w, "pid", pid);
	jsonw_u64(&c->w, "tid", tid);
	jsonw_str(&c->w, "name", name);
}

static int end_event(struct chrome *c)
{
	jsonw_end_object(&c->w);
	jsonw_line(&c->w);
	return c->b.n > 1u << 16 ? flush(c) : c->error;
}

/* The member "args" of the open event with one number. */
static void put_arg(struct chrome *c, const char *name, uint64_t v)
{
	jsonw_object(&c->w, "args");
	jsonw_u64(&c->w, name, v);
	jsonw_end_object(&c->w);
}

static void name_track(struct chrome *c, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
	event(c, "M", c->begun, pid, tid, what);
	jsonw_object(&c->w, "args");
	jsonw_str(&c->w, "name", name);
	jsonw_end_object(&c->w);
	end_event(c);
}

/* The pair of an interval: cat with its id keeps pairs apart. The caller ends the first with its arguments. */
static void interval(struct chrome *c, const char *ph, const char *cat, uint64_t id, uint64_t ts, uint64_t pid,
		     uint64_t tid, const char *name)
{
	event(c, ph, ts, pid, tid, name);
	jsonw_str(&c->w, "cat", cat);
	jsonw_u64(&c->w, "id", id);
}

static unsigned lane_of(struct chrome *c, const char *name)
{
	unsigned i = 0;

	while (i < c->nlanes && strcmp(c->lanes[i], name) != 0)
		i++;
	if (i < c->nlanes)
		return i;
	if (i == LANES_MAX)
		return i - 1;
	c->lanes[i] = strdup(name);
	if (!c->lanes[i]) {
		c->error = -ENOMEM;
		return 0;
	}
	c->nlanes++;
	name_track(c, "thread_name", PID_SPANS, i, name);
	return i;
}

static int on_span(void *ctx, const struct rec_span *s)
{
	struct chrome *c = ctx;
	unsigned lane = lane_of(c, s->lane);
	uint64_t id = ++c->ids;

	interval(c, "b", "span", id, s->start, PID_SPANS, lane, s->label);
	end_event(c);
	interval(c, "e", "span", id, s->start + s->duration, PID_SPANS, lane, s->label);
	return end_event(c);
}

static void put_attr(struct chrome *c, const struct rec_attr *a)
{
	if (a->kind == ATTR_INT)
		jsonw_i64(&c->w, a->name, (int64_t)a->value);
	else if (a->kind == ATTR_TEXT)
		jsonw_str(&c->w, a->name, a->text);
}

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	const struct rec_slow *f = &s->fixed;
	struct chrome *c = ctx;
	const char *name = c->schema->trackers[f->tracker].name;
	uint64_t id;

	if (c->states && (!strcmp(name, "state") || !strcmp(name, "life")))
		return 0; /* put_states() has them */
	id = ++c->ids;

	interval(c, "b", "slow", id, f->start, f->pid, f->tid, name);
	jsonw_object(&c->w, "args");
	jsonw_str(&c->w, "how", slow_how_name(f->how));
	jsonw_str(&c->w, "key", s->key);
	jsonw_str(&c->w, "ended in", f->end_comm);
	for (size_t i = 0; i < s->nattrs; i++)
		put_attr(c, &s->attrs[i]);
	jsonw_end_object(&c->w);
	end_event(c);
	interval(c, "e", "slow", id, f->start + f->delay, f->pid, f->tid, name);
	end_event(c);
	name_track(c, "process_name", f->pid, f->tid, f->comm);
	return c->error;
}

static int on_proc(void *ctx, const struct rec_proc_row *p)
{
	struct chrome *c = ctx;
	uint32_t tgid = p->p.tgid;

	switch (p->p.kind) {
	case PROC_FORK:
		event(c, "i", p->ts, tgid, tgid, "fork");
		jsonw_str(&c->w, "s", "p");
		put_arg(c, "parent", p->p.parent);
		break;
	case PROC_EXEC:
		name_track(c, "process_name", tgid, tgid, p->name);
		event(c, "i", p->ts, tgid, tgid, "exec");
		jsonw_str(&c->w, "s", "p");
		break;
	case PROC_EXIT:
		event(c, "i", p->ts, tgid, tgid, "exit");
		jsonw_str(&c->w, "s", "p");
		break;
	default: return 0;
	}
	return end_event(c);
}

static void put_event(struct chrome *c, const struct row *row)
{
	const struct recfmt *fmt = c->schema->fmts[row->id - 1];
	const struct rec_probe *p = rec_schema_probe(c->schema, row->probe);
	struct strb text = { 0 };
	char number[16];
	unsigned n = 0;

	strb_printf(&text, "%s:%s:%s:%s", p ? p->prov : "", p ? p->mod : "", p ? p->func : "", p ? p->name : "");
	event(c, "i", row->ts, PID_CPUS, row->cpu, strb_str(&text));
	jsonw_str(&c->w, "s", "t");
	jsonw_object(&c->w, "args");
	for (size_t i = 0; i < fmt->nacts; i++)
		for (size_t k = 0; k < fmt->acts[i].nfields; k++) {
			const struct recfield *f = &fmt->acts[i].fields[k];

			strb_reset(&text);
			fieldtext_add(&text, c->sym, f, (const uint8_t *)row->data + f->off);
			snprintf(number, sizeof(number), "%u", ++n);
			jsonw_strn(&c->w, number, strb_str(&text), text.n);
		}
	jsonw_end_object(&c->w);
	end_event(c);
	strb_free(&text);
}

/* What a thread did, or a CPU. */
static int put_state(struct chrome *c, const struct tl_row *r, const struct tl_item *x)
{
	const struct tl_text *text = &c->states->texts.v[x->text];
	const struct tl_kind_info *kind = tl_kind_info((enum tl_kind)x->kind);
	bool cpu = r->group == TL_GROUP_CPUS;

	event(c, "X", x->from, cpu ? PID_TASKS : r->pid, r->tid, text->words[0] ? text->words : kind->legend);
	put_us(c, "dur", x->to - x->from);
	jsonw_str(&c->w, "cat", kind->name);
	jsonw_object(&c->w, "args");
	jsonw_str(&c->w, "kind", kind->legend);
	if (x->cpu && x->kind == TL_RUN)
		jsonw_u64(&c->w, "cpu", x->cpu - 1u);
	if (x->by)
		jsonw_str(&c->w, "woken by", c->states->texts.v[x->by].words);
	if (text->stack[0])
		jsonw_str(&c->w, "stack", text->stack);
	jsonw_end_object(&c->w);
	return end_event(c);
}

/* Labels of threads are their names and numbers. */
static void name_process(struct chrome *c, const struct tl_row *r)
{
	const char *number = strrchr(r->label, ' ');
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(number ? number - r->label : (ptrdiff_t)strlen(r->label)), r->label);
	name_track(c, "process_name", r->pid, r->pid, name);
}

/* Rows of threads and CPUs: intervals of one do not overlap. */
static int put_states(struct chrome *c)
{
	const struct timeline *t = c->states;

	name_track(c, "process_name", PID_TASKS, 0, "CPUs");
	for (size_t k = 0; k < t->rows.n && !c->error; k++) {
		const struct tl_row *r = &t->rows.v[k];

		if (r->group != TL_GROUP_THREADS && r->group != TL_GROUP_CPUS)
			continue;
		name_track(c, "thread_name", r->group == TL_GROUP_CPUS ? PID_TASKS : r->pid, r->tid, r->label);
		if (r->group == TL_GROUP_THREADS && r->tid == r->pid)
			name_process(c, r);
		for (size_t i = 0; i < r->items.n && !c->error; i++)
			if (r->items.v[i].kind != TL_UNSEEN)
				put_state(c, r, &r->items.v[i]);
	}
	return c->error;
}

static bool has_states(const struct rec_schema *s)
{
	for (size_t i = 0; i < s->ntrackers; i++)
		if (!strcmp(s->trackers[i].name, "state"))
			return true;
	return false;
}

/* Who has a CPU from `from` on. */
static void put_run(struct chrome *c, const struct flight_rec *f, uint32_t i, uint64_t from)
{
	const struct flight_event e = flight_event(f, i);
	uint64_t end = flight_until(f, i, "switch");
	char name[FLIGHT_TEXT + 16];

	if (!e.id || end <= from)
		return;
	snprintf(name, sizeof(name), "%s %u", e.text, e.id);
	event(c, "X", from, PID_FLIGHT, e.cpu, name);
	put_us(c, "dur", end - from);
	end_event(c);
}

/* What the flight recorder saw. Records of slow events that were close to each other tell the same: what is before the
 * end of the last is left out. */
static int on_flight(void *ctx, const struct row *row)
{
	struct strb text = { 0 };
	struct chrome *c = ctx;
	struct flight_rec f;

	if (flight_open(row->data, row->len, &f) < 0)
		return 0;
	for (uint32_t i = 0; i < f.h.n; i++) {
		struct flight_event e = flight_event(&f, i);

		if (flight_is(&e, "switch")) {
			put_run(c, &f, i, e.ts > c->flown ? e.ts : c->flown);
		} else if (e.ts > c->flown && !flight_is(&e, "holder")) { /* the lock's text names it */
			strb_reset(&text);
			flighttext_event(&text, &f, i);
			event(c, "i", e.ts, PID_FLIGHT, e.cpu, strb_str(&text));
			jsonw_str(&c->w, "s", "t");
			end_event(c);
		}
	}
	c->flown = f.h.to > c->flown ? f.h.to : c->flown;
	strb_free(&text);
	return c->error;
}

static int on_row(void *ctx, const struct row *row)
{
	struct chrome *c = ctx;

	if (row->kind == ROW_EVENT) {
		put_event(c, row);
	} else if (rec_loss(row->id) == REC_LOST) {
		event(c, "i", row->ts, PID_LOSSES, row->cpu, "lost");
		jsonw_str(&c->w, "s", "p");
		put_arg(c, "count", row->count);
		end_event(c);
	}
	return c->error;
}

static int export(struct chrome *c, struct err *err)
{
	struct rec_slow_query slow = { .range = REC_ALL_TIME, .tracker = -1, .which = SLOW_ONLY };
	char cpu[32];
	int e;

	c->w = jsonw_to(&c->b);
	jsonw_object(&c->w, NULL);
	jsonw_str(&c->w, "displayTimeUnit", "ns");
	jsonw_array(&c->w, "traceEvents");
	jsonw_line(&c->w);
	name_track(c, "process_name", PID_CPUS, 0, "Probes by CPU");
	for (unsigned i = 0; i < c->schema->ncpus; i++) {
		snprintf(cpu, sizeof(cpu), "CPU %u", i);
		name_track(c, "thread_name", PID_CPUS, i, cpu);
		name_track(c, "thread_name", PID_FLIGHT, i, cpu);
	}
	name_track(c, "process_name", PID_FLIGHT, 0, "Flight recorder by CPU");
	name_track(c, "process_name", PID_SPANS, 0, "Spans");
	name_track(c, "process_name", PID_LOSSES, 0, "Losses");
	if (c->states)
		put_states(c);
	e = recread_rows(c->f, 1u << ROW_EVENT | 1u << ROW_DROPS, REC_ALL_TIME, on_row, c, err);
	if (e == 0)
		e = recread_spans(c->f, REC_ALL_TIME, on_span, c, err);
	if (e == 0)
		e = recread_slow(c->f, &slow, on_slow, c, err);
	if (e == 0)
		e = recread_flights(c->f, on_flight, c, err);
	if (e == 0)
		e = recread_procs(c->f, REC_ALL_TIME, on_proc, c, err);
	jsonw_end_array(&c->w);
	jsonw_end_object(&c->w);
	jsonw_line(&c->w);
	flush(c);
	return e < 0 ? e : c->error;
}

int export_chrome(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err)
{
	struct tl_opts all = { .why = why, .why_arg = why_arg };
	struct timeline *states = NULL;
	struct chrome c = { .f = f, .schema = recread_schema(f), .sym = sym, .out = out };
	const char *begun = recread_meta(f, "begun_monotonic_ns");
	int e;

	if (begun)
		num_parse_u64(begun, &c.begun);
	if (has_states(c.schema) && timeline_make(f, &all, &states, err) < 0)
		*err = (struct err){ 0 }; /* a tracker of this name that is something else */
	if (states && states->states)
		c.states = states;
	e = export(&c, err);
	timeline_free(states);
	for (unsigned i = 0; i < c.nlanes; i++)
		free(c.lanes[i]);
	strb_free(&c.b);
	return e;
}
