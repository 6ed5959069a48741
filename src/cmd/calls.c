/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell calls`: what a function calls, how often and how long, and who calls it: of the kernel by fbt, of a program by
 * the pid provider. Its code tells which functions to look at. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/findprog.h"
#include "cmd/latency.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "engine/front/callsprog.h"
#include "engine/run/run.h"
#include "sym/object/uobj.h"
#include "view/text/callsprint.h"

struct calls {
	struct request request;
	struct callees callees;
	struct callsprint *print;
	const struct rec_schema *schema;
	struct sym *sym;
	FILE *out;
	long pid; /* 0: none */
	const char *mod, *func;
	bool kernel, json;
};

static int take_pid(void *calls, const struct optrow *o, const char *arg, struct err *err)
{
	struct calls *c = calls;
	uint64_t pid;

	(void)o;
	if (num_parse_u64(arg, &pid) < 0 || pid < 1 || pid > INT32_MAX)
		return err_set(err, -EINVAL, "calls: -p: '%s' is no process", arg);
	if (kill((pid_t)pid, 0) < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "calls: there is no process %s", arg);
	c->pid = (long)pid;
	return 0;
}

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = take_pid,
	  .arg = "PID",
	  .help = "a function of this process; with -k: only what it does" },
	{ .letter = 'c',
	  LATENCY_PASS(struct calls, request),
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it: a function of its program; with -k: only what it does" },
	{ .letter = 'k',
	  .name = "kernel",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct calls, kernel),
	  .help = "a function of the kernel, also with -p or a command" },
	{ .name = "for", LATENCY_FOR(struct calls, request), .help = "end after this time; else Ctrl-C" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct calls, json), .help = "JSON Lines" },
};
static const struct optable options = {
	.command = "calls",
	.synopsis = "calls [options] [MODULE`]FUNCTION\ncalls [options] [-k] [MODULE`]FUNCTION -p PID\n"
		    "calls [options] [-k] [MODULE`]FUNCTION -- COMMAND...",
	.notes = "\tShows what a function calls, how often and for how long, and who calls it.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

/* "MODULE`FUNCTION". */
static int take_function(struct calls *c, char *word)
{
	char *tick = strchr(word, '`');

	c->func = tick ? tick + 1 : word;
	if (tick) {
		*tick = '\0';
		c->mod = word;
	}
	if (!*c->func || (c->mod && !*c->mod) || strpbrk(c->func, "*?[\\: ,/{};\"") ||
	    (c->mod && strpbrk(c->mod, "*?[\\: ,/{};\"")))
		return cmd_wrong("calls: one function is to be named, without patterns");
	return 0;
}

/* The file of the process that has the function. */
static int file_of_process(struct calls *c, const char **ret, struct err *err)
{
	struct uobj *v;
	size_t n;
	int r = uobj_list(c->request.arena, (int)c->pid, &v, &n, err);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (c->mod ? strcmp(c->mod, v[i].name) != 0 && !(v[i].is_exe && !strcmp(c->mod, "a.out"))
			   : !v[i].is_exe)
			continue;
		*ret = v[i].attach;
		return 0;
	}
	return r < 0 ? r : err_set(err, -ENOENT, "process %ld has no module %s", c->pid, c->mod);
}

static bool has_command(const struct calls *c)
{
	return c->request.words || c->request.commands.n;
}

/* The file of the command that has the function. */
static int file_of_command(struct calls *c, const char **ret, struct err *err)
{
	const char *line = c->request.words ? c->request.words[0] : c->request.commands.v[0];
	const char *name = c->request.words ? line : arena_strndup(c->request.arena, line, strcspn(line, " \t"));
	_cleanup_free_ char *path = findprog(name);
	_cleanup_free_ char *whole = path ? realpath(path, NULL) : NULL;

	if (!whole)
		return err_set(err, -ENOENT, "there is no program '%s'", name);
	if (c->mod && strcmp(c->mod, "a.out") != 0)
		return err_set(err, -EINVAL, "functions of libraries are for processes that run: -p PID");
	*ret = arena_strdup(c->request.arena, whole);
	return 0;
}

