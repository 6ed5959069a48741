/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through a recording for the trace exporters (chrome.c, perfetto.c). Gives states of threads and CPUs, rows of
 * events, losses, spans, slow events, events of the flight recorder and processes to a sink as struct trace_event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "store/flight.h"
#include "store/slow.h"
#include "view/export/trace.h"
#include "view/form/fieldtext.h"
#include "view/text/flighttext.h"

#define LANES_MAX 1024 /* spans of further lanes share the last */
#define NUMBER_MAX 12  /* bytes of a number as text: the name of an argument, a thread's id */

struct walk {
	struct recread *f;
	const struct rec_schema *schema;
	struct sym *sym;
	const struct trace_sink *sink;
	bool states;	    /* the sink gets states: slow events of the trackers state and life are skipped */
	uint64_t flight_to; /* events of the flight recorder up to this time are exported; CLOCK_MONOTONIC, ns */
	char *lanes[LANES_MAX];
	unsigned nlanes;
	int error;
};

static struct trace_arg uint_arg(const char *name, uint64_t v)
{
	return (struct trace_arg){ .name = name, .kind = TRACE_UINT, .value = v };
}

static struct trace_arg text_arg(const char *name, const char *s)
{
	return (struct trace_arg){ .name = name, .kind = TRACE_TEXT, .text = s, .len = strlen(s) };
}

static void name(struct walk *w, bool process, uint64_t pid, uint64_t tid, const char *s)
{
	if (!w->error)
		w->error = w->sink->name(w->sink->ctx, process, pid, tid, s);
}

static int emit(struct walk *w, const struct trace_event *e)
{
	if (!w->error)
		w->error = w->sink->event(w->sink->ctx, e);
	return w->error;
}

static unsigned lane_of(struct walk *w, const char *s)
{
	unsigned i = 0;

	while (i < w->nlanes && strcmp(w->lanes[i], s) != 0)
		i++;
	if (i < w->nlanes)
		return i;
	if (i == LANES_MAX)
		return i - 1;
	w->lanes[i] = strdup(s);
	if (!w->lanes[i]) {
		w->error = -ENOMEM;
		return 0;
	}
	w->nlanes++;
	name(w, false, TRACE_PID_SPANS, i, s);
	return i;
}

static int on_span(void *ctx, const struct rec_span *s)
{
	struct walk *w = ctx;

	return emit(w, &(struct trace_event){ .kind = TRACE_INTERVAL,
					      .from = s->start,
					      .to = s->start + s->duration,
					      .pid = TRACE_PID_SPANS,
					      .tid = lane_of(w, s->lane),
					      .name = s->label,
					      .cat = "span" });
}

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	const struct rec_slow *f = &s->fixed;
	struct walk *w = ctx;
	const char *tracker = w->schema->trackers[f->tracker].name;
	struct trace_arg args[REC_SLOW_ATTRS + 3] = { text_arg("how", slow_how_name(f->how)), text_arg("key", s->key),
						      text_arg("ended in", f->end_comm) };
	struct trace_event e = { .kind = TRACE_INTERVAL,
				 .from = f->start,
				 .to = f->start + f->delay,
				 .pid = f->pid,
				 .tid = f->tid,
				 .name = tracker,
				 .cat = "slow",
				 .args = args,
				 .nargs = 3 };
	char label[sizeof(f->comm) + NUMBER_MAX];

	if (w->states && (!strcmp(tracker, "state") || !strcmp(tracker, "life")))
		return 0; /* told as states */
	for (size_t i = 0; i < s->nattrs; i++) {
		const struct rec_attr *a = &s->attrs[i];

		if (a->kind == REC_ATTR_INT)
			args[e.nargs++] =
				(struct trace_arg){ .name = a->name, .kind = TRACE_INT, .value = (uint64_t)a->value };
		else if (a->kind == REC_ATTR_TEXT)
			args[e.nargs++] = text_arg(a->name, a->text);
	}
	snprintf(label, sizeof(label), "%s %u", f->comm, f->tid);
	name(w, false, f->pid, f->tid, label);
	if (f->tid == f->pid)
		name(w, true, f->pid, f->tid, f->comm);
	return emit(w, &e);
}

