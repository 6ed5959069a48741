/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the places where manual pages and documents mention a word, for `dwell help WORD`. */
#ifndef DWELL_FRONT_SEARCH_H
#define DWELL_FRONT_SEARCH_H
#include <stddef.h>
#include "base/strb.h"

#define SEARCH_PLACES 12 /* shown at most: a screen */
#define SEARCH_LINE 100	 /* characters of a line shown */

/* A place: the line of a section that says most about the word. The texts belong to the caller of search_page(). */
struct search_place {
	unsigned rank; /* 0 the best */
	const char *page;
	const char *heading, *line; /* each ends at its newline */
};

struct search {
	const char *word;
	struct search_place places[SEARCH_PLACES]; /* the best first */
	unsigned n;
	size_t found; /* sections that have the word */
};

/* Looks through a page: Markdown, or scdoc's source, whose sections begin with "#". Its name is "man/NAME.SECTION.scd"
 * or a path. s->word must be set. */
void search_page(struct search *s, const char *name, const char *text);
/* Prints the places that were found, and how many more there are. */
void search_print(const struct search *s, struct strb *out);
#endif
