/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of threads and lanes out of a recording. Threads: slow events of the tracker "state" (dlib/timeline/threads.d)
 * are all the time that a thread was not on a CPU, so between them it ran. Events of "offcpu" and "wakeup" are waits,
 * and the time between them is not known. Other trackers, spans, interrupts and losses have lanes. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/hash_try.h"
#include "view/form/amount.h"
#include "latency/cause/causes.h"
#include "latency/tracker_facts.h"
#include "store/slow.h"
#include "view/form/recsym.h"
#include "view/picture/timeline_int.h"

#define STATE_PREEMPTED 0x10000 /* as in dlib/timeline/threads.d */
#define STATE_NEW 0x20000
#define LOSS_NS 1000000000u /* losses are counted that often at least */
#define NO_ROW UINT32_MAX   /* of a key that came after TL_MAX_ROWS others: it is counted once */

struct tl_name {
	UT_hash_handle hh;
	uint32_t index;
	uint64_t end; /* of a thread; 0: not known */
	char key[];
};

/* -- names, texts, rows -- */

static struct tl_name *find(struct tl_name *all, const char *key)
{
	struct tl_name *n = NULL;

	HASH_FIND_STR(all, key, n);
	return n;
}

static struct tl_name *add_name(struct tl_reader *r, struct tl_name **all, const char *key, uint32_t index)
{
	size_t len = strlen(key);
	struct tl_name *n = calloc(1, sizeof(*n) + len + 1);

	if (!n) {
		r->error = -ENOMEM;
		return NULL;
	}
	memcpy(n->key, key, len + 1);
	n->index = index;
	HASH_ADD_KEYPTR(hh, *all, n->key, len, n);
	if (n->hh.tbl)
		return n;
	free(n);
	r->error = -ENOMEM;
	return NULL;
}

uint32_t tl_known_text(const struct tl_reader *r, const char *key)
{
	const struct tl_name *n = find(r->texts, key);

	return n ? n->index : 0;
}

uint32_t tl_add_text(struct tl_reader *r, const char *key, const char *words, const char *stack)
{
	struct tl_text t = { strdup(words), strdup(stack ? stack : ""), TL_UNKNOWN };
	uint32_t i = (uint32_t)r->t->texts.n;

	if (!t.words || !t.stack)
		r->error = -ENOMEM;
	if (r->error || i >= TL_MAX_TEXTS || !add_name(r, &r->texts, key, i) || vec_try_push(&r->t->texts, t) < 0) {
		free(t.words);
		free(t.stack);
		return 0;
	}
	return i;
}

/* A text that is its own key. */
uint32_t tl_text_of(struct tl_reader *r, const char *words)
{
	uint32_t i;

	if (!words || !*words)
		return 0;
	i = tl_known_text(r, words);
	return i ? i : tl_add_text(r, words, words, NULL);
}

struct tl_row *tl_row_of(struct tl_reader *r, const char *key, enum tl_group group)
{
	const struct tl_name *n = find(r->rows, key);
	struct tl_row row = { .group = group };

	if (n)
		return n->index == NO_ROW ? NULL : &r->t->rows.v[n->index];
	if (r->t->rows.n >= TL_MAX_ROWS) {
		r->t->left_out_rows += add_name(r, &r->rows, key, NO_ROW) != NULL;
		return NULL;
	}
	if (!add_name(r, &r->rows, key, (uint32_t)r->t->rows.n) || vec_try_push(&r->t->rows, row) < 0) {
		r->error = -ENOMEM;
		return NULL;
	}
	return &r->t->rows.v[r->t->rows.n - 1];
}

void tl_label(struct tl_reader *r, struct tl_row *row, const char *fmt, ...)
{
	va_list ap;

	strb_reset(&r->text);
	va_start(ap, fmt);
	strb_vprintf(&r->text, fmt, ap);
	va_end(ap);
	if (row->label && !strcmp(row->label, strb_str(&r->text)))
		return;
	free(row->label);
	row->label = strdup(strb_str(&r->text));
	if (!row->label)
		r->error = -ENOMEM;
}

