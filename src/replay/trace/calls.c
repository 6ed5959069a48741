/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/trace/calls.h"
#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/walk.h"
#include "replay/trace/group.h"
#include "replay/trace/stub.h"

#define NO_RESTART 513 /* ERESTARTNOINTR: the recorder kept the call back for a signal; it begins once more */
#define NAMED_FROM 3u  /* version of the trace that has EV_NAME */

struct piece {
	uint64_t addr;
	size_t at, size; /* in bytes */
};
struct who {
	uint32_t task;
	struct ev_name name;
	struct calls_event executes; /* a program, and has not returned; ns 0: it does not */
	/* Contents of memory that are known, from the beginning of a call on. */
	VEC(struct piece) pieces;
	VEC(uint8_t) bytes;
};
struct calls {
	struct trace_in *in;
	struct group g;
	VEC(struct who *) tasks;
	struct who *k; /* the task of the event */
	size_t log_at; /* of the group's log */
	bool begun;    /* the group's call */
	bool born;     /* the group is the first one of its task */
	struct calls_event logged;
	uint64_t told; /* ns of the last event */
	calls_fn *fn;
	calls_turn_fn *turned; /* NULL: nobody wants to know */
	void *ctx;
};

static void free_who(struct who *k)
{
	vec_free(&k->pieces);
	vec_free(&k->bytes);
	free(k);
}

static struct who *find(struct calls *c, uint32_t task)
{
	struct who *k;

	for (size_t i = 0; i < c->tasks.n; i++)
		if (c->tasks.v[i]->task == task)
			return c->tasks.v[i];
	k = c->tasks.n < TASKS_MAX ? calloc(1, sizeof(*k)) : NULL;
	if (k && vec_try_push(&c->tasks, k) < 0) {
		free(k);
		return NULL;
	}
	if (k)
		k->task = task;
	return k;
}

static void end(struct calls *c, struct who *k)
{
	for (size_t i = 0; i < c->tasks.n; i++)
		if (c->tasks.v[i] == k)
			c->tasks.v[i] = c->tasks.v[--c->tasks.n];
	free_who(k);
}

static int know(struct who *k, uint64_t addr, const void *bytes, size_t n)
{
	if (!n)
		return 0;
	if (vec_reserve_raw((void **)&k->bytes.v, &k->bytes.cap, k->bytes.n + n, 1) < 0)
		return -ENOMEM;
	memcpy(k->bytes.v + k->bytes.n, bytes, n);
	k->bytes.n += n;
	return vec_try_push(&k->pieces, ((struct piece){ addr, k->bytes.n - n, n }));
}

/* The newest piece counts. */
size_t calls_read(struct calls *c, uint64_t addr, void *buf, size_t n)
{
	const struct who *k = c->k;

	for (size_t i = k->pieces.n; i--;) {
		const struct piece *p = &k->pieces.v[i];
		size_t there;

		if (addr < p->addr || addr - p->addr >= p->size)
			continue;
		there = p->size - (size_t)(addr - p->addr);
		memcpy(buf, k->bytes.v + p->at + (addr - p->addr), there < n ? there : n);
		return there < n ? there : n;
	}
	return 0;
}

static int tell(struct calls *c, struct calls_event *e, bool entry, uint64_t ns)
{
	e->entry = entry;
	e->ns = ns;
	e->task = c->k->task;
	c->told = ns;
	e->name = c->k->name;
	return c->fn(c->ctx, e);
}

static int know_mems(struct calls *c, size_t n, const struct group_mem *v)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = know(c->k, v[i].addr, c->g.bytes.v + v[i].at, v[i].size);
	return r;
}

static void forget(struct who *k)
{
	k->pieces.n = k->bytes.n = 0;
}

static const struct stub_call *next_logged(const struct calls *c)
{
	return c->log_at < c->g.log.n ? (const struct stub_call *)(const void *)(c->g.log.v + c->log_at) : NULL;
}