static int find_callees(struct calls *c)
{
	struct err err = { 0 };
	const char *path = NULL;
	int r;

	if (c->kernel)
		r = callees_kernel(c->request.arena, c->mod, c->func, &c->callees, &err);
	else
		r = (c->pid ? file_of_process : file_of_command)(c, &path, &err);
	if (r == 0 && !c->kernel)
		r = callees_user(c->request.arena, path, (int)c->pid, c->mod ? c->mod : "a.out", c->func, &c->callees,
				 &err);
	if (r < 0)
		cmd_msg("calls: %s", err.msg);
	err_done(&err);
	return r < 0 ? EXIT_ERROR : 0;
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct calls *c = ctx;

	(void)why;
	c->schema = schema;
	c->sym = sym;
	c->out = out;
	return 0;
}

static int on_row(void *ctx, const struct row *row)
{
	struct calls *c = ctx;
	int r = callsprint_row(c->print, c->schema, c->sym, row);

	if (r < 0)
		return r;
	return row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT ? 0 : 1;
}

static int on_finish(void *ctx)
{
	struct calls *c = ctx;
	const char *name = arena_printf(c->request.arena, "%s`%s", c->callees.mod, c->callees.func);

	return callsprint_show(c->print, name, c->callees.unknown, c->json, c->out);
}

static int run(struct calls *c)
{
	const struct run_observer show = { .ctx = c, .open = on_open, .row = on_row, .finish = on_finish };
	const struct callsprog_want want = { .kernel = c->kernel, .target = c->pid || has_command(c) };
	_cleanup_(strb_free) struct strb text = { 0 };
	struct arena *a = c->request.arena;

	c->print = callsprint_new();
	for (size_t i = 0; c->print && i < c->callees.n; i++) {
		const struct callee *x = &c->callees.v[i];

		if (x->reason &&
		    callsprint_left_out(c->print, arena_printf(a, "%s%s%s", x->mod, *x->mod ? "`" : "", x->func),
					x->reason) < 0)
			return cmd_fail("out of memory");
	}
	callsprog_text(&text, &c->callees, &want);
	if (!c->print || text.failed)
		return cmd_fail("out of memory");
	c->request.opts.quiet = true;
	c->request.opts.zdefs = true; /* names that no library has */
	if (c->pid)
		vec_push(&c->request.pids, c->pid);
	request_prog(&c->request, PROG_NAME, arena_strdup(a, strb_str(&text)));
	return cmd_request(&c->request, &show);
}

static int read_words(struct calls *c, int argc, char **argv)
{
	int e = cmd_options(&options, c, argc, argv);

	if (e)
		return e;
	if (optind + 1 < argc)
		return cmd_words(&options, argv[optind + 1], NULL);
	if (optind == argc)
		return cmd_words(&options, NULL, "a function is missing");
	if ((c->pid && has_command(c)) || (c->request.words && c->request.commands.n) || c->request.commands.n > 1)
		return cmd_words(&options, NULL, "one of -p, -c and a command behind -- is possible");
	c->kernel |= !c->pid && !has_command(c);
	return take_function(c, argv[optind]);
}

static int calls(int argc, char **argv)
{
	struct calls c = { 0 };
	int e;

	cmd_begin(&c.request);
	e = cmd_split("calls", &argc, argv, &c.request.words);
	if (e == 0)
		e = read_words(&c, argc, argv);
	if (e == 0)
		e = find_callees(&c);
	if (e == 0) {
		e = run(&c); /* ends the request */
	} else {
		request_done(&c.request);
	}
	callsprint_free(c.print);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_calls = { "calls", "what a function calls, and who calls it", calls };
