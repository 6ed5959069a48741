/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the manual pages and documents, and prints the sections that mention a word. */
#include "front/search.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum {
	IN_HEADING, /* the section is about the word */
	DEFINED,    /* a line begins with it, as in lists of options and functions */
	WHOLE_WORD,
	BEGINS_WORD,
	NOT_THERE,
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c);
}

/* How line [p, end) has the word. Marks of bold or italic text (*bold*, _italic_) may stand in front of a
 * definition. */
static unsigned rank_of(const char *p, const char *end, const char *word)
{
	const char *first = p;
	size_t n = strlen(word);
	unsigned best = NOT_THERE;

	while (first < end && !in_word(*first))
		first++;
	for (const char *q = p; q + n <= end; q++) {
		bool whole = q + n == end || !in_word(q[n]);
		unsigned rank = !whole ? BEGINS_WORD : q == first && first > p ? DEFINED : WHOLE_WORD;

		if ((q == p || !in_word(q[-1])) && !strncasecmp(q, word, n) && rank < best)
			best = rank;
	}
	return best;
}

/* Keeps the best; of equal ones the first. */
static void keep(struct search *s, const struct search_place *place)
{
	unsigned at = s->n;

	s->found++;
	while (at > 0 && s->places[at - 1].rank > place->rank)
		at--;
	if (at == SEARCH_PLACES)
		return;
	if (s->n < SEARCH_PLACES)
		s->n++;
	memmove(s->places + at + 1, s->places + at, (s->n - at - 1) * sizeof(*s->places));
	s->places[at] = *place;
}

void search_page(struct search *s, const char *name, const char *text)
{
	struct search_place place = { NOT_THERE, name, NULL, NULL };

	bool code = false; /* there "#" begins a comment or a shell's line */

	while (*text) {
		const char *end = text + strcspn(text, "\n");
		unsigned rank = rank_of(text, end, s->word);

		if (!strncmp(text, "```", 3))
			code = !code;
		if (!code && *text == '#') {
			if (place.rank != NOT_THERE)
				keep(s, &place);
			place = (struct search_place){ NOT_THERE, name, text, NULL };
			if (rank <= WHOLE_WORD)
				rank = IN_HEADING;
		}
		if (rank < place.rank) {
			place.rank = rank;
			place.line = text;
		}
		text = *end ? end + 1 : end;
	}
	if (place.rank != NOT_THERE)
		keep(s, &place);
}

/* Where a line is shown from, so that the word is seen: a long one from some words before it. */
static const char *begin_of(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);
	const char *q = p;

	while (q + n <= end && (strncasecmp(q, word, n) || (q > p && in_word(q[-1]))))
		q++;
	if (q + n > end || q - p + n < SEARCH_LINE)
		return p;
	for (p = q - SEARCH_LINE / 2; p < q && *p != ' ';)
		p++;
	return p;
}

/* A line without what marks text in scdoc and Markdown. */
static void put_plain(struct strb *out, const char *p, const char *word)
{
	const char *end = p + strcspn(p, "\n"), *line = p;
	size_t n = 0;

	p = begin_of(p, end, word);
	if (p > line)
		strb_adds(out, "... ");
	while (p < end && (*p == '#' || *p == '|' || isspace((unsigned char)*p)))
		p++;
	for (; p < end; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		else if (*p == '*' || *p == '`' || (*p == '_' && !(in_word(p[-1]) && in_word(p[1]))))
			continue;
		if (((unsigned char)*p & 0xc0) != 0x80 && n++ == SEARCH_LINE) { /* never within a character of UTF-8 */
			strb_adds(out, " ...");
			return;
		}
		strb_addc(out, *p == '\t' ? ' ' : *p);
	}
}

/* "man/dwell-d.7.scd" is what `man` calls dwell-d(7). */
static void put_page(struct strb *out, const char *name)
{
	size_t n = strlen(name);

	if (!strncmp(name, "man/", 4) && n > 10 && !strcmp(name + n - 4, ".scd"))
		strb_printf(out, "%.*s(%c)", (int)(n - 4 - 6), name + 4, name[n - 5]);
	else
		strb_adds(out, name);
}

void search_print(const struct search *s, struct strb *out)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct search_place *p = &s->places[i];

		put_page(out, p->page);
		if (p->heading) {
			strb_adds(out, ", ");
			put_plain(out, p->heading, s->word);
		}
		strb_addc(out, '\n');
		if (p->line && p->line != p->heading) {
			strb_adds(out, "    ");
			put_plain(out, p->line, s->word);
			strb_addc(out, '\n');
		}
	}
	if (s->found > s->n)
		strb_printf(out, "and %zu more sections with \"%s\"\n", s->found - s->n, s->word);
}
