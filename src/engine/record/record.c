/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run into a recording file. Looks names of addresses up while their processes live, each address once. */
#include "engine/record/record.h"
#include "engine/record/unstarted.h"
#include <string.h>
#include <sys/utsname.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/printfmt.h"
#include "base/vec.h"
#include "engine/record/reclines.h"
#include "engine/textopts.h"
#include "store/file/recfile.h"

/* Where addresses lie in a record or key. */
struct addr_field {
	const struct recfield *f;
	bool kernel_int; /* an integer that printf() shows by %a */
};
struct addr_fields {
	VEC(struct addr_field) v;
};

#define META_MAX 16
#define NUMBER_LEN 24

struct recorder {
	struct recfile *file;
	const struct listener *to;
	struct recfile_info info; /* what each file says of the run */
	struct recfile_pair meta[META_MAX];
	struct utsname host;				/* meta points at it … */
	char begun[NUMBER_LEN], begun_mono[NUMBER_LEN]; /* … and at these */
	char one_in[NUMBER_LEN];
	uint64_t lost;		   /* rows of files before this one */
	struct recorder_then then; /* real_ns 0: now */
	bool no_costs;
	bool droptags; /* losses are printed with their tags */
	struct sym *sym;
	struct reclines *lines; /* NULL: none are wanted */
	const struct rec_schema *schema;
	struct why *why;
	struct addr_fields *events; /* by epid - 1 */
	struct addr_fields *keys;   /* by aggregation */
	struct err err;		    /* the first one */
	bool told;		    /* … which the user knows */
};

/* -- where addresses are -- */

static bool is_address(enum field_kind k)
{
	return k >= FLD_STACK && k <= FLD_WHY;
}

static int add_fields(struct addr_fields *to, const struct recfield *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_address(f[i].kind) && vec_try_push(&to->v, ((struct addr_field){ &f[i], false })) < 0)
			return -ENOMEM;
	return 0;
}

/* Integers shown by %a. */
static int add_printf(struct addr_fields *to, struct arena *a, const struct recact *act)
{
	struct pfconv *conv;
	const char *reason;
	size_t n, at = 0;

	if (!act->fmt || printfmt_parse(a, act->fmt, act->fmt_len, true, &conv, &n, &reason) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (conv[i].class == PFC_NONE || conv[i].class == PFC_PCT || (conv[i].flags & PF_AGG))
			continue;
		at += (conv[i].flags & PF_DYNWIDTH ? 1 : 0) + (conv[i].flags & PF_DYNPREC ? 1 : 0);
		if (conv[i].class == PFC_ADDR && at < act->nfields && act->fields[at].kind == FLD_INT &&
		    vec_try_push(&to->v, ((struct addr_field){ &act->fields[at], true })) < 0)
			return -ENOMEM;
		at++;
	}
	return 0;
}

static int find_fields(struct recorder *r, struct arena *a)
{
	const struct rec_schema *s = r->schema;
	int e = 0;

	r->events = calloc(s->nfmts + 1, sizeof(*r->events));
	r->keys = calloc(s->naggs + 1, sizeof(*r->keys));
	if (!r->events || !r->keys)
		return -ENOMEM;
	for (size_t i = 0; e == 0 && i < s->nfmts; i++) {
		for (size_t k = 0; e == 0 && k < s->fmts[i]->nacts; k++) {
			const struct recact *act = &s->fmts[i]->acts[k];

			e = add_fields(&r->events[i], act->fields, act->nfields);
			if (e == 0 && act->kind == ACT_PRINTF)
				e = add_printf(&r->events[i], a, act);
		}
	}
	for (size_t i = 0; e == 0 && i < s->naggs; i++)
		e = add_fields(&r->keys[i], s->aggs[i]->keys, s->aggs[i]->nkeys);
	return e;
}

/* -- names -- */

/* With the start of its function, which views may put in the place of the address. */
static void name_address(struct recorder *r, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct recfile_symbol rs = { .space = space, .tgid = tgid, .start = start, .addr = addr };
	struct symbol s = { 0 };

	if (recfile_knows(r->file, space, tgid, start, addr))
		return;
	rs.found = space == RECFILE_KERNEL ? sym_kernel(r->sym, addr, &s) : sym_user(r->sym, tgid, start, addr, &s);
	rs.module = s.module;
	rs.name = s.name;
	rs.path = s.path;
	rs.offset = s.offset;
	rs.base = s.addr;
	recfile_add_symbol(r->file, &rs, r->err.code ? NULL : &r->err);
	if (rs.found && s.name && s.offset && s.offset <= addr)
		name_address(r, space, tgid, start, addr - s.offset);
}

/* The field that is looked at. */
struct naming {
	struct recorder *r;
	const struct recfield *f;
	size_t n; /* addresses of it so far */
};

static void on_address(void *ctx, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct naming *x = ctx;

	name_address(x->r, space, tgid, start, addr);
	/* Where a call returns to may be another line already. */
	if (x->f->kind == FLD_USTACK && x->r->lines)
		reclines_note(x->r->lines, tgid, start, addr - (x->n ? 1 : 0));
	x->n++;
}

