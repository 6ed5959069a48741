/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell lsp`: a language server for D on standard input and output. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "lsp/loop.h"

static void usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out,
		"Usage: %s lsp\n\nA language server for D on standard input and output: an editor starts it.\n"
		"'man dwell-lsp' shows the lines for vim, Neovim, VS Code and Emacs.\n",
		cmd_name());
}

static int lsp_main(int argc, char **argv)
{
	struct lsp *s;
	int e, code = EXIT_OK;

	if (cmd_wants_help(argc, argv))
		return usage(NULL, stdout), EXIT_OK;
	if (argc > 1 && strcmp(argv[1], "--stdio") != 0) /* what some editors add */
		return cmd_wrong("lsp: '%s' is not expected", argv[1]);
	s = lsp_new(&dlang);
	e = s ? lsp_loop(s, STDIN_FILENO, STDOUT_FILENO, &code) : -ENOMEM;
	lsp_free(s);
	return e == 0		? code
	       : e == -EPIPE	? cmd_fail("lsp: the answer cannot be written")
	       : e == -ENOMEM	? cmd_fail("lsp: out of memory")
	       : e == -EMSGSIZE ? cmd_fail("lsp: a message is too large")
				: cmd_fail("lsp: this is not the language server protocol");
}

const struct command cmd_lsp = { "lsp", "is a language server for D, for editors", lsp_main, .usage = usage };
