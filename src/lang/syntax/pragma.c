/* SPDX-License-Identifier: Apache-2.0 */
/* Control lines: #pragma D option and its relatives, #error, #ident, # line marks of cpp.
 * Line marks have their effect in base/source.c; here they are only checked. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "lang/attr.h"
#include "lang/dlib.h"
#include "lang/errtag.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/macro.h"

#define PRAGMA_MAX_WORDS 64 /* further words of one line are ignored */

enum word_kind { WORD_IDENT, WORD_STRING, WORD_INT };

struct word {
	enum word_kind kind;
	const char *text;
	struct span at;
};

/* One control line on its way through the table of pragmas. */
struct line {
	struct lexer *lx;
	const char *name; /* of the directive */
	struct span at;	  /* of the whole line */
	const struct word *args;
	size_t nargs;
};

/* Splits the line into words as DTrace's S3 does: strings, integers, and everything else up to the
 * next blank or quote. Returns their number, or -1 after an error. */
static int split(struct lexer *lx, const char *p, const char *end, struct word *words)
{
	int n = 0;

	while (n < PRAGMA_MAX_WORDS) {
		struct word *w = &words[n];
		const char *from;
		const char *suffix;
		uint64_t v;
		size_t len;
		char bad;

		while (p < end && lex_is_blank(*p))
			p++;
		if (p == end)
			break;
		from = p;
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				if (*p == '\\' && p + 1 < end)
					p++;
			if (p >= end) {
				lex_error(lx, lex_span(lx, from, end), D_STR_NL,
					  "newline encountered in string literal");
				return -1;
			}
			w->kind = WORD_STRING;
			w->text = lex_unescape(lx->arena, from + 1, (size_t)(p - from - 1), &len);
			p++;
		} else {
			while (p < end && !lex_is_blank(*p) && *p != '"')
				p++;
			w->text = arena_strndup(lx->arena, from, (size_t)(p - from));
			w->kind = lex_parse_int(w->text, strlen(w->text), &v, &suffix, &bad) == 0 ? WORD_INT
												  : WORD_IDENT;
		}
		w->at = lex_span(lx, from, p);
		n++;
	}
	return n;
}

static void malformed(const struct line *l, const char *usage)
{
	lex_error(l->lx, l->at, D_PRAGMA_MALFORM, "malformed #pragma %s %s", l->name, usage);
}

/* Keeps the line for the checker, which obeys it. */
static void keep(const struct line *l, enum pragma_kind kind)
{
	struct pragma *p = arena_new_obj(l->lx->arena, struct pragma);

	p->kind = kind;
	p->at = l->at;
	for (size_t i = 0; i < l->nargs && i < ARRAY_SIZE(p->word); i++)
		p->word[i] = l->args[i].text;
	if (!l->lx->pragmas)
		return;
	*l->lx->pragmas = p;
	l->lx->pragmas = &p->next;
}

/* #pragma D attributes <attributes> <ident>, or … provider <name> <part>. */
static void do_attributes(const struct line *l)
{
	struct dattr at;

	if (l->nargs < 2 || l->args[0].kind != WORD_IDENT || l->args[1].kind != WORD_IDENT)
		malformed(l, "<attributes> <ident>");
	else if (attr_parse(l->args[0].text, &at) < 0)
		lex_error(l->lx, l->args[0].at, D_PRAGMA_INVAL, "invalid attributes specified by #pragma %s", l->name);
	else
		keep(l, PRAGMA_ATTRIBUTES);
}

/* #pragma D binding "1.2" name: checked, without effect: there is one version of every name. */
static void do_binding(const struct line *l)
{
	if (l->nargs < 2 || l->args[0].kind != WORD_STRING || l->args[1].kind != WORD_IDENT)
		malformed(l, "\"version\" <ident>");
	else if (!lex_is_digit(l->args[0].text[0]))
		lex_error(l->lx, l->args[0].at, D_PRAGMA_INVAL, "invalid version string specified by #pragma %s",
			  l->name);
	else
		keep(l, PRAGMA_BINDING);
}