void tl_add_item(struct tl_reader *r, struct tl_row *row, struct tl_item x)
{
	if (!row || x.to < r->range.from || x.from >= r->range.to)
		return;
	if (r->t->nitems >= TL_MAX_ITEMS) {
		r->t->left_out++;
		return;
	}
	if (x.from < r->range.from)
		x.from = r->range.from;
	if (x.to > r->range.to)
		x.to = r->range.to;
	if (vec_try_push(&row->items, x) < 0)
		r->error = -ENOMEM;
	r->t->nitems++;
	if (row->group != TL_GROUP_LOSSES) /* which are told of when they have been counted */
		r->last = x.to > r->last ? x.to : r->last;
}

int64_t tl_attr_int(const struct rec_slow_row *s, const char *name, int64_t dflt)
{
	for (size_t i = 0; i < s->nattrs; i++)
		if (s->attrs[i].kind != REC_ATTR_TEXT && !strcmp(s->attrs[i].name, name))
			return s->attrs[i].value;
	return dflt;
}

const char *tl_attr_text(const struct rec_slow_row *s, const char *name)
{
	for (size_t i = 0; i < s->nattrs; i++)
		if (s->attrs[i].kind == REC_ATTR_TEXT && !strcmp(s->attrs[i].name, name))
			return s->attrs[i].text;
	return NULL;
}

/* -- slow events -- */

static struct tl_row *thread_row(struct tl_reader *r, const struct rec_slow *s)
{
	struct tl_row *row;
	char key[48];

	if (r->opts->pid && s->pid != r->opts->pid)
		return NULL;
	snprintf(key, sizeof(key), "t%u %u", s->pid, s->tid);
	row = tl_row_of(r, key, TL_GROUP_THREADS);
	if (row && !r->error) {
		row->pid = s->pid;
		row->tid = s->tid;
		tl_label(r, row, "%s %u", s->comm, s->tid);
	}
	return row;
}

static uint32_t waker_text(struct tl_reader *r, const struct rec_slow_row *s)
{
	const char *comm = tl_attr_text(s, ATTR_WAKER_COMM);
	char words[64];

	if (!comm || !*comm)
		return 0;
	snprintf(words, sizeof(words), "%s %lld", comm, (long long)tl_attr_int(s, ATTR_WAKER_TID, 0));
	return tl_text_of(r, words);
}

/* The facts that the program noted of a wait for a futex. */
static uint32_t futex_facts(const struct rec_slow_row *s)
{
	return (tl_attr_int(s, ATTR_CONDITION, 0) ? CAUSE_FACT_CONDITION : 0) |
	       (tl_attr_int(s, ATTR_TIMED_OUT, 0) ? CAUSE_FACT_TIMEOUT : 0);
}

static void on_state(struct tl_reader *r, const struct rec_slow_row *s)
{
	const struct rec_slow *f = &s->fixed;
	uint64_t end = f->start + f->delay, woken = (uint64_t)tl_attr_int(s, TL_ATTR_WOKEN, 0);
	int64_t state = tl_attr_int(s, ATTR_STATE, 0), stack = tl_attr_int(s, ATTR_STACK, -1),
		user = tl_attr_int(s, ATTR_USTACK, -1);
	struct tl_row *row = thread_row(r, f);
	struct tl_item x = { .from = f->start, .to = end };
	enum tl_kind kind = TL_SHORT;

	r->t->states = true;
	if (f->how == SLOW_TIMEOUT)
		x.flags = TL_OPEN;
	if (state & (STATE_PREEMPTED | STATE_NEW) || state == 0) {
		x.kind = TL_CPU;
		x.text = tl_text_of(r, state & STATE_NEW ? "new: its first time on a CPU" : "preempted");
		x.cpu = (uint16_t)(f->end_cpu + 1);
		x.by = state & STATE_NEW ? waker_text(r, s) : 0;
		tl_add_item(r, row, x);
		return;
	}
	if (stack >= 0 || user >= 0)
		x.text = tl_cause_text(r, stack, user, futex_facts(s), &kind);
	x.kind = (uint8_t)kind;
	x.by = waker_text(r, s);
	x.cpu = 0;
	if (woken > f->start && woken < end && !x.flags) {
		x.to = woken;
		tl_add_item(r, row, x);
		x = (struct tl_item){ .from = woken, .to = end, .kind = TL_CPU, .by = x.by };
	}
	x.cpu = (uint16_t)(f->end_cpu + 1);
	tl_add_item(r, row, x);
}

