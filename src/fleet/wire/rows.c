/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/wire/rows.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/units.h"
#include "latency/cause/slowwait.h"
#include "latency/tracker_facts.h"
#include "store/slow.h"

#define KEYS_MAX (1 << 20) /* numbers of keys in a recording */

/* -- histograms -- */

struct columns {
	struct rows *r;
	const char *series;
	rows_hist_fn *fn;
	void *ctx;
};

static int on_column(void *ctx, const struct rec_column *c)
{
	struct columns *x = ctx;
	struct rows *r = x->r;
	bool named = c->key >= 0 && (size_t)c->key < r->keys.n && r->keys.v[c->key];
	bool sums = !(c->head.flags & HIST_NO_SUM);
	struct batch_hist h = { .series = x->series,
				.key = named ? r->keys.v[c->key] : "",
				.start = (c->start + r->wall_off) / NSEC_PER_SEC,
				.period = c->head.period / NSEC_PER_SEC,
				.count = c->head.count,
				.sum = sums ? c->head.sum : 0,
				.max = sums ? c->head.max : 0,
				.flags = c->head.flags,
				.nbuckets = c->head.nbuckets,
				.buckets = c->buckets };

	if ((c->head.flags & HIST_OPEN) || !c->head.count)
		return 0;
	return x->fn(x->ctx, c, &h);
}

static void forget_keys(struct rows *r)
{
	for (size_t i = 0; i < r->keys.n; i++)
		free(r->keys.v[i]);
	r->keys.n = 0;
}

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct rows *r = ctx;

	if (key < 0 || key >= KEYS_MAX)
		return 0;
	while ((int64_t)r->keys.n <= key)
		if (vec_try_push(&r->keys, (char *)NULL) < 0)
			return err_set(r->err, -ENOMEM, "out of memory");
	free(r->keys.v[key]);
	r->keys.v[key] = strdup(data ? text : "other");
	return 0;
}

static int read_source(struct columns *x, uint32_t source, struct rec_range range, struct err *err)
{
	struct rec_histdesc d;
	char series[160];
	int e;

	/* Histograms of one form only can be added up: that of trackers and of hist(). */
	if (!rec_hist_source(recread_schema(x->r->rec), source, &d) || d.func != AGG_HIST || d.slot_ns)
		return 0;
	snprintf(series, sizeof(series), "%s%s", d.is_tracker ? "" : "@", d.name);
	x->series = series;
	forget_keys(x->r);
	e = recread_hist_keys(x->r->rec, source, on_key, x->r, err);
	return e ? e : recread_columns(x->r->rec, source, RECFILE_SECOND_NS, range, -1, on_column, x, err);
}

int rows_hists(struct rows *r, struct rec_range range, rows_hist_fn *fn, void *ctx, struct err *err)
{
	const struct rec_schema *s = recread_schema(r->rec);
	struct columns x = { .r = r, .fn = fn, .ctx = ctx };
	int e = 0;

	r->err = err;
	for (uint32_t i = 0; e == 0 && i < s->ntrackers + s->naggs; i++)
		e = read_source(&x, i, range, err);
	return e;
}

/* -- slow events -- */

/* A stack as text, and what it waited for. */
struct rows_stack_key {
	int64_t id;
	uint32_t facts, kernel;
};
struct rows_stack {
	UT_hash_handle hh;
	struct rows_stack_key key;
	struct cause cause;
	char text[];
};

void rows_forget(struct rows *r)
{
	struct rows_stack *s, *next;

	HASH_ITER (hh, r->stacks, s, next) {
		HASH_DEL(r->stacks, s);
		free(s);
	}
}

/* Without memory it is made again the next time. */
static void keep(struct rows *r, const struct rows_stack_key *key, const struct strb *text, const struct cause *cause)
{
	struct rows_stack *s = text->failed ? NULL : malloc(sizeof(*s) + text->n + 1);

	if (!s)
		return;
	if (HASH_COUNT(r->stacks) >= ROWS_STACKS_MAX)
		rows_forget(r);
	s->key = *key;
	s->cause = *cause;
	memcpy(s->text, strb_str((struct strb *)text), text->n + 1);
	HASH_ADD(hh, r->stacks, key, sizeof(s->key), s);
	if (!s->hh.tbl)
		free(s);
}

/* Makes the names of a stack. names gets the functions (NULL: not known), which live with the recording. How many
 * frames. */