/* #pragma D depends_on module|provider|library name, or … probe description ["what has it"] */
static void do_depends(const struct line *l)
{
	static const char *const classes[] = { "provider", "module", "library", "probe" };

	if (l->nargs < 2 || l->args[0].kind != WORD_IDENT || l->args[1].kind != WORD_IDENT) {
		malformed(l, "<class> <name>");
		return;
	}
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i], l->args[0].text)) {
			keep(l, PRAGMA_DEPENDS);
			return;
		}
	lex_error(l->lx, l->args[0].at, D_PRAGMA_INVAL, "invalid class %s specified by #pragma %s", l->args[0].text,
		  l->name);
}

static void do_error(const struct line *l)
{
	struct strb text = { 0 };

	for (size_t i = 0; i < l->nargs; i++)
		if (l->args[i].kind != WORD_INT)
			strb_printf(&text, "%s ", l->args[i].text);
	lex_error(l->lx, l->at, D_PRAGERR, "#%s: %s", l->name, strb_str(&text));
	strb_free(&text);
}

static void do_ident(const struct line *l)
{
	(void)l;
}

static void do_line(const struct line *l)
{
	bool ok = l->nargs > 0 && l->args[0].kind == WORD_INT;

	ok = ok && (l->nargs < 2 || l->args[1].kind == WORD_STRING);
	for (size_t i = 2; ok && i < l->nargs; i++)
		ok = l->args[i].kind == WORD_INT;
	if (!ok)
		lex_error(l->lx, l->at, D_PRAGMA_MALFORM, "malformed #%s <line> [ [\"file\"] state ]", l->name);
}

static void option_failed(const struct line *l, const char *name, const char *value, int r, const char *reason)
{
	const char *text = r == -ENOENT	      ? "Invalid option name"
			   : r == -EINVAL     ? "Invalid value for specified option"
			   : r == -ERANGE     ? "Requested version is not supported by compiler"
			   : r == -EOPNOTSUPP ? "Option is not supported"
					      : "Option cannot be used from within a D program";
	struct diag *g;

	if (value)
		g = lex_error(l->lx, l->args[0].at, D_PRAGMA_OPTSET, "failed to set option '%s' to '%s': %s", name,
			      value, text);
	else
		g = lex_error(l->lx, l->args[0].at, D_PRAGMA_OPTSET, "failed to set option '%s': %s", name, text);
	if (reason)
		lex_hint(l->lx, g, reason);
}

/* Options that come too late once cpp has run, or types have been looked up. */
static bool is_too_late(const char *name)
{
	return !strcmp(name, "ctfpath") || !strcmp(name, "ldpath") || !strcmp(name, "lockmem") ||
	       !strcmp(name, "modpath") || !strncmp(name, "cpp", 3) || !strcmp(name, "define") ||
	       !strcmp(name, "incdir") || !strcmp(name, "undef") || !strcmp(name, "stdc");
}

static void do_option(const struct line *l)
{
	char *name, *value;
	const char *reason = NULL;
	int r;

	if (l->nargs == 0 || l->args[0].kind != WORD_IDENT) {
		malformed(l, "<option>=<val>");
		return;
	}
	if (l->nargs > 1) {
		lex_error(l->lx, l->args[1].at, D_PRAGMA_MALFORM, "superfluous arguments specified for #pragma %s",
			  l->name);
		return;
	}
	if (!l->lx->env || !l->lx->env->opts)
		return;
	name = arena_strdup(l->lx->arena, l->args[0].text);
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	if (l->lx->env->opts->confined && !dopts_harmless(name)) {
		r = -EPERM;
		reason = "the program runs confined (-x confined): it may only set what changes how output looks";
	} else {
		r = is_too_late(name) ? -EPERM : dopts_set(l->lx->env->opts, name, value, &reason);
	}
	if (r < 0)
		option_failed(l, name, value, r, reason);
}

