/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a D program over the system calls of a trace: makes a firing of each call, and rows for the text view of its
 * records and aggregations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/walk.h"
#include "engine/run/refuse.h"
#include "engine/textopts.h"
#include "retro/refuse.h"
#include "retro/retro_int.h"
#include "run/session.h"

/* The size of the memory that stands for a thread's struct task_struct, and for its parent's. All members are 0, except
 * those that programs ask for. */
#define TASK_BYTES 65536u
#define PID_BYTES 4096u /* the same of its struct pid, after them */

static size_t read_user(void *ctx, uint64_t addr, void *buf, size_t n)
{
	struct retro *r = ctx;
	size_t got = 0, k;

	if (r->reruns && r->again.regs) /* what the trace has is of the call before */
		return rerun_read(&r->again, addr, buf, n);
	while (got < n && (k = calls_read(r->calls, addr + got, (char *)buf + got, n - got)) > 0)
		got += k;
	if (got < n && r->reruns)
		got += rerun_read(&r->again, addr + got, (char *)buf + got, n - got);
	r->unread += got == 0 && !r->reruns; /* else all is known: it is no memory of the program */
	return got;
}

static int add_agg(void *ctx, const void *key, const void *value)
{
	struct retro *r = ctx;
	const struct aggdesc *d = r->schema->aggs[r->w.image->maps[r->agg].agg];
	const struct row row = { .kind = ROW_AGG,
				 .ts = vm_now(r->vm)->ns,
				 .id = d->id,
				 .data = d->key_size ? key : NULL,
				 .len = d->key_size,
				 .value = r->merged };

	memset(r->merged, 0, d->value_size);
	aggval_merge(d->func, d->is_signed, d->param, r->merged, value);
	return r->merged[0] ? recording_append(r->rec, &row) : 0;
}

static int snapshot(struct retro *r)
{
	int e = 0;

	for (r->agg = 0; r->agg < r->w.image->nmaps && e == 0; r->agg++)
		if (r->w.image->maps[r->agg].role == IMG_MAP_AGG)
			e = vm_drain_map(r->vm, r->agg, add_agg, r);
	return e;
}

/* A row to be shown; those that show aggregations want them up to date. */
static int put_row(void *ctx, const struct row *row)
{
	struct retro *r = ctx;
	const struct recfmt *f = row->kind == ROW_EVENT ? r->schema->fmts[row->id - 1] : NULL;
	int e = 0;

	if (f && session_shows_aggs(f) && !r->shown) {
		e = snapshot(r);
		r->shown = true;
	}
	return e < 0 ? e : recording_append(r->rec, row);
}

static int on_record(void *ctx, const void *data, uint32_t len)
{
	struct retro *r = ctx;
	const struct recfmt *f;
	struct row row;
	int e = decode_record(&r->decoder, 0, data, len, &row);

	jframes_record(r, data, len);
	if (e < 0)
		return e;
	f = row.kind == ROW_EVENT ? r->schema->fmts[row.id - 1] : NULL;
	r->exits |= f && f->has_exit;
	if (f && r->specs && specs_changes(f))
		return specs_record(r->specs, f, &row, &(struct specs_sink){ put_row, put_row, r });
	return put_row(r, &row);
}

/* After a program has run: shows its rows, and gives back the speculations that it has ended. */
static int show_rows(struct retro *r)
{
	if (r->specs)
		specs_clean(r->specs);
	return text_view_consume(r->view, r->rec);
}

/* All programs of this target, in order. 0; WALK_END: exit() was called; -errno after an error, or of the output. */
static int fire(struct retro *r, const char *target)
{
	int e = 0;

	r->shown = false;
	jframes_see(r);
	for (uint32_t i = 0; i < r->w.image->nprogs && e == 0; i++) {
		const struct img_prog *p = &r->w.image->progs[i];

		if (p->entry.target && !strcmp(p->entry.target, target))
			e = vm_run(r->vm, p, r->context, &r->err);
	}
	if (e == 0)
		e = show_rows(r);
	return e == 0 && r->exits ? WALK_END : e;
}

