/* SPDX-License-Identifier: Apache-2.0 */
/* Makes stacks of keys and records: texts of the key first, then user frames, then kernel frames. A second stack of a
 * kind is the waker's: it is put on top, its leaf first, after a separator, then texts of the key that stand after
 * it. Slow events of a tracker have the thread's name first, and weigh what they took. */
#include "view/stack/recstacks.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "latency/cause/causes.h"
#include "latency/cause/slowwait.h"
#include "runtime/go/go.h"
#include "store/slow.h"
#include "view/form/kstack.h"

#define FIELDS_MAX 64 /* of a key, looked at */

struct recstacks {
	const struct rec_schema *schema;
	struct sym *sym;
	struct recstacks_opts opts;
	const struct aggdesc *agg;
	const struct rec_tracker *tracker;  /* or NULL */
	const struct recfield *why, *noted; /* of agg: why(stack()), and the number after it; or NULL */
	struct causes *causes;		    /* or NULL: what is idle is drawn as all else */
	bool *events;			    /* by epid - 1: taken */
	char title[256];
	struct stack_input in;
	uint32_t frames[STACKTREE_MAX_DEPTH + 1];
	size_t n;
};

/* why(stack()) is a stack, too. */
static enum field_kind kind_of_stack(const struct recfield *f)
{
	return f->kind == FLD_WHY ? FLD_STACK : f->kind;
}

static bool is_stack(const struct recfield *f)
{
	return kind_of_stack(f) == FLD_STACK || f->kind == FLD_USTACK;
}

static bool has_stack(const struct recfield *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_stack(&f[i]))
			return true;
	return false;
}

static bool fmt_has_stack(const struct recfmt *f)
{
	for (size_t i = 0; i < f->nacts; i++)
		if (has_stack(f->acts[i].fields, f->acts[i].nfields))
			return true;
	return false;
}

/* Values of which cannot be added up. */
static bool is_additive(const struct aggdesc *d)
{
	return d->func != AGG_MIN && d->func != AGG_MAX;
}

bool recstacks_of(const struct aggdesc *d)
{
	return has_stack(d->keys, d->nkeys) && is_additive(d);
}

static const char *func_name(const struct aggdesc *d)
{
	return d->func == AGG_COUNT ? "count" : d->func == AGG_SUM || d->func == AGG_AVG ? "sum" : "count of values";
}

/* -- choosing -- */

static const struct recact *slow_act(const struct recfmt *f)
{
	for (size_t i = 0; i < f->nacts; i++)
		if (f->acts[i].kind == ACT_SLOW && has_stack(f->acts[i].fields, f->acts[i].nfields))
			return &f->acts[i];
	return NULL;
}

static bool any_slow(const struct rec_schema *s)
{
	for (size_t i = 0; i < s->nfmts; i++)
		if (slow_act(s->fmts[i]))
			return true;
	return false;
}

static void list_choices(const struct rec_schema *s, struct strb *b)
{
	for (size_t i = 0; i < s->naggs; i++)
		if (recstacks_of(s->aggs[i]))
			strb_printf(b, "%s@%s", b->n ? ", " : "", s->aggs[i]->name);
	for (size_t i = 0; i < s->ntrackers && any_slow(s); i++)
		strb_printf(b, "%s%s", b->n ? ", " : "", s->trackers[i].name);
	for (size_t i = 0; i < s->nfmts; i++)
		if (fmt_has_stack(s->fmts[i])) {
			strb_printf(b, "%sevents", b->n ? ", " : "");
			break;
		}
}

static bool choose_aggregation(struct recstacks *r, const char *name, size_t *ret_n)
{
	const struct rec_schema *s = r->schema;

	*ret_n = 0;
	for (size_t i = 0; i < s->naggs; i++) {
		const struct aggdesc *d = s->aggs[i];

		if (!recstacks_of(d) || (name && strcmp(d->name, name) != 0))
			continue;
		r->agg = d;
		snprintf(r->title, sizeof(r->title), "@%s: %s", d->name, func_name(d));
		++*ret_n;
	}
	return *ret_n == 1;
}