int calls_log_begin(struct calls *c)
{
	const struct stub_call *s = next_logged(c);
	struct stub_data d;
	int r;

	if (!s)
		return 0;
	c->logged = (struct calls_event){ .nr = s->nr, .ret = s->ret, .rip = s->site, .rsp = s->rsp };
	memcpy(c->logged.args, s->args, sizeof(c->logged.args));
	stub_data(s, &d);
	forget(c->k);
	r = d.text ? know(c->k, d.text_addr, d.text, strnlen(d.text, d.text_size - 1) + 1) : 0;
	return r ? r : tell(c, &c->logged, true, trace_head(c->in)->mono_ns + s->ns);
}

int calls_log_end(struct calls *c)
{
	const struct stub_call *s = next_logged(c);
	struct stub_data d;
	int r;

	if (!s)
		return 0;
	stub_data(s, &d);
	r = know(c->k, d.addr, s + 1, d.n);
	c->log_at += s->size;
	return r ? r : tell(c, &c->logged, false, trace_head(c->in)->mono_ns + s->ns + s->took);
}

/* Tells the calls of the log that have not been told yet. */
static int at_log(struct calls *c)
{
	int r = 0;

	while (next_logged(c) && r == 0) {
		r = calls_log_begin(c);
		r = r ? r : calls_log_end(c);
	}
	return r;
}

static struct calls_event event_of(const struct ev_call *call)
{
	struct calls_event e = { .nr = call->regs[R_NR],
				 .ret = call->ret,
				 .rip = call->regs[R_RIP],
				 .rsp = call->regs[R_RSP],
				 .waited = call->entered };

	memcpy(e.args, &call->regs[R_A0], sizeof(e.args));
	return e;
}

static int begins(struct calls *c, struct calls_event *e)
{
	int r;

	forget(c->k);
	r = know_mems(c, c->g.texts.n, c->g.texts.v);
	return r ? r : tell(c, e, true, trace_head(c->in)->mono_ns + c->g.call.ns);
}

static bool is_kept_back(const struct ev_call *call)
{
	return !call->entered && call->how == HOW_RESTART && call->ret == -NO_RESTART;
}

int calls_begin(struct calls *c)
{
	struct calls_event e = event_of(&c->g.call);
	int r = at_log(c);

	if (r || c->begun)
		return r;
	c->begun = true;
	if (c->g.kind == EV_ENTER || (c->g.kind == EV_CALL && !c->g.call.entered && !is_kept_back(&c->g.call)))
		return begins(c, &e);
	return 0;
}

static int at_call(struct calls *c)
{
	const struct ev_call *call = &c->g.call;
	uint64_t returned = trace_head(c->in)->mono_ns + call->ns + call->took;
	struct calls_event e = event_of(call);
	int r = 0;

	if (is_kept_back(call))
		return 0;
	if (c->g.named) /* the call changed it */
		c->k->name = c->g.name;
	if (call->how == HOW_ENTRY) {
		c->k->executes = e;
		c->k->executes.ns = returned;
		return r;
	}
	r = know_mems(c, c->g.mems.n, c->g.mems.v);
	/* The return of rt_sigreturn(2) has no number: it goes on where the signal came. */
	return r || e.nr == __NR_rt_sigreturn ? r : tell(c, &e, false, returned);
}

/* execve(2) returns into the new program. */
static int at_exec(struct calls *c)
{
	struct calls_event e = c->k->executes;

	forget(c->k);
	c->k->executes.ns = 0;
	return e.ns ? tell(c, &e, false, e.ns) : 0;
}

static int turn(struct calls *c, uint32_t signo)
{
	const struct calls_turn t = { .task = c->k->task, .ns = calls_told_ns(c), .signo = signo, .name = c->k->name };

	return c->turned ? c->turned(c->ctx, &t) : 0;
}