static uint64_t mark_of(struct retro *r, uint32_t task, uint32_t tgid)
{
	struct thread t = { .task = task, .tgid = tgid };

	for (size_t i = r->threads.n; i--;)
		if (r->threads.v[i].task == task) {
			r->threads.v[i].tgid = tgid;
			return r->threads.v[i].mark;
		}
	t.mark = (uint64_t)(uintptr_t)vm_alloc(r->vm, 2 * (size_t)TASK_BYTES + PID_BYTES);
	return t.mark && vec_try_push(&r->threads, t) == 0 ? t.mark : 0;
}

/* A thread of a recorded process, or none. */
static uint64_t mark_of_process(const struct retro *r, uint32_t tgid)
{
	for (size_t i = r->threads.n; i--;)
		if (r->threads.v[i].tgid == tgid && r->threads.v[i].task != UINT32_MAX)
			return r->threads.v[i].mark;
	return 0;
}

/* The process and its parent, as the thread's struct task_struct has them, for ppid and progenyof(). A parent that is
 * not of the recording counts as a child of the command, since all of the recording descends from that. */
static void set_parent(const struct retro *r, uint64_t mark, uint32_t tgid, uint32_t ppid)
{
	uint64_t parent, command;
	uint32_t is = 0;

	if (!r->parent_at)
		return;
	memcpy((void *)(uintptr_t)(mark + r->tgid_at), &tgid, sizeof(tgid));
	memcpy(&parent, (void *)(uintptr_t)(mark + r->parent_at), sizeof(parent));
	if (parent)
		memcpy(&is, (void *)(uintptr_t)(parent + r->tgid_at), sizeof(is));
	if (parent && is == ppid)
		return;
	parent = mark_of_process(r, ppid);
	if (!parent) {
		parent = mark + TASK_BYTES;
		command = mark == r->self.task ? 0 : mark_of_process(r, r->target);
		memcpy((void *)(uintptr_t)(parent + r->tgid_at), &ppid, sizeof(ppid));
		memcpy((void *)(uintptr_t)(parent + r->parent_at), &command, sizeof(command));
	}
	memcpy((void *)(uintptr_t)(mark + r->parent_at), &parent, sizeof(parent));
}

/* Timers whose time comes before ns, each at its time. As fire(). */
static int tick(struct retro *r, uint64_t ns)
{
	int e = 0;

	while (e == 0 && !r->exits) {
		uint32_t first = 0;

		for (uint32_t i = 1; i < r->w.image->nprogs; i++)
			if (r->ticks[i] < r->ticks[first])
				first = i;
		if (r->ticks[first] > ns)
			break;
		*vm_now(r->vm) = r->self;
		vm_now(r->vm)->ns = r->ticks[first];
		r->ticks[first] += r->w.image->progs[first].entry.period_ns;
		r->shown = false;
		e = vm_run(r->vm, &r->w.image->progs[first], r->context, &r->err);
		if (e == 0)
			e = show_rows(r);
	}
	return e == 0 && r->exits ? WALK_END : e;
}

/* So that stacks of this process are looked up where it lives now. */
static void set_process(struct retro *r, uint64_t mark)
{
	const uint64_t pid = r->reruns && r->again.now ? (uint64_t)rerun_leader(&r->again) : 0;

	if (!r->leader_at)
		return;
	memcpy((void *)(uintptr_t)(mark + r->leader_at), &mark, sizeof(mark));
	memcpy((void *)(uintptr_t)(mark + r->start_at), &pid, sizeof(pid));
}

/* The thread's number, as its struct pid has it. Its level is 0: it is in no pid namespace. */
static void set_tid(const struct retro *r, uint64_t mark, uint32_t tid)
{
	const uint64_t pid = mark + 2 * (uint64_t)TASK_BYTES;

	if (!r->pid_at)
		return;
	memcpy((void *)(uintptr_t)(mark + r->pid_at), &pid, sizeof(pid));
	memcpy((void *)(uintptr_t)(pid + r->numbers_at), &tid, sizeof(tid));
}

