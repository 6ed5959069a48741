/* SPDX-License-Identifier: Apache-2.0 */
/* The language of dlib/causes:
 *     file  = { line }
 *     line  = "#" comment | head { pattern } | white space { pattern }      a line more of patterns
 *     head  = "skip" ":" | ("wait" ["/" prio] class | ("via" | "op") ["/" prio]) words {flag} ":"
 *     words = '"' text '"'           flag = "alone" | "inferred"           pattern = [name "<"] name | "@" fact
 * A * in the words is what the first * of the matching pattern stood for. */
#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "latency/cause/int.h"

#define DEFAULT_PRIO 5
#define MAX_WORDS 80 /* of one rule, so that a row of a table holds it */

static const char *const classes[] = {
#define CLASS(id, name, what) [CAUSE_##id] = name,
#include "latency/cause/cause.def"
#undef CLASS
};
static const char *const facts[] = {
#define FACT(id, name, what) [CAUSE_FACT_INDEX_##id] = name,
#include "latency/cause/cause_fact.def"
#undef FACT
};

const char *cause_class_name(enum cause_class class)
{
	return (unsigned)class < CAUSE_NCLASSES ? classes[class] : classes[CAUSE_UNKNOWN];
}

const char *cause_fact_name(enum cause_fact_index i)
{
	return (unsigned)i < CAUSE_NFACTS ? facts[i] : "";
}

/* A text being read. */
struct reader {
	struct causes *c;
	const char *file, *at, *end;
	unsigned line;
	struct cause_rule rule; /* the one that patterns go to */
	bool in_rule;
	size_t rules0, patterns0; /* what was there before */
	struct err *err;
};

__attribute__((format(printf, 2, 3))) static int bad(struct reader *r, const char *fmt, ...)
{
	char msg[ERR_MSG_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return err_set(r->err, -EINVAL, "%s:%u: %s", r->file, r->line, msg);
}

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\r';
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
}

static bool line_ends(const struct reader *r)
{
	return r->at >= r->end || *r->at == '\n' || *r->at == '#';
}

static void next_line(struct reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		r->at++;
	if (r->at < r->end)
		r->at++;
}

/* Up to the next blank, quote or colon; "" at the end of the line. */
static size_t word(struct reader *r, const char **ret)
{
	const char *p = r->at;

	while (p < r->end && !is_blank(*p) && !strchr("\n#\":", *p) && *p)
		p++;
	*ret = r->at;
	r->at = p;
	return (size_t)(p - *ret);
}

static bool is_word(const char *p, size_t n, const char *w)
{
	return strlen(w) == n && !memcmp(p, w, n);
}

static int read_class(struct reader *r)
{
	const char *p;
	size_t n = word(r, &p);

	for (int i = CAUSE_UNKNOWN + 1; i < CAUSE_NCLASSES; i++)
		if (is_word(p, n, classes[i])) {
			r->rule.class = (enum cause_class)i;
			return 0;
		}
	return n ? bad(r,
		       "'%.*s' is no class of waits (cpu io fs memory lock net ipc process kernel device virt "
		       "time idle)",
		       (int)(n > 40 ? 40 : n), p)
		 : bad(r, "a wait needs a class before its words, such as: wait io \"block I/O\": io_schedule");
}

static int read_words(struct reader *r)
{
	const char *p;

	skip_blanks(r);
	if (r->at >= r->end || *r->at != '"')
		return bad(r, "words in quotes are missing");
	p = ++r->at;
	while (r->at < r->end && *r->at != '"' && *r->at != '\n' && isprint((unsigned char)*r->at))
		r->at++;
	if (r->at >= r->end || *r->at != '"')
		return bad(r, "the words are not ended by a quote, or have a character that is not plain text");
	if (r->at == p || r->at - p > MAX_WORDS)
		return bad(r, "words have 1 to %d characters", MAX_WORDS);
	r->rule.words = arena_strndup(r->c->arena, p, (size_t)(r->at - p));
	r->at++;
	return 0;
}

