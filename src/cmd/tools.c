/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell tools`, `dwell run NAME`: the shipped tools by name. */
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/near.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/toolopts.h"
#include "front/tool.h"
#include "launcher/gallery.h"
#include "shelf/shelf.h"

static bool wants_help(const char *word)
{
	return !strcmp(word, "-h") || !strcmp(word, "--help");
}

/* The tools; trackers are the command latency's. */
static bool is_tool(const struct serve_program *p)
{
	return strncmp(p->name, "latency.", strlen("latency.")) != 0;
}

static int list(struct arena *a, const char *word)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v), found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_tool(&v[i]) || !tool_fits(v[i].name, v[i].summary, word))
			continue;
		printf("%-15s %s\n", v[i].name, v[i].summary);
		found++;
	}
	return found ? EXIT_OK : cmd_fail("no tool has '%s' in its name or purpose; 'dwell tools' lists all", word);
}

static int tools(int argc, char **argv)
{
	struct arena *a;
	int e;

	if (argc > 1 && wants_help(argv[1])) {
		printf("Usage: %s tools [WORD]\n\nLists the tools, or those with WORD in their name or purpose.\n"
		       "'%s run NAME' runs one, '%s run NAME --help' tells what it shows.\n",
		       cmd_name(), cmd_name(), cmd_name());
		return EXIT_OK;
	}
	if (argc > 2)
		return cmd_wrong("tools: one word at most");
	if (argc == 2 && argv[1][0] == '-')
		return cmd_wrong("tools: there is no option %s; '%s tools --help' tells the usage", argv[1],
				 cmd_name());
	a = arena_new(ARENA_DEFAULT_LIMIT);
	e = list(a, argc > 1 ? argv[1] : NULL);
	arena_free(a);
	return e;
}

static int no_such(struct arena *a, const char *word)
{
	const char **names, *line = tool_command(word);
	int n = shelf_list(a, arena_printf(a, "%s/tools", shelf_dir(a)), &names);
	struct near near;

	if (line)
		return cmd_wrong("%s is a command here: %s", word, line);
	near_init(&near, word);
	for (int i = 0; i < n; i++)
		near_try(&near, arena_strndup(a, names[i], strlen(names[i]) - strlen(".d")));
	if (near.best)
		return cmd_wrong("there is no tool '%s'; did you mean %s?", word, near.best);
	return cmd_wrong("there is no tool '%s'; '%s tools' lists them", word, cmd_name());
}

/* The comment at its head, without the stars. */
static void put_head(const char *text)
{
	size_t len;
	const char *at = text ? tool_head(text, &len) : NULL;

	for (const char *end = at ? at + len : NULL; at && at < end;) {
		size_t k = strcspn(at, "\n"), skip = k > 2 ? 3 : k;

		printf("%.*s\n", (int)(k - skip), at + skip);
		at += k + 1;
	}
	printf("\n");
}

/* The text of a tool; NULL: there is none. */
static const char *text_of(struct arena *a, const char *name)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return v[i].text;
	return NULL;
}

/* As `dwell -s NAME.d …`, with the shipped file whatever there is in the current folder. */
static int run_tool(struct arena *a, const char *name, int argc, char **argv, char *const *words)
{
	const char *text = text_of(a, name);
	const struct toolopts can = toolopts_of(text);
	char **rest = arena_new_arr(a, char *, 2 * (size_t)argc + 2);
	struct err err = { 0 };
	struct request c;
	bool help = false;
	int n;

	cmd_begin(&c);
	c.words = words;
	request_prog(&c, PROG_SCRIPT, arena_printf(c.arena, "%s/tools/%s.d", shelf_dir(c.arena), name));
	rest[0] = argv[-1];
	n = toolopts_read(&c, name, &can, argc, argv, rest + 1, &help, &err);
	if (n < 0) {
		request_done(&c);
		return cmd_err(n, &err);
	}
	if (help) {
		put_head(text);
		toolopts_help(&can, stdout);
	}
	return cmd_dtrace_run(&c, n + 1, rest);
}

static int run(int argc, char **argv)
{
	char name[TOOL_NAME_MAX];
	char *const *words;
	struct arena *a;
	bool other = false;
	int e;

	if (argc < 2 || wants_help(argv[1])) {
		FILE *out = argc < 2 ? stderr : stdout;

		fprintf(out,
			"Usage: %s run NAME [-p PID] [--comm NAME] [--for TIME] [parameters] [options] [-- COMMAND...]\n\n"
			"Runs a tool; '%s tools' lists them, '%s run NAME --help' tells what one shows.\n",
			cmd_name(), cmd_name(), cmd_name());
		return argc < 2 ? EXIT_USAGE : EXIT_OK;
	}
	e = cmd_split("run", &argc, argv, &words);
	if (e)
		return e;
	a = arena_new(ARENA_DEFAULT_LIMIT);
	if (!tool_name(argv[1], name, &other) || !shelf_has(arena_printf(a, "%s/tools/%s.d", shelf_dir(a), name))) {
		e = no_such(a, argv[1]);
	} else {
		if (other)
			cmd_msg("%s is called %s here", argv[1], name);
		e = run_tool(a, name, argc - 2, argv + 2, words);
	}
	arena_free(a);
	return e;
}

const struct command cmd_tools = { "tools", "lists the tools", tools };
const struct command cmd_run = { "run", "runs a tool", run };