static int set_now(struct retro *r, uint64_t ns, uint32_t task, const struct ev_name *name)
{
	struct vm_now *now = vm_now(r->vm);

	*now = (struct vm_now){ .ns = ns,
				.tgid = name->tgid,
				.tid = name->tid,
				.uid = name->uid,
				.gid = name->gid,
				.task = mark_of(r, task, name->tgid) };
	memcpy(now->comm, name->comm, sizeof(now->comm));
	if (!now->task)
		return -ENOMEM;
	set_parent(r, now->task, name->tgid, name->ppid);
	set_process(r, now->task);
	set_tid(r, now->task, name->tid);
	return 0;
}

static int on_call(void *ctx, const struct calls_event *e)
{
	static const uint8_t args[6] = { REG_DI, REG_SI, REG_DX, REG_R10, REG_R8, REG_R9 };
	struct retro *r = ctx;
	int x = tick(r, e->ns);

	if (x == 0)
		x = set_now(r, e->ns, e->task, &e->name);
	if (x)
		return x;
	for (int i = 0; i < 6; i++)
		r->context->regs[args[i]] = e->args[i];
	r->context->regs[REG_NR] = e->nr;
	r->context->regs[REG_IP] = e->rip;
	r->context->regs[REG_SP] = e->rsp;
	r->context->args[1] = e->entry ? e->nr : (uint64_t)e->ret;
	return fire(r, e->entry ? "sys_enter" : "sys_exit");
}

int retro_fire_place(struct retro *r, uint32_t prog, uint64_t cookie, const struct user_regs_struct *regs, uint64_t ns)
{
	int e = tick(r, ns);

	if (e == 0)
		e = set_now(r, ns, watch_task(r->again.now), calls_name(r->calls));
	if (e)
		return e;
	_Static_assert(sizeof(*regs) >= REGS * sizeof(uint64_t), "it begins as struct pt_regs");
	memcpy(r->context->regs, regs, sizeof(r->context->regs));
	vm_now(r->vm)->cookie = cookie;
	r->shown = false;
	jframes_see(r);
	e = vm_run(r->vm, &r->w.image->progs[prog], r->context->regs, &r->err);
	if (e == 0)
		e = show_rows(r);
	return e == 0 && r->exits ? WALK_END : e;
}

int retro_fire_sample(struct retro *r, const struct user_regs_struct *regs, uint64_t ns, uint64_t ran)
{
	int e = 0;

	for (uint32_t i = 0; i < r->w.image->nprogs && e == 0; i++) {
		if (r->samples[i] > ran)
			continue;
		while (r->samples[i] <= ran)
			r->samples[i] += r->w.image->progs[i].entry.period_ns;
		e = retro_fire_place(r, i, 0, regs, ns);
	}
	return e;
}

static int add_drops(struct retro *r, const struct img_prog *p, const uint64_t *counts)
{
	int e = 0;

	for (uint32_t i = CNT_FIRINGS + 1; i < REC_NCOUNTERS && e == 0; i++) {
		const struct row row = { .kind = ROW_DROPS,
					 .ts = vm_now(r->vm)->ns,
					 .probe = p->nprobes ? p->probes[0]->id : 0,
					 .id = i,
					 .count = counts[i] };

		e = counts[i] ? recording_append(r->rec, &row) : 0;
	}
	return e;
}

static int on_counts(void *ctx, const void *key, const void *value)
{
	struct retro *r = ctx;
	uint32_t index;

	memcpy(&index, key, sizeof(index));
	for (uint32_t i = 0; i < r->w.image->nprogs; i++)
		if (r->w.image->progs[i].index == index)
			return add_drops(r, &r->w.image->progs[i], value);
	return 0;
}

