/* SPDX-License-Identifier: Apache-2.0 */
/* Macro variables and script arguments: $pid as a number, $$pid as a string, $1 as its text is (number, word or
 * string), $$1 always as a string. */
#include "lang/syntax/macro.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "lang/errtag.h"

/* Script arguments are numbered up to here; the command line cannot hold more. */
#define MACRO_MAX_ARG 1000000

static bool find_var(const struct macro_env *m, const char *name, size_t n, int64_t *ret)
{
	const struct {
		const char *name;
		int64_t value;
	} vars[] = {
		{ "pid", m->pid },	 { "ppid", m->ppid },	  { "uid", m->uid },	   { "euid", m->euid },
		{ "gid", m->gid },	 { "egid", m->egid },	  { "pgid", m->pgid },	   { "sid", m->sid },
		{ "projid", m->projid }, { "taskid", m->taskid }, { "target", m->target },
	};

	for (size_t i = 0; i < sizeof(vars) / sizeof(vars[0]); i++) {
		if (strlen(vars[i].name) == n && !memcmp(vars[i].name, name, n)) {
			*ret = vars[i].value;
			return true;
		}
	}
	return false;
}

static int read_number(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n && v < MACRO_MAX_ARG; i++)
		v = v * 10 + (s[i] - '0');
	return v;
}

/* The text of argument i; dflt with -x defaultargs when it was not given; NULL: undefined. */
static const char *find_arg(const struct compile_env *env, int i, const char *dflt)
{
	const struct macro_env *m = env ? env->macros : NULL;

	if (m && i < m->argc) {
		if (m->used)
			m->used[i] = true;
		return m->argv[i];
	}
	return env && env->opts && env->opts->defaultargs ? dflt : NULL;
}

static void become_string(struct lexer *lx, const char *s, size_t n)
{
	lx->tok.kind = T_STR;
	lx->tok.str = lex_unescape(lx->arena, s, n, &lx->tok.len);
}

static bool is_ident(const char *s)
{
	if (!*s || lex_is_digit(*s))
		return false;
	while (lex_is_word(*s))
		s++;
	return !*s;
}

/* $1: a number, a word, or else a string whose quotes are optional. */
static void become_arg(struct lexer *lx, const char *text)
{
	struct token *t = &lx->tok;
	const char *num = text + (*text == '-' || *text == '+');
	size_t n = strlen(text);
	char bad;
	int r = lex_parse_int(num, strlen(num), &t->ival, &t->suffix, &bad);

	if (r == 0 || r == -ERANGE) {
		t->kind = T_INT;
		t->str = num;
		t->negative = *text == '-';
		if (r == -ERANGE)
			lex_error(lx, t->at, D_MACRO_OFLOW, "macro argument %s constant %s results in integer overflow",
				  t->name, num);
	} else if (is_ident(text)) {
		t->kind = lex_keyword(text, n);
		t->name = text;
	} else if (n > 1 && text[0] == '"' && text[n - 1] == '"') {
		become_string(lx, text + 1, n - 2);
	} else {
		become_string(lx, text, n);
	}
}

static void number_token(struct lexer *lx, bool as_string, const char *digits, size_t n)
{
	const char *text = find_arg(lx->env, read_number(digits, n), as_string ? "" : "0");

	if (!text) {
		lex_hint(lx, lex_error(lx, lx->tok.at, D_MACRO_UNDEF, "macro argument %s is not defined", lx->tok.name),
			 "give the argument after the program, or use -x defaultargs");
		lx->tok.kind = T_INT;
		lx->tok.str = "0";
		return;
	}
	if (as_string)
		become_string(lx, text, strlen(text));
	else
		become_arg(lx, arena_strdup(lx->arena, text));
}

static struct param *find_param(const struct compile_env *env, const char *name, size_t n)
{
	return env && env->macros ? param_find(env->macros->params, name, n) : NULL;
}