static void name_field(struct recorder *r, const struct addr_field *af, const uint8_t *data)
{
	const struct recfield *f = af->f;
	uint64_t addr = 0;

	if (is_address(f->kind)) {
		recfile_addresses(f, data, on_address, &(struct naming){ r, f, 0 });
		return;
	}
	memcpy(&addr, data + f->off, f->size < 8 ? f->size : 8);
	name_address(r, RECFILE_KERNEL, 0, 0, addr);
}

/* Tells how many rows the limit of size kept out of the recording. */
static void tell_unrecorded(const struct recorder *r)
{
	uint64_t n = recfile_unrecorded(r->file);

	if (n)
		listener_msg(r->to, "%s%llu row%s not in the recording: no room within --record-size",
			     r->droptags ? "[DROP_RECORD] " : "", (unsigned long long)n, n == 1 ? "" : "s");
}

/* At once: the run may go on for days. */
static void tell_failure(struct recorder *r)
{
	if (!r->err.code || r->told)
		return;
	r->told = true;
	listener_msg(r->to, "%s; the run goes on without it", r->err.msg);
}

static void on_row(void *ctx, const struct row *row)
{
	const struct addr_fields *fields = NULL;
	struct recorder *r = ctx;
	const char *notice;

	if (row->kind == ROW_COST && r->no_costs)
		return;
	if (row->kind == ROW_EVENT && row->id >= 1 && row->id <= r->schema->nfmts && row->data)
		fields = &r->events[row->id - 1];
	else if (row->kind == ROW_AGG && row->data)
		fields = &r->keys[row->id];
	if (fields && fields->v.n)
		recfile_name_for(r->file, row);
	for (size_t i = 0; fields && i < fields->v.n; i++)
		name_field(r, &fields->v.v[i], row->data);
	recfile_append(r->file, row, r->err.code ? NULL : &r->err);
	recfile_tick(r->file, clock_ns(CLOCK_MONOTONIC), r->err.code ? NULL : &r->err);
	tell_failure(r);
	notice = recfile_notice(r->file);
	if (notice)
		listener_msg(r->to, "%s", notice);
}

/* -- what the run was -- */

static void add_meta(struct recfile_pair *v, size_t *n, const char *name, const char *value)
{
	if (*n + 1 < META_MAX && value)
		v[(*n)++] = (struct recfile_pair){ name, value };
}

static void describe_run(struct recorder *r, const struct request *c)
{
	struct recfile_pair *v = r->meta;
	size_t n = 0;

	add_meta(v, &n, "dwell", DWELL_VERSION);
	add_meta(v, &n, "name", c->name);
	if (uname(&r->host) == 0) {
		add_meta(v, &n, "host", r->host.nodename);
		add_meta(v, &n, "kernel", r->host.release);
		add_meta(v, &n, "machine", r->host.machine);
	}
	if (request_one_in(c) > 1) {
		snprintf(r->one_in, sizeof(r->one_in), "%u", request_one_in(c));
		add_meta(v, &n, RECFILE_ONE_IN, r->one_in);
	}
	add_meta(v, &n, "begun_realtime_ns", r->begun);
	add_meta(v, &n, "begun_monotonic_ns", r->begun_mono);
}

static int make_file(struct recorder *r, const char *path, struct recfile **ret, struct err *err)
{
	uint64_t wall = r->then.real_ns ? r->then.real_ns : clock_ns(CLOCK_REALTIME);
	uint64_t mono = r->then.real_ns ? r->then.mono_ns : clock_ns(CLOCK_MONOTONIC);

	snprintf(r->begun, sizeof(r->begun), "%llu", (unsigned long long)wall);
	snprintf(r->begun_mono, sizeof(r->begun_mono), "%llu", (unsigned long long)mono);
	r->info.wall_off = wall - mono;
	return recfile_create(path, r->schema, &r->info, ret, err);
}

/* The list with one more at its end. */
static struct recfile_pair *record_option(struct arena *a, const struct recfile_pair *v, size_t *n, const char *name,
					  const char *value)
{
	struct recfile_pair *p = arena_new_arr(a, struct recfile_pair, *n + 2);

	if (*n)
		memcpy(p, v, *n * sizeof(*p));
	p[(*n)++] = (struct recfile_pair){ name, value };
	return p;
}

static const struct recfile_pair *describe_options(const struct request *c)
{
	struct recfile_pair *p = NULL;
	size_t n = 0;

	for (size_t i = 0; textopts_names[i]; i++)
		p = record_option(c->arena, p, &n, textopts_names[i], dopts_get(&c->opts, textopts_names[i]));
	if (c->opts.by[0]) /* what the groups of its tables are */
		p = record_option(c->arena, p, &n, "by", c->opts.by);
	return record_option(c->arena, p, &n, "verbose", c->verbose ? "set" : "unset");
}

