/* SPDX-License-Identifier: Apache-2.0 */
/* Finds places in a D text as editors count them, and the words around them. Looks at characters alone, since
 * texts are mostly unfinished. */
#ifndef DWELL_LSP_PLACE_H
#define DWELL_LSP_PLACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strb.h"

struct place { /* from 0; characters are units of UTF-16 */
	uint32_t line, character;
};

/* The place of byte off. Places after the end are the end. */
struct place place_of(const char *text, size_t n, size_t off);
/* The byte at a place; after the end of a line: its end. */
size_t place_offset(const char *text, size_t n, struct place p);

enum place_kind {
	PLACE_NOTHING, /* within a comment or a string */
	PLACE_PROBE,   /* of a probe description: from `from` on */
	PLACE_MEMBER,  /* after . or -> */
	PLACE_OPTION,  /* after "#pragma D option" */
	PLACE_WORD,    /* an expression, a statement, a declaration */
};

struct place_context {
	enum place_kind kind;
	size_t word; /* where the word begun ends its beginning: bytes [word, off) */
	size_t from; /* of the probe description */
	/* The characters that close all brackets that are open here, such as ")]}". The text up to here and these form
	 * a whole text. */
	struct strb closers;
};

/* Finds out which words are possible at byte off. closers is the caller's to free. */
void place_context(const char *text, size_t off, struct place_context *ret);
/* The word around off: [*ret_from, *ret_to), empty if there is none. */
void place_word(const char *text, size_t n, size_t off, size_t *ret_from, size_t *ret_to);
#endif