static void on_life(struct tl_reader *r, const struct rec_slow_row *s)
{
	const struct rec_slow *f = &s->fixed;
	struct tl_row *row = thread_row(r, f);
	struct tl_name *n;
	char key[48];

	snprintf(key, sizeof(key), "t%u %u", f->pid, f->tid);
	n = row ? find(r->rows, key) : NULL;
	if (!n)
		return;
	n->end = f->start + f->delay;
	tl_label(r, row, "%s %u", f->end_comm, f->tid);
}

/* A wait of a thread of which not all is known. */
static void on_wait(struct tl_reader *r, const struct rec_slow_row *s, bool runnable)
{
	const struct rec_slow *f = &s->fixed;
	int64_t stack = tl_attr_int(s, ATTR_CAUSE, -1);
	enum tl_kind kind = TL_CPU;
	struct tl_item x = { .from = f->start, .to = f->start + f->delay, .by = waker_text(r, s) };

	if (!runnable)
		x.text = tl_cause_text(r, stack >= 0 ? stack : tl_attr_int(s, ATTR_STACK, -1),
				       tl_attr_int(s, ATTR_USTACK, -1), futex_facts(s), &kind);
	x.kind = (uint8_t)kind;
	tl_add_item(r, thread_row(r, f), x);
}

/* A wait, or a long call, whose source knows itself what it was for. */
static void on_known(struct tl_reader *r, const struct rec_slow_row *s)
{
	const struct rec_slow *f = &s->fixed;
	const char *call = tl_attr_text(s, ATTR_SYSCALL), *class = tl_attr_text(s, SLOW_CLASS),
		   *what = tl_attr_text(s, SLOW_WAITED_FOR);
	struct tl_item x = { .from = f->start, .to = f->start + f->delay, .by = waker_text(r, s) };

	strb_reset(&r->key);
	strb_printf(&r->key, "%s%s%s", call ? call : "", call && *what ? ": " : "", what);
	x.text = tl_text_of(r, strb_str(&r->key));
	x.kind = (uint8_t)tl_kind_of(class ? class : "");
	x.flags = f->how == SLOW_TIMEOUT ? TL_OPEN : 0;
	tl_add_item(r, thread_row(r, f), x);
}

static void on_irq(struct tl_reader *r, const struct rec_slow_row *s, enum tl_kind kind)
{
	const struct rec_slow *f = &s->fixed;
	const char *name = tl_attr_text(s, ATTR_NAME);
	struct tl_row *row;
	char key[48];

	snprintf(key, sizeof(key), "i%u %05u", kind, f->cpu);
	row = tl_row_of(r, key, TL_GROUP_IRQS);
	if (row && !row->label)
		tl_label(r, row, "%s, CPU %u", kind == TL_IRQ ? "interrupts" : "soft interrupts", f->cpu);
	tl_add_item(r, row,
		    (struct tl_item){ .from = f->start,
				      .to = f->start + f->delay,
				      .kind = (uint8_t)kind,
				      .cpu = (uint16_t)(f->cpu + 1),
				      .text = tl_text_of(r, name ? name : tl_attr_text(s, ATTR_VEC)) });
}

