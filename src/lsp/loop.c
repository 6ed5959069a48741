/* SPDX-License-Identifier: Apache-2.0 */
/* Moves bytes between two descriptors and the server. */
#include "lsp/loop.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"

#define READ_BYTES 65536
#define IDLE_MS 150 /* a changed text is checked after a pause of this length */

/* Handles all complete messages in `in`, and removes them. 0, or -errno: what follows is no message. */
static int take_messages(struct lsp *s, struct strb *in, struct strb *out)
{
	size_t done = 0, body = 0, n = 0;
	long r = 0;

	while (lsp_ended(s) < 0 && in->n > done && (r = frame_find(in->s + done, in->n - done, &body, &n)) > 0) {
		lsp_message(s, in->s + done + body, n, out);
		done += (size_t)r;
	}
	memmove(in->s, in->s + done, in->n - done);
	in->n -= done;
	return r < 0 ? (int)r : 0;
}

/* Waits for input, at most IDLE_MS while a changed text is unchecked. False: none came in this time. */
static bool wait_input(const struct lsp *s, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, lsp_has_changes(s) ? IDLE_MS : -1) > 0;
}

static int serve(struct lsp *s, int from, int to, struct strb *in, struct strb *out, int *ret_code)
{
	char buf[READ_BYTES];
	int e = 0;

	while (lsp_ended(s) < 0 && e == 0) {
		ssize_t n;

		if (wait_input(s, from)) {
			n = read(from, buf, sizeof(buf));
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break; /* end of input without "exit" */
			strb_add(in, buf, (size_t)n);
			e = in->failed ? -ENOMEM : take_messages(s, in, out);
		} else {
			lsp_idle(s, out);
		}
		if (out->failed || (out->n && write_all(to, out->s, out->n) < 0))
			return -EPIPE;
		strb_reset(out);
	}
	*ret_code = lsp_ended(s) < 0 ? 1 : lsp_ended(s);
	return e;
}

int lsp_loop(struct lsp *s, int from, int to, int *ret_code)
{
	_cleanup_(strb_free) struct strb in = { 0 }, out = { 0 };

	return serve(s, from, to, &in, &out, ret_code);
}
