/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of Perfetto: packets of protocol buffers. Switches of threads go out as sched_switch events, from which
 * Perfetto draws CPUs and threads in its own way. Waits are slices of threads, with causes, stacks and the wake-up that
 * ended them. Samples of CPUs are samples of perf. Names and stacks are interned: each is written once. Source:
 * protos/perfetto/trace of github.com/google/perfetto. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/num.h"
#include "base/vec.h"
#include "view/export/export.h"
#include "view/export/perfettofields.h"
#include "view/export/trace.h"
#include "view/form/protobuf.h"
#include "view/form/texthash.h"

enum { CLOCK_IS_REALTIME = 1, CLOCK_IS_MONOTONIC = 3, CLOCK_IS_BOOTTIME = 6 };
enum { MODE_KERNEL = 1, MODE_USER };
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END, TYPE_INSTANT, TYPE_COUNTER };
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 }; /* sequence_flags */
/* The state of a thread that leaves a CPU, with the numbers of the kernel's sched_switch. */
enum { TASK_RUNNING = 0, TASK_INTERRUPTIBLE = 1 };

#define SEQUENCE 1	  /* all packets are of one writer */
#define BUNDLE_EVENTS 500 /* sched_switch events in a packet */
#define TRACKS_MAX 1024	  /* for intervals of one row that overlap; what overlaps more shares the last */
#define SAMPLES_MAX 1000  /* of one stack read together; a CPU takes 99 a second */
#define REAL_PID_MAX (1u << 22)

/* Tracks by their number: rows of processes, their threads, further tracks of a row, counters. */
enum track_kind { TRACK_OF_PROCESS = 1, TRACK_OF_ROW, TRACK_OF_INTERVALS, TRACK_OF_COUNTER };
#define UUID(kind, pid, tid) ((uint64_t)(kind) << 56 | (uint64_t)(pid) << 24 | (uint64_t)(tid))

/* A text that was written already, or a track; found by its key. */
struct known {
	UT_hash_handle hh;
	uint64_t id;
	char key[];
};

struct lane {
	uint64_t uuid, end; /* of its last interval */
};

/* Tracks for intervals of one row. */
struct overlaps {
	UT_hash_handle hh;
	uint64_t uuid; /* of the row: the key */
	VEC(struct lane) lanes;
};

struct change {
	uint64_t at;
	int running, runnable;
};

struct thread {
	uint32_t tid, pid;
	const struct tl_row *row;
};

struct perfetto {
	struct known *texts[INTERNED_FIELDS]; /* by the field of the interned data */
	uint64_t ntexts[INTERNED_FIELDS];
	VEC(uint64_t) stacks; /* of samples: callstacks by the tree's nodes; 0: not written yet */
	struct known *tracks; /* by number, with the name they have now */
	struct overlaps *overlaps;
	VEC(struct thread) threads; /* by tid */
	uint64_t nflows, nlanes, ncounters;
	struct strb interned; /* of the packet that is being made */
	struct strb out;
	FILE *file;
	int error;
};

/* -- packets -- */

/* Writes a packet with the message m in `field`, which is taken, and the texts that it is the first to use. */
static int packet(struct perfetto *p, unsigned field, struct strb *m, uint64_t ts, uint64_t flags)
{
	struct strb all = { 0 };

	if (ts)
		pb_uint(&all, PACKET_TIMESTAMP, ts);
	pb_uint(&all, PACKET_SEQUENCE_ID, SEQUENCE);
	pb_uint(&all, PACKET_SEQUENCE_FLAGS, flags);
	if (p->interned.n)
		pb_message(&all, PACKET_INTERNED_DATA, &p->interned);
	pb_message(&all, field, m);
	pb_message(&p->out, TRACE_PACKET, &all);
	strb_free(&all);
	return p->out.n > 1u << 16 ? strb_flush(&p->out, p->file, &p->error) : p->error;
}

/* The entry of a key in a table, made when it is new (id 0); NULL: no memory. */
static struct known *entry(struct perfetto *p, struct known **table, const char *key, size_t len)
{
	struct known *k = NULL;

	HASH_FIND(hh, *table, key, len, k);
	if (k)
		return k;
	k = calloc(1, sizeof(*k) + len + 1);
	if (k) {
		memcpy(k->key, key, len);
		HASH_ADD_KEYPTR(hh, *table, k->key, len, k);
		if (k->hh.tbl)
			return k;
		free(k);
	}
	p->error = -ENOMEM;
	return NULL;
}