static bool choose_events(struct recstacks *r)
{
	bool any = false;

	for (size_t i = 0; i < r->schema->nfmts; i++) {
		r->events[i] = fmt_has_stack(r->schema->fmts[i]);
		any |= r->events[i];
	}
	snprintf(r->title, sizeof(r->title), "events");
	return any;
}

static bool choose_tracker(struct recstacks *r, const char *name)
{
	const struct rec_schema *s = r->schema;

	for (size_t i = 0; i < s->ntrackers && any_slow(s); i++)
		if (!strcmp(s->trackers[i].name, name)) {
			r->tracker = &s->trackers[i];
			snprintf(r->title, sizeof(r->title), "%s", name);
			return true;
		}
	return false;
}

static bool choose_named(struct recstacks *r, const char *by)
{
	size_t n;

	by += *by == '@';
	return (!strcmp(by, "events") && choose_events(r)) || choose_aggregation(r, by, &n) || choose_tracker(r, by);
}

static bool choose_any(struct recstacks *r, const char *by)
{
	_cleanup_free_ char *names = strdup(by);
	char *rest = names, *end;

	while (rest) {
		end = strstr(rest, RECSTACKS_OR);
		if (end)
			*end = '\0';
		if (choose_named(r, rest))
			return true;
		rest = end ? end + strlen(RECSTACKS_OR) : NULL;
	}
	return false;
}

static int choose(struct recstacks *r, struct err *err)
{
	const char *by = r->opts.by;
	struct strb list = { 0 };
	size_t n = 0;
	int e = 0;

	if (!(by ? choose_any(r, by) : choose_aggregation(r, NULL, &n) || (n == 0 && choose_events(r)))) {
		list_choices(r->schema, &list);
		if (!list.n)
			e = err_set(err, -ENOENT,
				    "there are no stacks in it: the program must have stack() or ustack() in the "
				    "key of an aggregation, or as an action");
		else if (by)
			e = err_set(err, -EINVAL, "'%s' has no stacks; what has: %s", r->opts.by, list.s);
		else
			e = err_set(err, -EINVAL, "there are several with stacks: %s; choose one with --by", list.s);
	}
	strb_free(&list);
	return e;
}

/* The number after why(stack()) says what else is known of the wait (WHY_*). */
static void find_why(struct recstacks *r)
{
	for (size_t i = 0; r->agg && i < r->agg->nkeys; i++)
		if (r->agg->keys[i].kind == FLD_WHY && !r->why)
			r->why = &r->agg->keys[i];
		else if (r->agg->keys[i].kind == FLD_INT && r->why && !r->noted)
			r->noted = &r->agg->keys[i];
}

int recstacks_new(const struct rec_schema *schema, struct sym *sym, const struct recstacks_opts *opts,
		  struct recstacks **ret, struct err *err)
{
	struct recstacks *r = calloc(1, sizeof(*r));
	int e;

