/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the programs of a request, and reports their errors. */
#include "engine/front/cgroupid.h"
#include "engine/front/grouped.h"
#include "engine/front/compile.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "engine/front/btffile.h"
#include "engine/front/needs.h"
#include "engine/front/wanted.h"
#include "lang/errtag.h"
#include "load/probe_caps.h"
#include "load/reasons.h"
#include "load/tracefs.h"
#include "sym/elf/debuginfod.h"

#define KFUNC_MAX 1024 /* bytes of a function that are looked at for its end */

/* A kernel without type information is no error: what needs it says so by name (prov/provider.h, cg). */
static int open_types(struct compile_session *w, const struct request *c, struct err *err)
{
	int r = btffile_open(c->opts.btf, &w->caps, &w->ts, err);

	if (r != -ENOENT || c->opts.btf[0])
		return r;
	err_done(err);
	*err = (struct err){ 0 };
	return 0;
}

/* A user without the privilege to load programs can still list probes and compile. One message says what is missing. */
static void say_incomplete(const struct request *c)
{
	struct reason words;
	struct err err = { 0 };
	int fd = -1, r = tracefs_open(&fd, &err);

	if (r < 0)
		listener_msg(&c->to,
			     "groups of tracepoints (sdt:sched::) and functions of the kernel (fbt) are not known: %s",
			     reason_tracefs(r, &words));
	else
		close(fd);
	err_done(&err);
}

/* Checks the options --comm, --cgroup, --by … before anything is opened. */
static int check_wanted(const struct request *c)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *reason = NULL;

	if (wanted_text(c->arena, &c->opts, &b, &reason) < 0)
		return listener_fail(&c->to, LISTENER_WRONG, "%s", reason);
	if (reason)
		listener_msg(&c->to, "%s", reason);
	return grouped_text(c->arena, &c->opts, &b, &reason) < 0
		       ? listener_fail(&c->to, LISTENER_WRONG, "by: %s", reason)
		       : 0;
}

/* Does the program use this variable of the library? */
static bool uses(const struct compile_session *w, const struct compile_env *env, const char *name)
{
	const struct dlib_item *it = dlib_find(w->libs, env, DLIB_NAME, name);

	return it && it->state == DLIB_GOOD;
}

/* A program that does not use the filter would show all processes, and one without the group variable a single table:
 * both are refused. */
static int check_wanted_used(const struct compile_session *w, const struct request *c, const struct compile_env *env)
{
	if (c->opts.by[0] && !c->list && !uses(w, env, "group_name") && !uses(w, env, "group_name_of"))
		return listener_fail(&c->to, -EINVAL,
				     "the program has no table by process, so by=%s would change nothing; the variable "
				     "group_name makes one: @[group_name] = count()",
				     c->opts.by);
	if (!wanted_any(&c->opts) || c->list || uses(w, env, "wanted") || uses(w, env, "wanted_of"))
		return 0;
	return listener_fail(&c->to, -EINVAL,
			     "the program does not use the variable wanted, so comm, user, cgroup, container "
			     "and unit would change nothing; a predicate /wanted/ chooses events");
}

int compile_open(struct compile_session *w, struct request *c, long target)
{
	struct err err = { 0 };
	int r;

	*w = (struct compile_session){ .libs = libs_open(c) };
	r = check_wanted(c);
	if (r)
		return r;
	if (c->opts.debuginfod)
		debuginfod_allow();
	if (c->past) {
		caps_assume(&w->caps);
		w->caps.possible_cpus = 1;
		w->caps.in_pidns = false;
		r = 0;
	} else {
		r = caps_quick(&w->caps, &err);
	}
	if ((r == -EPERM || r == -EACCES) && (c->list || c->compile_only)) {
		caps_assume(&w->caps);
		err_done(&err);
		err = (struct err){ 0 };
		r = 0;
		say_incomplete(c);
	}
	if (r == 0)
		r = sym_new(&w->sym, &err);
	if (r == 0)
		r = open_types(w, c, &err);
	if (r == 0)
		r = registry_new(w->ts, &w->caps, target, &w->reg);
	if (r == 0)
		registry_options(w->reg, &c->opts);
	if (r == 0 && c->list)
		registry_list_only(w->reg);
	if (r < 0) {
		r = listener_fail(&c->to, r, "%s: %s",
				  c->as_dtrace ? "failed to initialize dtrace"
				  : c->list    ? "cannot list probes"
					       : "cannot trace",
				  err.msg[0] ? err.msg : strerror(-r));
		err_done(&err);
		compile_done(w);
		return r;
	}
	return 0;
}

void compile_done(struct compile_session *w)
{
	registry_free(w->reg);
	sym_free(w->sym);
	typesrc_free(w->ts);
	free(w->units);
	free(w->arg_used);
	*w = (struct compile_session){ 0 };
}

