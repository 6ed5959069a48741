/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell help`: the first screen; of a command or a tool its options; a document; of another word where the documents
 * speak of it. */
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmdline/opts.h"
#include "front/screen.h"
#include "front/search.h"
#include "front/tool.h"
#include "shelf/shelf.h"

#define WORDS_MAX 2 /* "latency why" */

/* Not a command: the manual pages and documents are searched. */
static int search(const char *word)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct search s = { .word = word };
	int error = 0;

	for (size_t i = 0; *word && i < shelf_npages; i++)
		search_page(&s, shelf_pages[i].path, shelf_pages[i].text);
	if (!s.found)
		return cmd_unknown(word);
	search_print(&s, &b);
	strb_printf(&b, "'dwell tools %s' searches the tools, 'dwell -l %s' the probes\n", word, word);
	return strb_flush(&b, stdout, &error) < 0 ? EXIT_ERROR : EXIT_OK;
}

/* "tutorial", "faq.md": doc/tutorial.md, doc/faq.md; NULL: no document is called so. */
static const char *document(const char *word)
{
	size_t n = strlen(word), end = strlen(".md");

	if (n > end && !strcmp(word + n - end, ".md"))
		n -= end;
	for (size_t i = 0; i < shelf_npages; i++) {
		const char *path = shelf_pages[i].path;

		if (!strncmp(path, "doc/", 4) && !strncmp(path + 4, word, n) && !strcmp(path + 4 + n, ".md"))
			return shelf_pages[i].text;
	}
	return NULL;
}

/* Its head and options, if there is one of this name. */
static int help_of_tool(char *word, char *option)
{
	char *words[] = { "run", word, option, NULL };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	char name[TOOL_NAME_MAX];
	bool other, there;

	there = tool_name(word, name, &other) && shelf_has(arena_printf(a, "%s/tools/%s.d", shelf_dir(a), name));
	arena_free(a);
	return there ? cmd_by_name(ARRAY_SIZE(words) - 1, words) : -1;
}

static int help(int argc, char **argv)
{
	char option[] = "--help", *words[WORDS_MAX + 2] = { 0 };
	int n = argc - 1, r;

	if (n < 1 || argv[1][0] == '-')
		return fputs(screen_text, stdout) < 0 ? EXIT_ERROR : EXIT_OK;
	if (!strcmp(argv[1], "options"))
		return cmdline_usage(cmd_name(), stdout), EXIT_OK;
	n = n > WORDS_MAX ? WORDS_MAX : n;
	memcpy(words, argv + 1, (size_t)n * sizeof(*words));
	words[n] = option;
	r = cmd_by_name(n + 1, words);
	if (r < 0 && document(argv[1]))
		return fputs(document(argv[1]), stdout) < 0 ? EXIT_ERROR : EXIT_OK;
	if (r < 0)
		r = help_of_tool(argv[1], option);
	return r < 0 ? search(argv[1]) : r;
}

const struct command cmd_help = { "help", "what there is, the options of a command, or where a word is explained",
				  help };