	if (r)
		r->events = calloc(schema->nfmts + 1, sizeof(*r->events));
	if (!r || !r->events) {
		recstacks_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	r->schema = schema;
	r->sym = sym;
	r->opts = *opts;
	e = choose(r, err);
	if (e < 0) {
		recstacks_free(r);
		return e;
	}
	find_why(r);
	if ((r->why || r->tracker) && opts->causes)
		r->causes = opts->causes(opts->causes_arg);
	*ret = r;
	return 0;
}

void recstacks_free(struct recstacks *r)
{
	if (!r)
		return;
	free(r->events);
	free(r);
}

const char *recstacks_title(const struct recstacks *r)
{
	return r->title;
}
const struct aggdesc *recstacks_agg(const struct recstacks *r)
{
	return r->agg;
}
bool recstacks_is_sum(const struct recstacks *r)
{
	return r->tracker || (r->agg && (r->agg->func == AGG_SUM || r->agg->func == AGG_AVG));
}
bool recstacks_is_time(const struct recstacks *r)
{
	return r->tracker;
}
const struct stack_input *recstacks_input(const struct recstacks *r)
{
	return &r->in;
}

/* -- frames -- */

static void push(struct recstacks *r, struct stacktree *t, enum frame_kind kind, const char *name, const char *module)
{
	if (r->n <= STACKTREE_MAX_DEPTH)
		r->frames[r->n++] = stacktree_frame(t, kind, name, strlen(name), module, strlen(module));
}

/* Whether a module is a language runtime, and the colour of what its compiler has made (sym/sym.h). */
static bool kind_of_runtime(const char *module, enum frame_kind *ret)
{
	static const struct {
		const char *module;
		enum frame_kind kind;
	} runtimes[] = {
		{ "javascript", FRAME_JS },
		{ "javascript/baseline", FRAME_JS_BASELINE },
		{ "javascript/maglev", FRAME_JS_OPTIMISED },
		{ "javascript/turbofan", FRAME_JS_OPTIMISED },
		{ "python", FRAME_PYTHON },
		{ "java", FRAME_JAVA },
		{ "java/native", FRAME_JAVA },
		{ "java/c1", FRAME_JAVA_C1 },
		{ "java/c2", FRAME_JAVA_C2 },
		{ "java/stub", FRAME_JIT },
	};

	for (size_t i = 0; module && i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strcmp(module, runtimes[i].module)) {
			*ret = runtimes[i].kind;
			return true;
		}
	return false;
}

static enum frame_kind kind_of(const struct symbol *s, bool kernel)
{
	enum frame_kind runtime;

	if (kernel)
		return FRAME_KERNEL;
	if (kind_of_runtime(s->module, &runtime))
		return runtime;
	if (s->module && !strcmp(s->module, "[jit]"))
		return FRAME_JIT;
	return s->module && (strstr(s->module, ".so") || s->module[0] == '[') ? FRAME_LIBRARY : FRAME_USER;
}

/* A function with its place in the source. */
static void push_line(struct recstacks *r, struct stacktree *t, enum frame_kind kind, const char *name,
		      const char *module, const struct sym_line *l)
{
	struct stack_frame f = { .kind = kind, .name = name, .module = module };

	f.source.file = l->def_file ? l->def_file : l->file ? l->file : "";
	f.source.def_line = l->def_file || !l->file ? l->def_line : l->line;
	f.source.line = r->opts.lines ? l->line : 0;
	if (r->n <= STACKTREE_MAX_DEPTH)
		r->frames[r->n++] = stacktree_frame_of(t, &f);
}

/* A function with a symbol, and those inlined into it at the address, the outermost first (of a waker last). */
static void push_functions(struct recstacks *r, struct stacktree *t, const struct symbol *s, enum frame_kind kind,
			   const struct sym_line *l, size_t n)
{
	const char *module = s->module ? s->module : "";
	bool waker = kind == FRAME_WAKER;
	size_t inlined = r->opts.no_inlined ? 0 : n - 1;

	if (!waker)
		push_line(r, t, kind, s->name, module, &l[n - 1]);
	for (size_t i = 0; i < inlined; i++) {
		const struct sym_line *in = waker ? &l[i] : &l[inlined - 1 - i];

		push_line(r, t, waker ? kind : FRAME_INLINED, in->name ? in->name : "[unknown]", module, in);
	}
	if (waker)
		push_line(r, t, kind, s->name, module, &l[n - 1]);
}

/* Functions of a language runtime: one with a name is told from others by it and its file, one without by its line. */
static void push_runtime(struct recstacks *r, struct stacktree *t, enum frame_kind kind, const struct sym_line *l,
			 size_t n)
{
	const size_t all = r->opts.no_inlined ? n - 1 : 0;

	for (size_t i = all; i < n; i++) {
		const size_t at = kind == FRAME_WAKER ? i : n - 1 - (i - all);
		struct stack_frame f = { .name = l[at].name ? l[at].name : "[unknown]" };
		char text[64];

		f.module = f.source.file = l[at].file ? l[at].file : "";
		f.source.line = r->opts.lines ? l[at].line : 0;
		f.kind = kind == FRAME_WAKER || at == n - 1 ? kind : FRAME_INLINED;
		if (l[at].line && !strcmp(f.name, "(anonymous)")) {
			snprintf(text, sizeof(text), "(anonymous):%" PRIu32, l[at].line);
			f.name = text;
		}
		if (r->n <= STACKTREE_MAX_DEPTH)
			r->frames[r->n++] = stacktree_frame_of(t, &f);
	}
}

/* An address in a stack; back: how far before it is the instruction that it tells of (return addresses: 1). */
static void push_address(struct recstacks *r, struct stacktree *t, const struct rec_ustack_hdr *h, uint64_t pc,
			 unsigned back, bool waker)
{
	struct symbol s = { 0 };
	bool found = h ? sym_user(r->sym, h->tgid, h->start, pc, &s) : sym_kernel(r->sym, pc, &s);
	struct sym_line lines[SYM_MAX_LINES];
	char text[32];

	if (found && s.name) {
		enum frame_kind kind = waker ? FRAME_WAKER : kind_of(&s, !h);
		size_t n = h ? sym_user_lines(r->sym, h->tgid, h->start, pc - back, lines) : 0;

		if (n && back && !s.offset && lines[n - 1].name)
			s.name = lines[n - 1]
					 .name; /* a call that never returns ends its function: this is the next one */
		if (n && rt_is_frame(pc))
			push_runtime(r, t, kind, lines, n);
		else if (n)
			push_functions(r, t, &s, kind, lines, n);
		else
			push(r, t, kind, s.name, s.module ? s.module : "");
		return;
	}
	if (r->opts.addresses)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)pc);
	push(r, t, FRAME_UNKNOWN, r->opts.addresses ? text : "[unknown]", s.module ? s.module : "");
}