static void on_request(struct tl_reader *r, const struct rec_slow_row *s, const char *tracker)
{
	const struct rec_slow *f = &s->fixed;
	struct tl_row *row;

	if (r->opts->pid && f->pid != r->opts->pid)
		return;
	strb_reset(&r->key);
	strb_printf(&r->key, "r%s", tracker);
	row = tl_row_of(r, strb_str(&r->key), TL_GROUP_REQUESTS);
	if (row && !row->label)
		tl_label(r, row, "%s", tracker);
	strb_reset(&r->key);
	strb_printf(&r->key, "%s %u%s%s", f->comm, f->tid, s->key[0] ? " " : "", s->key);
	for (size_t i = 0; i < s->nattrs; i++)
		if (s->attrs[i].kind == REC_ATTR_TEXT && s->attrs[i].text[0])
			strb_printf(&r->key, ", %s %s", s->attrs[i].name, s->attrs[i].text);
	tl_add_item(r, row,
		    (struct tl_item){ .from = f->start,
				      .to = f->start + f->delay,
				      .kind = TL_SLOW,
				      .text = tl_text_of(r, strb_str(&r->key)) });
}

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	struct tl_reader *r = ctx;
	const char *tracker = recread_schema(r->f)->trackers[s->fixed.tracker].name;

	if (tl_attr_text(s, SLOW_WAITED_FOR))
		on_known(r, s);
	else if (!strcmp(tracker, "state") && tl_attr_int(s, ATTR_STATE, -1) >= 0)
		on_state(r, s);
	else if (!strcmp(tracker, "life") && tl_attr_int(s, TL_ATTR_CODE, -1) >= 0)
		on_life(r, s);
	else if (!strcmp(tracker, "offcpu") || !strcmp(tracker, "wakeup"))
		on_wait(r, s, tracker[0] == 'w');
	else if (!strcmp(tracker, "irq") || !strcmp(tracker, "softirq"))
		on_irq(r, s, tracker[0] == 'i' ? TL_IRQ : TL_SOFTIRQ);
	else
		on_request(r, s, tracker);
	return r->error;
}

/* -- lanes -- */

static int on_span(void *ctx, const struct rec_span *s)
{
	struct tl_reader *r = ctx;
	struct tl_row *row;

	strb_reset(&r->key);
	strb_printf(&r->key, "s%s", s->lane);
	row = tl_row_of(r, strb_str(&r->key), TL_GROUP_SPANS);
	if (row && !row->label)
		tl_label(r, row, "%s", s->lane);
	tl_add_item(r, row,
		    (struct tl_item){ .from = s->start,
				      .to = s->start + s->duration,
				      .kind = TL_SPAN,
				      .text = tl_text_of(r, s->label) });
	return r->error;
}

/* Losses. */
static int on_row(void *ctx, const struct row *row)
{
	struct tl_reader *r = ctx;
	struct tl_item x = { .from = row->ts, .to = row->ts, .kind = TL_LOST };
	struct tl_row *lane;
	char n[AMOUNT_MAX];

	if (row->kind == ROW_END) {
		r->ended = row->ts;
		return 0;
	}
	if (row->kind == ROW_NOTE && row->id == NOTE_COUNTERS)
		return 0;
	if (row->kind == ROW_NOTE)
		return tl_note(r, row);
	/* A missed sample and a cut text hide nothing that is drawn here. */
	if (row->kind == ROW_DROPS && (rec_loss(row->id) != REC_LOST || row->id == CNT_DROP_STRTRUNC ||
				       row->id == CNT_TIMER_MISSES || !row->count))
		return 0;
	lane = tl_row_of(r, "l", TL_GROUP_LOSSES);
	if (lane && !lane->label)
		tl_label(r, lane, "losses");
	strb_reset(&r->key);
	amount_number(n, row->count);
	if (row->id == CNT_DROP_DYN) { /* costs a waker's name, not an event */
		strb_printf(&r->key, "%s variables lost until here: wakers of threads may be missing", n);
		x.kind = TL_UNSEEN;
	} else {
		strb_printf(&r->key, "%s events lost until here", n);
		r->t->lost += row->count;
	}
	x.from = row->ts - r->loss_at < LOSS_NS ? r->loss_at : row->ts - LOSS_NS;
	if (x.from <= r->pause.to && x.from > r->pause.from)
		x.from = r->pause.from; /* nobody read what there was, nor counted what was lost */
	r->loss_at = row->ts;
	if (row->id != CNT_DROP_DYN && vec_try_push(&r->gaps, ((struct rec_range){ x.from, x.to })) < 0)
		r->error = -ENOMEM;
	x.text = tl_text_of(r, strb_str(&r->key));
	tl_add_item(r, lane, x);
	return r->error;
}

/* -- rows when all has been read -- */

