/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles one text with the probes and types of this machine. */
#include "lsp/job.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_message(void *ctx, const char *text)
{
	struct job *j = ctx;

	if (!j->reason[0])
		snprintf(j->reason, sizeof(j->reason), "%s", text);
}

static void on_text(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

static void on_diag(void *ctx, const struct diag *g)
{
	struct job *j = ctx;

	if (j->ndiags < JOB_DIAGS_MAX)
		j->diags[j->ndiags++] = g;
}

bool job_is_own(const struct job *j, struct span at)
{
	return at.src && j->req.progs.n && at.src == &j->req.progs.v[0].src;
}

static void begin(struct job *j, const char *name, const char *text)
{
	const struct listener to = { .ctx = j, .message = on_message, .text = on_text, .diag = on_diag };

	j->ndiags = 0;
	j->reason[0] = '\0';
	request_init(&j->req, "dwell", &to);
	j->req.compile_only = true;
	j->req.opts.defaultargs = true; /* nobody has given arguments */
	j->req.opts.argref = true;
	j->req.opts.zdefs = strstr(text, "$target") != NULL; /* nor a process: its probes are not known */
	request_prog(&j->req, PROG_SCRIPT, arena_strdup(j->req.arena, name));
	j->req.progs.v[0].text = text;
	j->req.progs.v[0].size = strlen(text);
}

static int parse(struct job *j)
{
	int e = compile_open(&j->w, &j->req, 0);

	j->opened = e == 0;
	return e ? e : compile_parse(&j->w, &j->req, 0);
}

void job_done(struct job *j)
{
	if (j->opened)
		compile_done(&j->w);
	j->opened = false;
	request_done(&j->req);
}

/* The parameters without a value, each with a dummy one, in the arena; *ret_n: how many. */
static struct param_given *missing_params(const struct params *ps, struct arena *a, size_t *ret_n)
{
	struct param_given *v;
	size_t n = 0;

	for (const struct param *p = ps->first; p; p = p->next)
		n += !p->value;
	v = arena_new_arr(a, struct param_given, n + 1);
	n = 0;
	for (const struct param *p = ps->first; p; p = p->next)
		if (!p->value)
			v[n++] = (struct param_given){ .name = arena_strdup(a, p->name),
						       .value = p->is_string ? "*" : "1" };
	*ret_n = n;
	return v;
}

/* Gives a dummy value to parameters that have none, as the user of the program would, and parses again. e: result of
 * the first parse, returned when no value is missing. */
static int parse_with_params(struct job *j, const char *name, const char *text, int e)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	size_t n;
	const struct param_given *v = missing_params(&j->req.params, a, &n);

	if (n) {
		job_done(j);
		begin(j, name, text);
		for (size_t i = 0; i < n; i++)
			request_param(&j->req, arena_strdup(j->req.arena, v[i].name), v[i].value);
		e = parse(j);
	}
	arena_free(a);
	return e;
}

void job_run(struct job *j, const char *name, const char *text)
{
	int e;

	*j = (struct job){ 0 };
	begin(j, name, text);
	e = parse(j);
	if (e && !j->ndiags)
		e = parse_with_params(j, name, text, e);
	/* The text is only checked: its options ctypes, dtypes and tree would write files or print. */
	j->req.opts.ctypes = j->req.opts.dtypes = "";
	j->req.opts.tree = 0;
	if (e == 0)
		e = compile_check(&j->w, &j->req, 0);
	j->macros = (struct macro_env){
		.argv = j->req.argv, .argc = j->req.argc, .params = &j->req.params, .pid = getpid()
	};
	j->env = (struct compile_env){ .ts = j->w.ts,
				       .probes = j->opened ? registry_source(j->w.reg) : NULL,
				       .macros = &j->macros,
				       .opts = &j->req.opts,
				       .libs = j->w.libs };
}

static bool has_mistake(const struct job *j, size_t from, size_t to)
{
	for (size_t i = 0; i < j->ndiags; i++)
		if (j->diags[i]->sev == SEV_ERROR && job_is_own(j, j->diags[i]->at) && j->diags[i]->at.off >= from &&
		    j->diags[i]->at.off < to)
			return true;
	return false;
}

static size_t begin_of(const struct item *it, size_t end)
{
	return it ? (it->clause ? it->clause->at.off : it->decl->at.off) : end;
}

/* Blanks out clauses and declarations that have errors, but not the one at off. Lines stay. False: there was none. */
static bool leave_out(const struct job *j, char *text, size_t off)
{
	const struct item *it = j->w.units && j->w.units[0] ? j->w.units[0]->items : NULL;
	bool any = false;

	for (; it; it = it->next) {
		size_t from = begin_of(it, 0), to = begin_of(it->next, strlen(text));

		if (from >= to || (off >= from && off < to) || !has_mistake(j, from, to))
			continue;
		any = true;
		for (size_t i = from; i < to; i++)
			text[i] = text[i] == '\n' ? '\n' : ' ';
	}
	return any;
}

void job_run_around(struct job *j, struct arena *a, const char *name, const char *text, size_t off)
{
	char *copy = arena_strdup(a, text);

	job_run(j, name, copy);
	for (int i = 1; i < JOB_TRIES_MAX && !j->w.prog && leave_out(j, copy, off); i++) {
		job_done(j);
		job_run(j, name, copy);
	}
}