static int losses(struct retro *r)
{
	int e = 0;

	for (uint32_t i = 0; i < r->w.image->nmaps && e == 0; i++)
		if (r->w.image->maps[i].role == IMG_MAP_COUNTERS)
			e = vm_drain_map(r->vm, i, on_counts, r);
	return e;
}

/* profile-n */
static bool is_sampled(const struct entry *e)
{
	return e->kind == ENTRY_PERF_EVENT && e->target && !strcmp(e->target, "profile");
}

/* BEGIN, END and timers fire in dwell itself, not in a recorded task. */
static void begin(struct retro *r, uint64_t ns)
{
	r->self = (struct vm_now){ .ns = ns,
				   .tgid = (uint32_t)getpid(),
				   .tid = (uint32_t)getpid(),
				   .uid = getuid(),
				   .gid = getgid(),
				   .comm = "dwell",
				   .task = mark_of(r, UINT32_MAX, (uint32_t)getpid()) };
	set_parent(r, r->self.task, (uint32_t)getpid(), (uint32_t)getppid());
	for (uint32_t i = 0; i < r->w.image->nprogs; i++) {
		const struct entry *e = &r->w.image->progs[i].entry;

		r->samples[i] = is_sampled(e) ? e->period_ns : UINT64_MAX;
		r->ticks[i] = e->kind == ENTRY_PERF_EVENT && !is_sampled(e) ? ns + e->period_ns : UINT64_MAX;
		if (is_sampled(e) && (!r->again.sample_ns || e->period_ns < r->again.sample_ns))
			r->again.sample_ns = e->period_ns;
	}
}

/* Begins, all calls, END. 0 or -errno. */
static int go(struct retro *r, FILE *f)
{
	const struct trace_head *h = calls_head(r->calls);
	struct vm_now *now = vm_now(r->vm);
	struct row last = { .kind = ROW_END };
	int e;

	if (vm_state(r->vm))
		vm_state(r->vm)->wall_off = h->real_ns - h->mono_ns;
	begin(r, h->mono_ns);
	*now = r->self;
	e = fire(r, "BEGIN");
	if (e == 0)
		e = r->reruns ? rerun_go(&r->again, f, on_call) : calls_walk(r->calls, on_call, r, &r->err);
	r->self.ns = now->ns;
	*now = r->self;
	if (walk_ended(e) == 0)
		e = walk_ended(fire(r, "END"));
	if (e == 0)
		e = snapshot(r);
	if (e == 0)
		e = losses(r);
	last.ts = now->ns;
	if (e == 0)
		e = recording_append(r->rec, &last);
	if (e == 0)
		e = show_rows(r);
	return e < 0 ? e : text_view_finish(r->view);
}

static void show_msg(void *ctx, const char *text)
{
	const struct retro *r = ctx;

	listener_msg(&r->c->to, "%s", text);
}

/* Where a member of a kernel's struct is, within its first `limit` bytes. False: it is not there. */
static bool find_member(const struct retro *r, const char *tag, const char *name, uint32_t limit, uint32_t *ret)
{
	const struct dtype *ty = dtype_lookup(r->w.prog->types, DK_STRUCT, NULL, tag);
	struct dmember m;

	ty = ty ? dtype_resolve(r->w.prog->types, ty) : NULL;
	if (!ty || !dtype_member(r->w.prog->types, ty, name, &m) || m.bit_off / 8 + 8 > limit)
		return false;
	*ret = (uint32_t)(m.bit_off / 8);
	return true;
}

/* Where this kernel has what programs look up in a thread's struct task_struct. */
static void find_task(struct retro *r)
{
	uint32_t tgid, leader, start;

	if (find_member(r, "task_struct", "tgid", TASK_BYTES, &tgid) &&
	    find_member(r, "task_struct", "real_parent", TASK_BYTES, &r->parent_at))
		r->tgid_at = tgid;
	else
		r->parent_at = 0;
	if (r->parent_at && find_member(r, "task_struct", "group_leader", TASK_BYTES, &leader) &&
	    find_member(r, "task_struct", "start_boottime", TASK_BYTES, &start)) {
		r->leader_at = leader;
		r->start_at = start;
	}
	if (!find_member(r, "pid", "numbers", PID_BYTES, &r->numbers_at) ||
	    !find_member(r, "task_struct", "thread_pid", TASK_BYTES, &r->pid_at))
		r->pid_at = 0;
}