/* Where in a one-liner the mistake is, in DTrace's words. */
static const char *region(const struct source *src, uint32_t off)
{
	const char *brace = memchr(src->text, '{', src->len);
	const char *slash = memchr(src->text, '/', src->len);

	if (brace && strspn(brace + 1, " \t") + 1 == off - (size_t)(brace - src->text))
		return ""; /* the first word of the list: DTrace has not seen yet that it is one */
	if (brace && off >= (size_t)(brace - src->text))
		return "in action list: ";
	if (slash && (!brace || slash < brace) && off > (size_t)(slash - src->text))
		return "in predicate: ";
	return "";
}

static const struct prog_text *prog_of(const struct request *c, const struct diag *g)
{
	for (size_t i = 0; i < c->progs.n; i++)
		if (g->at.src == &c->progs.v[i].src)
			return &c->progs.v[i];
	return c->progs.n ? &c->progs.v[0] : NULL;
}

/* A description that is too long is quoted as it was typed, without the colons that -P, -m or -f added. */
static void quote_typed(struct strb *b, const char *tail)
{
	static const char after[] = "\": Overspecified";
	char *end = strstr(strb_str(b), after);
	size_t n = strlen(tail);

	if (!n || !end || (size_t)(end - b->s) < n || memcmp(end - n, tail, n) != 0)
		return;
	memmove(end - n, end, strlen(end) + 1);
	b->n -= n;
}

static void print_diag(const struct request *c, const struct diag *g)
{
	const struct prog_text *p = prog_of(c, g);
	struct strb b = { 0 };
	const char *text, *end;

	diag_format(&b, g, c->opts.errtags);
	if (p)
		quote_typed(&b, prog_tail(p->kind));
	text = strb_str(&b);
	end = c->terse ? strstr(text, g->msg) : NULL;
	if (end) /* without the source line, the caret and the hint; message and program may have several lines */
		b.s[b.n = (size_t)(end - text) + strlen(g->msg)] = '\0';
	if (b.n && b.s[b.n - 1] == '\n')
		b.s[--b.n] = '\0';
	if (g->sev != SEV_ERROR && p && p->kind == PROG_SCRIPT) {
		listener_msg(&c->to, "script %s: %s", p->arg, text);
	} else if (g->sev != SEV_ERROR || !p) {
		listener_msg(&c->to, "%s", text);
	} else if (p->kind == PROG_SCRIPT && !c->as_dtrace) {
		listener_msg(&c->to, "%s: %s", p->arg, text);
	} else if (p->kind == PROG_SCRIPT) {
		listener_msg(&c->to, "failed to compile script %s: %s", p->arg, text);
	} else {
		/* one line: "in action list: …" instead of "line 1: …" */
		const char *line = strstr(text, "line 1: ");
		int head = line ? (int)(line - text) : 0;
		bool cut = line && line - text < 64;

		if (!c->as_dtrace) /* the source line follows */
			listener_msg(&c->to, "%.*s%s", cut ? head : 0, text, cut ? line + 8 : text);
		else
			listener_msg(&c->to, "invalid probe specifier %s: %.*s%s%s", p->arg, cut ? head : 0, text,
				     g->at.src ? region(&p->src, g->at.off) : "", cut ? line + 8 : text);
	}
	strb_free(&b);
}

static void put_choices(struct jsonw *j, const struct diag_choice *first)
{
	if (!first)
		return;
	jsonw_array(j, "choices");
	for (const struct diag_choice *h = first; h; h = h->next) {
		jsonw_object(j, NULL);
		jsonw_str(j, "name", h->name);
		jsonw_str(j, "type", h->type);
		jsonw_end_object(j);
	}
	jsonw_end_array(j);
}

/* The same for programs: a line of JSON. */
static void print_json(const struct request *c, const struct diag *g)
{
	static const char *const severities[] = {
		[SEV_NOTE] = "note", [SEV_WARNING] = "warning", [SEV_ERROR] = "error"
	};
	_cleanup_(strb_free) struct strb b = { 0 };
	const struct prog_text *p = prog_of(c, g);
	struct jsonw j = jsonw_to(&b);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "diagnostic");
	jsonw_str(&j, "severity", severities[g->sev]);
	jsonw_str(&j, "tag", g->tag);
	if (g->at.src) {
		struct position at = source_position(g->at.src, g->at.off);

		if (p && g->at.src == &p->src)
			jsonw_u64(&j, "program", (uint64_t)(p - c->progs.v));
		jsonw_strn(&j, "source", at.file, at.file_len);
		jsonw_u64(&j, "line", at.line);
		jsonw_u64(&j, "column", at.col);
		jsonw_u64(&j, "length", g->at.len);
	}
	jsonw_str(&j, "message", g->msg);
	if (g->hint)
		jsonw_str(&j, "hint", g->hint);
	put_choices(&j, g->choices);
	jsonw_end_object(&j);
	jsonw_line(&j);
	c->to.json(c->to.ctx, strb_str(&b));
}

