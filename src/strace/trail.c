/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records into events: joins the records of one call, and tells threads apart. */
#include "strace/trail.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "strace/trail_int.h"

struct trail *trail_new(const struct trail_opts *o, FILE *out)
{
	struct trail *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->o = o;
	f->out = out;
	return f;
}

static void thread_free(struct thread *t)
{
	event_done(&t->entry);
	strb_free(&t->held);
	strb_free(&t->signals);
	free(t);
}

void trail_free(struct trail *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->ncpus; i++)
		event_done(&f->cpus[i].event);
	for (unsigned i = 0; i < TRAIL_BUCKETS; i++)
		for (struct thread *t = f->threads[i], *next; t; t = next) {
			next = t->next;
			thread_free(t);
		}
	free(f->cpus);
	strb_free(&f->line);
	free(f);
}

static int64_t clock_offset(void)
{
	struct timespec mono, real;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (int64_t)(real.tv_sec - mono.tv_sec) * 1000000000 + (real.tv_nsec - mono.tv_nsec);
}

void trail_begin(struct trail *f, const struct rec_schema *schema, struct sym *sym)
{
	f->schema = schema;
	f->sym = sym;
	f->wall = clock_offset();
}

void trail_command(struct trail *f, uint32_t pid)
{
	f->command = pid;
	f->nthreads = 1;
}

struct thread *trail_thread(struct trail *f, uint32_t tid)
{
	struct thread **at = &f->threads[tid % TRAIL_BUCKETS];

	for (struct thread *t = *at; t; t = t->next)
		if (t->tid == tid)
			return t;
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tid = tid;
	t->next = *at;
	*at = t;
	return t;
}

static void forget_thread(struct trail *f, uint32_t tid)
{
	for (struct thread **at = &f->threads[tid % TRAIL_BUCKETS]; *at; at = &(*at)->next)
		if ((*at)->tid == tid) {
			struct thread *t = *at;

			*at = t->next;
			thread_free(t);
			return;
		}
}

/* The state of a CPU: the call that is being put together there. */
static struct cpu *cpu_of(struct trail *f, uint32_t cpu)
{
	if (cpu >= f->ncpus) {
		uint32_t n = cpu + 1;
		struct cpu *v = realloc(f->cpus, n * sizeof(*v));

		if (!v)
			return NULL;
		memset(v + f->ncpus, 0, (n - f->ncpus) * sizeof(*v));
		f->cpus = v;
		f->ncpus = n;
	}
	return &f->cpus[cpu];
}

#define NO_NUMBER UINT32_MAX /* what a call has that has restored its caller's registers */

/* A call is whole: it has begun, or is over. */
static int complete(struct trail *f, struct cpu *c)
{
	struct event *e = &c->event;
	struct thread *t;
	int r = 0;

	if (!c->busy)
		return 0;
	c->busy = false;
	t = trail_thread(f, e->tid);
	if (!t)
		return -ENOMEM;
	if (!e->over) {
		struct event old = t->entry;

		t->entry = *e;
		t->began = true;
		*e = old;
		return !t->entry.call || t->entry.call->ret != RET_NEVER ? 0 : trail_unfinished(f, t);
	}
	if (e->nr == NO_NUMBER && t->began) { /* rt_sigreturn() */
		e->nr = t->entry.nr;
		e->call = t->entry.call;
	}
	if (t->began && t->entry.nr == e->nr) {
		memcpy(e->arg, t->entry.arg, sizeof(e->arg)); /* execve() leaves none */
		event_take_entry(e, &t->entry);
	}
	t->began = false;
	if (!(e->call && e->call->ret == RET_CHILD && e->ret == 0)) /* the child's side of it */
		r = trail_call(f, t, e);
	return r;
}

struct record {
	const struct recfmt *fmt;
	const uint8_t *data;
};

