/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines through one buffer. The rest of the buffer moves to its front before more is read. */
#include "view/form/lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE (256u << 10)

/* Reads more after what is there. 0 (l->eof at the end) or -errno. */
static int fill(struct lines *l)
{
	ssize_t n;

	l->before += l->at;
	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->end - l->at);
		l->end -= l->at;
		l->at = 0;
	}
	if (l->cap - l->end < READ_SIZE) {
		size_t cap = l->cap ? l->cap * 2 : 2 * READ_SIZE;
		char *p = realloc(l->buf, cap);

		if (!p)
			return -ENOMEM;
		l->buf = p;
		l->cap = cap;
	}
	do
		n = read(l->fd, l->buf + l->end, l->cap - l->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	l->eof = n == 0;
	l->end += (size_t)n;
	return 0;
}

static struct step give(struct lines *l, size_t len, size_t next, char **ret, size_t *ret_len)
{
	*ret = l->buf + l->at;
	*ret_len = len;
	l->at += next;
	l->number++;
	return step_more();
}

struct step lines_next(struct lines *l, char **ret, size_t *ret_len)
{
	size_t seen = 0;
	int r;

	for (;;) {
		size_t have = l->end - l->at;
		char *nl = have > seen ? memchr(l->buf + l->at + seen, '\n', have - seen) : NULL;

		if (nl) {
			size_t len = (size_t)(nl - (l->buf + l->at));

			if (!l->skip && len <= LINES_MAX)
				return give(l, len, len + 1, ret, ret_len);
			l->skipped += !l->skip;
			l->skip = false; /* the end of a line that was too long */
			l->at += len + 1;
			l->number++;
			seen = 0;
			continue;
		}
		if (l->eof)
			return have && !l->skip ? give(l, have, have, ret, ret_len) : step_end();
		if (have > LINES_MAX) {
			l->skipped += !l->skip;
			l->skip = true;
			l->at = l->end;
			have = 0;
		}
		seen = have;
		r = fill(l);
		if (r < 0)
			return step_failed(r);
	}
}

void lines_unread(struct lines *l, const char *line)
{
	l->at = (size_t)(line - l->buf);
	l->number--;
}

size_t lines_ahead(const struct lines *l, const char **ret)
{
	*ret = l->buf + l->at;
	return l->end - l->at;
}

uint64_t lines_offset(const struct lines *l)
{
	return l->before + l->at;
}

void lines_skip(struct lines *l, size_t len, size_t lines)
{
	l->at += len;
	l->number += lines;
}

void lines_done(struct lines *l)
{
	free(l->buf);
	l->buf = NULL;
}
