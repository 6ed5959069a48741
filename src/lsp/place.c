/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between lines, columns and offsets, and finds words around a place. */
#include "lsp/place.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/utf8.h"

#define OPEN_MAX_DEPTH 256 /* brackets within each other that are closed */

/* Bytes of the character at s, and its units of UTF-16. A byte that begins no character counts as one. */
static size_t step(const char *s, size_t n, uint32_t *ret_units)
{
	size_t k = utf8_len((const uint8_t *)s, n);

	*ret_units = k == 4 ? 2 : 1;
	return k ? k : 1;
}

struct place place_of(const char *text, size_t n, size_t off)
{
	struct place p = { 0 };
	size_t line = 0;
	uint32_t units;

	off = off < n ? off : n;
	for (size_t i = 0; i < off; i++)
		if (text[i] == '\n') {
			p.line++;
			line = i + 1;
		}
	while (line < off) {
		line += step(text + line, n - line, &units);
		p.character += units;
	}
	return p;
}

size_t place_offset(const char *text, size_t n, struct place p)
{
	size_t at = 0;
	uint32_t units;

	for (; p.line; p.line--) {
		const char *nl = memchr(text + at, '\n', n - at);

		if (!nl)
			return n;
		at = (size_t)(nl - text) + 1;
	}
	while (p.character && at < n && text[at] != '\n') {
		at += step(text + at, n - at, &units);
		p.character -= units < p.character ? units : p.character;
	}
	return at;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

void place_word(const char *text, size_t n, size_t off, size_t *ret_from, size_t *ret_to)
{
	size_t from = off < n ? off : n, to = from;

	while (from > 0 && is_word(text[from - 1]))
		from--;
	while (to < n && is_word(text[to]))
		to++;
	*ret_from = from;
	*ret_to = to;
}

/* The state of a reader that goes through the text once. */
struct reader {
	const char *text;
	size_t off;		   /* up to here */
	size_t item;		   /* where the declaration or clause began */
	char open[OPEN_MAX_DEPTH]; /* brackets, and / of a predicate */
	size_t depth;
	bool inside; /* off is in a comment or a string */
	bool pragma; /* off is in a line that begins with # */
	size_t line; /* where that begins */
};

/* After a comment or string that begins at i; off: it does not end before. */
static size_t skip(struct reader *r, size_t i)
{
	const char *s = r->text;
	char quote = s[i];

	if (quote == '/') {
		const char *end = memmem(s + i + 2, r->off - i - 2, "*/", 2);

		r->inside = !end;
		return end ? (size_t)(end - s) + 2 : r->off;
	}
	for (i++; i < r->off && s[i] != quote && s[i] != '\n'; i++)
		if (s[i] == '\\')
			i++;
	r->inside = i >= r->off;
	return r->inside ? r->off : i + 1;
}

static void push(struct reader *r, char c)
{
	if (r->depth < OPEN_MAX_DEPTH)
		r->open[r->depth++] = c;
}

static void pop(struct reader *r, char c)
{
	if (r->depth && r->open[r->depth - 1] == c)
		r->depth--;
}

/* A sign outside of comments and strings. */
static void sign(struct reader *r, size_t i)
{
	bool top = r->depth == 0;

	switch (r->text[i]) {
	case '(': push(r, ')'); break;
	case '[': push(r, ']'); break;
	case '{': push(r, '}'); break;
	case ')': pop(r, ')'); break;
	case ']': pop(r, ']'); break;
	case '}':
		pop(r, '}');
		if (r->depth == 0)
			r->item = i + 1;
		break;
	case ';':
		if (top)
			r->item = i + 1;
		break;
	case '/': /* a predicate, unless it divides: then it is within parentheses */
		if (top)
			push(r, '/');
		else if (r->depth == 1)
			pop(r, '/');
		break;
	default: break;
	}
}

static void read_on(struct reader *r)
{
	size_t i = 0;

	while (i < r->off) {
		const char *s = r->text + i;
		size_t blanks = strspn(s, " \t");

		if ((i == 0 || s[-1] == '\n') && s[blanks] == '#' && i + blanks < r->off) {
			const char *nl = memchr(s, '\n', r->off - i);

			r->pragma = !nl;
			r->line = i + blanks;
			i = nl ? (size_t)(nl - r->text) + 1 : r->off;
			if (r->depth == 0)
				r->item = i;
		} else if (*s == '"' || *s == '\'' || (*s == '/' && i + 1 < r->off && s[1] == '*')) {
			i = skip(r, i);
		} else {
			sign(r, i++);
		}
	}
}

/* Words that begin a declaration. */
static bool is_declaration(const char *s, size_t n)
{
	static const char *const words[] = {
		"inline", "typedef", "struct", "union",	 "enum",     "translator", "provider", "tracker",
		"self",	  "this",    "string", "int",	 "char",     "short",	   "long",     "unsigned",
		"signed", "void",    "const",  "extern", "uint64_t", "int64_t",	   "uint32_t", "int32_t",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (n > strlen(words[i]) && !strncmp(s, words[i], strlen(words[i])) && !is_word(s[strlen(words[i])]))
			return true;
	return false;
}

/* At the top: a description or a declaration. */
static void at_top(const struct reader *r, struct place_context *ret)
{
	size_t from = r->item;

	while (from < r->off && strchr(" \t\r\n", r->text[from]))
		from++;
	if (is_declaration(r->text + from, r->off - from))
		return;
	for (size_t i = from; i < r->off; i++)
		if (r->text[i] == ',')
			for (from = i + 1; from < r->off && strchr(" \t\r\n", r->text[from]);)
				from++;
	ret->kind = PLACE_PROBE;
	ret->from = ret->word = from;
}

static bool behind_member(const char *text, size_t word)
{
	while (word && strchr(" \t\r\n", text[word - 1]))
		word--;
	return (word > 1 && text[word - 1] == '>' && text[word - 2] == '-') ||
	       (word > 1 && text[word - 1] == '.' && (is_word(text[word - 2]) || strchr(")]", text[word - 2])));
}

void place_context(const char *text, size_t off, struct place_context *ret)
{
	static const char option[] = "#pragma D option";
	struct reader r = { .text = text, .off = off };

	*ret = (struct place_context){ .kind = PLACE_WORD, .word = off };
	read_on(&r);
	while (ret->word && is_word(text[ret->word - 1]))
		ret->word--;
	if (r.inside) {
		ret->kind = PLACE_NOTHING;
	} else if (r.pragma) {
		bool is_option = off - r.line > strlen(option) && !strncmp(text + r.line, option, strlen(option));

		ret->kind = is_option ? PLACE_OPTION : PLACE_NOTHING;
	} else if (r.depth == 0) {
		at_top(&r, ret);
	} else if (behind_member(text, ret->word)) {
		ret->kind = PLACE_MEMBER;
	}
	for (size_t i = r.depth; i > 0; i--) {
		char c = r.open[i - 1];

		strb_adds(&ret->closers, c == '}' ? ";}" : c == '/' ? "/{}" : c == ']' ? "]" : ")");
	}
	if (r.depth == 0 && ret->kind == PLACE_WORD)
		strb_addc(&ret->closers, ';');
}