static int on_proc(void *ctx, const struct rec_proc_row *p)
{
	struct walk *w = ctx;
	struct trace_arg parent = uint_arg("parent", p->p.parent);
	struct trace_event e = {
		.kind = TRACE_INSTANT, .whole_process = true, .from = p->ts, .pid = p->p.tgid, .tid = p->p.tgid
	};

	switch (p->p.kind) {
	case PROC_FORK:
		e.name = "fork";
		e.args = &parent;
		e.nargs = 1;
		break;
	case PROC_EXEC:
		name(w, true, e.pid, e.pid, p->name);
		e.name = "exec";
		break;
	case PROC_EXIT: e.name = "exit"; break;
	case PROC_ALIVE: name(w, true, e.pid, e.pid, p->name); return w->error;
	default: return 0;
	}
	return emit(w, &e);
}

typedef VEC(struct trace_arg) arg_vec;

/* The values of an event as arguments "1", "2", …; their texts and names are in strings. */
static int values(struct walk *w, const struct recfmt *fmt, const struct row *row, arg_vec *args, struct strb *strings)
{
	struct strb text = { 0 };
	char number[NUMBER_MAX];
	int e = 0;

	for (size_t i = 0; i < fmt->nacts && e == 0; i++)
		for (size_t k = 0; k < fmt->acts[i].nfields && e == 0; k++) {
			const struct recfield *f = &fmt->acts[i].fields[k];
			struct trace_arg a = { .kind = TRACE_TEXT };

			strb_reset(&text);
			fieldtext_add(&text, w->sym, f, (const uint8_t *)row->data + f->off);
			a.len = text.n;
			a.value = strings->n; /* where they begin: strings may move */
			snprintf(number, sizeof(number), "%zu", args->n + 1);
			strb_add(strings, number, strlen(number) + 1);
			strb_add(strings, strb_str(&text), text.n + 1);
			e = vec_try_push(args, a);
		}
	for (size_t i = 0; i < args->n; i++) {
		struct trace_arg *a = &args->v[i];

		a->name = strb_str(strings) + a->value;
		a->text = a->name + strlen(a->name) + 1;
	}
	e = strings->failed || text.failed ? -ENOMEM : e;
	strb_free(&text);
	return e;
}

static void emit_row(struct walk *w, const struct row *row)
{
	const struct recfmt *fmt = w->schema->fmts[row->id - 1];
	const struct rec_probe *p = rec_schema_probe(w->schema, row->probe);
	struct strb probe = { 0 }, strings = { 0 };
	arg_vec args = { 0 };

	strb_printf(&probe, "%s:%s:%s:%s", p ? p->prov : "", p ? p->mod : "", p ? p->func : "", p ? p->name : "");
	if (values(w, fmt, row, &args, &strings) < 0 || probe.failed)
		w->error = w->error ? w->error : -ENOMEM;
	emit(w, &(struct trace_event){ .kind = TRACE_INSTANT,
				       .from = row->ts,
				       .pid = TRACE_PID_CPUS,
				       .tid = row->cpu,
				       .name = strb_str(&probe),
				       .args = args.v,
				       .nargs = args.n });
	vec_free(&args);
	strb_free(&probe);
	strb_free(&strings);
}

static int on_row(void *ctx, const struct row *row)
{
	struct walk *w = ctx;
	struct trace_arg count = uint_arg("count", row->count);
	struct trace_counter frequency;

	if (row->kind == ROW_EVENT && w->sink->counter && trace_frequency(w->schema, row, &frequency))
		w->error = w->sink->counter(w->sink->ctx, &frequency);
	else if (row->kind == ROW_EVENT)
		emit_row(w, row);
	else if (rec_loss(row->id) == REC_LOST)
		emit(w, &(struct trace_event){ .kind = TRACE_INSTANT,
					       .whole_process = true,
					       .from = row->ts,
					       .pid = TRACE_PID_LOSSES,
					       .tid = row->cpu,
					       .name = "lost",
					       .args = &count,
					       .nargs = 1 });
	return w->error;
}