/* Overlapping intervals of a lane go to rows of their own below it. */
static int split_tracks(struct tl_reader *r, size_t at)
{
	struct tl_row more = r->t->rows.v[at];
	_cleanup_free_ uint8_t *track = NULL;
	tl_items all = more.items;
	unsigned n;

	track = malloc(all.n + 1);
	if (!track)
		return -ENOMEM;
	n = tl_tracks(&all, track);
	for (unsigned k = 1; k < n; k++) {
		struct tl_row row = { .group = more.group, .depth = k, .label = strdup(more.label) };

		for (size_t i = 0; i < all.n && row.label; i++)
			if (track[i] == k && vec_try_push(&row.items, all.v[i]) < 0)
				r->error = -ENOMEM;
		if (!row.label || r->error || vec_try_push(&r->t->rows, row) < 0) {
			vec_free(&row.items);
			free(row.label);
			return -ENOMEM;
		}
		tl_tidy(&r->t->rows.v[r->t->rows.n - 1].items);
	}
	more.items.n = 0;
	for (size_t i = 0; i < all.n; i++)
		if (track[i] == 0)
			more.items.v[more.items.n++] = all.v[i];
	r->t->rows.v[at] = more;
	return 0;
}

static int by_from(const void *a, const void *b)
{
	const struct tl_item *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	/* of a wait that was reported while it lasted, the later report holds */
	return (x->flags & TL_OPEN) != (y->flags & TL_OPEN) ? (x->flags & TL_OPEN ? -1 : 1)
	       : x->to < y->to				    ? -1
							    : x->to > y->to;
}

/* Between two waits a thread ran, if no wait can have been lost there. */
static enum tl_kind between(const struct tl_reader *r, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < r->gaps.n; i++)
		if (r->gaps.v[i].from < to && r->gaps.v[i].to > from)
			return TL_UNSEEN;
	return TL_RUN;
}

int tl_fill_thread(struct tl_reader *r, struct tl_row *row, uint64_t end, bool states)
{
	tl_items old = row->items, all = { 0 };
	uint64_t until = end && end < r->last ? end : r->last;
	int e = 0;

	if (old.n)
		qsort(old.v, old.n, sizeof(*old.v), by_from);
	for (size_t i = 0; i < old.n && e == 0; i++) {
		struct tl_item x = old.v[i],
			       before = all.n ? all.v[all.n - 1] : x; /* no pointer: the vector moves when it grows */

		if (x.flags & TL_OPEN && i + 1 < old.n && old.v[i + 1].from == x.from)
			continue;
		if (x.flags & TL_OPEN && i + 1 == old.n && !end)
			x.to = until > x.to ? until : x.to;
		if (states && all.n && x.from > before.to)
			e = vec_try_push(&all, ((struct tl_item){ .from = before.to,
								  .to = x.from,
								  .kind = (uint8_t)between(r, before.to, x.from),
								  .cpu = before.cpu }));
		if (e == 0)
			e = vec_try_push(&all, x);
	}
	if (states && e == 0 && all.n && !(all.v[all.n - 1].flags & TL_OPEN) && until > all.v[all.n - 1].to) {
		struct tl_item last = { .from = all.v[all.n - 1].to,
					.to = until,
					.kind = end ? (uint8_t)between(r, all.v[all.n - 1].to, until) : TL_UNSEEN,
					.cpu = all.v[all.n - 1].cpu };

		e = vec_try_push(&all, last);
	}
	row->items = all;
	vec_free(&old);
	return e;
}

/* That a thread ran, or waited for what matters. */
static uint64_t use_of(const struct tl_row *row)
{
	uint64_t use = row->sum[TL_RUN];

	for (unsigned s = 0; s < TL_NKINDS; s++)
		use += tl_kind_weight((enum tl_kind)s) == 2 ? row->sum[s] : 0;
	return use;
}

static int by_use(const void *a, const void *b)
{
	const struct tl_row *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->group == TL_GROUP_CPUS)
		return x->tid < y->tid ? -1 : x->tid > y->tid;
	if (x->group == TL_GROUP_THREADS) {
		if (x->depth != y->depth) /* rank of the process, see order_threads() */
			return x->depth < y->depth ? -1 : 1;
		if ((x->tid == x->pid) != (y->tid == y->pid))
			return x->tid == x->pid ? -1 : 1;
		if (use_of(x) != use_of(y))
			return use_of(x) > use_of(y) ? -1 : 1;
		return x->tid < y->tid ? -1 : x->tid > y->tid;
	}
	if (strcmp(x->label, y->label) != 0)
		return strcmp(x->label, y->label);
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