static void name_token(struct lexer *lx, bool as_string, const char *name, size_t n)
{
	const struct param *p = find_param(lx->env, name, n);
	struct token *t = &lx->tok;
	int64_t v = 0;

	if (p && (p->is_string || as_string)) {
		t->kind = T_STR;
		t->str = p->value ? p->value : "";
		t->len = strlen(t->str);
		return;
	}
	if (p) { /* a missing one is reported later */
		become_arg(lx, p->value ? p->value : "0");
		return;
	}

	t->kind = T_INT;
	if (!lx->env || !lx->env->macros || !find_var(lx->env->macros, name, n, &v))
		lex_hint(
			lx, lex_error(lx, t->at, D_MACRO_UNDEF, "macro variable %s is not defined", t->name),
			"variables have no $: this->x within a clause, self->x by thread, or x; $1 is the first argument");
	/* DTrace's macro variables are of type id_t: 32 bits, unsigned only as text. */
	if (as_string) {
		t->kind = T_STR;
		t->str = arena_printf(lx->arena, "%" PRIu32, (uint32_t)v);
		t->len = strlen(t->str);
		return;
	}
	t->ival = (uint64_t)(int64_t)(int32_t)v;
	t->str = arena_printf(lx->arena, "%" PRId32, (int32_t)v);
}

bool macro_is_name(const char *name)
{
	const struct macro_env none = { 0 };
	int64_t v;

	return find_var(&none, name, strlen(name), &v);
}

void macro_token(struct lexer *lx)
{
	const char *from = lx->p, *name = from + 1, *to;
	bool as_string = *name == '$';

	if (as_string)
		name++;
	to = name;
	if (lex_is_digit(*name))
		while (to < lx->end && lex_is_digit(*to))
			to++;
	else
		while (to < lx->end && lex_is_word(*to))
			to++;
	lx->p = to;
	lx->tok.at = lex_span(lx, from, to);
	lx->tok.name = arena_strndup(lx->arena, from, (size_t)(to - from));
	lx->tok.suffix = "";
	if (lex_is_digit(*name))
		number_token(lx, as_string, name, (size_t)(to - name));
	else
		name_token(lx, as_string, name, (size_t)(to - name));
}

/* One reference of a description, after the $; NULL: not defined. *p moves after it. */
static const char *desc_value(struct arena *a, const struct compile_env *env, const char **p, const char *end)
{
	const char *from;
	bool as_string = *p < end && **p == '$';
	const struct param *param;
	int64_t v;

	if (as_string)
		++*p;
	from = *p;
	if (from < end && lex_is_digit(*from)) {
		while (*p < end && lex_is_digit(**p))
			++*p;
		return find_arg(env, read_number(from, (size_t)(*p - from)), as_string ? "" : "0");
	}
	while (*p < end && lex_is_word(**p))
		++*p;
	param = find_param(env, from, (size_t)(*p - from));
	if (param)
		return param->value ? param->value : "0";
	if (!env || !env->macros || !find_var(env->macros, from, (size_t)(*p - from), &v))
		return NULL;
	return arena_printf(a, "%" PRId32, (int32_t)v);
}

int macro_expand_desc(struct arena *a, const struct compile_env *env, const char *text, size_t len, const char **ret,
		      const char **bad)
{
	const char *end = text + len, *dollar = memchr(text, '$', len);
	struct strb out = { 0 };
	int r = 0;

	if (!dollar) {
		*ret = arena_strndup(a, text, len);
		return 0;
	}
	while (text < end) {
		const char *value, *from;

		if (*text != '$') {
			strb_addc(&out, *text++);
			continue;
		}
		from = text++;
		value = desc_value(a, env, &text, end);
		if (!value) {
			*bad = arena_strndup(a, from, (size_t)(text - from));
			r = -ENOENT;
			break;
		}
		strb_adds(&out, value);
	}
	*ret = arena_strdup(a, strb_str(&out));
	strb_free(&out);
	return r;
}
