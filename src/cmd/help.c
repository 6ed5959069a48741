/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell help`: prints the first screen, the options of a command or a tool, a document, or the places where
 * the documents mention a word. */
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"
#include "cmdline/opts.h"
#include "front/screen.h"
#include "front/search.h"
#include "shelf/shelf.h"

#define PART_INDENT 17 /* of what a part of a command does */

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

/* A document begins with a comment that names its licence. */
static const char *without_licence(const char *text)
{
	const char *next = !strncmp(text, "<!--", strlen("<!--")) ? strchr(text, '\n') : NULL;

	return next ? next + 1 : text;
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
			return without_licence(shelf_pages[i].text);
	}
	return NULL;
}

void cmd_help_of(const struct command *c, FILE *out)
{
	if (c->options)
		optable_help(c->options, cmd_name(), out);
	else if (c->joined)
		viewline_join_help(c->joined, cmd_name(), out);
	else if (c->view)
		viewline_help(c->view, cmd_name(), out);
	else if (c->usage)
		c->usage(c, out);
}

void cmd_list_parts(const struct command *c, FILE *out)
{
	for (const struct command *const *p = c->parts; *p; p++)
		if ((*p)->summary)
			columns_wrap(out, (*p)->summary, 7 + fprintf(out, "\t%-8s ", (*p)->name), PART_INDENT,
				     out == stdout ? columns_of_terminal() : 0);
}

/* Prints the help of a command, or of a part of it. A command that has only parts reports other words. */
static int help_of(const struct command *c, int argc, char **words)
{
	const struct command *part = argc > 0 ? cmd_part(c, words[0]) : NULL;

	if (argc > 0 && c == &cmd_run)
		return cmd_show_tool(words[0]) < 0 ? cmd_no_tool(words[0]) : EXIT_OK;
	if (argc > 0 && c->parts && !part && !c->options && !c->joined)
		return c->run(argc + 1, words - 1);
	cmd_help_of(part ? part : c, stdout);
	return EXIT_OK;
}

static int help(int argc, char **argv)
{
	const struct command *c = argc > 1 ? cmd_find(argv[1]) : NULL;
	const char *text;

	if (argc < 2 || argv[1][0] == '-')
		return fputs(screen_text, stdout) < 0 ? EXIT_ERROR : EXIT_OK;
	if (!strcmp(argv[1], "options"))
		return cmdline_usage(cmd_name(), stdout), EXIT_OK;
	if (c && c->summary)
		return help_of(c, argc - 2, argv + 2);
	text = document(argv[1]);
	if (text)
		return fputs(text, stdout) < 0 ? EXIT_ERROR : EXIT_OK;
	return cmd_show_tool(argv[1]) < 0 ? search(argv[1]) : EXIT_OK;
}

static void usage(const struct command *self, FILE *out)
{
	(void)self;
	fputs(screen_text, out);
}

const struct command cmd_help = { "help", "what there is, the options of a command, or where a word is explained", help,
				  .usage = usage };