struct process {
	uint32_t pid;
	uint64_t use;
};

static int busiest(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->use > y->use ? -1 : x->use < y->use ? 1 : x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Processes that did most come first, and their threads in the same order after the first one. */
static int order_threads(struct timeline *t)
{
	_cleanup_free_ struct process *p = malloc((t->rows.n + 1) * sizeof(*p));
	size_t n = 0, k = 0;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct tl_row *row = &t->rows.v[i];
		if (row->group == TL_GROUP_THREADS)
			p[n++] = (struct process){ row->pid, use_of(row) };
	}
	qsort(p, n, sizeof(*p), by_pid);
	for (size_t i = 0; i < n; i++)
		if (k && p[k - 1].pid == p[i].pid)
			p[k - 1].use += p[i].use;
		else
			p[k++] = p[i];
	qsort(p, k, sizeof(*p), busiest);
	for (size_t i = 0; i < k; i++)
		p[i].use = i;
	qsort(p, k, sizeof(*p), by_pid);
	for (size_t i = 0; i < t->rows.n; i++) {
		struct tl_row *row = &t->rows.v[i];
		struct process key = { .pid = row->pid }, *found;

		found = row->group == TL_GROUP_THREADS ? bsearch(&key, p, k, sizeof(*p), by_pid) : NULL;
		if (found)
			row->depth = (unsigned)found->use;
	}
	qsort(t->rows.v, t->rows.n, sizeof(*t->rows.v), by_use);
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.v[i].group == TL_GROUP_THREADS)
			t->rows.v[i].depth = t->rows.v[i].tid != t->rows.v[i].pid;
	return 0;
}

/* An open interval lasts to the end. A loss that was counted after the end belongs to the time before. */
static void end_loss(struct tl_item *x, uint64_t end)
{
	if (x->flags & TL_OPEN || x->to > end)
		x->to = end;
	if (x->from >= x->to)
		x->from = x->to > NOTE_NS ? x->to - NOTE_NS : 0;
}

static int finish_threads(struct tl_reader *r)
{
	int e = 0;

	for (struct tl_name *n = r->rows; n && e == 0; n = n->hh.next)
		if (n->index != NO_ROW && r->t->rows.v[n->index].group == TL_GROUP_THREADS)
			e = tl_fill_thread(r, &r->t->rows.v[n->index], n->end, r->t->states);
	if (e == 0)
		e = tl_one_per_cpu(r->t);
	for (size_t i = 0, n = r->t->rows.n; i < n && e == 0; i++) {
		struct tl_row *row = &r->t->rows.v[i];

		for (size_t k = 0; k < row->items.n && row->group == TL_GROUP_LOSSES; k++)
			end_loss(&row->items.v[k], r->last < r->range.to ? r->last : r->range.to);
		if (row->group == TL_GROUP_REQUESTS || row->group == TL_GROUP_SPANS || row->group == TL_GROUP_LOSSES) {
			if (row->items.n)
				qsort(row->items.v, row->items.n, sizeof(*row->items.v), by_from);
			e = split_tracks(r, i);
		}
		tl_tidy(&r->t->rows.v[i].items);
	}
	return e == 0 && r->t->states ? tl_add_cpus(r) : e;
}

/* Skips the time before probes were attached: the timeline begins with its first interval. */
static void skip_lead(struct timeline *t)
{
	uint64_t first = t->to;

	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.v[i].group != TL_GROUP_LOSSES && t->rows.v[i].items.n &&
		    t->rows.v[i].items.v[0].from < first)
			first = t->rows.v[i].items.v[0].from;
	if (first > t->from && first < t->to) {
		t->lead = first - t->from;
		t->from = first;
	}
}

/* A recording of processes that have all ended is over with them: what came after them was only dwell's, which had yet
 * to read it. */
static bool all_have_ended(const struct tl_reader *r)
{
	size_t n = 0;

	for (const struct tl_name *x = r->rows; x; x = x->hh.next)
		if (x->index != NO_ROW && r->t->rows.v[x->index].group == TL_GROUP_THREADS) {
			if (!x->end)
				return false;
			n++;
		}
	return n && r->t->states && !r->opts->pid;
}