static int read_flags(struct reader *r)
{
	for (;;) {
		const char *p;
		size_t n;

		skip_blanks(r);
		n = word(r, &p);
		if (!n)
			break;
		if (is_word(p, n, "alone"))
			r->rule.alone = true;
		else if (is_word(p, n, "inferred"))
			r->rule.inferred = true;
		else
			return bad(r, "'%.*s' is no flag (alone, inferred)", (int)(n > 40 ? 40 : n), p);
	}
	if (r->at >= r->end || *r->at != ':')
		return bad(r, "a colon is missing between the head of the rule and its patterns");
	r->at++;
	return 0;
}

static int read_kind(struct reader *r)
{
	static const char *const kinds[] = {
		[RULE_SKIP] = "skip", [RULE_WAIT] = "wait", [RULE_VIA] = "via", [RULE_OP] = "op"
	};
	const char *p, *slash;
	size_t n = word(r, &p);

	slash = memchr(p, '/', n);
	if (slash) {
		if (slash + 2 != p + n || slash[1] < '1' || slash[1] > '0' + CAUSES_MAX_PRIO)
			return bad(r, "the priority after / is a digit from 1 to %d", CAUSES_MAX_PRIO);
		r->rule.prio = (unsigned)(slash[1] - '0');
		n = (size_t)(slash - p);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_word(p, n, kinds[i])) {
			r->rule.kind = (enum rule_kind)i;
			return 0;
		}
	return bad(r, "'%.*s' begins no rule (skip, wait, via, op)", (int)(n > 40 ? 40 : n), p);
}

static int read_head(struct reader *r)
{
	int e;

	r->rule = (struct cause_rule){ .prio = DEFAULT_PRIO, .words = "", .file = r->file, .line = r->line };
	e = read_kind(r);
	if (e < 0)
		return e;
	if (r->c->rules.n >= CAUSES_MAX_RULES)
		return bad(r, "more than %d rules", CAUSES_MAX_RULES);
	if (r->rule.kind != RULE_SKIP) {
		skip_blanks(r);
		e = r->rule.kind == RULE_WAIT ? read_class(r) : 0;
		if (e == 0)
			e = read_words(r);
		if (e < 0)
			return e;
	}
	e = read_flags(r);
	if (e < 0)
		return e;
	r->in_rule = true;
	return vec_try_push(&r->c->rules, r->rule);
}

static bool is_name(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)p[i]) && !strchr("_*?$", p[i]))
			return false;
	return n > 0 && n < CAUSES_MAX_SYMBOL;
}

static int read_fact(struct reader *r, const char *p, size_t n, struct cause_pattern *pat)
{
	if (r->rule.kind == RULE_SKIP)
		return bad(r, "facts are no frames that could be skipped");
	for (unsigned i = 0; i < CAUSE_NFACTS; i++)
		if (is_word(p, n, facts[i])) {
			pat->fact = 1u << i;
			return 0;
		}
	return bad(r, "'@%.*s' is no fact; see dwell-causes(5)", (int)(n > 40 ? 40 : n), p);
}

static int read_pattern(struct reader *r)
{
	struct cause_pattern pat = { .rule = (uint32_t)r->c->rules.n - 1, .next = -1 };
	const char *p, *less;
	size_t n = word(r, &p), inner;

	if (!n)
		return bad(r, "'%c' is not expected among patterns", *r->at);
	if (*p == '@') {
		int e = read_fact(r, p + 1, n - 1, &pat);

		if (e < 0)
			return e;
	} else {
		less = memchr(p, '<', n);
		inner = less ? (size_t)(less - p) : n;
		if (!is_name(p, inner) || (less && !is_name(less + 1, n - inner - 1)))
			return bad(r, "'%.*s' is no pattern: name, glob, name<caller or @fact", (int)(n > 60 ? 60 : n),
				   p);
		if (less && r->rule.kind == RULE_SKIP)
			return bad(r, "a frame is skipped for all its callers: no < here");
		pat.name = arena_strndup(r->c->arena, p, inner);
		pat.glob = strpbrk(pat.name, "*?") != NULL;
		pat.caller = less ? arena_strndup(r->c->arena, less + 1, n - inner - 1) : NULL;
	}
	if (r->c->patterns.n >= CAUSES_MAX_PATTERNS)
		return bad(r, "more than %d patterns", CAUSES_MAX_PATTERNS);
	r->c->rules.v[pat.rule].npatterns++;
	return vec_try_push(&r->c->patterns, pat);
}