/* Writes an interval of a thread or a CPU. */
static int emit_state(struct walk *w, const struct timeline *t, const struct tl_row *r, const struct tl_item *x)
{
	const struct tl_text *text = &t->texts.v[x->text];
	const struct tl_kind_info *kind = tl_kind_info((enum tl_kind)x->kind);
	const char *waker = x->by ? t->texts.v[x->by].words : NULL;
	struct trace_arg args[3] = { text_arg("kind", kind->legend) };
	struct trace_event e = { .kind = TRACE_SLICE,
				 .from = x->from,
				 .to = x->to,
				 .pid = r->group == TL_GROUP_CPUS ? TRACE_PID_TASKS : r->pid,
				 .tid = r->tid,
				 .name = text->words[0] ? text->words : kind->legend,
				 .cat = kind->name,
				 .args = args,
				 .nargs = 1,
				 .stack = text->stack,
				 .waker = waker,
				 .state = (enum tl_kind)x->kind };

	if (x->cpu && x->kind == TL_RUN)
		args[e.nargs++] = uint_arg("cpu", x->cpu - 1u);
	if (waker)
		args[e.nargs++] = text_arg("woken by", waker);
	return emit(w, &e);
}

/* Labels of threads are their names and numbers. */
static void name_process(struct walk *w, const struct tl_row *r)
{
	uint64_t tid;
	char comm[64];
	size_t len;

	trace_split(r->label, &len, &tid);
	snprintf(comm, sizeof(comm), "%.*s", (int)len, r->label);
	name(w, true, r->pid, r->pid, comm);
}

/* Rows of threads and CPUs: intervals of one do not overlap. */
static void emit_states(struct walk *w, const struct timeline *t)
{
	name(w, true, TRACE_PID_TASKS, 0, "CPUs");
	if (w->sink->states && !w->error)
		w->error = w->sink->states(w->sink->ctx, t);
	for (size_t k = 0; k < t->rows.n && !w->error; k++) {
		const struct tl_row *r = &t->rows.v[k];

		if (r->group != TL_GROUP_THREADS && r->group != TL_GROUP_CPUS)
			continue;
		name(w, false, r->group == TL_GROUP_CPUS ? TRACE_PID_TASKS : r->pid, r->tid, r->label);
		if (r->group == TL_GROUP_THREADS && r->tid == r->pid)
			name_process(w, r);
		for (size_t i = 0; i < r->items.n && !w->error; i++)
			if (r->items.v[i].kind != TL_UNSEEN)
				emit_state(w, t, r, &r->items.v[i]);
	}
}

static bool has_states(const struct rec_schema *s)
{
	for (size_t i = 0; i < s->ntrackers; i++)
		if (!strcmp(s->trackers[i].name, "state"))
			return true;
	return false;
}

/* Event i is a switch: the slice of the thread that gets the CPU, from `from` to the next switch there. */
static void emit_run(struct walk *w, const struct flight_rec *f, uint32_t i, uint64_t from)
{
	const struct flight_event e = flight_event(f, i);
	uint64_t end = flight_until(f, i, "switch");
	char text[FLIGHT_TEXT + 16];

	if (!e.id || end <= from)
		return;
	snprintf(text, sizeof(text), "%s %u", e.text, e.id);
	emit(w, &(struct trace_event){ .kind = TRACE_SLICE,
				       .from = from,
				       .to = end,
				       .pid = TRACE_PID_FLIGHT,
				       .tid = e.cpu,
				       .name = text });
}