/* The number of a text among those of a field of the interned data. */
static uint64_t text_iid(struct perfetto *p, unsigned field, const char *s, size_t len)
{
	struct known *k = entry(p, &p->texts[field], s, len);
	struct strb m = { 0 };

	if (!k || k->id)
		return k ? k->id : 0;
	k->id = ++p->ntexts[field];
	pb_uint(&m, INTERNED_IID, k->id);
	pb_bytes(&m, INTERNED_TEXT, s, len);
	pb_message(&p->interned, field, &m);
	strb_free(&m);
	return k->id;
}

static uint64_t name_iid(struct perfetto *p, unsigned field, const char *s)
{
	return text_iid(p, field, s, strlen(s));
}

/* Some of Perfetto's readers skip frames without a mapping. A module is one mapping, at no address. */
static uint64_t mapping_iid(struct perfetto *p, const char *module)
{
	struct known *k = entry(p, &p->texts[INTERNED_MAPPINGS], module, strlen(module));
	struct strb m = { 0 };

	if (!k || k->id)
		return k ? k->id : 0;
	k->id = ++p->ntexts[INTERNED_MAPPINGS];
	pb_uint(&m, INTERNED_IID, k->id);
	if (module[0])
		pb_uint(&m, MAPPING_PATH_STRING_IDS, name_iid(p, INTERNED_MAPPING_PATHS, module));
	pb_message(&p->interned, INTERNED_MAPPINGS, &m);
	strb_free(&m);
	return k->id;
}

/* A frame is known by the names of its function and module ("": not known). */
static uint64_t frame_iid(struct perfetto *p, const char *function, size_t len, const char *module)
{
	struct strb key = { 0 }, m = { 0 };
	struct known *k = NULL;

	strb_add(&key, function, len);
	strb_printf(&key, "\n%s", module);
	if (key.failed)
		p->error = -ENOMEM;
	else
		k = entry(p, &p->texts[INTERNED_FRAMES], key.s, key.n);
	if (k && !k->id) {
		k->id = ++p->ntexts[INTERNED_FRAMES];
		pb_uint(&m, INTERNED_IID, k->id);
		pb_uint(&m, FRAME_FUNCTION_NAME_ID, text_iid(p, INTERNED_FUNCTION_NAMES, function, len));
		pb_uint(&m, FRAME_MAPPING_ID, mapping_iid(p, module));
		pb_uint(&m, FRAME_REL_PC, 0);
		pb_message(&p->interned, INTERNED_FRAMES, &m);
	}
	strb_free(&key);
	strb_free(&m);
	return k ? k->id : 0;
}

/* stack: frames, innermost first, one a line. Perfetto wants the outermost first. */
static uint64_t stack_iid(struct perfetto *p, const char *stack)
{
	size_t len = strlen(stack), end = len;
	struct known *k = entry(p, &p->texts[INTERNED_CALLSTACKS], stack, len);
	struct strb m = { 0 };

	if (!k || k->id)
		return k ? k->id : 0;
	k->id = ++p->ntexts[INTERNED_CALLSTACKS];
	pb_uint(&m, INTERNED_IID, k->id);
	while (end > 0) {
		size_t from = end;

		while (from > 0 && stack[from - 1] != '\n')
			from--;
		if (end > from)
			pb_uint(&m, CALLSTACK_FRAME_IDS, frame_iid(p, stack + from, end - from, ""));
		end = from ? from - 1 : 0;
	}
	pb_message(&p->interned, INTERNED_CALLSTACKS, &m);
	strb_free(&m);
	return k->id;
}

/* -- tracks -- */

static bool is_process(uint64_t pid)
{
	return pid < REAL_PID_MAX;
}

/* The number of a row's track; CPUs with their threads are Perfetto's own. */
static uint64_t row_uuid(uint64_t pid, uint64_t tid)
{
	return UUID(TRACK_OF_ROW, pid, tid);
}

