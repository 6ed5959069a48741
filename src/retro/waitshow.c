/* SPDX-License-Identifier: Apache-2.0 */
/* Prints waits: sums of those of one thread in one call that ended in the same way, the longest first. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/columns.h"
#include "retro/waits_int.h"
#include "strace/call.h"
#include "view/form/table.h"

struct sum {
	struct wait w; /* took, late: of all */
	uint64_t n, longest;
};

static int compare_doer(const struct doer *a, const struct doer *b)
{
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return strcmp(a->comm, b->comm);
}

static int by_kind(const void *x, const void *y)
{
	const struct wait *a = x, *b = y;
	int r = compare_doer(&a->who, &b->who);

	if (r == 0)
		r = (int)a->nr - (int)b->nr;
	if (r == 0)
		r = (int)a->on - (int)b->on;
	if (r == 0)
		r = (int)a->end - (int)b->end;
	if (r == 0)
		r = (int)a->signo - (int)b->signo;
	return r ? r : compare_doer(&a->by, &b->by);
}

static int by_time(const void *x, const void *y)
{
	const struct sum *a = x, *b = y;

	if (a->w.took != b->w.took)
		return a->w.took > b->w.took ? -1 : 1;
	return by_kind(&a->w, &b->w);
}

static size_t add_up(struct wait *v, size_t n, struct sum *ret)
{
	size_t k = 0;

	qsort(v, n, sizeof(*v), by_kind);
	for (size_t i = 0; i < n; i++) {
		if (!k || by_kind(&ret[k - 1].w, &v[i]) != 0) {
			ret[k] = (struct sum){ .w = v[i] };
			ret[k].w.took = ret[k].w.late = 0;
			k++;
		}
		ret[k - 1].n++;
		ret[k - 1].w.took += v[i].took;
		ret[k - 1].w.late += v[i].late;
		if (v[i].took > ret[k - 1].longest)
			ret[k - 1].longest = v[i].took;
	}
	qsort(ret, k, sizeof(*ret), by_time);
	return k;
}

static const char *const ends[END_KINDS] = { [END_UNKNOWN] = "unknown", [END_WAKE] = "wake",	 [END_EXIT] = "end",
					     [END_WRITE] = "write",	[END_READ] = "read",	 [END_CLOSE] = "close",
					     [END_TIME] = "time",	[END_SIGNAL] = "signal", [END_OPEN] = "open" };
static const char *const things[ON_KINDS] = {
	[ON_NOTHING] = "",	[ON_FUTEX] = "futex", [ON_PIPE] = "pipe",  [ON_SOCKET] = "socketpair",
	[ON_EVENT] = "eventfd", [ON_TIMER] = "timer", [ON_CHILD] = "child"
};

static void name(const struct doer *d, char *ret, size_t size)
{
	snprintf(ret, size, "%s/%u", d->comm, d->tid);
}

static void put_end(const struct wait *w, char *ret, size_t size)
{
	static const char *const words[END_KINDS] = { [END_WAKE] = "futex call",
						      [END_EXIT] = "end",
						      [END_WRITE] = "write",
						      [END_READ] = "read",
						      [END_CLOSE] = "close" };
	char by[40], signal[40];

	name(&w->by, by, sizeof(by));
	snprintf(signal, sizeof(signal), "signal %u", w->signo);
	if (w->end == END_UNKNOWN)
		snprintf(ret, size, "-");
	else if (w->end == END_TIME)
		snprintf(ret, size, "its time was over");
	else if (w->end == END_SIGNAL && !w->by.tid)
		snprintf(ret, size, "%s", w->signo ? signal : "a signal");
	else
		snprintf(ret, size, "%s of %s", w->end == END_SIGNAL ? signal : words[w->end], by);
}

static void put_text(struct table *t, const struct sum *s)
{
	char who[40], in[60], end[80];
	const struct call_desc *c = call_by_nr(s->w.nr);
	const struct cell cells[] = {
		{ "TIME", CELL_NS, 9, 0, { .u = s->w.took } },	 { "LONGEST", CELL_NS, 9, 0, { .u = s->longest } },
		{ "N", CELL_UINT, 6, 0, { .u = s->n } },	 { "THREAD", CELL_TEXT, -18, 0, { .s = who } },
		{ "WAITED IN", CELL_TEXT, -16, 0, { .s = in } }, { "UNTIL", CELL_TEXT, TABLE_REST, 0, { .s = end } }
	};

	name(&s->w.who, who, sizeof(who));
	snprintf(in, sizeof(in), "%s%s%s", c ? c->name : "?", *things[s->w.on] ? " " : "",
		 s->w.on == ON_FUTEX ? "" : things[s->w.on]);
	put_end(&s->w, end, sizeof(end));
	table_line(t, cells, sizeof(cells) / sizeof(*cells));
}

static double or_none(uint32_t n)
{
	return n ? n : NAN;
}

static void put_json(struct table *t, const struct sum *s)
{
	const struct call_desc *c = call_by_nr(s->w.nr);
	const bool by = s->w.by.tid != 0;
	const struct cell cells[] = { { "ns", CELL_UINT, 0, 0, { .u = s->w.took } },
				      { "longest_ns", CELL_UINT, 0, 0, { .u = s->longest } },
				      { "after_ns", CELL_UINT, 0, 0, { .u = s->w.late } },
				      { "count", CELL_UINT, 0, 0, { .u = s->n } },
				      { "thread", CELL_TEXT, 0, 0, { .s = s->w.who.comm } },
				      { "pid", CELL_UINT, 0, 0, { .u = s->w.who.tgid } },
				      { "tid", CELL_UINT, 0, 0, { .u = s->w.who.tid } },
				      { "call", CELL_TEXT, 0, 0, { .s = c ? c->name : "?" } },
				      { "on", CELL_TEXT, 0, 0, { .s = *things[s->w.on] ? things[s->w.on] : NULL } },
				      { "until", CELL_TEXT, 0, 0, { .s = ends[s->w.end] } },
				      { "by_thread", CELL_TEXT, 0, 0, { .s = by ? s->w.by.comm : NULL } },
				      { "by_pid", CELL_NUMBER, 0, 0, { .d = or_none(s->w.by.tgid) } },
				      { "by_tid", CELL_NUMBER, 0, 0, { .d = or_none(s->w.by.tid) } },
				      { "signal", CELL_NUMBER, 0, 0, { .d = or_none(s->w.signo) } } };

	table_line(t, cells, sizeof(cells) / sizeof(*cells));
}

int waits_show(struct wait *v, size_t n, bool json, FILE *out)
{
	struct table t = { .out = out, .type = "wait", .json = json, .columns = columns_of_stdout() };
	struct sum *sums = malloc((n + 1) * sizeof(*sums));
	const size_t k = sums ? add_up(v, n, sums) : 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < k; i++)
		if (json)
			put_json(&t, &sums[i]);
		else
			put_text(&t, &sums[i]);
	if (!json && !k)
		fputs("nobody waited in a system call\n", out);
	free(sums);
	return t.error;
}
