/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies a stack: finds the rules that its frames match, and picks those that name the cause. A function name
 * is matched against the patterns once; after that a frame costs one lookup in a hash table. */
#include "latency/cause/causes.h"
#include <string.h>
#include "base/cleanup.h"
#include "latency/cause/int.h"

#define MAX_SYMBOLS_KEPT 65536 /* names learned; then all are forgotten and learned again */

int causes_new(struct causes **ret)
{
	struct causes *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->arena = arena_new(ARENA_DEFAULT_LIMIT);
	*ret = c;
	return 0;
}

void causes_forget(struct causes *c)
{
	struct cause_symbol *s, *next;

	HASH_ITER (hh, c->symbols, s, next) {
		HASH_DEL(c->symbols, s);
		free(s->matches);
		free(s);
	}
}

void causes_free(struct causes *c)
{
	struct cause_words *w, *next;

	if (!c)
		return;
	causes_forget(c);
	HASH_ITER (hh, c->words, w, next) {
		HASH_DEL(c->words, w);
		free(w);
	}
	HASH_CLEAR(hh, c->exact);
	vec_free(&c->rules);
	vec_free(&c->patterns);
	arena_free(c->arena);
	free(c);
}

void causes_plain_name(const char *name, char *buf, size_t size)
{
	const char *module = strchr(name, '`'), *dot;
	size_t n;

	if (module)
		name = module + 1;
	/* Names may begin with a dot; what the compiler adds never begins the name. */
	dot = name[0] ? strchr(name + 1, '.') : NULL;
	n = dot ? (size_t)(dot - name) : strlen(name);
	if (n >= size)
		n = size - 1;
	memcpy(buf, name, n);
	buf[n] = '\0';
}

bool cause_glob(const char *pattern, const char *name, uint16_t *star, uint16_t *len)
{
	const char *p = pattern, *s = name, *again_p = NULL, *again_s = NULL, *first = NULL, *first_end = NULL;

	while (*s) {
		if (*p == '*') {
			if (again_p && !first_end)
				first_end = s;
			if (!first)
				first = s;
			again_p = ++p;
			again_s = s;
		} else if (*p == '?' || *p == *s) {
			p++;
			s++;
		} else if (again_p) {
			p = again_p;
			s = ++again_s;
		} else {
			return false;
		}
	}
	/* Where the first * ends: at the second one's begin, or so that the rest of the pattern is the name's end. */
	for (const char *q = p; *q == '*'; q++) {
		if (!first)
			first = s;
		else if (!first_end)
			first_end = s;
		p = q + 1;
	}
	if (*p)
		return false;
	if (star && first) {
		const char *a = strchr(pattern, '*'), *b = strchr(a + 1, '*');
		const char *end = b && first_end ? first_end - (b - a - 1) : s - strlen(a + 1);

		*star = (uint16_t)(first - name);
		*len = (uint16_t)(end > first ? end - first : 0);
	} else if (star) {
		*star = *len = 0;
	}
	return true;
}

/* -- what is known of a name -- */

static int add_match(struct causes *c, struct cause_symbol *s, uint32_t pattern, uint16_t star, uint16_t len)
{
	struct cause_match *m = reallocarray(s->matches, s->nmatches + 1, sizeof(*m));
	uint32_t at = s->nmatches;

	if (!m)
		return -ENOMEM;
	s->matches = m;
	for (; at > 0 && m[at - 1].pattern > pattern; at--)
		m[at] = m[at - 1];
	m[at] = (struct cause_match){ pattern, star, len };
	s->nmatches++;
	s->skip = s->skip || c->rules.v[c->patterns.v[pattern].rule].kind == RULE_SKIP;
	return 0;
}

