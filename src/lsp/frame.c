/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a stream into messages by their heads. */
#include "lsp/frame.h"
#include <errno.h>
#include <string.h>
#include <strings.h>

#define LENGTH "Content-Length:"

/* The number of a line "Content-Length: 12", up to its end; -EBADMSG; -EMSGSIZE. */
static long length_of(const char *at, const char *end)
{
	long v = 0;

	at += strlen(LENGTH);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at == end)
		return -EBADMSG;
	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		v = v * 10 + (*at - '0');
		if (v > (long)FRAME_BODY_MAX)
			return -EMSGSIZE;
	}
	return at == end ? v : -EBADMSG;
}

long frame_find(const char *s, size_t n, size_t *ret_body, size_t *ret_n)
{
	const char *head = memmem(s, n < FRAME_HEAD_MAX ? n : FRAME_HEAD_MAX, "\r\n\r\n", 4);
	long len = -EBADMSG;

	if (!head)
		return n < FRAME_HEAD_MAX ? 0 : -EBADMSG;
	for (const char *line = s, *end; line < head; line = end + 2) {
		end = memmem(line, (size_t)(head - line) + 2, "\r\n", 2);
		if ((size_t)(end - line) > strlen(LENGTH) && !strncasecmp(line, LENGTH, strlen(LENGTH)))
			len = length_of(line, end);
	}
	if (len < 0)
		return len;
	*ret_body = (size_t)(head - s) + 4;
	*ret_n = (size_t)len;
	return n - *ret_body < *ret_n ? 0 : (long)(*ret_body + *ret_n);
}

void frame_put(struct strb *out, const char *body, size_t n)
{
	strb_printf(out, "%s %zu\r\n\r\n", LENGTH, n);
	strb_add(out, body, n);
}
