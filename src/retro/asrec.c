/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a recording out of the system calls of a trace. Ends of waits come from waits.c. */
#include "retro/asrec.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "engine/record/record.h"
#include "latency/tracker_facts.h"
#include "retro/waits_int.h"
#include "store/rechist.h"
#include "store/slow.h"
#include "strace/call.h"

#define CALL_LEN 24 /* of its name */
#define FOR_LEN 40
#define CLASS_LEN 16
#define NO_CALL CALL_NR_MAX /* a number that the table does not have */
#define ALL_CALLS (CALL_NR_MAX + 1)
#define MSEC_NS UINT64_C(1000000)

/* -- the schema -- */

struct slow_record {
	struct rec_hdr hdr;
	struct rec_slow fixed;
	char call[CALL_LEN], waited_for[FOR_LEN], class[CLASS_LEN], by_comm[REC_COMM];
	uint64_t by_tid;
};
struct span_record {
	struct rec_hdr hdr;
	char lane[REC_COMM], label[CALL_LEN];
	uint64_t start, took;
};
enum { EPID_SLOW = 1, EPID_SPAN };
enum { SOURCE_TRACKER, SOURCE_CALLS };

#define TEXT_FIELD(type, member, text) \
	{ \
		.kind = FLD_STRING, .off = offsetof(type, member), .size = sizeof(((type *)0)->member), .name = text \
	}
#define INT_FIELD(type, member, text) \
	{ \
		.kind = FLD_INT, .off = offsetof(type, member), .size = sizeof(uint64_t), .name = text \
	}
static const struct recfield slow_fields[] = {
	{ .kind = FLD_BYTES, .off = offsetof(struct slow_record, fixed), .size = sizeof(struct rec_slow) },
	{ .kind = FLD_BYTES, .off = offsetof(struct slow_record, fixed) }, /* no key */
	TEXT_FIELD(struct slow_record, call, ATTR_SYSCALL),
	TEXT_FIELD(struct slow_record, waited_for, SLOW_WAITED_FOR),
	TEXT_FIELD(struct slow_record, class, SLOW_CLASS),
	INT_FIELD(struct slow_record, by_tid, ATTR_WAKER_TID),
	TEXT_FIELD(struct slow_record, by_comm, ATTR_WAKER_COMM),
};
static const struct recfield span_fields[] = {
	TEXT_FIELD(struct span_record, lane, NULL),
	TEXT_FIELD(struct span_record, label, NULL),
	INT_FIELD(struct span_record, start, NULL),
	INT_FIELD(struct span_record, took, NULL),
};
static const struct recact slow_act = {
	.kind = ACT_SLOW, .number = 1, .fields = slow_fields, .nfields = ARRAY_SIZE(slow_fields)
};
static const struct recact span_act = {
	.kind = ACT_SPAN, .number = 1, .fields = span_fields, .nfields = ARRAY_SIZE(span_fields)
};
static const struct recfmt slow_fmt = {
	.epid = EPID_SLOW, .size = sizeof(struct slow_record), .acts = &slow_act, .nacts = 1
};
static const struct recfmt span_fmt = {
	.epid = EPID_SPAN, .size = sizeof(struct span_record), .acts = &span_act, .nacts = 1
};
static const struct recfield call_key = { .kind = FLD_STRING, .size = CALL_LEN };
static const struct aggdesc by_call = { .name = "syscall_name",
					.func = AGG_HIST,
					.keys = &call_key,
					.nkeys = 1,
					.key_size = CALL_LEN,
					.value_size = 8 * (1 + AGG_HIST_NBUCKETS) };
static const struct rec_tracker tracker = { .name = "syscall", .threshold = WAIT_MIN_NS };
static const struct rec_probe probe = { .id = 1, .prov = "syscall", .mod = "", .func = "", .name = "return" };
static const struct recfmt *const fmts[] = { &slow_fmt, &span_fmt };
static const struct aggdesc *const aggs[] = { &by_call };
static const struct rec_schema schema = { .fmts = fmts,
					  .nfmts = ARRAY_SIZE(fmts),
					  .aggs = aggs,
					  .naggs = ARRAY_SIZE(aggs),
					  .probes = &probe,
					  .nprobes = 1,
					  .trackers = &tracker,
					  .ntrackers = 1,
					  .ncpus = 1 };