static int match_name(struct causes *c, struct cause_symbol *s)
{
	struct cause_exact *x = NULL;
	int e = 0;

	HASH_FIND_STR(c->exact, s->name, x);
	for (int32_t i = x ? x->first : -1; e == 0 && i >= 0; i = c->patterns.v[i].next)
		e = add_match(c, s, (uint32_t)i, 0, 0);
	for (size_t i = 0; e == 0 && i < c->patterns.n; i++) {
		const struct cause_pattern *p = &c->patterns.v[i];
		uint16_t star, len;

		if (p->glob && cause_glob(p->name, s->name, &star, &len))
			e = add_match(c, s, (uint32_t)i, star, len);
	}
	return e;
}

/* The name in question, learned if need be; NULL: no memory. */
static struct cause_symbol *symbol(struct causes *c, const char *name)
{
	char plain[CAUSES_MAX_SYMBOL];
	struct cause_symbol *s = NULL;

	causes_plain_name(name, plain, sizeof(plain));
	HASH_FIND_STR(c->symbols, plain, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s) + strlen(plain) + 1);
	if (!s)
		return NULL;
	strcpy(s->name, plain);
	if (match_name(c, s) < 0)
		goto fail;
	HASH_ADD_KEYPTR(hh, c->symbols, s->name, strlen(s->name), s);
	if (s->hh.tbl)
		return s;
fail:
	free(s->matches);
	free(s);
	return NULL;
}

/* -- one stack -- */

#define NO_WAY (-2) /* further in than facts */

struct found {
	const struct cause_rule *rule;
	struct cause_match match;
	int frame;
};

struct stack {
	struct causes *c;
	struct cause_symbol *syms[CAUSES_MAX_DEPTH]; /* NULL: no name */
	size_t n;
	struct found wait, op, via[CAUSES_MAX_VIA];
	unsigned nvia;
	int way; /* the outermost frame of a way so far */
};

static bool called_by(const struct stack *s, int frame, const char *caller)
{
	for (size_t i = (size_t)(frame + 1); i < s->n; i++) {
		if (!s->syms[i])
			return false;
		if (!s->syms[i]->skip)
			return cause_glob(caller, s->syms[i]->name, NULL, NULL);
	}
	return false;
}

static void consider(struct stack *s, const struct cause_match *m, int frame)
{
	const struct cause_pattern *p = &s->c->patterns.v[m->pattern];
	const struct cause_rule *r = &s->c->rules.v[p->rule];
	struct found f = { r, *m, frame };

	if (p->caller && !called_by(s, frame, p->caller))
		return;
	switch (r->kind) {
	case RULE_WAIT: /* innermost: those further out must be better, and not be what the way was a part of */
		if (!s->wait.rule || (r->prio > s->wait.rule->prio && !(s->way >= s->wait.frame && s->way < frame)))
			s->wait = f;
		break;
	case RULE_OP: /* outermost; of one frame the first in the file */
		if (!s->op.rule || r->prio > s->op.rule->prio || (r->prio == s->op.rule->prio && frame > s->op.frame))
			s->op = f;
		break;
	case RULE_VIA: /* the last ones seen, which are the outermost, stay */
		s->way = frame;
		if (s->nvia && s->via[s->nvia - 1].rule == r) {
			s->via[s->nvia - 1].frame = frame;
			break;
		}
		if (s->nvia == CAUSES_MAX_VIA)
			memmove(s->via, s->via + 1, --s->nvia * sizeof(*s->via));
		s->via[s->nvia++] = f;
		break;
	case RULE_SKIP: break;
	}
}

static void consider_facts(struct stack *s, uint32_t facts)
{
	for (size_t i = 0; facts && i < s->c->patterns.n; i++) {
		const struct cause_match m = { (uint32_t)i, 0, 0 };

		if (s->c->patterns.v[i].fact & facts)
			consider(s, &m, -1);
	}
}