static int end_rule(struct reader *r)
{
	unsigned line = r->line;
	int e;

	if (!r->in_rule || r->c->rules.v[r->c->rules.n - 1].npatterns)
		return 0;
	r->line = r->rule.line;
	e = bad(r, "the rule has no patterns");
	r->line = line;
	return e;
}

static int read_line(struct reader *r)
{
	bool more = r->at < r->end && is_blank(*r->at);
	int e = 0;

	skip_blanks(r);
	if (line_ends(r))
		return 0;
	if (more && !r->in_rule)
		return bad(r, "patterns before the first rule");
	if (!more) {
		e = end_rule(r);
		if (e == 0)
			e = read_head(r);
	}
	while (e == 0) {
		skip_blanks(r);
		if (line_ends(r))
			break;
		e = read_pattern(r);
	}
	return e;
}

/* Exact names into the hash, each with its patterns in the order of the rules. */
static int index_patterns(struct causes *c, size_t from)
{
	for (size_t i = from; i < c->patterns.n; i++) {
		struct cause_pattern *p = &c->patterns.v[i];
		struct cause_exact *x = NULL;
		int32_t *at;

		if (!p->name || p->glob)
			continue;
		HASH_FIND_STR(c->exact, p->name, x);
		if (!x) {
			x = arena_new_obj(c->arena, struct cause_exact);
			x->name = p->name;
			x->first = -1;
			HASH_ADD_KEYPTR(hh, c->exact, x->name, strlen(x->name), x);
			if (!x->hh.tbl)
				return -ENOMEM;
		}
		for (at = &x->first; *at >= 0; at = &c->patterns.v[*at].next)
			;
		*at = (int32_t)i;
	}
	return 0;
}

int causes_add(struct causes *c, const char *name, const char *text, size_t len, struct err *err)
{
	struct reader r = { .c = c,
			    .file = arena_strdup(c->arena, name),
			    .at = text,
			    .end = text + len,
			    .rules0 = c->rules.n,
			    .patterns0 = c->patterns.n,
			    .err = err };
	int e = 0;

	if (len > CAUSES_MAX_BYTES)
		e = err_set(err, -EFBIG, "%s: larger than %u bytes", name, CAUSES_MAX_BYTES);
	while (e == 0 && r.at < r.end) {
		r.line++;
		e = read_line(&r);
		next_line(&r);
	}
	if (e == 0)
		e = end_rule(&r);
	if (e == 0)
		e = index_patterns(c, r.patterns0);
	if (e < 0) {
		c->rules.n = r.rules0;
		c->patterns.n = r.patterns0;
	}
	causes_forget(c);
	return e == -ENOMEM ? err_set(err, e, "out of memory") : e;
}

int causes_add_file(struct causes *c, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	size_t len;
	int e;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_set(err, -errno, "causes of waits: cannot open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "causes of waits: %s is no regular file", path);
	text = malloc(CAUSES_MAX_BYTES + 1);
	if (!text)
		return err_set(err, -ENOMEM, "out of memory");
	e = read_all(fd, text, CAUSES_MAX_BYTES + 1, &len);
	if (e < 0)
		return err_set(err, e, "causes of waits: cannot read %s: %s", path, strerror(-e));
	return causes_add(c, path, text, len, err);
}