/* Names of a process of this replay, whose number the record has for its start. */
static bool name_user(void *ctx, uint32_t tgid, uint64_t start, uint64_t addr, struct symbol *ret)
{
	const struct retro *r = ctx;

	(void)tgid;
	return sym_user(r->names, (uint32_t)start, 0, addr, ret);
}

static bool name_kernel(void *ctx, uint64_t addr, struct symbol *ret)
{
	(void)ctx;
	*ret = (struct symbol){ .module = "", .offset = addr };
	return false;
}

static int prepare_names(struct retro *r)
{
	const struct sym_source source = { .ctx = r, .kernel = name_kernel, .user = name_user };
	int e = sym_new(&r->names, &r->err);

	return e < 0 ? e : sym_new_source(&source, &r->shown_names, &r->err);
}

/* --record: rows are of the time of the trace. 0 or -errno, told. */
static int open_recorder(struct retro *r)
{
	const struct trace_head *h = calls_head(r->calls);
	const struct recorder_then then = { h->real_ns, h->mono_ns };

	if (!r->c->opts.record[0])
		return 0;
	r->c->name = "replay";
	return recorder_open(r->c, r->schema, r->rec, r->shown_names, &r->why, &then, &r->recorder);
}

/* Prepares what is needed when the program runs again. */
static int prepare_again(struct retro *r)
{
	const int e = rerun_places(&r->again);

	if (e < 0)
		return e;
	r->again.stacks = stacks_new(r->names);
	return r->again.stacks ? 0 : -ENOMEM;
}

static int free_spec(void *ctx, uint32_t id)
{
	const struct retro *r = ctx;

	return vm_push(r->vm, IMG_MAP_SPECFREE, &id);
}

static int prepare_specs(struct retro *r)
{
	struct specs_home home = { .give_back = free_spec, .ctx = r };

	home.kern = vm_values(r->vm, IMG_MAP_SPECS, &home.n);
	if (!home.kern)
		return 0;
	home.n--; /* entry 0 is none */
	return specs_new(&home, &r->specs);
}

static int prepare(struct retro *r, const struct vm_host *host)
{
	struct text_opts t = { .replayed = true };
	size_t largest = 8;

	r->schema = session_schema(r->w.prog, r->w.image, &r->w.caps);
	r->decoder.schema = r->schema;
	for (size_t i = 0; i < r->schema->naggs; i++)
		largest = r->schema->aggs[i]->value_size > largest ? r->schema->aggs[i]->value_size : largest;
	textopts_fill(&t, &r->c->opts);
	t.verbose = r->c->verbose;
	if (prepare_names(r) < 0 || (r->reruns && prepare_again(r) < 0))
		return -ENOMEM;
	r->merged = malloc(largest + 8);
	if (!r->merged || vm_new(r->w.image, host, &r->vm) < 0 || recording_new_memory(r->schema, &r->rec) < 0 ||
	    text_view_new(r->schema, r->shown_names, &t, r->out, show_msg, r, &r->view) < 0)
		return -ENOMEM;
	r->context = vm_alloc(r->vm, sizeof(*r->context));
	r->ticks = malloc((r->w.image->nprogs + 1) * sizeof(*r->ticks));
	r->samples = malloc((r->w.image->nprogs + 1) * sizeof(*r->samples));
	if (prepare_specs(r) < 0 || !r->context || !r->ticks || !r->samples || !mark_of(r, UINT32_MAX, 0))
		return -ENOMEM;
	r->ticks[0] = UINT64_MAX; /* also without programs */
	find_task(r);
	if (r->reruns)
		jframes_open(r);
	r->context->args[0] = (uint64_t)(uintptr_t)r->context->regs;
	return 0;
}

