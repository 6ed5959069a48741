/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text that is read as a stream: memory does not grow with the text. */
#ifndef DWELL_VIEW_FORM_LINES_H
#define DWELL_VIEW_FORM_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/step.h"

#define LINES_MAX (16u << 20) /* bytes of a line; longer ones are skipped and counted */

struct lines {
	int fd; /* not owned */
	char *buf;
	size_t cap, at, end;
	uint64_t before;  /* bytes of the text that were in the buffer and have been given */
	uint64_t number;  /* of the line that was given last, from 1 */
	uint64_t skipped; /* longer than LINES_MAX */
	bool eof, skip;
};

/* The next line without its newline; it may be written to and is valid until the next call. Start with a
 * struct that is zero but for fd. */
struct step lines_next(struct lines *l, char **ret, size_t *ret_len);
/* Gives the line that came last once more. */
void lines_unread(struct lines *l, const char *line);
/* The bytes that have been read and not yet returned. They may end within a line. */
size_t lines_ahead(const struct lines *l, const char **ret);
/* Where in the text that begins. */
uint64_t lines_offset(const struct lines *l);
/* Skips `len` bytes, which hold `lines` whole lines. */
void lines_skip(struct lines *l, size_t len, size_t lines);
void lines_done(struct lines *l);
#endif