/* #pragma D param name int|string "help" [default] */
static void do_param(const struct line *l)
{
	struct params *ps = l->lx->env && l->lx->env->macros ? l->lx->env->macros->params : NULL;
	const struct word *w = l->args;
	struct param *p;
	int r;

	if (l->nargs < 3 || l->nargs > 4 || w[0].kind != WORD_IDENT || w[2].kind != WORD_STRING ||
	    (strcmp(w[1].text, "int") != 0 && strcmp(w[1].text, "string") != 0)) {
		malformed(l, "<name> int|string \"help\" [default]");
		return;
	}
	if (macro_is_name(w[0].text) || !strcmp(w[0].text, "help")) {
		lex_error(l->lx, w[0].at, D_PRAGMA_INVAL, "parameter may not be called %s", w[0].text);
		return;
	}
	p = arena_new_obj(l->lx->arena, struct param);
	p->name = w[0].text;
	p->is_string = !strcmp(w[1].text, "string");
	p->help = w[2].text;
	p->def = l->nargs > 3 ? w[3].text : NULL;
	p->at = l->at;
	r = ps ? param_add(ps, p) : 0;
	if (r == -EEXIST)
		lex_error(l->lx, w[0].at, D_PRAGMA_INVAL, "parameter is declared already: %s", p->name);
	else if (r < 0)
		lex_error(l->lx, w[0].at, D_PRAGMA_INVAL, "--%s must be an integer, not \"%s\"", p->name, p->value);
}

/* After a naked #, after #pragma, or only after #pragma D: a name may also follow the longer forms. */
enum level { AFTER_HASH, AFTER_PRAGMA, AFTER_D };

static const struct {
	const char *name;
	enum level level;
	void (*run)(const struct line *l);
} pragmas[] = {
	{ "attributes", AFTER_D, do_attributes }, { "binding", AFTER_D, do_binding },
	{ "depends_on", AFTER_D, do_depends },	  { "error", AFTER_HASH, do_error },
	{ "ident", AFTER_HASH, do_ident },	  { "line", AFTER_HASH, do_line },
	{ "option", AFTER_D, do_option },	  { "param", AFTER_D, do_param },
};

void pragma_line(struct lexer *lx, const char *p, const char *end)
{
	struct word words[PRAGMA_MAX_WORDS];
	struct line l = { .lx = lx, .at = lex_span(lx, p - 1, end) };
	enum level level = AFTER_HASH;
	int n = split(lx, p, end, words), i = 0;

	if (n <= 0)
		return; /* "#" alone is allowed in C */
	if (words[0].kind == WORD_INT) {
		l.name = "line";
		l.args = words;
		l.nargs = (size_t)n;
		do_line(&l);
		return;
	}
	if (words[i].kind == WORD_IDENT && !strcmp(words[i].text, "pragma")) {
		level = AFTER_PRAGMA;
		if (++i < n && words[i].kind == WORD_IDENT && !strcmp(words[i].text, "D")) {
			level = AFTER_D;
			i++;
		}
	}
	if (i == n)
		return;
	l.name = words[i].text;
	l.args = words + i + 1;
	l.nargs = (size_t)(n - i - 1);
	if (words[i].kind != WORD_IDENT) {
		lex_error(lx, words[i].at, D_PRAGCTL_INVAL, "invalid control directive");
		return;
	}
	for (size_t k = 0; k < sizeof(pragmas) / sizeof(pragmas[0]); k++) {
		if (pragmas[k].level <= level && !strcmp(pragmas[k].name, l.name)) {
			pragmas[k].run(&l);
			return;
		}
	}
	if (level == AFTER_HASH)
		lex_hint(lx, lex_error(lx, words[i].at, D_PRAGCTL_INVAL, "invalid control directive: #%s", l.name),
			 "use -C to run the C preprocessor first");
	else if (level == AFTER_D)
		lex_error(lx, words[i].at, D_PRAGMA_INVAL, "invalid D pragma: %s", l.name);
	/* Unknown pragmas that are not D's are ignored, as C asks for. */
}