_Static_assert(sizeof(struct slow_record) % 8 == 0 && sizeof(struct span_record) % 8 == 0, "as records are");

/* -- rows -- */

struct hist {
	uint64_t words[AGG_HIST_NBUCKETS], sum, max, count;
};
struct asrec {
	struct recording *rec;
	struct hist *hists[ALL_CALLS + 1]; /* by call, of this slot */
	uint64_t slot, slot_ns, wall_off;
	struct rechist_buf buf;
	uint64_t last; /* end of the last call */
	unsigned named;
	bool brief; /* without spans */
};

static const char *name_of(uint32_t nr)
{
	const struct call_desc *c = call_by_nr(nr);

	return c ? c->name : "?";
}

/* The recorder has taken the row when it is appended. */
static int append(struct asrec *a, const struct row *row)
{
	int r = recording_append(a->rec, row);
	struct row read;

	while (r == 0 && recording_next(a->rec, &read))
		;
	recording_release(a->rec);
	return r;
}

static int put_hist(struct asrec *a, uint32_t source, const struct hist *h, const char *key)
{
	const struct rec_hist head = {
		.period = a->slot_ns, .sum = h->sum, .max = h->max, .key_size = key ? CALL_LEN : 0
	};
	char text[CALL_LEN] = "";
	struct row row = { .kind = ROW_HIST, .ts = a->slot, .id = source };

	snprintf(text, sizeof(text), "%s", key ? key : "");
	if (rechist_make(&a->buf, &head, text, h->words, AGG_HIST_NBUCKETS) < 0)
		return -ENOMEM;
	row.data = a->buf.v;
	row.len = a->buf.n;
	return append(a, &row);
}

static int end_slot(struct asrec *a)
{
	int r = 0;

	for (uint32_t i = 0; i <= ALL_CALLS && r == 0; i++) {
		struct hist *h = a->hists[i];

		if (!h || !h->count)
			continue;
		r = i == ALL_CALLS ? put_hist(a, SOURCE_TRACKER, h, NULL) : put_hist(a, SOURCE_CALLS, h, name_of(i));
		memset(h, 0, sizeof(*h));
	}
	return r;
}

static int count(struct asrec *a, uint32_t i, uint64_t ns)
{
	struct hist *h = a->hists[i];

	if (!h)
		h = a->hists[i] = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->words[aggval_hist_bucket((int64_t)ns)]++;
	h->count++;
	h->sum += ns;
	h->max = ns > h->max ? ns : h->max;
	return 0;
}

static int put_span(struct asrec *a, const struct wait *x)
{
	struct span_record s = { .hdr = { x->began + x->took, EPID_SPAN, probe.id },
				 .start = x->began,
				 .took = x->took };

	snprintf(s.lane, sizeof(s.lane), "%s", x->who.comm);
	snprintf(s.label, sizeof(s.label), "%s", name_of(x->nr));
	return append(a, &(struct row){ .kind = ROW_EVENT,
					.ts = s.hdr.ts,
					.probe = probe.id,
					.id = EPID_SPAN,
					.data = &s,
					.len = sizeof(s) });
}

static int on_call(void *ctx, const struct wait *x)
{
	struct asrec *a = ctx;
	const uint64_t end = x->began + x->took, slot = rechist_slot(end, a->slot_ns, a->wall_off);
	int r = slot != a->slot ? end_slot(a) : 0;

	a->slot = slot;
	a->last = end > a->last ? end : a->last;
	if (r == 0)
		r = count(a, x->nr < CALL_NR_MAX ? x->nr : NO_CALL, x->took);
	if (r == 0)
		r = count(a, ALL_CALLS, x->took);
	return r == 0 && !a->brief ? put_span(a, x) : r;
}