static void describe(struct perfetto *p, bool process, uint64_t pid, uint64_t tid, const char *name)
{
	struct strb m = { 0 }, of = { 0 };

	pb_uint(&m, TRACK_UUID, process ? UUID(TRACK_OF_PROCESS, pid, 0) : row_uuid(pid, tid));
	if (!process)
		pb_uint(&m, TRACK_PARENT_UUID, UUID(TRACK_OF_PROCESS, pid, 0));
	if (is_process(pid)) {
		pb_uint(&of, process ? PROCESS_PID : THREAD_PID, pid);
		if (!process)
			pb_uint(&of, THREAD_TID, tid);
		if (*name)
			pb_str(&of, process ? PROCESS_NAME : THREAD_NAME, name);
		pb_message(&m, process ? TRACK_PROCESS : TRACK_THREAD, &of);
	} else {
		pb_str(&m, TRACK_NAME, name);
	}
	packet(p, PACKET_TRACK_DESCRIPTOR, &m, 0, STATE_NEEDED);
	strb_free(&m);
	strb_free(&of);
}

/* Describes a track unless that was done with this name; name NULL: with any. */
static void need_track(struct perfetto *p, bool process, uint64_t pid, uint64_t tid, const char *name)
{
	uint64_t hash[2];
	struct known *k;
	char key[48];

	snprintf(key, sizeof(key), "%d %llu %llu", process, (unsigned long long)pid,
		 (unsigned long long)(process ? 0 : tid));
	k = entry(p, &p->tracks, key, strlen(key));
	if (!k || (k->id && !name))
		return;
	texthash(name ? name : "", name ? strlen(name) : 0, 0, hash);
	if (k->id == (hash[0] | 1))
		return;
	k->id = hash[0] | 1;
	describe(p, process, pid, tid, name ? name : "");
}

static int on_name(void *ctx, bool process, uint64_t pid, uint64_t tid, const char *name)
{
	struct perfetto *p = ctx;
	size_t len = strlen(name);
	uint64_t number;
	char comm[64];

	if (pid == TRACE_PID_TASKS)
		return p->error; /* sched_switch events tell of CPUs */
	if (is_process(pid) && !process)
		trace_split(name, &len, &number);
	snprintf(comm, sizeof(comm), "%.*s", (int)len, name);
	need_track(p, process, pid, tid, comm);
	return p->error;
}

/* The track of an interval that may overlap others of its row: the first that is free. Intervals of a row come by their
 * begin or by their end; both ways a track is free when its last interval has ended. */
static uint64_t free_track(struct perfetto *p, const struct trace_event *e)
{
	uint64_t row = row_uuid(e->pid, e->tid);
	struct strb m = { 0 };
	struct overlaps *o;
	struct lane new;
	size_t i = 0;

	HASH_FIND(hh, p->overlaps, &row, sizeof(row), o);
	if (!o) {
		o = calloc(1, sizeof(*o));
		if (o) {
			o->uuid = row;
			HASH_ADD(hh, p->overlaps, uuid, sizeof(o->uuid), o);
		}
		if (!o || !o->hh.tbl) {
			free(o);
			p->error = -ENOMEM;
			return 0;
		}
	}
	while (i < o->lanes.n && o->lanes.v[i].end > e->from)
		i++;
	if (i < o->lanes.n || i == TRACKS_MAX) {
		i -= i == TRACKS_MAX;
		o->lanes.v[i].end = e->to;
		return o->lanes.v[i].uuid;
	}
	new = (struct lane){ UUID(TRACK_OF_INTERVALS, 0, ++p->nlanes), e->to };
	if (vec_try_push(&o->lanes, new) < 0)
		p->error = -ENOMEM;
	pb_uint(&m, TRACK_UUID, new.uuid);
	pb_uint(&m, TRACK_PARENT_UUID, row);
	pb_str(&m, TRACK_NAME, e->cat ? e->cat : e->name);
	packet(p, PACKET_TRACK_DESCRIPTOR, &m, 0, STATE_NEEDED);
	strb_free(&m);
	return new.uuid;
}

/* -- events -- */

static void put_args(struct perfetto *p, struct strb *m, const struct trace_event *e)
{
	struct strb arg = { 0 };

	for (size_t i = 0; i < e->nargs; i++) {
		const struct trace_arg *a = &e->args[i];

		pb_uint(&arg, ANNOTATION_NAME_IID, name_iid(p, INTERNED_ANNOTATION_NAMES, a->name));
		if (a->kind == TRACE_TEXT)
			pb_bytes(&arg, ANNOTATION_STRING, a->text, a->len);
		else
			pb_uint(&arg, a->kind == TRACE_UINT ? ANNOTATION_UINT : ANNOTATION_INT, a->value);
		pb_message(m, EVENT_DEBUG_ANNOTATIONS, &arg);
	}
	strb_free(&arg);
}