void compile_report(const struct request *c, const struct diag *g)
{
	if (c->to.diag)
		c->to.diag(c->to.ctx, g);
	if (c->to.json && !strcmp(c->opts.oformat, "json"))
		print_json(c, g);
}

/* dtrace(1) has no such messages. */
static bool is_hushed(const struct request *c, const struct diag *g)
{
	return c->terse && (!strcmp(g->tag, D_SILENT) || !strcmp(g->tag, D_CUT));
}

int compile_print(const struct request *c, const struct diags *d)
{
	unsigned shown = 0;

	for (const struct diag *g = d->first; g; g = g->next) {
		if (is_hushed(c, g) || (c->terse && g->sev == SEV_ERROR && shown))
			continue;
		compile_report(c, g);
		print_diag(c, g);
		shown += g->sev == SEV_ERROR;
	}
	if (d->nerrors - d->nsame > shown && !c->terse)
		listener_msg(&c->to, "%u more errors", d->nerrors - d->nsame - shown);
	return d->nerrors ? -EINVAL : 0;
}

static int find_ksym(void *ctx, const char *module, const char *name, uint64_t *ret)
{
	return sym_kernel_find(ctx, module, name, ret);
}

/* The end of a function is where another symbol begins. */
static int ksym_range(void *ctx, const char *name, uint64_t *ret_start, uint64_t *ret_end)
{
	struct symbol s;
	uint64_t a;

	if (sym_kernel_find(ctx, NULL, name, &a) < 0)
		return -ENOENT;
	*ret_start = a;
	for (*ret_end = a + 1; *ret_end < a + KFUNC_MAX; ++*ret_end)
		if (!sym_kernel(ctx, *ret_end, &s) || s.addr != a)
			break;
	return 0;
}

static void fill_macros(struct macro_env *m, const struct compile_session *w, struct request *c, long target)
{
	c->params.given = c->given.v;
	c->params.ngiven = c->given.n;
	*m = (struct macro_env){
		.pid = getpid(),
		.ppid = getppid(),
		.uid = getuid(),
		.euid = geteuid(),
		.gid = getgid(),
		.egid = getegid(),
		.pgid = getpgrp(),
		.sid = getsid(0),
		.target = target,
		.argv = c->argv,
		.argc = c->argc,
		.used = w->arg_used,
		.params = &c->params,
	};
}

/* After the last program, which may have set the option: what the flight recorder sees. */
static void add_flight(struct request *c, size_t i)
{
	struct prog_text p = { .kind = PROG_SCRIPT, .own = true };

	if (!c->opts.flight || c->progs.v[i].own || i + 1 < c->progs.n)
		return;
	p.arg = arena_printf(c->arena, "%s/latency/flight.d", libs_dir(c->arena));
	vec_push(&c->progs, p);
}

/* The environment that parsing and checking share. */
static struct compile_env make_env(const struct compile_session *w, struct request *c, const struct ksym_source *ksyms,
				   const struct macro_env *macros)
{
	return (struct compile_env){ .ts = w->ts,
				     .probes = registry_source(w->reg),
				     .ksyms = ksyms,
				     .cgroups = &cgroupid_source,
				     .macros = macros,
				     .opts = &c->opts,
				     .libs = w->libs };
}

/* An administrator who raised perf_event_max_stack wants deeper stacks: the default follows it. */
static void allow_frames(struct dopts *o)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	int n;

	if (o->maxframes == OPTIONS_MAXFRAMES && f && fscanf(f, "%d", &n) == 1 && n > OPTIONS_MAXFRAMES)
		o->maxframes = n < OPTIONS_FRAMES_MAX ? n : OPTIONS_FRAMES_MAX;
}

int compile_parse(struct compile_session *w, struct request *c, long target)
{
	struct ksym_source ks = { .ctx = w->sym, .find = find_ksym };
	struct macro_env macros = { 0 };
	struct compile_env env = make_env(w, c, &ks, &macros);
	struct diags d;
	unsigned before;
	int r;

	allow_frames(&c->opts);
	diags_init(&d, c->arena);
	w->units = calloc(c->progs.n + 2, sizeof(*w->units)); /* one for add_flight() */
	w->arg_used = calloc((size_t)c->argc + 1, sizeof(*w->arg_used));
	if (!w->units || !w->arg_used)
		return listener_fail(&c->to, -ENOMEM, "out of memory");
	w->zdefs = c->opts.zdefs;
	for (size_t i = 0; i < c->progs.n; i++) {
		r = prog_load(c, &c->progs.v[i]);
		if (r)
			return r;
		fill_macros(&macros, w, c, target);
		env.script = c->progs.v[i].kind == PROG_SCRIPT;
		before = d.nerrors;
		r = lang_parse(c->arena, &c->progs.v[i].src, &env, &d, &w->units[i]);
		if (r < 0 && before == 0)
			lang_check_before(c->arena, w->units, i + 1, &env, &d);
		add_flight(c, i);
	}
	libs_print_warnings(w, c);
	r = compile_print(c, &d);
	if (r == 0 && !c->list && !c->compile_only) /* nothing runs otherwise, and so needs no rights */
		r = needs_check(w, c);
	return r ? r : params_check(c);
}

