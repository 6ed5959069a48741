/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the nearest command for a word that is none. */
#include "front/verb.h"
#include <string.h>
#include "base/near.h"

/* Options of dtrace(1) that name programs, or do not need one. */
static const char program_letters[] = "sPmfniGhlVe";
/* Options with an argument. The rest of the word is the argument, and has no options. */
static const char argument_letters[] = "36bcDILopUxX";

static bool has_program_letter(const char *arg)
{
	if (arg[0] != '-' || arg[1] == '-')
		return false;
	for (const char *p = arg + 1; *p; p++) {
		if (strchr(program_letters, *p))
			return true;
		if (strchr(argument_letters, *p))
			return false;
	}
	return false;
}

bool verb_is_dtrace(int argc, char *const *argv)
{
	if (argc < 2 || argv[1][0] == '-')
		return true;
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (has_program_letter(argv[i]))
			return true;
	return false;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n > k && !strcmp(s + n - k, end);
}

void verb_explain(struct strb *out, const char *word, const char *const *commands, unsigned n, const char *tool)
{
	struct near near;

	near_init(&near, word);
	for (unsigned i = 0; i < n; i++)
		near_try(&near, commands[i]);
	if (ends_with(word, ".d")) {
		strb_printf(out, "a program in a file is run with -s: dwell -s %s", word);
	} else if (strchr(word, ':')) {
		strb_printf(out, "a probe is given with -n: dwell -n '%s'", word);
	} else {
		strb_printf(out, "there is no command '%s'; ", word);
		if (near.best)
			strb_printf(out, "did you mean %s?", near.best);
		else if (tool)
			strb_printf(out, "did you mean the tool %s: dwell run %s?", tool, tool);
		else
			strb_adds(out, "'dwell help' shows what there is");
	}
}