static void put_named(struct perfetto *p, unsigned type, uint64_t track, uint64_t ts, const struct trace_event *e,
		      uint64_t flow)
{
	struct strb m = { 0 };

	pb_uint(&m, EVENT_TYPE, type);
	pb_uint(&m, EVENT_TRACK_UUID, track);
	pb_uint(&m, EVENT_NAME_IID, name_iid(p, INTERNED_EVENT_NAMES, e->name));
	if (e->cat)
		pb_uint(&m, EVENT_CATEGORY_IIDS, name_iid(p, INTERNED_CATEGORIES, e->cat));
	if (e->stack && e->stack[0])
		pb_uint(&m, EVENT_CALLSTACK_IID, stack_iid(p, e->stack));
	if (flow)
		pb_fixed64(&m, type == TYPE_INSTANT ? EVENT_FLOW_IDS : EVENT_TERMINATING_FLOW_IDS, flow);
	put_args(p, &m, e);
	packet(p, PACKET_TRACK_EVENT, &m, ts, STATE_NEEDED);
	strb_free(&m);
}

static void put_end(struct perfetto *p, uint64_t track, uint64_t ts)
{
	struct strb m = { 0 };

	pb_uint(&m, EVENT_TYPE, TYPE_SLICE_END);
	pb_uint(&m, EVENT_TRACK_UUID, track);
	packet(p, PACKET_TRACK_EVENT, &m, ts, STATE_NEEDED);
	strb_free(&m);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static const struct thread *find_thread(const struct perfetto *p, uint64_t tid)
{
	struct thread key = { .tid = (uint32_t)tid };

	return p->threads.n ? bsearch(&key, p->threads.v, p->threads.n, sizeof(key), by_tid) : NULL;
}

/* The wake-up as an instant of the waker, from which an arrow leads to what the woken thread does next. Returns the
 * arrow's number; 0: the waker has no row. */
static uint64_t put_wakeup(struct perfetto *p, const struct trace_event *e)
{
	const struct thread *waker;
	struct trace_event wake = { .name = "wakes", .cat = "wakeup" };
	struct trace_arg tid = { .name = "tid", .kind = TRACE_UINT, .value = e->tid };
	uint64_t number;
	size_t len;

	if (!e->waker || e->state != TL_CPU || !trace_split(e->waker, &len, &number))
		return 0;
	waker = find_thread(p, number);
	if (!waker)
		return 0;
	wake.args = &tid;
	wake.nargs = 1;
	put_named(p, TYPE_INSTANT, row_uuid(waker->pid, waker->tid), e->from, &wake, ++p->nflows);
	return p->nflows;
}

static int on_event(void *ctx, const struct trace_event *e)
{
	struct perfetto *p = ctx;
	uint64_t track, flow;

	if (e->pid == TRACE_PID_TASKS || (is_process(e->pid) && e->state == TL_RUN && e->kind == TRACE_SLICE))
		return p->error; /* sched_switch events tell */
	need_track(p, e->whole_process, e->pid, e->tid, NULL);
	if (e->kind == TRACE_INSTANT) {
		track = e->whole_process ? UUID(TRACK_OF_PROCESS, e->pid, 0) : row_uuid(e->pid, e->tid);
		put_named(p, TYPE_INSTANT, track, e->from, e, 0);
		return p->error;
	}
	track = e->kind == TRACE_INTERVAL ? free_track(p, e) : row_uuid(e->pid, e->tid);
	flow = e->kind == TRACE_SLICE ? put_wakeup(p, e) : 0;
	put_named(p, TYPE_SLICE_BEGIN, track, e->from, e, flow);
	put_end(p, track, e->to);
	return p->error;
}

/* -- threads on CPUs -- */

/* A thread that goes on waiting for a CPU when it leaves one was preempted. */
static unsigned state_after(const struct perfetto *p, uint64_t tid, uint64_t at)
{
	const struct thread *t = find_thread(p, tid);
	size_t from = 0, to = t ? t->row->items.n : 0;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (t->row->items.v[middle].from < at)
			from = middle + 1;
		else
			to = middle;
	}
	return t && from < t->row->items.n && t->row->items.v[from].kind == TL_CPU ? TASK_RUNNING : TASK_INTERRUPTIBLE;
}

