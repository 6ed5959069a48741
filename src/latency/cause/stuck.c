/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the threads that dlib/latency/stuck.d recorded, names their causes, and links waiters to owners. */
#include "latency/cause/stuck.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/rtfmt.h"
#include "base/vec.h"

enum stuck_field {
#define STUCK(id) STUCK_##id,
#include "latency/cause/stuck.def"
#undef STUCK
	STUCK_NFIELDS
};

#define MAX_BYTES ((size_t)1 << 30) /* of all threads */
#define LOCK_FOUND 8		    /* in the kind: as in dlib/latency/stuck.d */

struct stuck {
	struct arena *arena;
	struct causes *causes;
	struct sym *sym;
	VEC(struct stuck_thread *) threads;
	bool linked;
};

static const char *const kind_names[STUCK_NKINDS] = {
	[STUCK_NO_LOCK] = "",
	[STUCK_MUTEX] = "mutex",
	[STUCK_SEMAPHORE] = "semaphore",
	[STUCK_RWSEM_READ] = "rwsem (read)",
	[STUCK_RWSEM_WRITE] = "rwsem (write)",
	[STUCK_RTMUTEX] = "rtmutex",
};

const char *stuck_kind_name(enum stuck_kind kind)
{
	return kind < STUCK_NKINDS ? kind_names[kind] : "";
}

int stuck_new(struct causes *causes, struct sym *sym, struct stuck **ret)
{
	struct stuck *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->arena = arena_new(MAX_BYTES);
	s->causes = causes;
	s->sym = sym;
	*ret = s;
	return 0;
}

void stuck_free(struct stuck *s)
{
	if (!s)
		return;
	vec_free(&s->threads);
	arena_free(s->arena);
	free(s);
}

/* -- reading a record -- */

/* Are the actions those of the program, each with one field? */
static bool is_ours(const struct recfmt *f)
{
	if (f->nacts != STUCK_NFIELDS)
		return false;
	for (size_t i = 0; i < f->nacts; i++) {
		enum field_kind kind = f->acts[i].nfields == 1 ? f->acts[i].fields[0].kind : FLD_BYTES;
		bool text = i == STUCK_NAME || i == STUCK_PROCESS || i == STUCK_HOLDER_NAME || i == STUCK_CONTAINER;

		if (i == STUCK_STACK || i == STUCK_USTACK) {
			if (kind != (i == STUCK_STACK ? FLD_STACK : FLD_USTACK))
				return false;
		} else if (f->acts[i].nfields != 1 || (!text && (kind != FLD_INT || f->acts[i].fields[0].size > 8))) {
			return false;
		}
	}
	return true;
}

static const char *at(const struct recfmt *f, const void *data, enum stuck_field i)
{
	return (const char *)data + f->acts[i].fields[0].off;
}

static uint64_t number(const struct recfmt *f, const void *data, enum stuck_field i)
{
	uint64_t v = 0;

	memcpy(&v, at(f, data, i), f->acts[i].fields[0].size); /* little endian */
	return v;
}

static const char *text(struct stuck *s, const struct recfmt *f, const void *data, enum stuck_field i)
{
	const char *p = at(f, data, i);

	return arena_strndup(s->arena, p, strnlen(p, f->acts[i].fields[0].size));
}

/* The frames of a stack, ended by 0 or the field's end. */
static const uint64_t *frames(struct stuck *s, const char *p, size_t max, size_t *ret_n)
{
	uint64_t *v;
	size_t n = 0;

	*ret_n = 0;
	max = max < STUCK_MAX_FRAMES ? max : STUCK_MAX_FRAMES;
	if (!max)
		return NULL;
	v = arena_memdup(s->arena, p, max * sizeof(*v));
	while (n < max && v[n])
		n++;
	*ret_n = n;
	return v;
}

