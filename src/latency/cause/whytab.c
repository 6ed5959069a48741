/* SPDX-License-Identifier: Apache-2.0 */
/* Adds deltas of aggregations up to rows of causes. Remembers the meaning of a key by its bytes, so that a key is
 * classified once. */
#include "latency/cause/whytab.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/rtfmt.h"
#include "base/strb.h"
#include "base/vec.h"
#include "base/hash_try.h"
#include "runtime/runtime.h"

/* A row under its identity: `who`, comm, words, user stack. */
struct cell {
	UT_hash_handle hh;
	struct why_row row;
	char *id; /* owned; comm and ustack point into it */
};

/* A key of an aggregation, and the row that it belongs to. */
struct known {
	UT_hash_handle hh;
	struct cell *cell;
	uint8_t key[];
};

struct whytab {
	struct causes *causes;
	struct sym *sym;
	struct cell *cells;
	struct known *known;
	struct cell others;
	bool askers;
	struct why_sum short_all, short_now;
	VEC(const struct why_row *) sorted;
	VEC(char *) words; /* of waits whose causes are not those of the rules */
};

int whytab_new(struct causes *causes, struct sym *sym, struct whytab **ret)
{
	struct whytab *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->causes = causes;
	t->sym = sym;
	t->others.row = (struct why_row){ .comm = "", .words = "others", .others = true };
	*ret = t;
	return 0;
}

static void forget_keys(struct whytab *t)
{
	struct known *k, *next;

	HASH_ITER (hh, t->known, k, next) {
		HASH_DEL(t->known, k);
		free(k);
	}
}

void whytab_askers(struct whytab *t)
{
	t->askers = true;
}

void whytab_set_sym(struct whytab *t, struct sym *sym)
{
	forget_keys(t);
	t->sym = sym;
}

void whytab_free(struct whytab *t)
{
	struct cell *c, *next;

	if (!t)
		return;
	forget_keys(t);
	HASH_ITER (hh, t->cells, c, next) {
		HASH_DEL(t->cells, c);
		free(c->id);
		free(c);
	}
	vec_free(&t->sorted);
	for (size_t i = 0; i < t->words.n; i++)
		free(t->words.v[i]);
	vec_free(&t->words);
	free(t);
}

/* -- what a key means -- */

static int explain(struct whytab *t, const struct recfield *f, const uint8_t *key, uint32_t facts, struct cause *ret)
{
	_cleanup_free_ const char **names = calloc(f->nframes + 1, sizeof(*names));
	size_t n = 0;

	if (!names)
		return -ENOMEM;
	for (; n < f->nframes; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, key + f->off + 8 * n, sizeof(pc));
		if (!pc)
			break;
		names[n] = t->sym && sym_kernel(t->sym, pc, &s) ? s.name : NULL;
	}
	return causes_classify(t->causes, names, n, facts, ret);
}

static void add_ustack(struct whytab *t, const struct recfield *f, const uint8_t *key, struct strb *b)
{
	struct rec_ustack_hdr h;

	memcpy(&h, key + f->off, sizeof(h));
	for (uint32_t i = 0; i < f->nframes && i < WHYTAB_MAX_STACK; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, key + f->off + sizeof(h) + 8 * (size_t)i, sizeof(pc));
		if (!pc)
			break;
		if (i)
			strb_addc(b, ';');
		if (t->sym && sym_user(t->sym, h.tgid, h.start, pc, &s) && s.name)
			strb_printf(b, "%s%s%s", rt_is_frame(pc) ? "" : s.module, rt_is_frame(pc) ? "" : "`", s.name);
		else if (s.module && s.module[0])
			strb_printf(b, "%s`0x%llx", s.module, (unsigned long long)s.offset);
		else
			strb_printf(b, "0x%llx", (unsigned long long)pc);
	}
	if (h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT))
		strb_adds(b, ";[cut]");
}