/* Does the image need that the program runs again? */
static bool needs_again(const struct retro *r)
{
	for (uint32_t i = 0; i < r->w.image->nprogs; i++)
		if (r->w.image->progs[i].entry.kind == ENTRY_UPROBE || is_sampled(&r->w.image->progs[i].entry))
			return true;
	return r->w.image->uses_ustack;
}

static int finish(struct retro *r)
{
	struct diags d;
	int e = compile_image(&r->w, r->c, r->target);

	if (e)
		return e;
	diags_init(&d, r->c->arena);
	refuse_unknown(r->w.prog, &d);
	e = compile_print(r->c, &d);
	r->reruns = e == 0 && needs_again(r);
	return e ? e : refuse_run(r->c, &r->w);
}

/* The same file from its beginning. */
static FILE *reopen(FILE *f)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
	return fopen(path, "re");
}

static int open_calls(struct retro *r, FILE *f)
{
	FILE *again = reopen(f);

	calls_close(r->calls);
	r->calls = NULL;
	return again ? calls_open(again, &r->calls, &r->err)
		     : err_set(&r->err, -errno, "it cannot be read again: %s", strerror(errno));
}

static int first_call(void *ctx, const struct calls_event *e)
{
	struct retro *r = ctx;

	r->target = e->name.tgid;
	return WALK_END;
}

static bool wants_runtimes(const struct retro *r)
{
	for (size_t i = 0; i < r->c->progs.n; i++)
		if (jframes_asked(r->w.units[i]))
			return true;
	return false;
}

/* Do descriptions name probes inside of processes? */
static bool wants_processes(const struct retro *r)
{
	for (size_t i = 0; i < r->c->progs.n; i++)
		for (const struct item *it = r->w.units[i]->items; it; it = it->next)
			for (const struct pdesc_node *p = it->clause ? it->clause->probes : NULL; p; p = p->next)
				if (registry_is_user(r->w.reg, &p->desc))
					return true;
	return false;
}

static int compile_again(struct retro *r, FILE *f)
{
	FILE *play = reopen(f);
	int e = open_calls(r, f);

	if (e == 0 && play)
		return rerun_compile(&r->again, play, finish);
	if (play)
		fclose(play);
	return e < 0 ? e : -ENOENT;
}

static int parse(struct retro *r)
{
	int e = compile_open(&r->w, r->c, r->target);

	if (e == 0)
		registry_processes(r->w.reg, &r->past);
	return e == 0 ? compile_parse(&r->w, r->c, r->target) : e;
}

/* 0 or -errno, which is told unless there is an error. */
static int compile(struct retro *r, FILE *f)
{
	int e = open_calls(r, f);

	r->past = (struct prov_processes){ &r->again, rerun_host, rerun_each };
	r->again.r = r;
	if (e == 0)
		e = calls_walk(r->calls, first_call, r, &r->err);
	if (e == 0)
		e = parse(r);
	if (e == 0) /* "fp": the machine asks for the frames, stack.c; else the program walks them, jframes.c */
		r->c->opts.ustackunwind = wants_runtimes(r) ? "auto" : "fp";
	if (e == 0)
		e = wants_processes(r) ? compile_again(r, f) : finish(r);
	return e == 0 ? open_calls(r, f) : e;
}

/* Prints the limits of times and counts that the reader has to know. */
static void remark(const struct retro *r, const char *name)
{
	if (r->again.fired)
		listener_msg(&r->c->to,
			     "times of functions are estimated: between two system calls %s has no clock, and this "
			     "run's own time is taken, at most up to the next call",
			     name);
	if (r->again.sampled)
		listener_msg(&r->c->to,
			     "profile-n has samples of the time that the program's own instructions took in this "
			     "replay: that is no CPU time of %s, and nothing of the kernel is in it",
			     name);
	if (r->again.hidden)
		listener_msg(&r->c->to,
			     "%llu places of static probes are left out by the program itself, unless somebody raises "
			     "their counters, which nobody did when it was recorded",
			     (unsigned long long)r->again.hidden);
}

