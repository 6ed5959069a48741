/* SPDX-License-Identifier: Apache-2.0 */
/* User diagnostics: what is wrong with a D program, where, why, and what would work instead.
 * Lower layers collect; only cmd prints. */
#ifndef DWELL_BASE_DIAG_H
#define DWELL_BASE_DIAG_H
#include "base/arena.h"
#include "base/source.h"
#include "base/strb.h"

enum severity { SEV_NOTE, SEV_WARNING, SEV_ERROR };

struct diag_choice { /* a name that could stand at the place */
	const char *name, *type;
	struct diag_choice *next;
};

struct diag {
	const char *tag; /* DTrace's D_* name from lang/errtag.def, e.g. "D_SYNTAX"; never NULL */
	enum severity sev;
	struct span at;
	uint32_t read_to; /* DTrace has read further when it reports: to here, whose line is named; or 0 */
	const char *msg;
	const char *hint;	     /* what would work instead, or NULL */
	struct diag_choice *choices; /* all that would; NULL: not known, or too many */
	struct diag *next;
};

#define DIAG_MAX_ERRORS 20 /* further errors are counted only */

struct diags {
	struct arena *arena; /* owns all texts */
	struct diag *first, *last;
	struct diag *latest; /* what was reported last: listed, or one of too many */
	unsigned nerrors, nwarnings;
	unsigned nsame; /* errors that repeat a listed one: clauses are checked once per probe description */
};

void diags_init(struct diags *d, struct arena *a);
/* Add a diagnostic; the text is formatted into the arena. One that is listed already, with place and
 * text, is counted, but not listed again. diag_error returns it (never NULL), so
 * that a hint can be set: diag_hint(diag_error(…), "…"). */
struct diag *diag_error(struct diags *d, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct diag *diag_warn(struct diags *d, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Puts the diagnostics of front before those of d, and empties front. Both have the same arena. */
void diags_put_first(struct diags *d, struct diags *front);
void diag_hint(struct diags *d, struct diag *g, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* name (of type) could stand there; the texts must live as long as d's. */
void diag_choice(struct diags *d, struct diag *g, const char *name, const char *type);
/* "line 3: syntax error near …" with the source line and a caret below; with tags "[D_SYNTAX] " in
 * front as DTrace's -xerrtags prints it. Ends with a newline. */
void diag_format(struct strb *out, const struct diag *g, bool tags);
/* The line of source with the place and the caret below it, two lines; nothing for a place without text. */
void diag_format_place(struct strb *out, struct span at);
#endif