static bool begins_with_any(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(text, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Not what the runtime brings along: its modules, builtins (which have no file), frozen modules, classes of the JDK. */
static bool is_own(const char *module, const struct rt_function *f)
{
	static const char *const files[] = { "node:", "<frozen " };
	static const char *const classes[] = { "java.", "javax.", "jdk.", "sun.", "com.sun." };
	const bool java = !strcmp(module, "java") || !strncmp(module, "java/", strlen("java/"));

	if (!f->file_len)
		return false;
	return java ? !begins_with_any(f->name, classes, ARRAY_SIZE(classes))
		    : !begins_with_any(f->file, files, ARRAY_SIZE(files));
}

/* The function that asked for the wait: see whytab_askers(). */
static void add_asker(struct whytab *t, const struct recfield *f, const uint8_t *key, struct strb *b)
{
	struct rec_ustack_hdr h;

	memcpy(&h, key + f->off, sizeof(h));
	for (uint32_t i = 0; i < f->nframes && i < WHYTAB_MAX_STACK; i++) {
		struct rt_function fn[SYM_MAX_LINES];
		struct symbol s = { 0 };
		uint64_t pc;
		size_t n;

		memcpy(&pc, key + f->off + sizeof(h) + 8 * (size_t)i, sizeof(pc));
		if (!pc)
			break;
		if (!rt_is_frame(pc) || !t->sym || !sym_user(t->sym, h.tgid, h.start, pc, &s) || !s.name)
			continue;
		n = rt_text_functions(s.name, fn, SYM_MAX_LINES);
		for (size_t k = 0; k < n; k++) {
			const char *end = k + 1 < n ? strstr(fn[k].name, SYM_INLINED_INTO) : NULL;

			if (!is_own(s.module, &fn[k]) && b->n)
				continue;
			strb_reset(b);
			strb_add(b, fn[k].name, end ? (size_t)(end - fn[k].name) : strlen(fn[k].name));
			if (is_own(s.module, &fn[k]))
				return;
		}
	}
}

static uint64_t key_int(const struct recfield *f, const uint8_t *key)
{
	uint64_t v = 0;

	memcpy(&v, key + f->off, f->size < sizeof(v) ? f->size : sizeof(v)); /* little-endian, as BPF's here */
	return v;
}

/* The thread and the cause of a row. */
struct about {
	uint64_t who;
	const char *comm;
	size_t comm_n;
	const char *words; /* lives as long as the table */
	enum cause_class class;
	bool inferred;
	const char *ustack; /* NULL: not asked for */
};

/* The row of "who\0comm\0words\0ustack". */
static int find_cell(struct whytab *t, const struct about *a, struct cell **ret)
{
	struct strb id = { 0 };
	struct cell *c = NULL;
	size_t comm, stack, n;
	int e = 0;

	strb_printf(&id, "%llu", (unsigned long long)a->who);
	strb_addc(&id, '\0');
	comm = id.n;
	strb_add(&id, a->comm, a->comm_n);
	strb_addc(&id, '\0');
	strb_adds(&id, a->words);
	strb_addc(&id, '\0');
	stack = id.n;
	strb_adds(&id, a->ustack ? a->ustack : "");
	if (id.failed) {
		strb_free(&id);
		return -ENOMEM;
	}
	HASH_FIND(hh, t->cells, id.s, id.n, c);
	if (c || HASH_COUNT(t->cells) >= WHYTAB_MAX_ROWS) {
		*ret = c ? c : &t->others;
		goto out;
	}
	e = -ENOMEM;
	c = calloc(1, sizeof(*c));
	if (!c)
		goto out;
	n = id.n;
	c->id = strb_take(&id);
	c->row = (struct why_row){ .who = a->who,
				   .comm = c->id + comm,
				   .words = a->words,
				   .class = a->class,
				   .inferred = a->inferred,
				   .ustack = a->ustack ? c->id + stack : NULL };
	HASH_ADD_KEYPTR(hh, t->cells, c->id, n, c);
	if (!c->hh.tbl) {
		free(c->id);
		free(c);
		goto out;
	}
	*ret = c;
	e = 0;
out:
	strb_free(&id);
	return e;
}

/* Fields of a key after (who, comm, why): what is noted of a futex, and the program's stack, either may be missing. A
 * stack after the number only tells the cause; one before is a part of the row. */
struct more {
	const struct recfield *futex, *ustack; /* or NULL */
	bool shown;
};

static bool find_more(const struct aggdesc *d, struct more *ret)
{
	*ret = (struct more){ 0 };
	for (size_t i = 3; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];

		if (f->kind == FLD_INT && !ret->futex) {
			ret->futex = f;
		} else if (f->kind == FLD_USTACK && !ret->ustack) {
			ret->ustack = f;
			ret->shown = !ret->futex;
		} else {
			return false;
		}
	}
	return true;
}

static uint32_t futex_facts(struct whytab *t, const struct more *m, const uint8_t *key)
{
	uint32_t facts = causes_noted(m->futex ? key_int(m->futex, key) : 0);
	struct cause_uframe frames[WHYTAB_MAX_STACK];
	struct rec_ustack_hdr h;
	size_t n = 0;

	if (!m->futex || !m->ustack || !t->sym)
		return facts;
	memcpy(&h, key + m->ustack->off, sizeof(h));
	for (; n < m->ustack->nframes && n < WHYTAB_MAX_STACK; n++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, key + m->ustack->off + sizeof(h) + 8 * n, sizeof(pc));
		if (!pc)
			break;
		(void)sym_user(t->sym, h.tgid, h.start, pc, &s);
		frames[n] = (struct cause_uframe){ s.module, s.name, rt_is_frame(pc) };
	}
	return causes_user_facts(facts, frames, n, !(h.flags & (REC_USTACK_CUT | REC_USTACK_FAULT)));
}