static void read_stacks(struct stuck *s, const struct recfmt *f, const void *data, struct stuck_thread *t)
{
	struct rec_ustack_hdr h;

	memcpy(&h, at(f, data, STUCK_USTACK), sizeof(h));
	t->start = h.start;
	t->ustack_flags = h.flags;
	t->stack = frames(s, at(f, data, STUCK_STACK), f->acts[STUCK_STACK].fields[0].nframes, &t->nstack);
	t->ustack = frames(s, at(f, data, STUCK_USTACK) + sizeof(h), f->acts[STUCK_USTACK].fields[0].nframes,
			   &t->nustack);
}

static uint32_t facts_of(const struct recfmt *f, const void *data, const struct stuck_thread *t)
{
	static const uint32_t of_kind[STUCK_NKINDS] = {
		[STUCK_MUTEX] = CAUSE_FACT_MUTEX,      [STUCK_SEMAPHORE] = CAUSE_FACT_SEMAPHORE,
		[STUCK_RWSEM_READ] = CAUSE_FACT_RWSEM, [STUCK_RWSEM_WRITE] = CAUSE_FACT_RWSEM,
		[STUCK_RTMUTEX] = CAUSE_FACT_RTMUTEX,
	};
	uint32_t facts = of_kind[t->kind];

	if (t->state == 'R')
		facts |= CAUSE_FACT_RUNNABLE;
	if (t->state == 'T' || t->state == 't')
		facts |= CAUSE_FACT_STOPPED;
	if (number(f, data, STUCK_IOWAIT))
		facts |= CAUSE_FACT_IOWAIT;
	if (number(f, data, STUCK_RECLAIM))
		facts |= CAUSE_FACT_RECLAIM;
	if (number(f, data, STUCK_FUTEX) & WHY_FUTEX_CONDITION)
		facts |= CAUSE_FACT_CONDITION;
	if (number(f, data, STUCK_FUTEX) & WHY_FUTEX_TIMEOUT)
		facts |= CAUSE_FACT_TIMEOUT;
	return facts;
}

/* A futex is a lock, or a wait for work, when the program's functions say so; the kernel does not know. */
static uint32_t look_at_futex(struct stuck *s, struct stuck_thread *t, uint32_t facts)
{
	struct cause_uframe frames[STUCK_MAX_FRAMES];
	struct symbol sym;

	for (size_t i = 0; i < t->nstack; i++)
		if (sym_kernel(s->sym, t->stack[i], &sym) && !strncmp(sym.name, "futex_", strlen("futex_")))
			t->futex = true;
	for (size_t i = 0; i < t->nustack; i++) {
		const bool rt = rt_is_frame(t->ustack[i]);

		sym = (struct symbol){ 0 };
		(void)sym_user(s->sym, t->pid, t->start, t->ustack[i] - (i > 0 && !rt), &sym);
		frames[i] = (struct cause_uframe){ sym.module, sym.name, rt };
	}
	if (t->futex)
		facts = causes_user_facts(facts, frames, t->nustack,
					  !(t->ustack_flags & (REC_USTACK_CUT | REC_USTACK_FAULT)));
	t->user_lock = facts & CAUSE_FACT_USER_LOCK;
	return facts;
}

static int explain(struct stuck *s, struct stuck_thread *t, uint32_t facts)
{
	const char *names[STUCK_MAX_FRAMES];
	struct symbol sym;

	facts = look_at_futex(s, t, facts);
	for (size_t i = 0; i < t->nstack; i++)
		names[i] = sym_kernel(s->sym, t->stack[i], &sym) ? sym.name : NULL;
	return causes_classify(s->causes, names, t->nstack, facts, &t->cause);
}

