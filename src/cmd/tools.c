/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell tools`, `dwell run NAME`: the shipped tools by name. */
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/near.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "front/tool.h"
#include "launcher/gallery.h"
#include "shelf/shelf.h"

#define TOP_MAX 1000000 /* rows of a table */

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

/* What the options of all tools mean to one. */
struct abilities {
	enum narrow narrow;
	bool table;	    /* it shows tables or distributions, not events as they happen */
	bool by;	    /* … by process, so that they can be by something else */
	bool interval, top; /* it has parameters of these names */
};

/* The word is in the program, after its head. */
static bool names(const char *text, const char *word)
{
	const char *body = text ? strstr(text, "\n */\n") : NULL;

	return body && strstr(body, word);
}

static struct abilities abilities_of(struct arena *a, const char *tool)
{
	const struct serve_program *v;
	size_t n = gallery_read(a, &v);

	for (size_t i = 0; i < n; i++) {
		const char *t = v[i].text;

		if (strcmp(v[i].name, tool) != 0)
			continue;
		return (struct abilities){ .narrow = names(t, "wanted")	   ? NARROW_ANY
						     : names(t, "$target") ? NARROW_TARGET
									   : NARROW_NOT,
					   .table = names(t, "printa("),
					   .by = names(t, "[group_") || names(t, ", group_name]"),
					   .interval = names(t, "$interval"),
					   .top = names(t, "$top") };
	}
	return (struct abilities){ 0 };
}

static void put_option(const char *option, const char *help)
{
	printf("  %-22s%s\n", option, help);
}

static void put_common(struct arena *a, const struct abilities *can)
{
	printf("Options of all tools:\n");
	if (can->narrow != NARROW_NOT)
		put_option("-p PID", "this process and its descendants only");
	put_option("-- COMMAND...", can->narrow == NARROW_NOT ? "run it, and end with it"
							      : "run it, and end with it; it and its descendants only");
	for (size_t i = 0; can->narrow == NARROW_ANY && i < ARRAY_SIZE(filters); i++)
		put_option(arena_printf(a, "--%s %s", filters[i].name, filters[i].arg), filters[i].help);
	if (can->by)
		put_option("--by WHAT", "add up by container, cgroup, unit or user instead of by process");
	if (can->table && !can->top)
		put_option("--top N", "lines or distributions shown, the largest");
	put_option("--for TIME", "end after this time; else Ctrl-C");
	put_option("--json", "JSON Lines, with the names of the columns");
	put_option("-o FILE", "append to this file");
	if (can->narrow == NARROW_NOT)
		printf("\nIt shows the whole machine: what it counts belongs to no process.\n");
	printf("\n");
}

/* Is argv[*at] "--NAME VALUE" or "--NAME=VALUE"? Then what "-x" takes: "OPTION=VALUE", "" where the value is missing;
 * NULL: it is not. */
static char *as_d_option(struct arena *a, const char *name, const char *option, int argc, char **argv, int *at)
{
	const char *word = argv[*at], *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	if (n != strlen(name) + 2 || strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n - 2) != 0)
		return NULL;
	if (eq)
		return arena_printf(a, "%s=%s", option, eq + 1);
	return *at + 1 < argc ? arena_printf(a, "%s=%s", option, argv[++*at]) : arena_strdup(a, "");
}

static char *filter_option(struct arena *a, int argc, char **argv, int *at)
{
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(filters) && !found; i++)
		found = as_d_option(a, filters[i].name, filters[i].name, argc, argv, at);
	return found;
}

static bool is_option(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && (!word[n] || word[n] == '=');
}

/* What this tool cannot do: exit code, said. 0: it can. */
static int check_able(const char *tool, const struct abilities *can, const char *word)
{
	const char *reason = NULL;

	if (is_option(word, "--interval") && !can->interval)
		reason = can->table ? "it reports once, at the end"
				    : "it shows events as they happen, and makes no reports";
	else if (is_option(word, "--top") && !can->table)
		reason = "it shows events as they happen: none is the largest";
	else if (is_option(word, "--by") && !can->by)
		reason = can->table ? "it has no table by process"
				    : "it shows events as they happen, and adds up nothing";
	return reason ? cmd_wrong("%s takes no %s: %s", tool, word, reason) : 0;
}

static int refuse_filter(const char *tool, enum narrow narrow, const char *option)
{
	if (narrow == NARROW_NOT)
		return cmd_wrong("%s shows the whole machine: %s cannot narrow it", tool, option);
	return cmd_wrong("%s looks into one process: give it with -p or -- COMMAND; %s cannot narrow it", tool, option);
}

/* The words of `dwell -s NAME.d …` that v has room for. */
struct tool_words {
	struct arena *a;
	const char *tool;
	struct abilities can;
	char **v;
	int n;
	uint64_t for_ns;
};

static void add_x(struct tool_words *w, char *option)
{
	w->v[w->n++] = arena_strdup(w->a, "-x");
	w->v[w->n++] = option;
}

/* "aggtop=N", N from 1 to TOP_MAX. */
static bool is_top(const char *option)
{
	uint64_t n;

	return num_parse_u64(strchr(option, '=') + 1, &n) == 0 && n >= 1 && n <= TOP_MAX;
}

/* argv[*i] and what it takes. Exit code, said. */
static int take_word(struct tool_words *w, int argc, char **argv, int *i)
{
	int at = *i, e = check_able(w->tool, &w->can, argv[at]);
	struct err err = { 0 };
	char *filter, *x;

	if (e)
		return e;
	filter = filter_option(w->a, argc, argv, i);
	x = filter ? filter : as_d_option(w->a, "by", "by", argc, argv, i);
	if (!x && !w->can.top)
		x = as_d_option(w->a, "top", "aggtop", argc, argv, i);
	if (x && !*x)
		return cmd_wrong("run: %s needs an argument", argv[at]);
	if (x && !strncmp(x, "aggtop=", strlen("aggtop=")) && !is_top(x))
		return cmd_wrong("run: --top: a number from 1 to %d", TOP_MAX);
	if (w->can.narrow != NARROW_ANY && (filter || (w->can.narrow == NARROW_NOT && !strncmp(argv[at], "-p", 2))))
		return refuse_filter(w->tool, w->can.narrow, argv[at]);
	if (x) {
		add_x(w, x);
	} else if (!strcmp(argv[at], "--for") && at + 1 < argc) {
		return cmd_err(optrow_time("for", argv[++*i], 1, &w->for_ns, &err), &err);
	} else {
		if (!strcmp(argv[at], "--json"))
			w->v[w->n++] = arena_strdup(w->a, "-xcolumns");
		w->v[w->n++] = !strcmp(argv[at], "-h") ? arena_strdup(w->a, "--help") : argv[at];
	}
	return 0;
}

/* As `dwell -s NAME.d …`, with the shipped file whatever there is in the current folder. */
static int run_tool(struct arena *a, const char *name, int argc, char **argv, char *const *words)
{
	struct tool_words w = { .a = a, .tool = name, .can = abilities_of(a, name) };
	int e = 0;

	w.v = arena_new_arr(a, char *, 2 * (size_t)argc + 6);
	w.v[w.n++] = arena_strdup(a, cmd_name());
	w.v[w.n++] = arena_strdup(a, "-s");
	w.v[w.n++] = arena_printf(a, "%s/tools/%s.d", shelf_dir(a), name);
	for (int i = 0; i < argc && e == 0; i++) {
		if (wants_help(argv[i])) {
			put_head(a, name);
			put_common(a, &w.can);
		}
		e = take_word(&w, argc, argv, &i);
	}
	if (e)
		return e;
	w.v[w.n] = NULL;
	return cmd_dtrace_words(w.n, w.v, words, w.for_ns);
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