static uint64_t value(const struct record *r, size_t i)
{
	const struct recfield *fld = i < r->fmt->nacts && r->fmt->acts[i].nfields ? &r->fmt->acts[i].fields[0] : NULL;

	return fld ? recfield_u64(fld, r->data + fld->off) : 0;
}

static const uint8_t *memory(const struct record *r, size_t i, uint32_t *size)
{
	const struct recfield *fld = i < r->fmt->nacts && r->fmt->acts[i].nfields ? &r->fmt->acts[i].fields[0] : NULL;

	*size = fld ? fld->size : 0;
	return fld ? r->data + fld->off : NULL;
}

/* Places of values in records; dlib/strace has them. */
enum {
	AT_TID = 1,
	AT_NR = 2,
	AT_MORE = 3,
	AT_RET = 4,
	AT_SINCE = 5,
	AT_ARGS = 6,
	AT_ENTRY_ARGS = 3,
	AT_PLACE = 1,
	AT_BYTES = 2,
	AT_MEMORY = 3,
};

static int on_call(struct trail *f, struct cpu *c, const struct record *r, const struct row *row, bool over)
{
	struct event *e = &c->event;
	int res = complete(f, c);

	event_reset(e);
	e->tid = (uint32_t)value(r, AT_TID);
	e->nr = (uint32_t)value(r, AT_NR);
	e->call = call_by_nr(e->nr);
	e->over = over;
	e->ts = row->ts;
	e->since = over ? value(r, AT_SINCE) : row->ts;
	e->ret = over ? (int64_t)value(r, AT_RET) : 0;
	for (unsigned i = 0; i < CALL_ARGS; i++)
		e->arg[i] = value(r, (over ? AT_ARGS : AT_ENTRY_ARGS) + i);
	c->busy = true;
	if (res == 0 && over && !value(r, AT_MORE))
		res = complete(f, c);
	return res;
}

static void on_piece(struct cpu *c, const struct record *r)
{
	uint32_t place = (uint32_t)value(r, AT_PLACE), n = (uint32_t)value(r, AT_BYTES), size;
	const uint8_t *p = memory(r, AT_MEMORY, &size);

	if (c->busy && p)
		event_put(&c->event, !c->event.over, place, p, n < size ? n : size);
}

static void on_path(struct cpu *c, const struct record *r)
{
	uint32_t arg = (uint32_t)value(r, AT_PLACE), size;
	const uint8_t *p = memory(r, AT_BYTES, &size);

	if (c->busy && p && arg <= EVENT_RESULT) {
		struct event *e = &c->event;
		uint32_t n = (uint32_t)strnlen((const char *)p, size);

		e->path[arg] = (struct event_part){ .off = (uint32_t)e->bytes.n, .n = n, .there = true };
		strb_add(&e->bytes, p, n);
		strb_addc(&e->bytes, '\0');
	}
}

/* The signal that the kernel ended the process by, without delivering it. SIGKILL nobody sees. */
static int end_by_signal(struct trail *f, struct thread *t, int code, uint64_t ts)
{
	int sig = code & 0x7f;

	if (!sig || sig != t->sent || sig == SIGKILL)
		return 0;
	return trail_signal(f, t, sig, (const uint8_t *)&t->info, sizeof(t->info), false, ts);
}

static int take_end(struct trail *f, const struct record *r, uint64_t ts)
{
	uint32_t tid = (uint32_t)value(r, AT_TID), pid = (uint32_t)value(r, 2);
	int code = (int)value(r, 3), res;
	struct thread *t = trail_thread(f, tid);

	if (!t)
		return -ENOMEM;
	if (pid == f->command && tid == pid) {
		f->status = code;
		f->status_known = true;
	}
	res = pid == tid ? end_by_signal(f, t, code, ts) : 0;
	res = res == 0 ? trail_end(f, t, code, ts) : res;
	forget_thread(f, tid);
	if (f->nthreads > 0)
		f->nthreads--;
	return res;
}