int stuck_add(struct stuck *s, const struct recfmt *f, const void *data)
{
	struct stuck_thread *t;
	int r;

	if (!is_ours(f))
		return 0;
	t = arena_new_obj(s->arena, struct stuck_thread);
	t->pid = (uint32_t)number(f, data, STUCK_PID);
	t->tid = (uint32_t)number(f, data, STUCK_TID);
	t->name = text(s, f, data, STUCK_NAME);
	t->process = text(s, f, data, STUCK_PROCESS);
	t->state = (char)number(f, data, STUCK_STATE);
	t->off_cpu_ns = number(f, data, STUCK_OFF_CPU);
	t->found = number(f, data, STUCK_KIND) & LOCK_FOUND;
	t->kind = (enum stuck_kind)(number(f, data, STUCK_KIND) & ~(uint64_t)LOCK_FOUND);
	t->kind = t->kind < STUCK_NKINDS ? t->kind : STUCK_NO_LOCK;
	t->lock = number(f, data, STUCK_LOCK);
	t->holder_pid = (uint32_t)number(f, data, STUCK_HOLDER_PID);
	t->holder_tid = (uint32_t)number(f, data, STUCK_HOLDER_TID);
	t->holder_name = text(s, f, data, STUCK_HOLDER_NAME);
	t->shared = number(f, data, STUCK_SHARED) != 0;
	t->cgroup = number(f, data, STUCK_CGROUP);
	t->container = text(s, f, data, STUCK_CONTAINER);
	read_stacks(s, f, data, t);
	r = arena_exhausted(s->arena) ? -ENOMEM : explain(s, t, facts_of(f, data, t));
	if (r < 0)
		return r;
	vec_push(&s->threads, t);
	s->linked = false;
	return 0;
}

/* -- holders and waiters -- */

static int by_time(const void *a, const void *b)
{
	const struct stuck_thread *x = *(struct stuck_thread *const *)a, *y = *(struct stuck_thread *const *)b;

	if (x->off_cpu_ns != y->off_cpu_ns)
		return x->off_cpu_ns < y->off_cpu_ns ? 1 : -1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int by_tid(const void *a, const void *b)
{
	const struct stuck_thread *x = *(struct stuck_thread *const *)a, *y = *(struct stuck_thread *const *)b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void link_holders(struct stuck *s)
{
	qsort(s->threads.v, s->threads.n, sizeof(*s->threads.v), by_tid);
	for (size_t i = 0; i < s->threads.n; i++) {
		struct stuck_thread *t = s->threads.v[i], key = { .tid = t->holder_tid }, *k = &key, **h;

		if (t->shared && t->holder_tid == t->tid)
			t->holder_tid = 0; /* it has read, and wants to write now */
		h = t->holder_tid ? bsearch(&k, s->threads.v, s->threads.n, sizeof(k), by_tid) : NULL;
		t->holder = h ? *h : NULL;
	}
}

const struct stuck_thread *const *stuck_list(struct stuck *s, size_t *n)
{
	*n = s->threads.n;
	if (!s->linked && s->threads.n) {
		link_holders(s);
		qsort(s->threads.v, s->threads.n, sizeof(*s->threads.v), by_time);
		s->linked = true;
	}
	return (const struct stuck_thread *const *)s->threads.v;
}

bool stuck_is(const struct stuck_thread *t)
{
	if (t->state == 'D' || t->state == 'T' || t->state == 't' || t->kind != STUCK_NO_LOCK)
		return t->cause.class != CAUSE_IDLE;
	if (t->state != 'S' || (t->futex && !t->user_lock))
		return false;
	return t->cause.class == CAUSE_LOCK || t->cause.class == CAUSE_IO || t->cause.class == CAUSE_FS ||
	       t->cause.class == CAUSE_MEMORY;
}

size_t stuck_chain(const struct stuck_thread *t, const struct stuck_thread *ret[STUCK_MAX_CHAIN], bool *ret_cycle)
{
	bool certain = !t->shared, back = false;
	size_t n = 0;

	*ret_cycle = false;
	for (const struct stuck_thread *h = t->holder; h && n < STUCK_MAX_CHAIN; h = h->holder) {
		for (size_t i = 0; i < n; i++)
			back |= ret[i] == h;
		back |= h == t;
		if (back)
			break;
		certain &= !h->shared;
		ret[n++] = h;
	}
	*ret_cycle = back && certain;
	return n;
}
