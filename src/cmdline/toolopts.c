/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options that all tools share, and turns them into parameters of the tool. */
#include "cmdline/toolopts.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/num.h"
#include "base/step.h"
#include "base/optrow.h"
#include "cmdline/opts.h"

/* Filters of events: each is an option of D, for the variable wanted. */
static const struct {
	const char *name, *arg, *help;
} filters[] = {
	{ "comm", "NAME", "only processes of this name" },
	{ "user", "NAME|UID", "only those of this user" },
	{ "cgroup", "PATH", "only those in this control group and below it" },
	{ "container", "ID", "only those in this container" },
	{ "unit", "NAME", "only those of this unit of systemd: nginx" },
};

void toolopts_near(struct near *near)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		near_try(near, filters[i].name);
	near_try(near, "by");
}

/* The word is in the program, after its head. */
static bool names(const char *text, const char *word)
{
	const char *body = text ? strstr(text, "\n */\n") : NULL;

	return body && strstr(body, word);
}

struct toolopts toolopts_of(const char *text)
{
	return (struct toolopts){ .narrow = names(text, "wanted")    ? TOOL_ANY
					    : names(text, "$target") ? TOOL_TARGET
								     : TOOL_NOT,
				  .table = names(text, "printa("),
				  .by = names(text, "[group_") || names(text, ", group_name]"),
				  .interval = names(text, "$interval"),
				  .top = names(text, "$top") };
}

/* -- help -- */

static void put(FILE *out, const char *name, const char *arg, const char *help)
{
	int n = fprintf(out, "  %s%s%s", name, *arg ? " " : "", arg);

	fprintf(out, "%*s%s\n", n < 24 ? 24 - n : 0, "", help);
}

void toolopts_help(const struct toolopts *can, FILE *out)
{
	fprintf(out, "Options of all tools:\n");
	if (can->narrow != TOOL_NOT)
		put(out, "-p", "PID", "this process and its descendants only");
	put(out, "--", "COMMAND...",
	    can->narrow == TOOL_NOT ? "run it, and end with it"
				    : "run it, and end with it; it and its descendants only");
	for (size_t i = 0; can->narrow == TOOL_ANY && i < ARRAY_SIZE(filters); i++) {
		char name[32];

		snprintf(name, sizeof(name), "--%s", filters[i].name);
		put(out, name, filters[i].arg, filters[i].help);
	}
	if (can->by)
		put(out, "--by", "WHAT", "add up by container, cgroup, unit or user instead of by process");
	if (can->table && !can->top)
		put(out, "--top", "N", "lines or distributions shown, the largest");
	put(out, "--for", "TIME", "end after this time; else Ctrl-C");
	put(out, "--json", "", "JSON Lines, with the names of the columns");
	put(out, "-o", "FILE", "append to this file");
	if (can->narrow == TOOL_NOT)
		fprintf(out, "\nIt shows the whole machine: what it counts belongs to no process.\n");
	fprintf(out, "\n");
}

/* -- reading -- */

struct reader {
	struct request *c;
	const char *tool;
	const struct toolopts *can;
	int argc, at; /* at: of the next word */
	char **argv;
	struct err *err;
};

/* Is the word "--NAME VALUE" or "--NAME=VALUE"? Then its value, "" where it is missing; NULL: it is not. */
static const char *value_of(struct reader *r, const char *name)
{
	const char *word = r->argv[r->at], *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);

	if (n != strlen(name) + 2 || strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n - 2) != 0)
		return NULL;
	if (eq)
		return eq + 1;
	return r->at + 1 < r->argc ? r->argv[++r->at] : "";
}

static bool is_option(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && (!word[n] || word[n] == '=');
}

/* Refuses options that this tool does not have: -EINVAL. */
static int check_able(const char *tool, const struct toolopts *can, const char *word, struct err *err)
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
	return reason ? err_set(err, -EINVAL, "%s takes no %s: %s", tool, word, reason) : 0;
}

static int refuse_filter(const char *tool, enum tool_narrow narrow, const char *option, struct err *err)
{
	if (narrow == TOOL_NOT)
		return err_set(err, -EINVAL, "%s shows the whole machine: %s cannot narrow it", tool, option);
	return err_set(err, -EINVAL, "%s looks into one process: give it with -p or -- COMMAND; %s cannot narrow it",
		       tool, option);
}

static bool is_top(const char *value)
{
	uint64_t n;

	return num_parse_u64(value, &n) == 0 && n >= 1 && n <= TOOLOPTS_TOP_MAX;
}

/* The option of D that the word stands for, with its value; NULL: none. *ret_filter: it says whose events. */
static const char *option_of(struct reader *r, const char **ret_value, bool *ret_filter)
{
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		if ((*ret_value = value_of(r, filters[i].name))) {
			*ret_filter = true;
			return filters[i].name;
		}
	if ((*ret_value = value_of(r, "by")))
		return "by";
	return !r->can->top && (*ret_value = value_of(r, "top")) ? "aggtop" : NULL;
}

/* The word at r->at, and what it takes; none: it is not one of these. */
static struct step take_word(struct reader *r)
{
	const char *word = r->argv[r->at], *value = NULL, *option;
	enum tool_narrow narrow = r->can->narrow;
	bool filter = false;
	int e = check_able(r->tool, r->can, word, r->err);

	if (e < 0)
		return step_failed(e);
	option = option_of(r, &value, &filter);
	if (option && !*value)
		return step_failed(err_set(r->err, -EINVAL, "run: %s needs an argument", word));
	if (option && !strcmp(option, "aggtop") && !is_top(value))
		return step_failed(err_set(r->err, -EINVAL, "run: --top: a number from 1 to %d", TOOLOPTS_TOP_MAX));
	if (narrow != TOOL_ANY && (filter || (narrow == TOOL_NOT && !strncmp(word, "-p", 2))))
		return step_failed(refuse_filter(r->tool, narrow, word, r->err));
	if (option)
		return step_taken(cmdline_named(r->c, option, value, r->err));
	if (strcmp(word, "--for") != 0 || r->at + 1 >= r->argc)
		return step_end();
	return step_taken(optrow_time("for", r->argv[++r->at], 1, &r->c->for_ns, r->err));
}

int toolopts_read(struct request *c, const char *tool, const struct toolopts *can, int argc, char **argv, char **rest,
		  bool *ret_help, struct err *err)
{
	struct reader r = { .c = c, .tool = tool, .can = can, .argc = argc, .argv = argv, .err = err };
	int n = 0, e = 0;

	for (; r.at < argc && e >= 0; r.at++) {
		const char *word = argv[r.at];
		struct step s = take_word(&r);

		e = s.error;
		if (s.more || e < 0)
			continue;
		*ret_help |= !strcmp(word, "-h") || !strcmp(word, "--help");
		if (!strcmp(word, "--json"))
			e = cmdline_named(c, "columns", NULL, err);
		rest[n++] = argv[r.at];
	}
	rest[n] = NULL;
	return e < 0 ? e : n;
}