/* Kernel frames that only the taking of the stack has put on its top. */
static uint32_t machinery(struct recstacks *r, const uint8_t *p, uint32_t n)
{
	struct symbol s = { 0 };
	uint32_t i = 0;
	uint64_t pc;

	for (; i < n; i++) {
		memcpy(&pc, p + 8 * (size_t)i, 8);
		if (!sym_kernel(r->sym, pc, &s) || !s.name || !kstack_is_tracing(s.name))
			break;
	}
	return i;
}

/* The words in place of the callers that are missing, the last frame being at pc; in buf if need be. */
static const char *cut_text(struct recstacks *r, const struct rec_ustack_hdr *h, uint64_t pc, char *buf, size_t size)
{
	struct symbol s = { 0 };
	const char *why;

	if (!h || !(h->flags & (REC_USTACK_CUT | REC_USTACK_FAULT)))
		return NULL;
	if (h->flags & REC_USTACK_CUT)
		return "[cut: deeper than the frames asked for]";
	if (!pc || !sym_user(r->sym, h->tgid, h->start, pc - 1, &s))
		s.name = NULL;
	why = go_stack_end(s.name);
	snprintf(buf, size, "[cut: %s]", why ? why : "no way to the caller found");
	return why && !why[0] ? NULL : buf;
}

