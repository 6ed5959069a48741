/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the rows of a run up for `dwell check`: aggregations by name, waits by cause, the longest slow event of
 * each tracker, counters of the kernel. */
#include "latency/check/check.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "latency/check/int.h"
#include "latency/cause/slowwait.h"
#include "store/file/keytext.h"
#include "store/slow.h"

#define PREFIX "check_"

int check_new(struct causes *causes, check_wants_fn *wants, void *ctx, struct check **ret)
{
	struct check *c = calloc(1, sizeof(*c));

	if (!c || chains_new(&c->chains) < 0 || whytab_new(causes, NULL, &c->why) < 0) {
		check_free(c);
		return -ENOMEM;
	}
	c->causes = causes;
	c->wants = wants;
	c->ctx = ctx;
	c->others.measure = "";
	for (unsigned i = 0; i < CHECK_NPARTS; i++)
		c->others.part[i] = "others";
	*ret = c;
	return 0;
}

void check_free(struct check *c)
{
	struct check_item *i, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->items, i, next) {
		HASH_DEL(c->items, i);
		free(i->id);
		free(i);
	}
	for (size_t k = 0; k < c->worst.n; k++) {
		free(c->worst.v[k].tracker);
		free(c->worst.v[k].sentence);
		free(c->worst.v[k].stack);
	}
	for (size_t k = 0; k < c->counters.n; k++)
		free(c->counters.v[k].name);
	for (size_t k = 0; k < c->measures.n; k++)
		free(c->measures.v[k]);
	vec_free(&c->worst);
	vec_free(&c->counters);
	vec_free(&c->measures);
	whytab_free(c->why);
	chains_free(c->chains);
	free(c);
}

static int add_measure(struct check *c, const char *name)
{
	char *copy;

	if (check_has(c, name))
		return 0;
	copy = strdup(name);
	if (copy && vec_try_push(&c->measures, copy) == 0)
		return 0;
	free(copy);
	return -ENOMEM;
}

bool check_has(const struct check *c, const char *measure)
{
	if (!strncmp(measure, "why:", 4))
		return c->has_why;
	if (strchr(measure, '.'))
		return check_find_counter(c, measure) != NULL;
	for (size_t i = 0; i < c->measures.n; i++)
		if (!strcmp(c->measures.v[i], measure))
			return true;
	return false;
}

/* The measure that an aggregation is, or NULL. */
static const char *measure_of(const struct aggdesc *d)
{
	return d && !strncmp(d->name, PREFIX, sizeof(PREFIX) - 1) && (d->func == AGG_AVG || d->func == AGG_COUNT) &&
			       d->nkeys >= 4 && d->keys[0].kind == FLD_INT
		       ? d->name + sizeof(PREFIX) - 1
		       : NULL;
}

int check_begin(struct check *c, const struct rec_schema *s, struct sym *sym)
{
	int e = 0;

	c->schema = s;
	c->sym = sym;
	c->ncpus = s->ncpus;
	whytab_set_sym(c->why, sym);
	for (size_t i = 0; i < s->naggs && e == 0; i++) {
		const char *m = measure_of(s->aggs[i]);

		c->has_why |= s->aggs[i] && !strcmp(s->aggs[i]->name, "waits");
		e = m ? add_measure(c, m) : 0;
	}
	return e;
}

void check_end(struct check *c)
{
	whytab_set_sym(c->why, NULL);
	c->schema = NULL;
	c->sym = NULL;
}

void check_took(struct check *c, uint64_t ns)
{
	c->took = ns;
}

void check_only(struct check *c, const char *comm)
{
	c->comm = comm;
}

bool check_is_empty(const struct check *c)
{
	return !c->items;
}

static bool wants(const struct check *c, uint32_t pid, const char *comm)
{
	return (!c->comm || !strcmp(comm, c->comm)) && (!c->wants || (pid && c->wants(c->ctx, pid)));
}

/* -- items -- */

/* Texts of id: measure, whom, what, by, more. */
static int item_of(struct check *c, struct strb *id, struct check_item **ret)
{
	struct check_item *i = NULL;
	size_t n = id->n;

	if (id->failed)
		return -ENOMEM;
	HASH_FIND(hh, c->items, id->s, n, i);
	if (i || HASH_COUNT(c->items) >= CHECK_MAX_ITEMS) {
		*ret = i ? i : &c->others;
		return 0;
	}
	i = calloc(1, sizeof(*i));
	if (!i)
		return -ENOMEM;
	i->id = strb_take(id);
	i->measure = i->id;
	for (unsigned k = 0; k < CHECK_NPARTS; k++)
		i->part[k] = (k ? i->part[k - 1] : i->measure) + strlen(k ? i->part[k - 1] : i->measure) + 1;
	HASH_ADD_KEYPTR(hh, c->items, i->id, n, i);
	if (!i->hh.tbl) {
		free(i->id);
		free(i);
		return -ENOMEM;
	}
	*ret = i;
	return 0;
}

