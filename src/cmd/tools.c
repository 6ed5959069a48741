/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell tools`, `dwell run NAME`: the shipped tools by name. */
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/near.h"
#include "cmd/cmd.h"
#include "cmdline/optable.h"
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
static void put_head(struct arena *a, const char *name)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v), len;

	for (size_t i = 0; i < n; i++) {
		const char *at = strcmp(v[i].name, name) ? NULL : tool_head(v[i].text, &len);

		for (const char *end = at ? at + len : NULL; at && at < end;) {
			size_t k = strcspn(at, "\n"), skip = k > 2 ? 3 : k;

			printf("%.*s\n", (int)(k - skip), at + skip);
			at += k + 1;
		}
	}
	printf("\n");
}

/* -- options that all tools have -- */

/* Whose events: each is an option of D, for the variable wanted. */
static const struct {
	const char *name, *arg, *help;
} filters[] = {
	{ "comm", "NAME", "only processes that are called so" },
	{ "user", "NAME|UID", "only those of this user" },
	{ "cgroup", "PATH", "only those in this control group and below it" },
	{ "container", "ID", "only those in this container" },
	{ "unit", "NAME", "only those of this unit of systemd: nginx" },
};

/* What a tool can be narrowed to. */
enum narrow { NARROW_NOT, NARROW_TARGET, NARROW_ANY };

/* The word is in the program, behind its head. */
static bool names(const char *text, const char *word)
{
	const char *body = text ? strstr(text, "\n */\n") : NULL;

	return body && strstr(body, word);
}

static enum narrow narrowing(struct arena *a, const char *tool)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, tool))
			return names(v[i].text, "wanted")    ? NARROW_ANY
			       : names(v[i].text, "$target") ? NARROW_TARGET
							     : NARROW_NOT;
	return NARROW_NOT;
}

static void put_common(enum narrow narrow)
{
	printf("Options of all tools:\n");
	if (narrow != NARROW_NOT)
		printf("  %-22sthis process and its descendants only\n", "-p PID");
	printf("  %-22srun it, and end with it%s\n", "-- COMMAND...",
	       narrow == NARROW_NOT ? "" : "; it and its descendants only");
	for (size_t i = 0; narrow == NARROW_ANY && i < ARRAY_SIZE(filters); i++) {
		int n = printf("  --%s %s", filters[i].name, filters[i].arg);

		printf("%*s%s\n", n < 24 ? 24 - n : 1, "", filters[i].help);
	}
	printf("  %-22send after this time; else Ctrl-C\n", "--for TIME");
	printf("  %-22sJSON Lines, with the names of the columns\n", "--json");
	printf("  %-22sappend to this file\n", "-o FILE");
	if (narrow == NARROW_NOT)
		printf("\nIt shows the whole machine: what it counts belongs to no process.\n");
	printf("\n");
}

/* "--comm NAME" or "--comm=NAME" at v[*at]: as "-x" and "comm=NAME". NULL: it is none of these. */
static char *filter_option(struct arena *a, int argc, char **argv, int *at)
{
	const char *word = argv[*at], *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (n != strlen(filters[i].name) + 2 || strncmp(word, "--", 2) != 0 ||
		    strncmp(word + 2, filters[i].name, n - 2) != 0)
			continue;
		if (eq)
			return arena_printf(a, "%s", word + 2);
		if (*at + 1 < argc)
			return arena_printf(a, "%s=%s", filters[i].name, argv[++*at]);
		return arena_strdup(a, "");
	}
	return NULL;
}

static int refuse_filter(const char *tool, enum narrow narrow, const char *option)
{
	if (narrow == NARROW_NOT)
		return cmd_wrong("%s shows the whole machine: %s cannot narrow it", tool, option);
	return cmd_wrong("%s looks into one process: give it with -p or -- COMMAND; %s cannot narrow it", tool, option);
}

/* As `dwell -s NAME.d …`, with the shipped file whatever there is in the current folder. */
static int run_tool(struct arena *a, const char *name, int argc, char **argv, char *const *words)
{
	char **v = arena_new_arr(a, char *, 2 * (size_t)argc + 6), *filter;
	enum narrow narrow = narrowing(a, name);
	uint64_t for_ns = 0;
	struct err err = { 0 };
	int n = 0, e;

	v[n++] = arena_strdup(a, cmd_name());
	v[n++] = arena_strdup(a, "-s");
	v[n++] = arena_printf(a, "%s/tools/%s.d", shelf_dir(a), name);
	for (int i = 0; i < argc; i++) {
		int at = i;

		if (wants_help(argv[i])) {
			put_head(a, name);
			put_common(narrow);
		}
		filter = filter_option(a, argc, argv, &i);
		if (filter && !*filter)
			return cmd_wrong("run: %s needs an argument", argv[at]);
		if (narrow != NARROW_ANY && (filter || (narrow == NARROW_NOT && !strncmp(argv[i], "-p", 2))))
			return refuse_filter(name, narrow, argv[at]);
		if (filter) {
			v[n++] = arena_strdup(a, "-x");
			v[n++] = filter;
		} else if (!strcmp(argv[i], "--for") && i + 1 < argc) {
			e = cmd_err(optrow_time("for", argv[++i], 1, &for_ns, &err), &err);
			if (e)
				return e;
		} else {
			if (!strcmp(argv[i], "--json"))
				v[n++] = arena_strdup(a, "-xcolumns");
			v[n++] = !strcmp(argv[i], "-h") ? arena_strdup(a, "--help") : argv[i];
		}
	}
	v[n] = NULL;
	return cmd_dtrace_words(n, v, words, for_ns);
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
