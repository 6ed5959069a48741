/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell lsp`: a language server for D on standard input and output. */
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"
#include "cmd/cmd.h"
#include "lsp/dlang.h"
#include "lsp/frame.h"

#define READ_BYTES 65536
#define IDLE_MS 150 /* a text is checked when so long nothing was typed */

/* All whole messages of `in`. 0; -errno: the rest means nothing. */
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

/* Waits for input, but not long while a text waits to be checked. False: there is none yet. */
static bool wait_input(const struct lsp *s)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&p, 1, lsp_has_changes(s) ? IDLE_MS : -1) != 0;
}

static int serve(struct lsp *s, struct strb *in, struct strb *out)
{
	char buf[READ_BYTES];
	int e = 0;

	while (lsp_ended(s) < 0 && e == 0) {
		ssize_t n;

		if (wait_input(s)) {
			n = read(STDIN_FILENO, buf, sizeof(buf));
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break; /* an editor that ends without a word */
			strb_add(in, buf, (size_t)n);
			e = in->failed ? -ENOMEM : take_messages(s, in, out);
		} else {
			lsp_idle(s, out);
		}
		if (out->failed || (out->n && write_all(STDOUT_FILENO, out->s, out->n) < 0))
			return cmd_fail("lsp: the answer cannot be written");
		strb_reset(out);
	}
	if (e < 0)
		return cmd_fail("lsp: %s", e == -EMSGSIZE ? "a message is too large"
					   : e == -ENOMEM ? "out of memory"
							  : "this is not the language server protocol");
	return lsp_ended(s) < 0 ? EXIT_ERROR : lsp_ended(s);
}

static int lsp_main(int argc, char **argv)
{
	_cleanup_(strb_free) struct strb in = { 0 }, out = { 0 };
	struct lsp *s;
	int e;

	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		printf("Usage: %s lsp\n\nA language server for D on standard input and output: an editor starts it.\n"
		       "'man dwell-lsp' shows the lines for vim, Neovim, VS Code and Emacs.\n",
		       cmd_name());
		return EXIT_OK;
	}
	if (argc > 1 && strcmp(argv[1], "--stdio") != 0) /* what some editors add */
		return cmd_wrong("lsp: '%s' is not expected", argv[1]);
	s = lsp_new(&dlang);
	e = s ? serve(s, &in, &out) : cmd_fail("out of memory");
	lsp_free(s);
	return e;
}

const struct command cmd_lsp = { "lsp", "is a language server for D, for editors", lsp_main };