/* The words of a rule, * replaced. */
static void add_words(const struct stack *s, const struct found *f, struct strb *b)
{
	const char *star = strchr(f->rule->words, '*');

	if (!star || f->frame < 0) {
		strb_adds(b, f->rule->words);
		return;
	}
	strb_add(b, f->rule->words, (size_t)(star - f->rule->words));
	strb_add(b, s->syms[f->frame]->name + f->match.star, f->match.star_len);
	strb_adds(b, star + 1);
}

/* The one copy of a text; NULL: no memory. */
static const char *intern(struct causes *c, const struct strb *b)
{
	const char *text = strb_str(b);
	struct cause_words *w = NULL;

	if (b->failed)
		return NULL;
	HASH_FIND_STR(c->words, text, w);
	if (w)
		return w->text;
	w = malloc(sizeof(*w) + strlen(text) + 1);
	if (!w)
		return NULL;
	strcpy(w->text, text);
	HASH_ADD_KEYPTR(hh, c->words, w->text, strlen(w->text), w);
	if (w->hh.tbl)
		return w->text;
	free(w);
	return NULL;
}

static int fill_part(struct stack *s, const struct found *f, struct cause_part *ret)
{
	struct strb b = { 0 };

	if (!f->rule)
		return 0;
	add_words(s, f, &b);
	*ret = (struct cause_part){ intern(s->c, &b), f->rule->file, f->rule->line, f->frame };
	strb_free(&b);
	return ret->words ? 0 : -ENOMEM;
}

static int fill_words(struct stack *s, struct cause *ret)
{
	struct strb b = { 0 };

	bool alone = s->wait.rule && s->wait.rule->alone;

	if (ret->op.words && !alone)
		strb_printf(&b, "%s: ", ret->op.words);
	for (unsigned i = 0; i < ret->nvia && !alone; i++)
		strb_printf(&b, "%s: ", ret->via[i].words);
	strb_adds(&b, ret->wait.words ? ret->wait.words : "unknown");
	ret->words = intern(s->c, &b);
	strb_free(&b);
	return ret->words ? 0 : -ENOMEM;
}

static int fill(struct stack *s, struct cause *ret)
{
	int e = fill_part(s, &s->wait, &ret->wait);

	if (e == 0)
		e = fill_part(s, &s->op, &ret->op);
	for (unsigned i = s->nvia; e == 0 && i-- > 0;) {
		struct cause_part *p = &ret->via[ret->nvia];

		/* Frames further in than the wait are how the kernel waits: they are left out. */
		if (s->wait.rule && s->via[i].frame < s->wait.frame && s->via[i].frame >= 0)
			continue;
		e = fill_part(s, &s->via[i], p);
		if (e == 0 && p->words != ret->op.words && p->words != ret->wait.words)
			ret->nvia++;
	}
	if (e < 0)
		return e;
	if (ret->nvia < CAUSES_MAX_VIA)
		ret->via[ret->nvia] = (struct cause_part){ 0 };
	ret->class = s->wait.rule ? s->wait.rule->class : CAUSE_UNKNOWN;
	ret->inferred = s->wait.rule && s->wait.rule->inferred;
	return fill_words(s, ret);
}

bool cause_is_idle(enum cause_class class)
{
	return class == CAUSE_IDLE || class == CAUSE_TIME;
}

uint32_t causes_noted(uint64_t noted)
{
	const uint64_t waits_to_the_end = WHY_FUTEX_CONDITION | WHY_ENDED;

	return (noted & WHY_FUTEX_CONDITION ? CAUSE_FACT_CONDITION : 0) |
	       ((noted & waits_to_the_end) == waits_to_the_end ? CAUSE_FACT_WORK : 0) |
	       (noted & WHY_FUTEX_TIMEOUT ? CAUSE_FACT_TIMEOUT : 0) | (noted & WHY_MADE_WAY ? CAUSE_FACT_MADE_WAY : 0);
}

static bool has_function(const struct stack *s, const char *begin)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->syms[i] && !strncmp(s->syms[i]->name, begin, strlen(begin)))
			return true;
	return false;
}