static int add_item(struct check *c, const char *measure, const char *const part[CHECK_NPARTS], struct check_sum sum)
{
	_cleanup_(strb_free) struct strb id = { 0 };
	struct check_item *i;
	int e;

	strb_add(&id, measure, strlen(measure) + 1);
	for (unsigned k = 0; k < CHECK_NPARTS; k++)
		strb_add(&id, part[k], strlen(part[k]) + 1);
	e = item_of(c, &id, &i);
	if (e < 0)
		return e;
	i->sum.count += sum.count;
	i->sum.ns += sum.ns;
	return 0;
}

/* A number that says what was waited for: of a CPU, or of an error. */
static void put_number(struct strb *b, const char *measure, uint64_t n)
{
	static const struct {
		int number;
		const char *name;
	} errors[] = { { ENOSPC, "no space left on the device (ENOSPC)" },
		       { EMFILE, "too many open files of the process (EMFILE)" },
		       { ENFILE, "too many open files of the machine (ENFILE)" },
		       { EIO, "input or output error (EIO)" },
		       { ENOMEM, "no memory (ENOMEM)" } };

	if (strcmp(measure, "errno") != 0) {
		strb_printf(b, "CPU %llu", (unsigned long long)n);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if ((uint64_t)errors[i].number == n)
			strb_adds(b, errors[i].name);
}

static int add_agg(struct check *c, const struct aggdesc *d, const char *measure, const struct row *row)
{
	_cleanup_(strb_free) struct strb id = { 0 };
	struct check_item *i;
	int e;

	strb_add(&id, measure, strlen(measure) + 1);
	for (size_t k = 1; k <= CHECK_NPARTS; k++) {
		if (k == 1 + PART_WHAT && d->keys[k].kind == FLD_INT)
			put_number(&id, measure,
				   recfield_u64(&d->keys[k], (const uint8_t *)row->data + d->keys[k].off));
		else if (k < d->nkeys)
			keytext_value(&id, &d->keys[k], (const uint8_t *)row->data + d->keys[k].off);
		strb_addc(&id, '\0');
	}
	if (id.failed)
		return -ENOMEM;
	if (!wants(c, (uint32_t)recfield_u64(&d->keys[0], (const uint8_t *)row->data + d->keys[0].off),
		   id.s + strlen(measure) + 1))
		return 0;
	e = item_of(c, &id, &i);
	if (e < 0)
		return e;
	i->sum.count += row->value[0];
	i->sum.ns += d->func == AGG_AVG ? row->value[1] : 0;
	return 0;
}

int check_add_why(struct check *c)
{
	const struct why_row *const *rows;
	size_t n = c->why_added ? 0 : whytab_rows(c->why, false, &rows);
	int e = 0;

	c->why_added = true;
	for (size_t i = 0; i < n && e == 0; i++) {
		char measure[32];
		const char *const part[CHECK_NPARTS] = { rows[i]->comm, rows[i]->words, "", "" };

		if (rows[i]->others || !wants(c, (uint32_t)rows[i]->who, rows[i]->comm))
			continue;
		snprintf(measure, sizeof(measure), "why:%s", cause_class_name(rows[i]->class));
		e = add_item(c, measure, part, (struct check_sum){ rows[i]->all.count, rows[i]->all.total });
	}
	return e;
}

/* -- slow events -- */

static void put_kernel(struct strb *b, struct sym *sym, const uint8_t *p, uint32_t nframes)
{
	for (uint32_t i = 0, n = 0; i < nframes && n < CHECK_FRAMES; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + 8 * (size_t)i, sizeof(pc));
		if (!pc)
			break;
		if (!sym_kernel(sym, pc, &s) || !s.name)
			continue;
		strb_printf(b, "%s`%s\n", s.module, s.name);
		n++;
	}
}

static void put_user(struct strb *b, struct sym *sym, const uint8_t *p, uint32_t nframes)
{
	struct rec_ustack_hdr h;

	memcpy(&h, p, sizeof(h));
	for (uint32_t i = 0; i < nframes && i < CHECK_FRAMES; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + sizeof(h) + 8 * (size_t)i, sizeof(pc));
		if (!pc)
			break;
		if (sym_user(sym, h.tgid, h.start, pc, &s) && s.name)
			strb_printf(b, "%s`%s\n", s.module, s.name);
		else if (s.module && s.module[0])
			strb_printf(b, "%s`0x%llx\n", s.module, (unsigned long long)s.offset);
	}
}