static int find_key(struct whytab *t, const struct aggdesc *d, const uint8_t *key, struct cell **ret)
{
	const struct recfield *f = d->keys;
	struct strb ustack = { 0 };
	struct about a = { .who = key_int(&f[0], key),
			   .comm = (const char *)key + f[1].off,
			   .comm_n = strnlen((const char *)key + f[1].off, f[1].size) };
	struct cause why;
	struct more m;
	int e;

	find_more(d, &m);
	e = explain(t, &f[2], key, futex_facts(t, &m, key), &why);
	if (e < 0)
		return e;
	a.words = why.words;
	a.class = why.class;
	a.inferred = why.inferred;
	if (m.ustack && m.shown) {
		if (t->askers)
			add_asker(t, m.ustack, key, &ustack);
		else
			add_ustack(t, m.ustack, key, &ustack);
		a.ustack = strb_str(&ustack);
	}
	e = ustack.failed ? -ENOMEM : find_cell(t, &a, ret);
	strb_free(&ustack);
	return e;
}

static int cell_of(struct whytab *t, const struct aggdesc *d, const uint8_t *key, struct cell **ret)
{
	struct known *k = NULL;
	int e;

	HASH_FIND(hh, t->known, key, d->key_size, k);
	if (k) {
		*ret = k->cell;
		return 0;
	}
	e = find_key(t, d, key, ret);
	if (e < 0)
		return e;
	if (HASH_COUNT(t->known) >= WHYTAB_MAX_KEYS)
		forget_keys(t);
	k = malloc(sizeof(*k) + d->key_size);
	if (!k)
		return 0; /* it is asked again */
	k->cell = *ret;
	memcpy(k->key, key, d->key_size);
	HASH_ADD_KEYPTR(hh, t->known, k->key, d->key_size, k);
	if (!k->hh.tbl)
		free(k);
	return 0;
}

/* -- rows -- */

static void add_value(struct why_sum *s, enum agg_func func, const uint64_t *value)
{
	if (func == AGG_AVG) {
		s->count += value[0];
		s->total += value[1];
	} else if (value[0] && value[1] > s->max) {
		s->max = value[1];
	}
}

static bool is_waits(const struct aggdesc *d)
{
	struct more m;

	return d->nkeys >= 3 && d->keys[0].kind == FLD_INT && d->keys[1].kind == FLD_STRING &&
	       d->keys[2].kind == FLD_WHY && find_more(d, &m);
}