/* The frames of one stack: root first; of a waker leaf first, so that what woke is next to what slept. */
static void push_stack(struct recstacks *r, struct stacktree *t, const struct recfield *f, const uint8_t *p, bool waker)
{
	struct rec_ustack_hdr h = { 0 };
	const struct rec_ustack_hdr *user = NULL;
	uint32_t n = 0, first = 0;
	uint64_t pc, last = 0;
	const char *cut;
	char buf[128];

	if (f->kind == FLD_USTACK) {
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		user = &h;
		if (h.flags & REC_USTACK_NONE)
			return;
	}
	for (; n < f->nframes; n++) {
		memcpy(&pc, p + 8 * (size_t)n, 8);
		if (!pc)
			break;
		last = pc;
	}
	if (!user)
		first = machinery(r, p, n);
	cut = cut_text(r, user, last, buf, sizeof(buf));
	if (cut && !waker)
		push(r, t, FRAME_CUT, cut, "");
	for (uint32_t i = first; i < n; i++) {
		uint32_t at = waker ? i : n - 1 - (i - first);

		memcpy(&pc, p + 8 * (size_t)at, 8);
		push_address(r, t, user, pc, at ? 1 : 0, waker);
	}
	if (cut && waker)
		push(r, t, FRAME_CUT, cut, "");
}

static void push_key(struct recstacks *r, struct stacktree *t, const struct recfield *f, const uint8_t *p,
		     enum frame_kind kind)
{
	struct rec_uaddr u;
	char text[64];
	uint64_t v;
	bool user;

	switch (f->kind) {
	case FLD_STRING:
		if (r->n <= STACKTREE_MAX_DEPTH)
			r->frames[r->n++] = stacktree_frame(t, kind, (const char *)p, strnlen((const char *)p, f->size),
							    "", 0);
		break;
	case FLD_INT:
		if (!r->opts.per_thread)
			break;
		v = recfield_u64(f, p);
		if (f->is_signed)
			snprintf(text, sizeof(text), "%lld", (long long)v);
		else
			snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
		push(r, t, kind, text, "");
		break;
	default:
		if (recfield_address(f, p, &u, &user))
			push_address(r, t, user ? &(struct rec_ustack_hdr){ u.tgid, u.flags, u.start } : NULL, u.addr,
				     0, false);
		break;
	}
}

/* The fields of one kind in order; from the second stack of a kind on (or, with wakers, only those). */
static void push_kind(struct recstacks *r, struct stacktree *t, const struct recfield *const *f, size_t n,
		      const uint8_t *data, enum field_kind kind, bool wakers)
{
	size_t seen = 0;

	for (size_t i = 0; i < n; i++)
		if (kind_of_stack(f[i]) == kind && (seen++ > 0) == wakers)
			push_stack(r, t, f[i], data + f[i]->off, wakers);
}

/* The first stack of a kind that there was one of before: the waker's. n: there is none. */
static size_t first_waker(const struct recfield *const *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (is_stack(f[i]) && kind_of_stack(f[i]) == kind_of_stack(f[k]))
				return i;
	return n;
}

static uint32_t make_stack(struct recstacks *r, struct stacktree *t, const struct recfield *const *f, size_t n,
			   const uint8_t *data)
{
	size_t waker = first_waker(f, n);

	r->n = 0;
	for (size_t i = 0; i < waker; i++)
		if (!is_stack(f[i]) && f[i] != r->noted)
			push_key(r, t, f[i], data + f[i]->off, FRAME_THREAD);
	push_kind(r, t, f, n, data, FLD_USTACK, false);
	push_kind(r, t, f, n, data, FLD_STACK, false);
	if (waker < n) {
		push(r, t, FRAME_SEPARATOR, "--", "");
		push_kind(r, t, f, n, data, FLD_STACK, true);
		push_kind(r, t, f, n, data, FLD_USTACK, true);
	}
	for (size_t i = waker; i < n; i++)
		if (!is_stack(f[i]))
			push_key(r, t, f[i], data + f[i]->off, FRAME_WAKER);
	return stacktree_stack(t, r->frames, r->n);
}

/* -- idle waits -- */

/* Names of the program's functions. How many. */
static size_t user_frames(struct recstacks *r, const struct recfield *f, const uint8_t *p, bool *ret_whole,
			  struct cause_uframe frames[STACKTREE_MAX_DEPTH])
{
	struct rec_ustack_hdr h;
	size_t n = 0;