/* The last script argument must be used, as in DTrace; unless -x argref. */
static void check_args_used(const struct compile_session *w, const struct request *c, struct diags *d)
{
	const struct source *src = &c->progs.v[0].src;
	struct span end = { .src = src, .off = (uint32_t)src->len };
	const struct param *first = c->params.first;
	int last = c->argc - 1;
	struct diag *g;

	if (last <= 0 || w->arg_used[last] || c->opts.argref)
		return;
	g = diag_error(d, end, "D_MACRO_UNUSED", "extraneous argument '%s' ($%d is not referenced)", c->argv[last],
		       last);
	if (first)
		diag_hint(d, g, "parameters are given by name, such as --%s %s", first->name, c->argv[last]);
}

int compile_args_used(const struct compile_session *w, const struct request *c)
{
	struct diags d;

	diags_init(&d, c->arena);
	check_args_used(w, c, &d);
	return compile_print(c, &d);
}

/* -x tree: 1 the program as it was parsed, 2 with its types. */
static void print_trees(const struct compile_session *w, const struct request *c)
{
	struct strb b = { 0 };

	for (size_t i = 0; i < c->progs.n && (c->opts.tree & 1); i++)
		ast_dump(&b, w->units[i]);
	if (c->opts.tree & 2)
		dprog_dump(&b, w->prog);
	if (b.n && c->to.text)
		c->to.text(c->to.ctx, strb_str(&b));
	strb_free(&b);
}

/* -x ctypes, dtypes */
static int write_types(const struct compile_session *w, const struct listener *to, const char *path, bool kernel)
{
	_cleanup_fclose_ FILE *f = path[0] ? fopen(path, "we") : NULL;
	struct strb b = { 0 };
	bool ok;

	if (!path[0])
		return 0;
	if (!f)
		return listener_fail(to, -errno, "failed to open %s: %s", path, strerror(errno));
	dtypes_dump(w->prog->types, kernel, &b);
	ok = (!b.n || fwrite(b.s, 1, b.n, f) == b.n) && fflush(f) == 0;
	strb_free(&b);
	return ok ? 0 : listener_fail(to, -errno, "failed to write %s: %s", path, strerror(errno));
}

int compile_check(struct compile_session *w, struct request *c, long target)
{
	struct ksym_source ks = { .ctx = w->sym, .find = find_ksym };
	struct macro_env macros = { 0 };
	struct compile_env env = make_env(w, c, &ks, &macros);
	struct diags d;
	int r;

	env.zdefs = w->zdefs;
	diags_init(&d, c->arena);
	check_args_used(w, c, &d);
	r = compile_print(c, &d);
	if (r < 0)
		return r;
	fill_macros(&macros, w, c, target);
	r = lang_check(c->arena, w->units, c->progs.n, &env, &d, &w->prog);
	libs_print_warnings(w, c);
	if (compile_print(c, &d) || r < 0) {
		needs_explain(w, c, &d);
		return -EINVAL;
	}
	r = check_wanted_used(w, c, &env);
	if (r)
		return r;
	print_trees(w, c);
	r = write_types(w, &c->to, c->opts.ctypes, true);
	return r ? r : write_types(w, &c->to, c->opts.dtypes, false);
}

int compile_image(struct compile_session *w, struct request *c, long target)
{
	struct diags d;
	int r = compile_check(w, c, target);

	if (r)
		return r;
	diags_init(&d, c->arena);
	if (w->prog->has_loops)
		caps_loops(&w->caps);
	w->cg = (struct cg_env){ .caps = &w->caps,
				 .entry = registry_entry,
				 .ctx = w->reg,
				 .self_tgid = (uint32_t)getpid(),
				 .page = (uint32_t)sysconf(_SC_PAGESIZE),
				 .ts = w->ts,
				 .ksym_range = ksym_range,
				 .ksym_ctx = w->sym };
	r = cg_compile(c->arena, w->prog, &w->cg, &d, &w->image);
	libs_print_warnings(w, c);
	if (compile_print(c, &d)) {
		needs_explain(w, c, &d);
		return -EINVAL;
	}
	return r < 0 ? listener_fail(&c->to, r, "failed to compile: %s", strerror(-r)) : 0;
}