/* Exports one record of the flight recorder. Records of slow events that are close in time overlap: the part that an
 * earlier record has covered is skipped. */
static int on_flight(void *ctx, const struct row *row)
{
	struct strb text = { 0 };
	struct walk *w = ctx;
	struct flight_rec f;

	if (flight_open(row->data, row->len, &f) < 0)
		return 0;
	for (uint32_t i = 0; i < f.h.n; i++) {
		struct flight_event e = flight_event(&f, i);

		if (flight_is(&e, "switch")) {
			emit_run(w, &f, i, e.ts > w->flight_to ? e.ts : w->flight_to);
		} else if (e.ts > w->flight_to && !flight_is(&e, "holder")) { /* the lock's text names it */
			strb_reset(&text);
			flighttext_event(&text, &f, i);
			if (text.failed)
				w->error = w->error ? w->error : -ENOMEM;
			emit(w, &(struct trace_event){ .kind = TRACE_INSTANT,
						       .from = e.ts,
						       .pid = TRACE_PID_FLIGHT,
						       .tid = e.cpu,
						       .name = strb_str(&text) });
		}
	}
	w->flight_to = f.h.to > w->flight_to ? f.h.to : w->flight_to;
	strb_free(&text);
	return w->error;
}

static void name_groups(struct walk *w)
{
	char cpu[32];

	name(w, true, TRACE_PID_CPUS, 0, "Probes by CPU");
	for (unsigned i = 0; i < w->schema->ncpus; i++) {
		snprintf(cpu, sizeof(cpu), "CPU %u", i);
		name(w, false, TRACE_PID_CPUS, i, cpu);
		name(w, false, TRACE_PID_FLIGHT, i, cpu);
	}
	name(w, true, TRACE_PID_FLIGHT, 0, "Flight recorder by CPU");
	name(w, true, TRACE_PID_SPANS, 0, "Spans");
	name(w, true, TRACE_PID_LOSSES, 0, "Losses");
}

static int walk(struct walk *w, const struct timeline *states, struct err *err)
{
	struct rec_slow_query slow = { .range = REC_ALL_TIME, .tracker = -1, .which = SLOW_ONLY };
	int e;

	name_groups(w);
	if (states)
		emit_states(w, states);
	e = recread_rows(w->f, 1u << ROW_EVENT | 1u << ROW_DROPS, REC_ALL_TIME, on_row, w, err);
	if (e == 0)
		e = recread_spans(w->f, REC_ALL_TIME, on_span, w, err);
	if (e == 0)
		e = recread_slow(w->f, &slow, on_slow, w, err);
	if (e == 0)
		e = recread_flights(w->f, on_flight, w, err);
	if (e == 0)
		e = recread_procs(w->f, REC_ALL_TIME, on_proc, w, err);
	if (e == 0)
		e = trace_aggregations(w->f, w->sym, w->sink, err);
	return e < 0 ? e : w->error;
}

bool trace_split(const char *label, size_t *ret_len, uint64_t *ret_tid)
{
	const char *space = strrchr(label, ' ');
	bool is = space && num_parse_u64(space + 1, ret_tid) == 0;

	*ret_len = is ? (size_t)(space - label) : strlen(label);
	return is;
}

int trace_walk(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, const struct trace_sink *sink,
	       struct err *err)
{
	struct tl_opts all = { .why = why, .why_arg = why_arg };
	struct timeline *states = NULL;
	struct walk w = { .f = f, .schema = recread_schema(f), .sym = sym, .sink = sink };
	int e;

	e = has_states(w.schema) ? timeline_make(f, &all, &states, err) : 0;
	if (e == -EINVAL) { /* no states: a tracker "state" of somebody's own */
		err_done(err);
		e = 0;
	}
	w.states = states && states->states;
	if (e == 0)
		e = walk(&w, w.states ? states : NULL, err);
	timeline_free(states);
	for (unsigned i = 0; i < w.nlanes; i++)
		free(w.lanes[i]);
	return e;
}