static size_t spell_stack(const struct rows *r, struct strb *b, int64_t id, const char *names[ROWS_FRAMES_MAX])
{
	struct recfile_symbol sym;
	struct rec_stack s;
	size_t n = 0;

	if (recread_stack(r->rec, id, &s, NULL) < 0)
		return 0;
	for (; n < s.n && n < ROWS_FRAMES_MAX; n++) {
		bool named = recread_symbol(r->rec, s.space, s.tgid, s.start, s.frames[n], &sym) && sym.name;

		strb_adds(b, b->n ? ";" : "");
		if (named)
			strb_printf(b, "%s`%s", sym.module ? sym.module : "", sym.name);
		else
			strb_printf(b, "0x%" PRIx64, s.frames[n]);
		names[n] = named ? sym.name : NULL;
	}
	return n;
}

/* Appends the names of a stack to b. ret: the cause of the wait, for a stack of the kernel; or NULL. */
static void put_stack(struct rows *r, struct strb *b, int64_t id, uint32_t facts, struct cause *ret)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	const struct rows_stack_key key = { id, facts, ret != NULL };
	struct cause cause = { .words = "" };
	const char *names[ROWS_FRAMES_MAX];
	struct rows_stack *s;
	size_t n;

	HASH_FIND(hh, r->stacks, &key, sizeof(key), s);
	if (!s) {
		n = spell_stack(r, &text, id, names);
		if (ret && n && causes_classify(r->causes, names, n, facts, &cause) < 0)
			cause = (struct cause){ .words = "" };
		keep(r, &key, &text, &cause);
	}
	strb_adds(b, b->n && (s ? *s->text != 0 : text.n > 0) ? ";" : "");
	strb_adds(b, s ? s->text : strb_str(&text));
	if (ret)
		*ret = s ? s->cause : cause;
}

/* Attributes: facts, stacks, and the others as text. */
static void put_attrs(struct rows *r, const struct rec_slow_row *s, struct strb *stack, struct strb *others,
		      struct cause *cause)
{
	const struct rec_attr *kernel = NULL, *user = NULL;
	uint32_t facts = 0;

	*cause = (struct cause){ .words = "" };
	for (size_t i = 0; i < s->nattrs; i++) {
		const struct rec_attr *a = &s->attrs[i];

		facts |= slowwait_facts(a->name, a->text ? a->text : "", (uint64_t)a->value);
		if (a->kind == REC_ATTR_STACK && !strcmp(a->name, ATTR_USTACK))
			user = a;
		else if (a->kind == REC_ATTR_STACK)
			kernel = a;
		else if (a->kind == REC_ATTR_TEXT && a->text && *a->text)
			strb_printf(others, "%s%s=%s", others->n ? "\n" : "", a->name, a->text);
		else if (a->kind == REC_ATTR_INT && a->value)
			strb_printf(others, "%s%s=%" PRId64, others->n ? "\n" : "", a->name, a->value);
	}
	if (kernel)
		put_stack(r, stack, kernel->value, facts, cause);
	if (user)
		put_stack(r, stack, user->value, 0, NULL);
}

struct events {
	struct rows *r;
	rows_slow_fn *fn;
	void *ctx;
};

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	_cleanup_(strb_free) struct strb stack = { 0 };
	_cleanup_(strb_free) struct strb attrs = { 0 };
	struct events *x = ctx;
	struct rows *r = x->r;
	struct cause cause;
	struct batch_slow out = { .recording = r->recording, .id = (uint64_t)s->id };

	put_attrs(r, s, &stack, &attrs, &cause);
	out.tracker = recread_schema(r->rec)->trackers[s->fixed.tracker].name;
	out.ended = s->fixed.start + s->fixed.delay + r->wall_off;
	out.delay = s->fixed.delay;
	out.pid = s->fixed.pid;
	out.tid = s->fixed.tid;
	out.cpu = s->fixed.cpu;
	out.how = slow_how_name(s->fixed.how);
	out.comm = s->fixed.comm;
	out.key = s->key;
	out.cause = cause.words;
	out.class = *cause.words ? cause_class_name(cause.class) : "";
	out.stack = strb_str(&stack);
	out.attrs = strb_str(&attrs);
	return x->fn(x->ctx, &out);
}

int rows_slow(struct rows *r, int64_t after, unsigned limit, rows_slow_fn *fn, void *ctx, struct err *err)
{
	const struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1, .limit = limit, .after = after };
	struct events x = { r, fn, ctx };

	r->err = err;
	return recread_slow(r->rec, &q, on_slow, &x, err);
}

void rows_free(struct rows *r)
{
	rows_forget(r);
	forget_keys(r);
	vec_free(&r->keys);
}