	memcpy(&h, p, sizeof(h));
	*ret_whole = !(h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT));
	for (; n < f->nframes && n < STACKTREE_MAX_DEPTH; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + sizeof(h) + 8 * n, sizeof(pc));
		if (!pc)
			break;
		(void)sym_user(r->sym, h.tgid, h.start, pc, &s);
		frames[n] = (struct cause_uframe){ s.module, s.name, rt_is_frame(pc) };
	}
	return n;
}

/* Did the thread of this key wait for something to do, or for a time? */
static bool is_idle(struct recstacks *r, const uint8_t *data)
{
	struct cause_uframe user[STACKTREE_MAX_DEPTH];
	const char *names[CAUSES_MAX_DEPTH];
	uint32_t facts = causes_noted(r->noted ? recfield_u64(r->noted, data + r->noted->off) : 0), n = 0, first;
	const uint8_t *p = data + r->why->off;
	struct cause cause;
	bool whole;

	for (size_t i = 0; i < r->agg->nkeys; i++)
		if (r->agg->keys[i].kind == FLD_USTACK) {
			const struct recfield *f = &r->agg->keys[i];
			size_t nuser = user_frames(r, f, data + f->off, &whole, user);

			facts = causes_user_facts(facts, user, nuser, whole);
			break;
		}
	for (; n < r->why->nframes && n < CAUSES_MAX_DEPTH; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + 8 * (size_t)n, 8);
		if (!pc)
			break;
		names[n] = sym_kernel(r->sym, pc, &s) ? s.name : NULL;
	}
	first = machinery(r, p, n);
	return causes_classify(r->causes, names + first, n - first, facts, &cause) == 0 && cause_is_idle(cause.class);
}

static uint64_t value_of(const struct aggdesc *d, const uint64_t *value)
{
	bool sum = d->func == AGG_SUM || d->func == AGG_AVG;
	uint64_t v = value[sum ? 1 : 0];

	return sum && d->is_signed && (int64_t)v < 0 ? 0 : v;
}

static size_t collect(const struct recfield *f, size_t n, const struct recfield **ret, size_t have)
{
	for (size_t i = 0; i < n && have < FIELDS_MAX; i++)
		ret[have++] = &f[i];
	return have;
}

/* When what a row says happened: of an aggregation that keys by slots of time, the beginning of its slot. */
static uint64_t time_of(const struct recstacks *r, const struct row *row)
{
	uint64_t number;

	if (row->kind != ROW_AGG || !r->agg->slot_ns || row->len < sizeof(number))
		return row->ts;
	memcpy(&number, row->data, sizeof(number));
	if (number > UINT64_MAX / r->agg->slot_ns)
		return row->ts; /* no time */
	return number * r->agg->slot_ns - (r->agg->slot_wall ? r->opts.wall_off : 0);
}

static bool in_time(struct recstacks *r, const struct row *row)
{
	uint64_t ts = time_of(r, row), since = ts > r->opts.begin_ns ? ts - r->opts.begin_ns : 0;

	if (since < r->opts.from_ns || (r->opts.to_ns && since >= r->opts.to_ns)) {
		r->in.other++;
		return false;
	}
	if (!r->in.first_ns || ts < r->in.first_ns)
		r->in.first_ns = ts;
	r->in.last_ns = ts > r->in.last_ns ? ts : r->in.last_ns;
	return true;
}

/* -- slow events -- */

/* The thread, then its stacks, if there are any. */
static uint32_t slow_stack(struct recstacks *r, struct stacktree *t, const struct slow_event *e)
{
	const struct recfield *f[FIELDS_MAX];
	size_t n = collect(e->attrs, e->nattrs, f, 0);
	char text[32];

	r->n = 0;
	push(r, t, FRAME_THREAD, e->fixed.comm, "");
	if (r->opts.per_thread) {
		snprintf(text, sizeof(text), "%u", e->fixed.tid);
		push(r, t, FRAME_THREAD, text, "");
	}
	push_kind(r, t, f, n, e->rec, FLD_USTACK, false);
	push_kind(r, t, f, n, e->rec, FLD_STACK, false);
	if (!has_stack(e->attrs, e->nattrs))
		push(r, t, FRAME_UNKNOWN, "[no stack]", "");
	return stacktree_stack(t, r->frames, r->n);
}