static int on_process(void *ctx, enum wait_process what, const struct doer *who, uint32_t parent, uint64_t ns)
{
	static const enum rec_proc_kind kinds[] = {
		[PROCESS_FORKED] = PROC_FORK, [PROCESS_EXECED] = PROC_EXEC, [PROCESS_ENDED] = PROC_EXIT
	};
	union {
		struct rec_proc p;
		char bytes[sizeof(struct rec_proc) + REC_COMM];
	} x = { .p = { .kind = kinds[what], .tgid = who->tgid, .parent = parent } };
	struct asrec *a = ctx;
	const size_t named = what == PROCESS_EXECED ? strnlen(who->comm, REC_COMM - 1) + 1 : 0;
	int r;

	snprintf(x.bytes + sizeof(x.p), REC_COMM, "%.*s", named ? (int)named - 1 : 0, who->comm);
	a->last = ns > a->last ? ns : a->last;
	r = append(a, &(struct row){ .kind = ROW_PROC, .ts = ns, .data = &x, .len = sizeof(x.p) + named });
	/* A process is called what its parent was. The command's parent is not known. */
	if (r == 0 && what == PROCESS_FORKED && !a->named++)
		r = on_process(ctx, PROCESS_EXECED, who, parent, ns);
	return r;
}

/* -- what a wait was for -- */

struct reason {
	const char *class, *words; /* of latency/cause/cause.def */
};

static struct reason reason_of_end(const struct wait *x)
{
	if (x->end == END_SIGNAL)
		return (struct reason){ x->kind == WAITS_SIGNAL ? "idle" : "process", "a signal" };
	if (x->end == END_TIME && x->on == ON_FUTEX)
		return (struct reason){ "time", "a timer (futex timeout)" };
	if (x->end == END_TIME)
		return (struct reason){ "time", x->kind == WAITS_SLEEP	? "sleep"
						: x->on == ON_TIMER	? "a timer"
						: x->kind == WAITS_POLL ? "a time-out (poll)"
									: "a time-out" };
	return (struct reason){ "unknown", "" };
}

/* Nobody of the recording ended it: the object tells nothing, since what was wanted was there. */
static bool is_unknown(const struct wait *x)
{
	return !x->waited || (x->end == END_UNKNOWN && x->on != ON_FUTEX);
}

static struct reason reason_of(const struct wait *x)
{
	if (is_unknown(x))
		return (struct reason){ "unknown", x->waited ? "what the trace does not tell" : "" };
	if (x->end == END_SIGNAL || x->end == END_TIME)
		return reason_of_end(x);
	switch (x->on) {
	case ON_FUTEX:
		return x->end == END_EXIT ? (struct reason){ "process", "the end of a thread" }
					  : (struct reason){ "lock", "futex (lock or condition)" };
	case ON_PIPE:
		return (struct reason){ "ipc", x->kind == WAITS_WRITE ? "room in a pipe"
					       : x->end == END_CLOSE  ? "data in a pipe, or its end"
								      : "data in a pipe" };
	case ON_SOCKET: return (struct reason){ "ipc", "data in a socketpair" };
	case ON_EVENT: return (struct reason){ "ipc", "an event (eventfd)" };
	case ON_TIMER: return (struct reason){ "time", "a timer" };
	case ON_CHILD: return (struct reason){ "process", "a child" };
	default:
		return x->kind == WAITS_SLEEP	 ? (struct reason){ "time", "sleep" }
		       : x->kind == WAITS_SIGNAL ? (struct reason){ "idle", "a signal" }
						 : (struct reason){ "unknown", "" };
	}
}

static int put_slow(struct asrec *a, const struct wait *x)
{
	const struct reason why = reason_of(x);
	struct slow_record s = { .hdr = { x->began + x->took, EPID_SLOW, probe.id },
				 .fixed = { .start = x->began,
					    .delay = x->took,
					    .how = x->end == END_OPEN ? SLOW_TIMEOUT : SLOW_NORMAL,
					    .pid = x->who.tgid,
					    .tid = x->who.tid,
					    .end_pid = x->who.tgid,
					    .end_tid = x->who.tid },
				 .by_tid = x->by.tid };

	memcpy(s.fixed.comm, x->who.comm, sizeof(s.fixed.comm));
	memcpy(s.fixed.end_comm, x->who.comm, sizeof(s.fixed.end_comm));
	memcpy(s.by_comm, x->by.comm, sizeof(s.by_comm));
	snprintf(s.call, sizeof(s.call), "%s", name_of(x->nr));
	snprintf(s.waited_for, sizeof(s.waited_for), "%s", why.words);
	snprintf(s.class, sizeof(s.class), "%s", why.class);
	return append(a, &(struct row){ .kind = ROW_EVENT,
					.ts = s.hdr.ts,
					.probe = probe.id,
					.id = EPID_SLOW,
					.data = &s,
					.len = sizeof(s) });
}