static bool user_regs(void *ctx, void *regs)
{
	struct user_regs_struct v;
	struct retro *r = ctx;

	if (!rerun_registers(&r->again, &v))
		return false;
	memcpy(regs, &v, VM_REGS_BYTES);
	return true;
}

static size_t user_stack(void *ctx, uint64_t *frames, size_t max)
{
	struct retro *r = ctx;

	return rerun_stack(&r->again, frames, max);
}

static int show(struct retro *r, const char *name, FILE *f, int *ret_status)
{
	const struct vm_host host = { .ctx = r,
				      .read_user = read_user,
				      .user_stack = user_stack,
				      .user_regs = user_regs,
				      .new_key = jframes_key,
				      .record = on_record };
	int e = prepare(r, &host);
	FILE *play = e == 0 && r->reruns ? reopen(f) : NULL;
	int recorded;

	if (e < 0 || (r->reruns && !play))
		return listener_fail(&r->c->to, -ENOMEM, "out of memory");
	e = open_recorder(r);
	if (e < 0) {
		if (play)
			fclose(play);
		return e;
	}
	e = go(r, play);
	recorded = recorder_close(take_ptr(r->recorder));
	remark(r, name);
	if (r->unread)
		listener_msg(
			&r->c->to,
			"%llu times the program read memory that %s does not have: it has the paths that a system call reads, and the memory that it writes, until the next call of the thread",
			(unsigned long long)r->unread, name);
	if (e < 0 && r->err.code)
		return listener_fail(&r->c->to, r->err.code, "%s: %s", name, r->err.msg);
	if (e == -ENOMEM)
		return listener_fail(&r->c->to, -ENOMEM, "out of memory");
	if (e < 0) /* -EPIPE: the reader has left, nobody to tell */
		return e == -EPIPE
			       ? e
			       : listener_fail(&r->c->to, e, "failed to write to standard output: %s", strerror(-e));
	if (vm_state(r->vm))
		*ret_status = (int)vm_state(r->vm)->exit_status;
	return recorded;
}

/* The reason why options of the request cannot be used with a recording. NULL: there is none. */
static const char *beyond(const struct request *c)
{
	if (c->pids.n || c->commands.n || c->words)
		return "-p and -c ask about processes that run now; a recording has its own";
	if (c->list || c->header || c->link)
		return "-l, -h and -G are not about a recording";
	if (c->output && !c->own)
		return "-o is not possible here: the text goes to standard output";
	if (c->opts.metrics[0])
		return "a recording cannot be written as metrics";
	return NULL;
}

int retro_run(struct request *c, const char *name, FILE *f, int *ret_status)
{
	_cleanup_fclose_ FILE *none = c->own && c->output ? fopen(c->output, "we") : NULL;
	struct retro r = { .c = c, .out = none ? none : stdout };
	const char *reason = beyond(c);
	int e = open_calls(&r, f);

	*ret_status = 0;
	c->past = true;
	if (reason)
		e = listener_fail(&c->to, -EINVAL, "replay: %s", reason);
	else if (e < 0)
		e = listener_fail(&c->to, r.err.code, "%s: %s", name, r.err.msg);
	else if ((e = compile(&r, f)) == 0 && !c->compile_only)
		e = show(&r, name, f, ret_status);
	else if (e < 0 && r.err.code)
		e = listener_fail(&c->to, e, "%s: %s", name, r.err.msg);
	text_view_free(r.view);
	recording_free(r.rec);
	specs_free(r.specs);
	vm_free(r.vm);
	vec_free(&r.threads);
	free(r.merged);
	free(r.ticks);
	free(r.samples);
	rerun_done(&r.again);
	stacks_free(r.again.stacks);
	sym_free(r.shown_names);
	sym_free(r.names);
	calls_close(r.calls);
	fclose(f);
	compile_done(&r.w);
	err_done(&r.err);
	return e;
}
