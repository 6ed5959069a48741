/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell calls`: makes the program, runs it and prints its tables. */
#include "live/calls.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/findprog.h"
#include "engine/front/wanted.h"
#include "sym/object/uobj.h"

int live_calls_function(struct live_calls *c, char *word, struct err *err)
{
	char *tick = strchr(word, '`');

	c->func = tick ? tick + 1 : word;
	if (tick) {
		*tick = '\0';
		c->mod = word;
	}
	if (!*c->func || (c->mod && !*c->mod) || strpbrk(c->func, "*?[\\: ,/{};\"") ||
	    (c->mod && strpbrk(c->mod, "*?[\\: ,/{};\"")))
		return err_set(err, -EINVAL, "calls: one function is to be named, without patterns");
	return 0;
}

/* The file of the process that has the function. */
static int file_of_process(struct live_calls *c, const char **ret, struct err *err)
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

bool live_calls_has_command(const struct live_calls *c)
{
	return c->request.words || c->request.commands.n;
}

/* The file of the command that has the function. */
static int file_of_command(struct live_calls *c, const char **ret, struct err *err)
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

int live_calls_find(struct live_calls *c, struct err *err)
{
	const char *path = NULL;
	int r;

	if (c->kernel)
		r = callees_kernel(c->request.arena, c->mod, c->func, &c->callees, err);
	else
		r = (c->pid ? file_of_process : file_of_command)(c, &path, err);
	if (r == 0 && !c->kernel)
		r = callees_user(c->request.arena, path, (int)c->pid, c->mod ? c->mod : "a.out", c->func, &c->callees,
				 err);
	if (r < 0)
		err_prefix(err, "calls: ");
	return r;
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_calls *c = ctx;

	(void)err;
	(void)why;
	c->schema = schema;
	c->sym = sym;
	c->out = out;
	return 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_calls *c = ctx;

	*ret_text = row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT;
	return callsprint_row(c->print, c->schema, c->sym, row);
}

static int on_finish(void *ctx)
{
	struct live_calls *c = ctx;
	const char *name = arena_printf(c->request.arena, "%s`%s", c->callees.mod, c->callees.func);

	return callsprint_show(c->print, name, c->callees.unknown, c->json, c->out);
}

int live_calls_run(struct live_calls *c)
{
	const struct run_observer show = { .ctx = c, .open = on_open, .row = on_row, .finish = on_finish };
	const struct callsprog_want want = {
		.kernel = c->kernel,
		.some = c->pid || live_calls_has_command(c) || wanted_any(&c->request.opts),
	};
	_cleanup_(strb_free) struct strb text = { 0 };
	struct arena *a = c->request.arena;

	c->print = callsprint_new();
	for (size_t i = 0; c->print && i < c->callees.n; i++) {
		const struct callee *x = &c->callees.v[i];

		if (x->reason &&
		    callsprint_left_out(c->print, arena_printf(a, "%s%s%s", x->mod, *x->mod ? "`" : "", x->func),
					x->reason) < 0)
			return listener_fail(&c->request.to, -ENOMEM, "out of memory");
	}
	callsprog_text(&text, &c->callees, &want);
	if (!c->print || text.failed)
		return listener_fail(&c->request.to, -ENOMEM, "out of memory");
	c->request.opts.quiet = true;
	c->request.opts.zdefs = true; /* names that no library has */
	if (c->pid)
		vec_push(&c->request.pids, c->pid);
	request_prog(&c->request, PROG_NAME, arena_strdup(a, strb_str(&text)));
	return request_run(&c->request, &show, NULL);
}

void live_calls_done(struct live_calls *c)
{
	request_done(&c->request);
	callsprint_free(c->print);
}