int whytab_add(struct whytab *t, const struct rec_schema *s, const struct row *row)
{
	const struct aggdesc *d = row->kind == ROW_AGG && row->id < s->naggs ? s->aggs[row->id] : NULL;
	struct cell *c;
	int e;

	if (!d || (d->func != AGG_AVG && d->func != AGG_MAX))
		return 0;
	if (d->nkeys == 0) {
		add_value(&t->short_all, d->func, row->value);
		add_value(&t->short_now, d->func, row->value);
		return 0;
	}
	if (!is_waits(d) || row->len < d->key_size)
		return 0;
	e = cell_of(t, d, row->data, &c);
	if (e < 0)
		return e;
	add_value(&c->row.all, d->func, row->value);
	add_value(&c->row.now, d->func, row->value);
	return 0;
}

static int by_total(const struct why_row *a, const struct why_row *b, bool now)
{
	uint64_t x = now ? a->now.total : a->all.total, y = now ? b->now.total : b->all.total;

	return x < y ? 1 : x > y ? -1 : strcmp(a->words, b->words);
}

static int by_all(const void *a, const void *b)
{
	return by_total(*(const struct why_row *const *)a, *(const struct why_row *const *)b, false);
}

static int by_now(const void *a, const void *b)
{
	return by_total(*(const struct why_row *const *)a, *(const struct why_row *const *)b, true);
}

/* Words that were given before, or a copy; NULL: no memory. */
static const char *keep_words(struct whytab *t, const char *words)
{
	char *copy;

	for (size_t i = 0; i < t->words.n; i++)
		if (!strcmp(t->words.v[i], words))
			return t->words.v[i];
	copy = t->words.n < WHYTAB_MAX_WORDS ? strdup(words) : NULL;
	if (copy && vec_try_push(&t->words, copy) < 0) {
		free(copy);
		copy = NULL;
	}
	return copy ? copy : t->words.n ? "others" : NULL;
}

int whytab_wait(struct whytab *t, const struct why_row *r, uint64_t ns)
{
	struct about a = { .who = r->who,
			   .comm = r->comm,
			   .comm_n = strlen(r->comm),
			   .words = keep_words(t, r->words),
			   .class = r->class,
			   .inferred = r->inferred };
	struct cell *c;
	int e = a.words ? find_cell(t, &a, &c) : -ENOMEM;

	if (e < 0)
		return e;
	struct why_sum *const sums[] = { &c->row.all, &c->row.now };

	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		sums[i]->count++;
		sums[i]->total += ns;
		sums[i]->max = ns > sums[i]->max ? ns : sums[i]->max;
	}
	return 0;
}

size_t whytab_rows(struct whytab *t, bool now, const struct why_row *const **ret)
{
	struct cell *c, *next;

	t->sorted.n = 0;
	HASH_ITER (hh, t->cells, c, next)
		if ((now ? c->row.now.count : c->row.all.count) && vec_try_push(&t->sorted, &c->row) < 0)
			break;
	if (now ? t->others.row.now.count : t->others.row.all.count)
		(void)vec_try_push(&t->sorted, &t->others.row);
	if (t->sorted.n)
		qsort(t->sorted.v, t->sorted.n, sizeof(*t->sorted.v), now ? by_now : by_all);
	*ret = t->sorted.v;
	return t->sorted.n;
}

struct why_sum whytab_short(const struct whytab *t, bool now)
{
	return now ? t->short_now : t->short_all;
}

bool whytab_is_end(const struct rec_schema *s, const struct row *row)
{
	const struct recfmt *f = row->kind == ROW_EVENT && row->id >= 1 && row->id <= s->nfmts ? s->fmts[row->id - 1]
											       : NULL;
	const struct rec_probe *p = rec_schema_probe(s, row->probe);

	return f && f->nacts && f->acts[0].kind == ACT_PRINTA && p && !strncmp(p->name, "tick-", 5);
}

void whytab_next(struct whytab *t)
{
	struct cell *c, *next;

	HASH_ITER (hh, t->cells, c, next)
		c->row.now = (struct why_sum){ 0 };
	t->others.row.now = (struct why_sum){ 0 };
	t->short_now = (struct why_sum){ 0 };
}