static const struct recfile_pair *describe_programs(const struct request *c)
{
	struct recfile_pair *p = arena_new_arr(c->arena, struct recfile_pair, c->progs.n + 1);

	for (size_t i = 0; i < c->progs.n; i++)
		p[i] = (struct recfile_pair){ c->progs.v[i].src.name,
					      arena_strndup(c->arena, c->progs.v[i].src.text, c->progs.v[i].src.len) };
	return p;
}

/* Implements recfile_info.cause. */
static const char *cause(void *ctx, const uint8_t *frames, size_t n)
{
	const char *names[CAUSES_MAX_DEPTH], *class;
	struct recorder *r = ctx;

	for (size_t i = 0; i < n && i < CAUSES_MAX_DEPTH; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, frames + 8 * i, sizeof(pc));
		names[i] = sym_kernel(r->sym, pc, &s) ? s.name : NULL;
	}
	return why_words(r->why, names, n < CAUSES_MAX_DEPTH ? n : CAUSES_MAX_DEPTH, 0, &class);
}

int recorder_open(const struct request *c, const struct rec_schema *schema, struct recording *rec, struct sym *sym,
		  struct why *why, const struct recorder_then *then, struct recorder **ret)
{
	struct recorder *r = sym && why ? calloc(1, sizeof(*r)) : NULL;
	struct err err = { 0 };
	int e;

	if (!sym || !why)
		return listener_fail(&c->to, -EINVAL, "failed to record: names of addresses are not known");
	if (!r)
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	r->to = &c->to;
	r->then = then ? *then : (struct recorder_then){ 0, 0 };
	r->sym = sym;
	r->droptags = c->opts.droptags;
	r->why = why;
	r->schema = schema;
	r->info = (struct recfile_info){ .meta = r->meta,
					 .options = describe_options(c),
					 .programs = describe_programs(c),
					 .max_bytes = (uint64_t)c->opts.recsize,
					 .max_age_ns = (uint64_t)c->opts.recage,
					 .cause = cause,
					 .cause_ctx = r };
	describe_run(r, c);
	if (find_fields(r, c->arena) < 0) {
		recorder_close(r);
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	}
	e = make_file(r, c->opts.record, &r->file, &err);
	if (e < 0) {
		recorder_close(r);
		return listener_fail(&c->to, err.code, "%s", err.msg);
	}
	if (c->opts.srclines)
		r->lines = reclines_new(sym);
	recording_tee(rec, on_row, r);
	*ret = r;
	return 0;
}

void recorder_no_costs(struct recorder *r)
{
	r->no_costs = true;
}

void recorder_no_lines(struct recorder *r)
{
	reclines_free(take_ptr(r->lines));
}

/* Source lines of all stacks, last of all. */
static void write_lines(struct recorder *r)
{
	size_t missing = 0;

	if (!r->lines || !r->file || recorder_failed(r))
		return;
	/* A signal may end the process here, and nothing else must be lost with it. */
	recfile_flush(r->file, &r->err);
	if (recorder_failed(r))
		return;
	reclines_write(r->lines, r->file, RECLINES_TIME_NS, &missing, &r->err);
	if (missing)
		listener_msg(
			r->to,
			"source lines of %zu addresses are not in the recording: there is room for %u, and time for %llu s or until a signal comes",
			missing, RECLINES_MAX, (unsigned long long)(RECLINES_TIME_NS / NSEC_PER_SEC));
}

int recorder_rotate(struct recorder *r, const char *path, struct err *err)
{
	struct recfile *next = NULL;
	int e = make_file(r, path, &next, err);

	if (e < 0)
		return e;
	tell_unrecorded(r);
	r->lost += recfile_dropped(r->file) + recfile_unrecorded(r->file);
	e = recfile_close(r->file, err);
	r->file = next;
	err_done(&r->err);
	r->err = (struct err){ 0 };
	r->told = false;
	return e;
}

bool recorder_failed(const struct recorder *r)
{
	return r->err.code != 0;
}

uint64_t recorder_lost(const struct recorder *r)
{
	return r->lost + recfile_dropped(r->file) + recfile_unrecorded(r->file);
}

int recorder_close(struct recorder *r)
{
	int e = 0;

	if (!r)
		return 0;
	write_lines(r);
	if (r->file) {
		uint64_t dropped = recfile_dropped(r->file);

		tell_unrecorded(r);
		recfile_close(r->file, r->err.code ? NULL : &r->err);
		if (r->err.code)
			e = listener_fail(r->to, r->err.code, "%s%s%llu row%s not recorded", r->told ? "" : r->err.msg,
					  r->told ? "" : "; ", (unsigned long long)dropped, dropped == 1 ? "" : "s");
	}
	for (size_t i = 0; r->events && i < r->schema->nfmts; i++)
		vec_free(&r->events[i].v);
	for (size_t i = 0; r->keys && i < r->schema->naggs; i++)
		vec_free(&r->keys[i].v);
	reclines_free(r->lines);
	free(r->events);
	free(r->keys);
	free(r);
	return e;
}
