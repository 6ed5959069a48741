/* SPDX-License-Identifier: Apache-2.0 */
/* stdio collects LINEOUT_PACKET bytes, wherever they end: what is after the last newline is kept here until the rest
 * comes. A call with less than that is fflush(), which wants it all to be written. Source: fopencookie(3). */
#include "base/lineout.h"
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/writeall.h"

struct lineout {
	int fd;
	VEC(char) held;
	char buf[LINEOUT_PACKET]; /* of stdio */
};

/* As many whole lines as fit a packet, or one that is longer; all of it when there is no newline. */
static size_t packet(const char *s, size_t n)
{
	const char *end = s ? memrchr(s, '\n', n < LINEOUT_PACKET ? n : LINEOUT_PACKET)
			    : NULL; /* s: for the sanitizer's build */

	if (!end && s)
		end = memchr(s, '\n', n);
	return end ? (size_t)(end - s) + 1 : n;
}

/* The first n bytes of what is held. */
static int put(struct lineout *l, size_t n)
{
	size_t at = 0;
	int r = 0;

	while (at < n && r == 0) {
		size_t k = packet(l->held.v + at, n - at);

		r = write_all(l->fd, l->held.v + at, k);
		at += k;
	}
	if (n < l->held.n)
		memmove(l->held.v, l->held.v + n, l->held.n - n);
	l->held.n -= n;
	return r;
}

static ssize_t on_write(void *cookie, const char *s, size_t n)
{
	struct lineout *l = cookie;
	const char *end;
	size_t whole;
	int r;

	if (vec_reserve_raw((void **)&l->held.v, &l->held.cap, l->held.n + n, 1) < 0) {
		errno = ENOMEM;
		return 0;
	}
	memcpy(l->held.v + l->held.n, s, n);
	l->held.n += n;
	end = memrchr(l->held.v, '\n', l->held.n);
	whole = n < LINEOUT_PACKET || l->held.n > LINEOUT_MAX_LINE ? l->held.n
		: end						   ? (size_t)(end - l->held.v) + 1
								   : 0;
	r = put(l, whole);
	if (r < 0)
		errno = -r;
	return r < 0 ? 0 : (ssize_t)n;
}

static int on_seek(void *cookie, off64_t *at, int whence)
{
	off64_t r = lseek64(((struct lineout *)cookie)->fd, *at, whence);

	if (r >= 0)
		*at = r;
	return r < 0 ? -1 : 0;
}

static int on_close(void *cookie)
{
	struct lineout *l = cookie;
	int r = put(l, l->held.n);

	vec_free(&l->held);
	free(l);
	if (r < 0)
		errno = -r;
	return r < 0 ? -1 : 0;
}

FILE *lineout_open(int fd)
{
	static const cookie_io_functions_t ops = { .write = on_write, .seek = on_seek, .close = on_close };
	struct lineout *l = calloc(1, sizeof(*l));
	FILE *f = l ? fopencookie(l, "w", ops) : NULL;

	if (!f) {
		free(l);
		return NULL;
	}
	l->fd = fd;
	setvbuf(f, l->buf, _IOFBF, sizeof(l->buf));
	return f;
}
