/* SPDX-License-Identifier: Apache-2.0 */
/* Trace events in JSON. Intervals are asynchronous pairs (b, e with an id), since waits of one thread may overlap;
 * times are microseconds since the recording began. Source: "Trace Event Format" (Google, 2016). */
#include <string.h>
#include "base/jsonw.h"
#include "view/export/export.h"
#include "view/export/trace.h"

struct chrome {
	uint64_t begun;
	uint64_t ids; /* given to intervals */
	struct strb b;
	struct jsonw w; /* writes to b */
	FILE *out;
	int error;
};

static int flush(struct chrome *c)
{
	return strb_flush(&c->b, c->out, &c->error);
}

/* A time in microseconds with three decimals. */
static void put_us(struct chrome *c, const char *name, uint64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));

	jsonw_raw(&c->w, name, text, (size_t)n);
}

/* Begins an event, on a line of its own; further members follow, then end(). */
static void begin(struct chrome *c, const char *ph, uint64_t ts, uint64_t pid, uint64_t tid, const char *name)
{
	jsonw_object(&c->w, NULL);
	jsonw_str(&c->w, "ph", ph);
	put_us(c, "ts", ts > c->begun ? ts - c->begun : 0);
	jsonw_u64(&c->w, "pid", pid);
	jsonw_u64(&c->w, "tid", tid);
	jsonw_str(&c->w, "name", name);
}

static int end(struct chrome *c)
{
	jsonw_end_object(&c->w);
	jsonw_line(&c->w);
	return c->b.n > 1u << 16 ? flush(c) : c->error;
}

static int on_name(void *ctx, bool process, uint64_t pid, uint64_t tid, const char *name)
{
	struct chrome *c = ctx;

	begin(c, "M", c->begun, pid, tid, process ? "process_name" : "thread_name");
	jsonw_object(&c->w, "args");
	jsonw_str(&c->w, "name", name);
	jsonw_end_object(&c->w);
	return end(c);
}

static void put_args(struct chrome *c, const struct trace_event *e)
{
	bool stack = e->stack && e->stack[0];

	if (!e->nargs && !stack)
		return;
	jsonw_object(&c->w, "args");
	for (size_t i = 0; i < e->nargs; i++) {
		const struct trace_arg *a = &e->args[i];

		switch (a->kind) {
		case TRACE_UINT: jsonw_u64(&c->w, a->name, a->value); break;
		case TRACE_INT: jsonw_i64(&c->w, a->name, (int64_t)a->value); break;
		case TRACE_TEXT: jsonw_strn(&c->w, a->name, a->text, a->len); break;
		}
	}
	if (stack)
		jsonw_str(&c->w, "stack", e->stack);
	jsonw_end_object(&c->w);
}

/* Half of the pair of an interval: cat with its id keeps pairs apart. */
static void put_half(struct chrome *c, const char *ph, const struct trace_event *e, uint64_t ts)
{
	begin(c, ph, ts, e->pid, e->tid, e->name);
	jsonw_str(&c->w, "cat", e->cat ? e->cat : "interval");
	jsonw_u64(&c->w, "id", c->ids);
}

static int on_event(void *ctx, const struct trace_event *e)
{
	static const char *const phases[] = { [TRACE_INSTANT] = "i", [TRACE_SLICE] = "X" };
	struct chrome *c = ctx;

	if (e->kind == TRACE_INTERVAL) {
		c->ids++;
		put_half(c, "b", e, e->from);
		put_args(c, e);
		end(c);
		put_half(c, "e", e, e->to);
		return end(c);
	}
	begin(c, phases[e->kind], e->from, e->pid, e->tid, e->name);
	if (e->kind == TRACE_SLICE)
		put_us(c, "dur", e->to - e->from);
	else
		jsonw_str(&c->w, "s", e->whole_process ? "p" : "t");
	if (e->cat)
		jsonw_str(&c->w, "cat", e->cat);
	put_args(c, e);
	return end(c);
}

int export_chrome(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err)
{
	struct chrome c = { .begun = recread_begun(f), .out = out };
	struct trace_sink sink = { .ctx = &c, .name = on_name, .event = on_event };
	int e;

	c.w = jsonw_to(&c.b);
	jsonw_object(&c.w, NULL);
	jsonw_str(&c.w, "displayTimeUnit", "ns");
	jsonw_array(&c.w, "traceEvents");
	jsonw_line(&c.w);
	e = trace_walk(f, sym, why, why_arg, &sink, err);
	jsonw_end_array(&c.w);
	jsonw_end_object(&c.w);
	jsonw_line(&c.w);
	flush(&c);
	strb_free(&c.b);
	return e < 0 ? e : c.error;
}