struct on_cpu {
	const char *comm;
	size_t len;
	uint64_t tid;
};

static void put_switch(const struct perfetto *p, struct strb *bundle, uint64_t at, const struct on_cpu *prev,
		       const struct on_cpu *next)
{
	struct strb event = { 0 }, m = { 0 };

	pb_bytes(&m, SWITCH_PREV_COMM, prev->comm, prev->len);
	pb_uint(&m, SWITCH_PREV_PID, prev->tid);
	pb_uint(&m, SWITCH_PREV_STATE, prev->tid ? state_after(p, prev->tid, at) : TASK_RUNNING);
	pb_bytes(&m, SWITCH_NEXT_COMM, next->comm, next->len);
	pb_uint(&m, SWITCH_NEXT_PID, next->tid);
	pb_uint(&event, FTRACE_TIMESTAMP, at);
	pb_uint(&event, FTRACE_PID, prev->tid);
	pb_message(&event, FTRACE_SCHED_SWITCH, &m);
	pb_message(bundle, BUNDLE_EVENT, &event);
	strb_free(&event);
	strb_free(&m);
}

static void put_bundle(struct perfetto *p, uint32_t cpu, struct strb *bundle)
{
	if (bundle->n) {
		pb_uint(bundle, BUNDLE_CPU, cpu);
		packet(p, PACKET_FTRACE_EVENTS, bundle, 0, STATE_NEEDED);
	}
}

static void put_cpu(struct perfetto *p, const struct timeline *t, const struct tl_row *r)
{
	static const struct on_cpu idle = { "swapper", 7, 0 };
	struct strb bundle = { 0 };
	struct on_cpu prev = idle;
	unsigned n = 0;

	for (size_t i = 0; i < r->items.n && !p->error; i++) {
		const struct tl_item *x = &r->items.v[i];
		struct on_cpu next = { .comm = t->texts.v[x->text].words };

		if (x->kind == TL_UNSEEN || !trace_split(next.comm, &next.len, &next.tid))
			continue;
		put_switch(p, &bundle, x->from, &prev, &next);
		prev = next;
		if (i + 1 == r->items.n || r->items.v[i + 1].from > x->to) {
			put_switch(p, &bundle, x->to, &next, &idle);
			prev = idle;
		}
		if (++n % BUNDLE_EVENTS == 0)
			put_bundle(p, r->tid, &bundle);
	}
	put_bundle(p, r->tid, &bundle);
	strb_free(&bundle);
}

/* -- counters -- */

static int by_at(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void describe_counter(struct perfetto *p, uint64_t uuid, const char *name, const char *unit)
{
	struct strb m = { 0 }, counter = { 0 };

	pb_str(&counter, COUNTER_UNIT_NAME, unit);
	pb_uint(&m, TRACK_UUID, uuid);
	pb_str(&m, TRACK_NAME, name);
	pb_message(&m, TRACK_COUNTER, &counter);
	packet(p, PACKET_TRACK_DESCRIPTOR, &m, 0, STATE_NEEDED);
	strb_free(&m);
	strb_free(&counter);
}

static void put_counter(struct perfetto *p, uint64_t uuid, uint64_t at, int64_t value)
{
	struct strb m = { 0 };

	pb_uint(&m, EVENT_TYPE, TYPE_COUNTER);
	pb_uint(&m, EVENT_TRACK_UUID, uuid);
	pb_uint(&m, EVENT_COUNTER_VALUE, (uint64_t)value);
	packet(p, PACKET_TRACK_EVENT, &m, at, STATE_NEEDED);
	strb_free(&m);
}

/* How many threads had a CPU, and how many waited for one. */
static void put_counters(struct perfetto *p, const struct timeline *t)
{
	uint64_t running_uuid = UUID(TRACK_OF_COUNTER, 0, 1), runnable_uuid = UUID(TRACK_OF_COUNTER, 0, 2);
	int64_t running = 0, runnable = 0, told[2] = { -1, -1 };
	VEC(struct change) v = { 0 };

	for (size_t k = 0; k < t->rows.n && !p->error; k++) {
		const struct tl_row *r = &t->rows.v[k];

		for (size_t i = 0; r->group == TL_GROUP_THREADS && i < r->items.n && !p->error; i++) {
			const struct tl_item *x = &r->items.v[i];
			struct change c = { x->from, x->kind == TL_RUN, x->kind == TL_CPU };

			if (!c.running && !c.runnable)
				continue;
			if (vec_try_push(&v, c) < 0 ||
			    vec_try_push(&v, ((struct change){ x->to, -c.running, -c.runnable })) < 0)
				p->error = -ENOMEM;
		}
	}
	describe_counter(p, running_uuid, "threads on a CPU", "threads");
	describe_counter(p, runnable_uuid, "threads that wait for a CPU", "threads");
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), by_at);
	for (size_t i = 0; i < v.n && !p->error; i++) {
		running += v.v[i].running;
		runnable += v.v[i].runnable;
		if (i + 1 < v.n && v.v[i + 1].at == v.v[i].at)
			continue;
		if (running != told[0])
			put_counter(p, running_uuid, v.v[i].at, running);
		if (runnable != told[1])
			put_counter(p, runnable_uuid, v.v[i].at, runnable);
		told[0] = running;
		told[1] = runnable;
	}
	vec_free(&v);
}

