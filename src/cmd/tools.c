/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell tools` and `dwell run NAME`: lists the shipped tools and runs one by its name. */
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/opts.h"
#include "cmdline/toolopts.h"
#include "front/tool.h"
#include "launcher/gallery.h"
#include "shelf/shelf.h"

/* The shipped programs but trackers, which are the command latency's. */
static size_t read_tools(struct arena *a, const struct tool_row **ret)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v), k = 0;
	struct tool_row *rows = arena_new_arr(a, struct tool_row, n + 1);

	for (size_t i = 0; i < n; i++)
		if (strncmp(v[i].name, "latency.", strlen("latency.")) != 0)
			rows[k++] = (struct tool_row){ v[i].name, v[i].summary, v[i].text };
	*ret = rows;
	return k;
}

size_t cmd_list_tools(const char *word, FILE *out)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	const struct tool_row *v;
	size_t n = read_tools(a, &v);

	n = tool_list(v, n, word, out == stdout ? columns_of_terminal() : 0, out);
	arena_free(a);
	return n;
}

static void tools_usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out,
		"Usage: %s tools [WORD]\n\nLists the tools by topic, or those with WORD in their name, purpose or topic.\n"
		"'%s run NAME' runs one, '%s run NAME --help' tells what it shows.\n",
		cmd_name(), cmd_name(), cmd_name());
}

static int tools(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	char name[TOOL_NAME_MAX];
	bool other;

	if (cmd_wants_help(argc, argv))
		return tools_usage(NULL, stdout), EXIT_OK;
	if (argc > 2)
		return cmd_wrong("tools: one word at most");
	if (word && word[0] == '-')
		return cmd_wrong("tools: there is no option %s; '%s tools --help' tells the usage", word, cmd_name());
	if (cmd_list_tools(word && tool_name(word, name, &other) && other ? name : word, stdout))
		return EXIT_OK;
	if (word && tool_command(word))
		return cmd_no_tool(word);
	return cmd_fail("no tool has '%s' in its name or purpose; 'dwell tools' lists all", word);
}

const char *cmd_near_tool(struct arena *a, const char *word)
{
	return shelf_near(a, arena_printf(a, "%s/tools", shelf_dir(a)), word);
}

int cmd_no_tool(const char *word)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	const char *line = tool_command(word), *near = cmd_near_tool(a, word);

	if (line)
		cmd_msg("%s is a command here: %s", word, line);
	else if (near)
		cmd_msg("there is no tool '%s'; did you mean %s?", word, near);
	else
		cmd_msg("there is no tool '%s'; '%s tools' lists them", word, cmd_name());
	arena_free(a);
	return EXIT_USAGE;
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

static bool has_tool(const char *name)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	bool there = shelf_has(arena_printf(a, "%s/tools/%s.d", shelf_dir(a), name));

	arena_free(a);
	return there;
}

bool cmd_is_tool(const char *word)
{
	char name[TOOL_NAME_MAX];
	bool other;

	return tool_name(word, name, &other) && has_tool(name);
}

static void begin(struct request *c, const char *name)
{
	cmd_begin(c);
	request_prog(c, PROG_SCRIPT, arena_printf(c->arena, "%s/tools/%s.d", shelf_dir(c->arena), name));
}

/* The name of the tool that the word names; says so where that is another one. False: there is none. */
static bool find_tool(const char *word, char name[TOOL_NAME_MAX])
{
	bool other = false, there = tool_name(word, name, &other) && has_tool(name);

	if (there && other)
		cmd_msg("%s is called %s here", word, name);
	return there;
}

int cmd_show_tool(const char *word)
{
	char name[TOOL_NAME_MAX];

	return find_tool(word, name) && cmd_help_of_tool(name, stdout) ? 0 : -ENOENT;
}

bool cmd_help_of_tool(const char *name, FILE *out)
{
	struct toolopts can;
	struct request c;
	const char *text;

	if (!has_tool(name))
		return false;
	begin(&c, name);
	text = text_of(c.arena, name);
	can = toolopts_of(text);
	tool_put_head(text, out);
	toolopts_help(&can, out);
	params_help(&c, out);
	request_done(&c);
	return true;
}

/* As `dwell -s NAME.d …`, with the shipped file even if the current folder has a file of this name. */
static int run_tool(const char *name, int argc, char **argv, char *const *words)
{
	struct err err = { 0 };
	struct toolopts can;
	struct request c;
	bool help = false;
	char **rest;
	int n;

	begin(&c, name);
	c.words = words;
	can = toolopts_of(text_of(c.arena, name));
	rest = arena_new_arr(c.arena, char *, (size_t)argc + 2);
	rest[0] = argv[-1];
	n = toolopts_read(&c, name, &can, argc, argv, rest + 1, &help, &err);
	c.tool = true;
	if (n >= 0 && !help)
		return cmd_dtrace_run(&c, n + 1, rest);
	request_done(&c);
	if (n < 0)
		return cmd_err(n, &err);
	cmd_help_of_tool(name, stdout);
	return EXIT_OK;
}

static void run_usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out,
		"Usage: %s run NAME [-p PID] [--comm NAME] [--for TIME] [parameters] [options]\n"
		"                 [-- COMMAND...]\n\n"
		"Runs a tool. '%s tools' lists them, '%s run NAME --help' explains one.\n",
		cmd_name(), cmd_name(), cmd_name());
}

static int run(int argc, char **argv)
{
	char name[TOOL_NAME_MAX];
	char *const *words;
	int e;

	if (argc < 2)
		return run_usage(NULL, stderr), EXIT_USAGE;
	if (cmd_wants_help(argc, argv))
		return run_usage(NULL, stdout), EXIT_OK;
	e = cmd_split("run", &argc, argv, &words);
	if (e)
		return e;
	if (!find_tool(argv[1], name))
		return cmd_no_tool(argv[1]);
	return run_tool(name, argc - 2, argv + 2, words);
}

const struct command cmd_tools = { "tools", "lists the tools", tools, .usage = tools_usage };
const struct command cmd_run = { "run", "runs a tool", run, .usage = run_usage };
