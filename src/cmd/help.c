/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell help`: the first screen; of a command its options. */
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "front/screen.h"

#define WORDS_MAX 2 /* "latency why" */

static int help(int argc, char **argv)
{
	char option[] = "--help", *words[WORDS_MAX + 2] = { 0 };
	int n = argc - 1, r;

	if (n < 1 || argv[1][0] == '-')
		return fputs(screen_text, stdout) < 0 ? EXIT_ERROR : EXIT_OK;
	if (!strcmp(argv[1], "options"))
		return cmd_put_options(stdout), EXIT_OK;
	n = n > WORDS_MAX ? WORDS_MAX : n;
	memcpy(words, argv + 1, (size_t)n * sizeof(*words));
	words[n] = option;
	r = cmd_by_name(n + 1, words);
	return r < 0 ? cmd_unknown(argv[1]) : r;
}

const struct command cmd_help = { "help", "what there is, and the options of a command", help };