static int on_states(void *ctx, const struct timeline *t)
{
	struct perfetto *p = ctx;

	for (size_t k = 0; k < t->rows.n && !p->error; k++) {
		const struct tl_row *r = &t->rows.v[k];

		if (r->group == TL_GROUP_THREADS &&
		    vec_try_push(&p->threads, ((struct thread){ r->tid, r->pid, r })) < 0)
			p->error = -ENOMEM;
	}
	if (p->threads.n)
		qsort(p->threads.v, p->threads.n, sizeof(*p->threads.v), by_tid);
	for (size_t k = 0; k < t->rows.n && !p->error; k++)
		if (t->rows.v[k].group == TL_GROUP_CPUS)
			put_cpu(p, t, &t->rows.v[k]);
	put_counters(p, t);
	return p->error;
}

/* A change of frequency is an event of ftrace, from which Perfetto draws its own track. */
static void put_frequency(struct perfetto *p, const struct trace_counter *c)
{
	struct strb bundle = { 0 }, event = { 0 }, m = { 0 };

	pb_uint(&m, FREQUENCY_STATE, c->value);
	pb_uint(&m, FREQUENCY_CPU_ID, c->cpu);
	pb_uint(&event, FTRACE_TIMESTAMP, c->at);
	pb_uint(&event, FTRACE_PID, 0);
	pb_message(&event, FTRACE_CPU_FREQUENCY, &m);
	pb_message(&bundle, BUNDLE_EVENT, &event);
	put_bundle(p, c->cpu, &bundle);
	strb_free(&bundle);
	strb_free(&event);
	strb_free(&m);
}

static int on_counter(void *ctx, const struct trace_counter *c)
{
	struct perfetto *p = ctx;
	char name[80];
	struct known *k;

	if (c->frequency) {
		put_frequency(p, c);
		return p->error;
	}
	snprintf(name, sizeof(name), "CPU %u %s", c->cpu, c->name);
	k = entry(p, &p->tracks, name, strlen(name));
	if (!k)
		return p->error;
	if (!k->id) {
		k->id = UUID(TRACK_OF_COUNTER, 1, ++p->ncounters);
		describe_counter(p, k->id, name, "per second");
	}
	put_counter(p, k->id, c->at, (int64_t)c->value);
	return p->error;
}

/* -- samples -- */