static char *stack_text(const struct check *c, const struct slow_event *e)
{
	struct strb b = { 0 };

	for (size_t i = 0; i < e->nattrs && c->sym; i++) {
		const struct recfield *f = &e->attrs[i];

		if (f->kind == FLD_STACK)
			put_kernel(&b, c->sym, e->rec + f->off, f->nframes);
		else if (f->kind == FLD_USTACK)
			put_user(&b, c->sym, e->rec + f->off, f->nframes);
	}
	return b.n ? strb_take(&b) : (strb_free(&b), strdup(""));
}

static int keep_worst(struct check *c, const struct slow_event *e, const struct chain_wait *w)
{
	struct check_worst *x = NULL, fresh = { 0 };
	struct strb b = { 0 };
	struct chain ch;

	for (size_t i = 0; i < c->worst.n; i++)
		if (!strcmp(c->worst.v[i].tracker, e->tracker->name))
			x = &c->worst.v[i];
	if (x && x->delay >= e->fixed.delay)
		return 0;
	if (!x) {
		fresh.tracker = strdup(e->tracker->name);
		if (!fresh.tracker || vec_try_push(&c->worst, fresh) < 0) {
			free(fresh.tracker);
			return -ENOMEM;
		}
		x = &c->worst.v[c->worst.n - 1];
	}
	chains_build(c->chains, w, &ch);
	chain_sentence(&ch, &b);
	free(x->sentence);
	free(x->stack);
	x->sentence = strb_take(&b);
	x->stack = stack_text(c, e);
	x->delay = e->fixed.delay;
	return x->sentence && x->stack ? 0 : -ENOMEM;
}

/* A recording without check's aggregations has slow events only: each becomes an item. */
static int add_as_item(struct check *c, const struct slow_event *e, const struct slowwait *s)
{
	char cpu[16];
	bool wakeup = !strcmp(e->tracker->name, "wakeup");
	const char *what = wakeup ? cpu : s->wait.object[0] ? s->wait.object : s->cause;
	const char *const part[CHECK_NPARTS] = { e->fixed.comm, what, s->wait.by_comm, "" };

	snprintf(cpu, sizeof(cpu), "CPU %u", s->wait.cpu);
	if (check_has(c, "wakeup"))
		return 0;
	return add_item(c, e->tracker->name, part, (struct check_sum){ 1, e->fixed.delay });
}

static int add_slow(struct check *c, const struct slow_event *e)
{
	struct slowwait s;
	int r;

	if (!e->tracker || e->fixed.how != SLOW_NORMAL || !wants(c, e->fixed.pid, e->fixed.comm))
		return 0;
	r = slowwait_make(c->causes, c->sym, e, &s);
	if (r < 0)
		return r;
	r = s.wait.idle ? 0 : keep_worst(c, e, &s.wait);
	chains_add(c->chains, &s.wait);
	return r < 0 || s.wait.idle ? r : add_as_item(c, e, &s);
}

static int add_event(struct check *c, const struct row *row)
{
	const struct recfmt *f = row->id >= 1 && row->id <= c->schema->nfmts ? c->schema->fmts[row->id - 1] : NULL;
	int e = 0;

	for (size_t i = 0; f && i < f->nacts && e == 0; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event s = slow_event(c->schema, &f->acts[i], row->data);

			e = add_slow(c, &s);
		}
	return e;
}

static void add_cost(struct check *c, const struct row *row)
{
	struct rec_cost cost;

	if (row->len < sizeof(cost))
		return;
	memcpy(&cost, row->data, sizeof(cost));
	c->cost_ns += cost.run_ns;
}

int check_row(struct check *c, const struct row *row)
{
	const struct aggdesc *d;

	switch (row->kind) {
	case ROW_AGG:
		d = row->id < c->schema->naggs ? c->schema->aggs[row->id] : NULL;
		if (measure_of(d) && row->len >= d->key_size)
			return add_agg(c, d, measure_of(d), row);
		return d && (!strcmp(d->name, "waits") || !strcmp(d->name, "worst"))
			       ? whytab_add(c->why, c->schema, row)
			       : 0;
	case ROW_EVENT: return add_event(c, row);
	case ROW_COST: add_cost(c, row); return 0;
	case ROW_NOTE: return row->id == NOTE_COUNTERS ? check_counters(c, row->ts, row->data, row->len) : 0;
	case ROW_DROPS:
		if (row->id < REC_NLOSSES && rec_loss(row->id) == REC_LOST)
			c->lost[row->id] += row->count;
		return 0;
	default: return 0;
	}
}