/* A new task begins where its maker's clone(2) returns, which it does in both. */
static int at_state(struct calls *c)
{
	const struct user_regs_struct *u = &c->g.state.regs;
	struct calls_event e = { .nr = u->orig_rax, .rip = u->rip, .rsp = u->rsp };

	if (!c->born && c->g.state.signo)
		return turn(c, c->g.state.signo);
	if (!c->born || !c->g.named)
		return 0;
	memcpy(e.args, (const uint64_t[]){ u->rdi, u->rsi, u->rdx, u->r10, u->r8, u->r9 }, sizeof(e.args));
	return tell(c, &e, false, calls_told_ns(c));
}

int calls_end(struct calls *c)
{
	int r = calls_begin(c);

	if (r)
		return r;
	switch (c->g.kind) {
	case EV_CALL: return at_call(c);
	case EV_EXEC: return at_exec(c);
	case EV_STATE: return at_state(c);
	case EV_END:
		r = turn(c, 0);
		end(c, c->k);
		return r;
	default: return 0;
	}
}

static int no_blob(void *ctx, uint64_t at, const void *bytes, size_t n)
{
	(void)ctx;
	(void)at;
	(void)bytes;
	(void)n;
	return 0;
}

void calls_told_to(struct calls *c, calls_fn *fn, void *ctx)
{
	c->fn = fn;
	c->ctx = ctx;
}

void calls_turns_told_to(struct calls *c, calls_turn_fn *fn)
{
	c->turned = fn;
}

struct step calls_next(struct calls *c)
{
	struct step s = group_next(&c->g, c->in, no_blob, NULL);
	size_t tasks;

	if (!s.more)
		return s;
	tasks = c->tasks.n;
	c->k = find(c, c->g.task);
	if (!c->k)
		return step_failed(-ENOMEM);
	c->born = c->tasks.n > tasks;
	c->log_at = 0;
	c->begun = false;
	if (c->g.named && c->g.kind != EV_CALL)
		c->k->name = c->g.name;
	return s;
}

int calls_walk(struct calls *c, calls_fn *fn, void *ctx, struct err *e)
{
	struct step s;
	int r;

	calls_told_to(c, fn, ctx);
	while ((s = calls_next(c)).more) {
		r = calls_end(c);
		if (r != 0)
			return walk_ended(r);
	}
	if (s.error)
		return err_set(e, s.error, "the recording cannot be used: %s",
			       s.error == -EBADMSG ? "what it says makes no sense" : strerror(-s.error));
	return trace_ended_by(c->in) == TRACE_DAMAGED ? err_set(e, -EBADMSG, "the recording is damaged") : 0;
}

const struct ev_name *calls_name(const struct calls *c)
{
	return &c->k->name;
}

uint64_t calls_told_ns(const struct calls *c)
{
	return c->told ? c->told : trace_head(c->in)->mono_ns;
}

uint64_t calls_next_ns(const struct calls *c)
{
	const struct stub_call *s = next_logged(c);
	const struct ev_call *call = &c->g.call;

	if (s)
		return trace_head(c->in)->mono_ns + s->ns;
	return !c->begun && (c->g.kind == EV_ENTER || (c->g.kind == EV_CALL && !call->entered))
		       ? trace_head(c->in)->mono_ns + call->ns
		       : 0;
}

int calls_open(FILE *f, struct calls **ret, struct err *e)
{
	struct calls *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		fclose(f);
		return err_set(e, -ENOMEM, "out of memory");
	}
	r = trace_open(f, &c->in);
	if (r < 0)
		r = err_set(e, r, "%s", trace_words(r));
	else if (trace_head(c->in)->version < NAMED_FROM)
		r = err_set(
			e, -ENOTSUP,
			"the recording is of an older version of dwell, and does not tell the threads apart: it can be replayed only");
	if (r < 0) {
		calls_close(c);
		return r;
	}
	*ret = c;
	return 0;
}

const struct trace_head *calls_head(const struct calls *c)
{
	return trace_head(c->in);
}

void calls_close(struct calls *c)
{
	if (!c)
		return;
	while (c->tasks.n)
		free_who(c->tasks.v[--c->tasks.n]);
	vec_free(&c->tasks);
	if (c->in)
		trace_done(c->in);
	group_free(&c->g);
	free(c);
}