/* The stack of a node without the parts of the key at its root, which are not functions. */
static uint64_t node_iid(struct perfetto *p, const struct stacktree *t, uint32_t node, bool *ret_kernel)
{
	uint32_t path[STACKTREE_MAX_DEPTH];
	size_t n = stacktree_path(t, node, path);
	struct strb m = { 0 };
	bool any = false;

	*ret_kernel = n && stacktree_get_frame(t, path[n - 1]).kind == FRAME_KERNEL;
	while (p->stacks.n <= node && !p->error)
		if (vec_try_push(&p->stacks, 0) < 0)
			p->error = -ENOMEM;
	if (p->error || p->stacks.v[node])
		return p->error ? 0 : p->stacks.v[node];
	p->stacks.v[node] = ++p->ntexts[INTERNED_CALLSTACKS];
	pb_uint(&m, INTERNED_IID, p->stacks.v[node]);
	for (size_t i = 0; i < n; i++) {
		const struct stack_frame f = stacktree_get_frame(t, path[i]);

		/* Readers refuse a callstack without a frame. */
		if (f.kind != FRAME_THREAD || (i + 1 == n && !any))
			pb_uint(&m, CALLSTACK_FRAME_IDS, frame_iid(p, f.name, strlen(f.name), f.module));
		any |= f.kind != FRAME_THREAD;
	}
	pb_message(&p->interned, INTERNED_CALLSTACKS, &m);
	strb_free(&m);
	return p->stacks.v[node];
}

static int on_sample(void *ctx, const struct trace_sample *s)
{
	struct perfetto *p = ctx;
	bool kernel;
	uint64_t stack = node_iid(p, s->stacks, s->node, &kernel), n = s->count < SAMPLES_MAX ? s->count : SAMPLES_MAX;
	struct strb m = { 0 };

	need_track(p, true, s->pid, 0, NULL);
	need_track(p, false, s->pid, s->tid, s->comm);
	for (uint64_t i = 0; i < n && !p->error; i++) {
		pb_uint(&m, SAMPLE_PID, s->pid);
		pb_uint(&m, SAMPLE_TID, s->tid);
		pb_uint(&m, SAMPLE_CALLSTACK_IID, stack);
		pb_uint(&m, SAMPLE_CPU_MODE, kernel ? MODE_KERNEL : MODE_USER);
		packet(p, PACKET_PERF_SAMPLE, &m, s->at, STATE_NEEDED);
	}
	strb_free(&m);
	return p->error;
}

/* Times are of CLOCK_MONOTONIC. Perfetto takes ftrace's times for CLOCK_BOOTTIME. How long the machine slept is not
 * known: the file gives both clocks the same time. */
static void put_clocks(struct perfetto *p, struct recread *f)
{
	uint64_t at = recread_begun(f);
	const struct {
		unsigned id;
		uint64_t value;
	} clocks[] = { { CLOCK_IS_MONOTONIC, at },
		       { CLOCK_IS_BOOTTIME, at },
		       { CLOCK_IS_REALTIME, at + recread_wall_off(f) } };
	struct strb m = { 0 }, clock = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		pb_uint(&clock, CLOCK_ID, clocks[i].id);
		pb_uint(&clock, CLOCK_TIMESTAMP, clocks[i].value);
		pb_message(&m, SNAPSHOT_CLOCKS, &clock);
	}
	pb_uint(&m, SNAPSHOT_PRIMARY_TRACE_CLOCK, CLOCK_IS_MONOTONIC);
	packet(p, PACKET_CLOCK_SNAPSHOT, &m, 0, STATE_CLEARED);
	strb_free(&m);
	strb_free(&clock);
}

static void free_known(struct known **table)
{
	struct known *k, *next;

	HASH_ITER (hh, *table, k, next) {
		HASH_DEL(*table, k);
		free(k);
	}
}

static void done(struct perfetto *p)
{
	struct overlaps *o, *next;

	for (size_t i = 0; i < ARRAY_SIZE(p->texts); i++)
		free_known(&p->texts[i]);
	free_known(&p->tracks);
	HASH_ITER (hh, p->overlaps, o, next) {
		HASH_DEL(p->overlaps, o);
		vec_free(&o->lanes);
		free(o);
	}
	vec_free(&p->threads);
	vec_free(&p->stacks);
	strb_free(&p->interned);
	strb_free(&p->out);
}

int export_perfetto(struct recread *f, struct sym *sym, text_why_fn *why, void *why_arg, FILE *out, struct err *err)
{
	struct perfetto p = { .file = out };
	struct trace_sink sink = { .ctx = &p,
				   .name = on_name,
				   .event = on_event,
				   .states = on_states,
				   .sample = on_sample,
				   .counter = on_counter };
	int e;

	put_clocks(&p, f);
	e = trace_walk(f, sym, why, why_arg, &sink, err);
	strb_flush(&p.out, p.file, &p.error);
	done(&p);
	return e < 0 ? e : p.error;
}