static bool waits_for_events(const struct stack *s)
{
	return has_function(s, "ep_poll") || has_function(s, "do_epoll_"); /* the first may be a part of the other */
}

/* Facts about a futex (from registers and the program's functions) count only if the stack waits for a futex, or is not
 * known. Locks that a program makes of events count as locks. */
static uint32_t facts_that_count(const struct stack *s, uint32_t facts)
{
	static const uint32_t of_futexes = CAUSE_FACT_CONDITION | CAUSE_FACT_TIMEOUT | CAUSE_FACT_WORK |
					   CAUSE_FACT_USER_LOCK | CAUSE_FACT_COLLECTOR | CAUSE_FACT_COLLECTED |
					   CAUSE_FACT_SAFEPOINT | CAUSE_FACT_PARKED | CAUSE_FACT_CLASSINIT;
	bool lock = facts & CAUSE_FACT_USER_LOCK;

	facts &= ~(uint32_t)CAUSE_FACT_EVENT_LOCK;
	if (!s->n && !(facts & CAUSE_FACT_CONDITION)) /* perhaps the collection itself, and no wait within it */
		facts &= ~(uint32_t)CAUSE_FACT_COLLECTOR;
	if (!(facts & of_futexes))
		return facts;
	if (s->n && !has_function(s, "futex_") && !has_function(s, "do_futex"))
		return (facts & ~of_futexes) | (lock && waits_for_events(s) ? CAUSE_FACT_EVENT_LOCK : 0);
	/* A lock that is waited for until some time is one. */
	return lock ? facts & ~(of_futexes & ~(uint32_t)CAUSE_FACT_USER_LOCK) : facts;
}

int causes_classify(struct causes *c, const char *const *names, size_t n, uint32_t facts, struct cause *ret)
{
	struct stack s = { .c = c, .n = n < CAUSES_MAX_DEPTH ? n : CAUSES_MAX_DEPTH, .way = NO_WAY };

	*ret = (struct cause){ .words = "unknown" };
	/* Not between the frames of one stack: it holds on to its symbols. */
	if (HASH_COUNT(c->symbols) > MAX_SYMBOLS_KEPT)
		causes_forget(c);
	for (size_t i = 0; i < s.n; i++) {
		s.syms[i] = names[i] ? symbol(c, names[i]) : NULL;
		if (names[i] && !s.syms[i])
			return -ENOMEM;
	}
	consider_facts(&s, facts_that_count(&s, facts));
	for (size_t i = 0; i < s.n; i++)
		for (uint32_t k = 0; s.syms[i] && k < s.syms[i]->nmatches; k++)
			consider(&s, &s.syms[i]->matches[k], (int)i);
	return fill(&s, ret);
}

/* -- checking -- */

int causes_seen(struct causes *c, const char *name)
{
	struct cause_symbol *s;

	if (HASH_COUNT(c->symbols) > MAX_SYMBOLS_KEPT)
		causes_forget(c);
	s = symbol(c, name);
	for (uint32_t i = 0; s && i < s->nmatches; i++)
		c->patterns.v[s->matches[i].pattern].seen = true;
	return s ? 0 : -ENOMEM;
}

void causes_rules(const struct causes *c, void (*fn)(void *arg, const struct cause_rule_info *r), void *arg)
{
	static const char *const kinds[] = { "skip", "wait", "via", "op" };
	size_t p = 0;

	for (size_t i = 0; i < c->rules.n; i++) {
		const struct cause_rule *r = &c->rules.v[i];
		struct cause_rule_info info = { kinds[r->kind], r->words, r->file, r->line, r->class, r->npatterns, 0 };

		for (; p < c->patterns.n && c->patterns.v[p].rule == i; p++)
			info.nmatched += c->patterns.v[p].seen || c->patterns.v[p].fact;
		fn(arg, &info);
	}
}