static int on_sent(struct trail *f, const struct record *r, bool raised)
{
	struct thread *t = trail_thread(f, (uint32_t)value(r, AT_TID));
	uint32_t size = 0;
	const uint8_t *info = raised ? NULL : memory(r, 3, &size);

	if (!t)
		return -ENOMEM;
	t->sent = (int)value(r, 2);
	t->info = (siginfo_t){ .si_signo = t->sent, .si_code = SI_USER };
	if (raised) {
		t->info.si_pid = (pid_t)value(r, 3);
		t->info.si_uid = (uid_t)value(r, 4);
	} else if (info) {
		memcpy(&t->info, info, size < sizeof(t->info) ? size : sizeof(t->info));
	}
	return 0;
}

static int on_signal(struct trail *f, const struct record *r, bool ignored, uint64_t ts)
{
	uint32_t size;
	const uint8_t *info = memory(r, ignored ? 4 : 3, &size);
	struct thread *t = trail_thread(f, (uint32_t)value(r, AT_TID));

	if (t && !ignored && t->sent == (int)value(r, 2))
		t->sent = 0;
	return t && info ? trail_signal(f, t, (int)value(r, 2), info, size, ignored && value(r, 3), ts) : 0;
}

static int on_event(struct trail *f, const struct row *row)
{
	struct record r = { .data = row->data };
	struct cpu *c = cpu_of(f, row->cpu);

	r.fmt = row->id >= 1 && row->id <= f->schema->nfmts ? f->schema->fmts[row->id - 1] : NULL;
	if (!c || !r.fmt || !r.fmt->nacts)
		return c ? 0 : -ENOMEM;
	if (r.fmt->acts[0].kind == ACT_USTACK) {
		if (c->busy)
			trail_stack(f, &c->event, &r.fmt->acts[0].fields[0], r.data);
		return 0;
	}
	switch ((enum event_record)value(&r, 0)) {
	case EVENT_RETURN: return on_call(f, c, &r, row, true);
	case EVENT_ENTRY: return on_call(f, c, &r, row, false);
	case EVENT_DONE: return complete(f, c);
	case EVENT_PIECE:
	case EVENT_TEXT: on_piece(c, &r); return 0;
	case EVENT_COUNT:
		if (c->busy && value(&r, AT_PLACE) < CALL_ARGS)
			c->event.count[value(&r, AT_PLACE)] = (int32_t)value(&r, AT_BYTES);
		return 0;
	case EVENT_PATH: on_path(c, &r); return 0;
	case EVENT_IS32: f->nis32++; return 0;
	case EVENT_SIGNAL: return on_signal(f, &r, false, row->ts);
	case EVENT_IGNORED: return on_signal(f, &r, true, row->ts);
	case EVENT_EXIT: return take_end(f, &r, row->ts);
	case EVENT_SENT: return on_sent(f, &r, false);
	case EVENT_RAISED: return on_sent(f, &r, true);
	case EVENT_FORK: f->nthreads++; return 0;
	}
	return 0;
}

int trail_row(struct trail *f, const struct row *row)
{
	struct cpu *c;

	switch (row->kind) {
	case ROW_EVENT: return on_event(f, row);
	case ROW_FAULT: /* memory that could not be read */
		c = cpu_of(f, row->cpu);
		return c ? complete(f, c) : -ENOMEM;
	case ROW_DROPS:
		if (rec_loss(row->id) == REC_LOST) {
			f->nlost += row->count;
			return trail_lost(f, row->count);
		}
		return 0;
	default: return 0;
	}
}

int trail_finish(struct trail *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->ncpus && r == 0; i++)
		r = complete(f, &f->cpus[i]);
	for (unsigned i = 0; i < TRAIL_BUCKETS; i++)
		for (struct thread *t = f->threads[i]; t && r == 0; t = t->next)
			r = trail_flush(f, t);
	if (r == 0)
		r = trail_tell(f);
	return r == 0 && fflush(f->out) != 0 ? -errno : r;
}

bool trail_status(const struct trail *f, int *ret)
{
	*ret = f->status;
	return f->status_known;
}