/* -- all -- */

uint64_t asrec_slot(uint64_t ns)
{
	static const uint64_t steps[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000 };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(steps) && ns / (steps[i] * MSEC_NS) >= ASREC_SLOTS)
		i++;
	return steps[i] * MSEC_NS;
}

static int see_time(void *ctx, const struct calls_event *e)
{
	*(uint64_t *)ctx = e->ns;
	return 0;
}

static FILE *open_trace(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");

	if (!f)
		err_set(err, -errno, "%s", strerror(errno));
	return f;
}

/* How long the trace is, and when it began. */
static int measure(const char *path, struct asrec *a, struct recorder_then *then, struct err *err)
{
	FILE *f = open_trace(path, err);
	struct calls *c;
	int r = f ? calls_open(f, &c, err) : err->code;

	if (r < 0)
		return r;
	*then = (struct recorder_then){ calls_head(c)->real_ns, calls_head(c)->mono_ns };
	a->last = then->mono_ns;
	r = calls_walk(c, see_time, &a->last, err);
	a->slot_ns = asrec_slot(a->last - then->mono_ns);
	a->wall_off = then->real_ns - then->mono_ns;
	a->last = then->mono_ns;
	calls_close(c);
	return r;
}

static int put_all(struct asrec *a, const struct request *c, const char *path, struct err *err)
{
	const struct wait_sink sink = { a, on_call, on_process };
	FILE *f = open_trace(path, err);
	struct waits_found found = { 0 };
	int r = f ? waits_find(f, &sink, &found, err) : err->code;

	if (r == 0)
		r = end_slot(a);
	for (size_t i = 0; i < found.v.n && r == 0; i++)
		if (!is_unknown(&found.v.v[i]) || found.v.v[i].took >= CALL_LONG_NS)
			r = put_slow(a, &found.v.v[i]);
	vec_free(&found.v);
	if (r == 0)
		r = append(a, &(struct row){ .kind = ROW_END, .ts = a->last });
	if (r == 0 && found.cut)
		listener_msg(&c->to, "%s ends before its program: it is shown up to there", path);
	return r;
}

static bool no_kernel(void *ctx, uint64_t addr, struct symbol *ret)
{
	(void)ctx;
	*ret = (struct symbol){ .module = "", .offset = addr };
	return false;
}

static bool no_user(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	(void)tgid;
	(void)start;
	return no_kernel(ctx, addr, ret);
}

static int record(struct request *c, struct asrec *a, const struct recorder_then *then, const char *path,
		  struct err *err)
{
	const struct sym_source nothing = { .kernel = no_kernel, .user = no_user };
	struct recorder *recorder = NULL;
	struct sym *names = NULL;
	struct why why = { 0 };
	int e = sym_new_source(&nothing, &names, err), end;

	if (e == 0)
		e = recording_new_memory(&schema, &a->rec);
	c->name = "replay";
	if (e == 0)
		e = recorder_open(c, &schema, a->rec, names, &why, then, &recorder);
	if (e == 0) {
		recorder_no_lines(recorder);
		e = put_all(a, c, path, err);
	}
	end = recorder_close(recorder);
	recording_free(a->rec);
	sym_free(names);
	return e ? e : end;
}

int asrec_write(struct request *c, const char *path, bool brief, struct err *err)
{
	struct recorder_then then;
	struct asrec a = { .brief = brief };
	int e = measure(path, &a, &then, err);

	if (e == 0)
		e = record(c, &a, &then, path, err);
	for (size_t i = 0; i <= ALL_CALLS; i++)
		free(a.hists[i]);
	rechist_buf_free(&a.buf);
	return e;
}