static int finish(struct tl_reader *r, struct err *err)
{
	struct timeline *t = r->t;
	size_t k = 0;
	int e;

	if (r->ended > r->last && !all_have_ended(r))
		r->last = r->ended;
	e = r->opts->processes ? 0 : finish_threads(r);
	t->to = r->last < r->range.to ? r->last : r->range.to;
	if (!r->opts->from_ns && !r->opts->processes)
		skip_lead(t);
	if (t->to <= t->from)
		return err_set(err, -EINVAL, "nothing was recorded in this time");
	t->nitems = 0;
	for (size_t i = 0; i < t->rows.n; i++) {
		tl_sum_up(&t->rows.v[i], t->from, t->to);
		t->nitems += t->rows.v[i].items.n;
		if (t->rows.v[i].items.n) {
			t->rows.v[k++] = t->rows.v[i];
		} else {
			free(t->rows.v[i].label);
			vec_free(&t->rows.v[i].items);
		}
	}
	t->rows.n = k;
	if (e == 0 && !r->opts->processes)
		e = order_threads(t);
	if (e == 0)
		e = tl_add_hues(t);
	return e < 0 ? err_set(err, e, "out of memory") : 0;
}

static int read_threads(struct tl_reader *r, struct err *err)
{
	struct rec_slow_query q = { .range = { r->range.from, INT64_MAX }, .tracker = -1, .which = SLOW_ONLY };
	int e = recread_slow(r->f, &q, on_slow, r, err);

	if (e == 0)
		e = recread_spans(r->f, (struct rec_range){ 0, r->range.to }, on_span, r, err);
	if (e == 0 && r->t->rows.n == 0 && (r->opts->from_ns || r->opts->to_ns || r->opts->pid))
		return err_set(err, -EINVAL, "nothing was recorded in this time%s",
			       r->opts->pid ? ", or not of this process" : "");
	if (e == 0 && r->t->rows.n == 0)
		return err_set(err, -EINVAL,
			       "it has no slow events and no spans, which is what a timeline is made of: record with "
			       "'dwell timeline --record', 'dwell latency record', a tracker with slow(), or span()");
	return e == 0 ? recread_rows(r->f, 1u << ROW_DROPS | 1u << ROW_NOTE | 1u << ROW_END, r->range, on_row, r, err)
		      : e;
}

static int make(struct tl_reader *r, struct err *err)
{
	int e = recsym_new(r->f, &r->sym, err);

	if (e < 0)
		return e;
	tl_add_text(r, "", "", NULL); /* [0] */
	e = r->error ? r->error : r->opts->processes ? tl_read_processes(r, err) : read_threads(r, err);
	if (e == -ENOMEM && !err->msg[0])
		err_set(err, e, "out of memory");
	return e < 0 ? e : finish(r, err);
}

static void free_names(struct tl_name **all)
{
	struct tl_name *n, *next;

	HASH_ITER (hh, *all, n, next) {
		HASH_DEL(*all, n);
		free(n);
	}
}

void tl_reader_done(struct tl_reader *r)
{
	free_names(&r->texts);
	free_names(&r->rows);
	sym_free(r->sym);
	vec_free(&r->gaps);
	strb_free(&r->key);
	strb_free(&r->text);
}

int timeline_make(struct recread *f, const struct tl_opts *opts, struct timeline **ret, struct err *err)
{
	struct tl_reader r = { .f = f, .opts = opts, .range = REC_ALL_TIME };
	uint64_t begin = recread_begun(f);
	int e;

	r.t = calloc(1, sizeof(*r.t));
	if (!r.t)
		return err_set(err, -ENOMEM, "out of memory");
	r.range.from = begin + opts->from_ns;
	if (opts->to_ns)
		r.range.to = begin + opts->to_ns;
	r.t->wall = recread_wall_off(f);
	r.t->from = r.loss_at = r.range.from;
	r.t->processes = opts->processes;
	e = make(&r, err);
	tl_reader_done(&r);
	if (e < 0)
		timeline_free(r.t);
	else
		*ret = r.t;
	return e;
}