/* Adds an event that has ended, by its time. 0 or -ENOMEM. */
static int add_slow(struct recstacks *r, const struct row *row, const struct recact *act, struct stacktree *t,
		    unsigned weight)
{
	struct slow_event e = slow_event(r->schema, act, row->data);
	struct slowwait wait = { 0 };
	uint32_t node;

	if (e.tracker != r->tracker || e.fixed.how != SLOW_NORMAL || !in_time(r, row))
		return 0;
	if (r->causes && slowwait_make(r->causes, r->sym, &e, &wait) < 0)
		return -ENOMEM;
	if (r->causes && cause_is_idle(wait.class)) {
		r->in.idle_left += e.fixed.delay;
		return 0;
	}
	node = slow_stack(r, t, &e);
	stacktree_add(t, node, weight, e.fixed.delay);
	if (r->opts.counts)
		stacktree_add(t, node, weight + 1, 1);
	r->in.stacks++;
	return 0;
}

uint32_t recstacks_node(struct recstacks *r, const struct row *row, struct stacktree *t)
{
	const struct recfield *f[FIELDS_MAX];
	size_t n = collect(r->agg->keys, r->agg->nkeys, f, 0);

	return make_stack(r, t, f, n, row->data);
}

int recstacks_row(struct recstacks *r, const struct row *row, struct stacktree *t, unsigned weight)
{
	const struct recfield *f[FIELDS_MAX];
	uint32_t node;
	size_t n = 0;

	if (row->kind == ROW_DROPS && rec_loss(row->id) == REC_LOST)
		r->in.lost += row->count;
	if (row->kind == ROW_DROPS && row->id == CNT_TIMER_DUE)
		r->in.due += row->count;
	if (row->kind == ROW_DROPS && row->id == CNT_TIMER_IDLE)
		r->in.idle += row->count;
	if (row->kind == ROW_AGG && r->agg && row->id == r->agg->id && row->value && row->data) {
		if (!in_time(r, row))
			return 0;
		if (r->causes && is_idle(r, row->data)) {
			r->in.idle_left += value_of(r->agg, row->value);
			return 0;
		}
		node = recstacks_node(r, row, t);
		stacktree_add(t, node, weight, value_of(r->agg, row->value));
		if (r->opts.counts && recstacks_is_sum(r))
			stacktree_add(t, node, weight + 1, row->value[0]);
		r->in.stacks += row->value[0];
	} else if (row->kind == ROW_EVENT && r->tracker && row->id >= 1 && row->id <= r->schema->nfmts) {
		const struct recfmt *fmt = r->schema->fmts[row->id - 1];

		for (size_t i = 0; i < fmt->nacts; i++)
			if (fmt->acts[i].kind == ACT_SLOW && add_slow(r, row, &fmt->acts[i], t, weight) < 0)
				return -ENOMEM;
	} else if (row->kind == ROW_EVENT && !r->agg && row->id >= 1 && row->id <= r->schema->nfmts &&
		   r->events[row->id - 1]) {
		const struct recfmt *fmt = r->schema->fmts[row->id - 1];

		if (!in_time(r, row))
			return 0;
		for (size_t i = 0; i < fmt->nacts; i++)
			n = collect(fmt->acts[i].fields, fmt->acts[i].nfields, f, n);
		stacktree_add(t, make_stack(r, t, f, n, row->data), weight, 1);
		r->in.stacks++;
	}
	return stacktree_error(t) == -ENOMEM ? -ENOMEM : 0;
}
