/* SPDX-License-Identifier: Apache-2.0 */
/* Provider pidN: entry, return, every instruction and every line of the functions of process N.
 * Source: DTrace guide, "pid Provider"; the order in which things are refused, and the words, as in
 * Oracle's DTrace for Linux. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lang/errtag.h"
#include "prov/user/uproc.h"
#include "sym/elf/insn.h"

#define PID_DIGITS 9 /* of a process id, at most */

/* One description while it is matched. */
struct matching {
	struct prov_env *env;
	struct arena *a;
	const struct pdesc *d;
	struct probe_list *out;
	struct uproc *p;
	const char *tag, *reason; /* of the first error */
	bool module_found, stop;
	bool everyone; /* functions in all processes: a file that lacks one is no error if another has it */
};

static bool is_glob(const char *s)
{
	return !pdesc_is_exact(s);
}

static void fail(struct matching *m, const char *tag, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void fail(struct matching *m, const char *tag, const char *fmt, ...)
{
	va_list ap;

	if (m->reason)
		return;
	va_start(ap, fmt);
	m->reason = arena_vprintf(m->a, fmt, ap);
	va_end(ap);
	m->tag = tag;
	m->stop = !m->everyone;
}

/* "pid123", or a pattern that "pid" and a number fit: "p*d123". */
static bool parse_pid(struct arena *a, const char *prov, int *ret)
{
	size_t n = strlen(prov), k = n;

	while (k > 0 && prov[k - 1] >= '0' && prov[k - 1] <= '9')
		k--;
	if (k == n || n - k > PID_DIGITS || !pdesc_glob(arena_printf(a, "%.*s", (int)k, prov), "pid"))
		return false;
	*ret = atoi(prov + k);
	return *ret > 0;
}

static void add(struct matching *m, struct uproc_obj *o, const struct ufunc *f, enum upoint_kind kind, uint64_t off,
		const char *name)
{
	struct upoint at = { .kind = kind,
			     .proc = m->p,
			     .obj = o->o,
			     .off = off,
			     .file = o,
			     .addr = f ? f->addr : 0,
			     .machine = o->funcs ? o->funcs->machine : 0,
			     .everyone = m->everyone };
	const char *prov = m->everyone ? "pid*" : m->p->prov;
	struct probe *p = uproc_probe(m->env, m->a, &at, prov, f ? f->name : "-", name);

	if (p)
		prov_list_add(m->a, m->out, p);
}

static int instructions(const struct uproc_obj *o, const struct ufunc *f, uint32_t **ret, size_t *n,
			const char **reason)
{
	_cleanup_free_ uint8_t *code = NULL;
	int r = ufunc_code(o->o, f, &code);

	return r < 0 ? r : insn_offsets(o->funcs->machine, code, f->size, ret, n, reason);
}

/* Probes at instructions whose offset, in hexadecimal, matches. */
static void add_offsets(struct matching *m, struct uproc_obj *o, const struct ufunc *f)
{
	_cleanup_free_ uint32_t *offs = NULL;
	const char *reason = NULL;
	size_t n = 0;
	char hex[16];
	int r = instructions(o, f, &offs, &n, &reason);

	if (r < 0) {
		if (!is_glob(m->d->name))
			fail(m, D_PROC_OFF, "cannot find the instructions of '%s': %s", f->name,
			     reason ? reason : strerror(-r));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		snprintf(hex, sizeof(hex), "%x", offs[i]);
		if (pdesc_glob(m->d->name, hex))
			add(m, o, f, UP_OFFSET, f->off + offs[i], arena_strdup(m->env->cache->arena, hex));
	}
}

static void match_offset(struct matching *m, struct uproc_obj *o, const struct ufunc *f)
{
	size_t before = m->out->n;
	unsigned long long off;
	struct pdesc canonical = *m->d;
	const struct pdesc *d = m->d;
	char *end;

	off = strtoull(d->name, &end, 16);
	if (*end || !*d->name || strchr("+- \t", d->name[0])) {
		fail(m, D_PROC_NAME, "'%s' is an invalid probe name", d->name);
		return;
	}
	if (off >= f->size) {
		fail(m, D_PROC_OFF, "offset 0x%llx outside of function '%s'", off, f->name);
		return;
	}
	canonical.name = arena_printf(m->a, "%llx", off); /* "0x1C" and "01c" are 1c */
	m->d = &canonical;
	add_offsets(m, o, f);
	m->d = d;
	if (m->out->n == before && !m->reason)
		fail(m, D_PROC_OFF, "offset 0x%llx of function '%s' is inside of an instruction", off, f->name);
}

/* The kernel puts another return address on the stack, which the Go runtime finds there when it moves the stack, and
 * ends the program ("unexpected return pc"). */
static void add_return(struct matching *m, struct uproc_obj *o, const struct ufunc *f)
{
	if (!o->funcs->go)
		add(m, o, f, UP_RETURN, f->off, "return");
	else if (!is_glob(m->d->name))
		fail(m, D_PROC_NAME,
		     "%s is a Go program, and a return probe would crash it: it changes return addresses, and Go's "
		     "runtime reads them when it moves a stack; probe entry, or the offset of a ret instruction",
		     o->o->path);
}

static void match_func(struct matching *m, struct uproc_obj *o, const struct ufunc *f)
{
	const char *name = m->d->name;
	bool any = false;

	if (pdesc_glob(name, "return")) {
		add_return(m, o, f);
		any = true;
	}
	if (pdesc_glob(name, "entry")) {
		add(m, o, f, UP_ENTRY, f->off, "entry");
		any = true;
	}
	if (is_glob(name))
		add_offsets(m, o, f);
	else if (!any)
		match_offset(m, o, f);
}

/* Functions by glob: one name of each address. DTrace leaves out _init and _fini. */
static void match_funcs(struct matching *m, struct uproc_obj *o)
{
	const struct ufuncs *fs = o->funcs;
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; i < fs->n && !m->stop; i++) {
		const struct ufunc *f = &fs->v[i];

		if (f->addr == last || !strcmp(f->name, "_init") || !strcmp(f->name, "_fini") ||
		    !pdesc_glob(m->d->func, f->name))
			continue;
		last = f->addr;
		match_func(m, o, f);
	}
}

/* "-": the name is an address of the program as it was linked. */
static void match_absolute(struct matching *m, struct uproc_obj *o)
{
	const char *name = m->d->name;
	struct uobj_file file;
	unsigned long long addr;
	const struct ufunc *f;
	uint64_t off = 0;
	char *end;
	int r;

	addr = strtoull(name, &end, 16);
	if (*end || strchr("+- \t", name[0])) {
		fail(m, D_PROC_NAME, "'%s' is an invalid probe name", name);
		return;
	}
	r = uobj_open(o->o, &file);
	if (r == 0) {
		r = uobj_code_off(&file.elf, addr, &off);
		uobj_close(&file);
	}
	f = r == 0 && o->funcs ? ufuncs_at(o->funcs, off) : NULL;
	if (!f) {
		fail(m, D_PROC_OFF, "there is no known function at address 0x%llx of '%s'", addr, o->o->name);
		return;
	}
	size_t before = m->out->n;
	struct pdesc within = *m->d;
	const struct pdesc *d = m->d;
	struct probe_list own = *m->out;

	within.name = arena_printf(m->a, "%llx", (unsigned long long)(off - f->off));
	m->d = &within;
	add_offsets(m, o, f);
	m->d = d;
	if (m->out->n == before) {
		fail(m, D_PROC_OFF, "address 0x%llx of '%s' is inside of an instruction", addr, o->o->name);
		return;
	}
	own = *m->out;
	own.v[before]->func = "-";
	own.v[before]->name = arena_printf(m->env->cache->arena, "%llx", addr);
}

struct matching_lines {
	struct matching *m;
	struct uproc_obj *o;
	size_t elsewhere; /* places in functions that are not meant */
	/* Statements of a function mostly follow each other: its instructions are read once. */
	const struct ufunc *f;
	uint32_t *offs;
	size_t n;
};

static bool begins_at(struct matching_lines *l, const struct ufunc *f, uint64_t off)
{
	const char *reason;

	if (f != l->f) {
		free(l->offs);
		l->offs = NULL;
		l->f = f;
		if (instructions(l->o, f, &l->offs, &l->n, &reason) < 0)
			l->n = 0;
	}
	for (size_t i = 0; i < l->n; i++)
		if (f->off + l->offs[i] == off)
			return true;
	return false;
}

/* The line table is the compiler's word. Whether an instruction begins there is checked. */
static void add_line(void *arg, const struct uline *l)
{
	struct matching_lines *ml = arg;
	struct matching *m = ml->m;
	const struct ufunc *f = ufuncs_at(ml->o->funcs, l->off);
	struct upoint at = { .kind = UP_LINE,
			     .proc = m->p,
			     .obj = ml->o->o,
			     .off = l->off,
			     .line = l->line,
			     .file = ml->o,
			     .machine = ml->o->funcs->machine,
			     .everyone = m->everyone };
	struct probe *p;

	if (!f || !pdesc_glob(m->d->func, f->name)) {
		ml->elsewhere++;
		return;
	}
	if (!begins_at(ml, f, l->off))
		return;
	p = uproc_probe(m->env, m->a, &at, m->everyone ? "pid*" : m->p->prov, f->name, l->name);
	if (p)
		prov_list_add(m->a, m->out, p);
}

/* "load.c@14": all places where a statement of the line begins. */
static void match_lines(struct matching *m, struct uproc_obj *o)
{
	struct matching_lines ml = { .m = m, .o = o };
	size_t before = m->out->n;
	const char *near = NULL;
	int r = ulines_each(m->env, m->p, o, m->d->name, add_line, &ml, &near);

	free(ml.offs);
	if (m->out->n > before || is_glob(m->d->mod))
		return;
	if (r == -ENODATA)
		fail(m, D_PROC_OFF, "%s has no debug information, which tells the lines", o->o->path);
	else if (r < 0)
		fail(m, D_PROC_OFF, "cannot read the lines of '%s': %s", o->o->path, strerror(-r));
	else if (ml.elsewhere)
		fail(m, D_PROC_OFF, "no statement of %s is in function '%s'", m->d->name, m->d->func ? m->d->func : "");
	else if (near)
		fail(m, D_PROC_OFF, "no statement begins at %s; the nearest ones: %s", m->d->name, near);
	else
		fail(m, D_PROC_OFF, "'%s' has no source file like that of %s", o->o->path, m->d->name);
}

/* -- inlined copies -- */

struct matching_copies {
	struct matching *m;
	struct uproc_obj *o;
	uint32_t n;
	bool add;
};

static void add_copy(void *arg, const struct uline *l)
{
	struct matching_copies *mc = arg;
	struct matching *m = mc->m;
	const struct ufunc *in = ufuncs_at(mc->o->funcs, l->off);
	struct arena *a = m->env->cache->arena;
	struct upoint at = { .kind = UP_COPY,
			     .proc = m->p,
			     .obj = mc->o->o,
			     .off = l->off,
			     .line = ++mc->n,
			     .file = mc->o,
			     .machine = mc->o->funcs->machine,
			     .everyone = m->everyone };
	struct probe *p;

	if (!mc->add)
		return;
	at.note = arena_printf(a, "inlined in %s%s%s", in ? in->name : "?", l->name ? ", " : "",
			       l->name ? l->name : "");
	p = uproc_probe(m->env, m->a, &at, m->everyone ? "pid*" : m->p->prov, arena_strdup(a, m->d->func), "entry");
	if (p)
		prov_list_add(m->a, m->out, p);
}

static bool is_library(const struct uproc_obj *o)
{
	const char *slash = strrchr(o->o->path, '/');

	return strstr(slash ? slash : o->o->path, ".so") != NULL;
}

/* A function that is named exactly is also probed in its inlined copies. A pattern is not: all debug information would
 * be read for each of many functions, which takes minutes. Nor is a function of a library that has code of its own. All
 * programs have libraries, and to read the debug information of the C library takes 1.5 s. */
static void match_exact(struct matching *m, struct uproc_obj *o)
{
	const char *func = m->d->func, *name = m->d->name ? m->d->name : "";
	const struct ufunc *f = ufuncs_find(o->funcs, func);
	struct matching_copies mc = { .m = m, .o = o, .add = !strcmp(name, "entry") };
	int r = 0;

	if (f)
		match_func(m, o, f);
	if (!f || (mc.add && !is_library(o)))
		r = ulines_copies(m->env, m->p, o, func, add_copy, &mc);
	if (f || (mc.add && mc.n) || is_glob(m->d->mod))
		return;
	if (mc.n)
		fail(m, D_PROC_NAME,
		     "'%s' is inlined in each of its %u places in '%s', which have an entry only; "
		     "a line of it can be probed, too: FILE@LINE",
		     func, mc.n, m->d->mod);
	else
		fail(m, D_PROC_FUNC, "failed to lookup '%s' in module '%s'%s", func, m->d->mod,
		     r == -ENODATA ? "; it has no debug information, which tells inlined functions" : "");
}

static void match_module(struct matching *m, struct uproc_obj *o)
{
	const char *func = m->d->func;

	m->module_found = true;
	if (!uproc_funcs(m->env, m->p, o)) {
		if (!is_glob(m->d->mod))
			fail(m, D_PROC_LIB, "cannot read the symbols of '%s': %s", o->o->path,
			     strerror(-o->funcs_error));
		return;
	}
	if (m->d->name && strchr(m->d->name, '@')) {
		match_lines(m, o);
		return;
	}
	if (is_glob(func)) {
		match_funcs(m, o);
		return;
	}
	if (!strcmp(func, "-") && !ufuncs_find(o->funcs, func))
		match_absolute(m, o);
	else
		match_exact(m, o);
}

bool upid_is_everyone(const char *prov)
{
	return !strcmp(prov, "pid*");
}

bool uproc_module_matches(const char *pat, const struct uobj *o)
{
	const char *so = strstr(o->name, ".so");
	size_t n = strlen(pat);

	if (pat[0] == '/')
		return pdesc_glob(pat, o->path);
	if (pdesc_glob(pat, o->name) || (o->is_exe && pdesc_glob(pat, "a.out")))
		return true;
	return so && is_glob(pat) == false && !strncmp(pat, o->name, n) && (o->name + n == so || o->name + n == so + 3);
}

/* Checks a description with "-" before anything is looked up. */
static bool check_absolute(struct matching *m)
{
	const struct pdesc *d = m->d;

	if (!d->func || strcmp(d->func, "-") != 0)
		return true;
	if (d->mod && (is_glob(d->mod) || !m->p->nobjs || !uproc_module_matches(d->mod, m->p->objs[0]->o))) {
		fail(m, D_PROC_LIB, "only the a.out module is valid with the '-' function");
		return false;
	}
	if (is_glob(d->name)) {
		fail(m, D_PROC_NAME, "only individual addresses may be specified with the '-' function");
		return false;
	}
	return true;
}

static void match_process(struct matching *m)
{
	bool absolute = m->d->func && !strcmp(m->d->func, "-");

	if (!check_absolute(m))
		return;
	for (size_t i = 0; i < m->p->nobjs && !m->stop; i++) {
		struct uproc_obj *o = m->p->objs[i];

		if (absolute ? o->o->is_exe : uproc_module_matches(m->d->mod ? m->d->mod : "*", o->o))
			match_module(m, o);
	}
	if (!m->module_found && !m->reason && m->d->mod && !absolute)
		for (size_t i = uproc_find_later(m->env, m->p, m->d->mod); i < m->p->nobjs && !m->stop; i++)
			match_module(m, m->p->objs[i]);
	if (!m->module_found && !m->reason && m->d->mod && !is_glob(m->d->mod))
		m->reason = arena_printf(m->a, "process %s has no module %s", m->p->prov + 3, m->d->mod);
}

static void match_file(void *arg, struct uproc *p, struct uproc_obj *o)
{
	struct matching *m = arg;

	m->p = p;
	match_module(m, o);
}

/* Functions of files, in all processes that run them. */
static void match_everyone(struct matching *m)
{
	const struct pdesc *d = m->d;
	struct probe_list *out = m->out;
	size_t first = out->n;

	m->everyone = true;
	if ((is_glob(d->func) && is_glob(d->name) && !(d->name && strchr(d->name, '@'))) ||
	    (d->func && !strcmp(d->func, "-")) || !d->mod || !d->mod[0]) {
		fail(m, D_PROC_LIB, "pid* needs a file and a function: pid*:libc.so.6:malloc:entry");
		return;
	}
	uproc_each_file(m->env, d->mod, match_file, m);
	if (!m->module_found)
		fail(m, D_PROC_LIB, "no process has a file %s, and none is found by that name", d->mod);
	if (m->env->opts && !m->env->listing && !m->env->past && (out->n > first || m->env->opts->zdefs))
		prov_list_add(m->a, out, ulater_model(m->env, m->a, d));
	if (out->n > first)
		m->tag = m->reason = NULL;
}

void pid_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out, .everyone = true };
	struct ulater *l = uproc_ulater(env);
	const struct uproc *p = l->proc;
	struct uproc_obj *o;

	if (!uproc_module_matches(d->mod, l->obj->o))
		return;
	o = uproc_this_file(env, p, l->obj, &p);
	m.p = (struct uproc *)p; /* nothing is added to it */
	match_module(&m, o);
	ulater_only_new(env, out);
	prov_list_sort(out, 0);
}

static int pid_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		     const char **reason)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out };
	struct err err = { 0 };
	size_t first = out->n;
	int pid = 0;

	if (!d->prov || (!upid_is_everyone(d->prov) && !parse_pid(a, d->prov, &pid)))
		return 0;
	if (upid_is_everyone(d->prov))
		match_everyone(&m);
	else if (pid == getpid())
		fail(&m, D_PROC_DYN, "process %d is dtrace itself", pid);
	else if (uproc_get(env, pid, &m.p, &err) < 0)
		fail(&m, D_PROC_GRAB, "%s", err.msg);
	else
		match_process(&m);
	err_done(&err);
	if (is_glob(d->prov) && !m.everyone) /* other providers may have what it means */
		m.tag = m.reason = NULL;
	if (m.tag)
		out->n = first;
	if (out->n > first)
		prov_list_sort(out, first);
	else if (m.reason) {
		out->tag = m.tag;
		if (reason)
			*reason = m.reason;
	}
	return 0;
}

static int pid_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	const struct upoint *at = p->priv;

	p->args_known = true;
	if (at && (at->kind == UP_ENTRY || at->kind == UP_RETURN))
		utypes_args(env, a, p); /* without debug information there are none */
	return 0;
}

static int pid_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		     const char **reason)
{
	static const char *const targets[] = {
		[UP_ENTRY] = "entry", [UP_RETURN] = "return", [UP_OFFSET] = "offset",
		[UP_LINE] = "line",   [UP_COPY] = "copy",
	};
	const struct upoint *at = p->priv;

	(void)a;
	if (p->later) {
		*ret = (struct entry){ .kind = ENTRY_UPROBE, .target = "entry", .cpu = -1 };
		ulater_entry(ret);
		return uproc_caps(env, &ret->uprobe_multi, reason);
	}
	*ret = (struct entry){ .kind = ENTRY_UPROBE,
			       .target = targets[at->kind],
			       .cpu = -1,
			       .instance = 1u + at->machine,
			       .is_return = at->kind == UP_RETURN };
	if (at->kind == UP_ENTRY)
		uregs_entry(at->machine, ret);
	else if (at->kind == UP_RETURN)
		uregs_return(at->machine, ret);
	return uproc_caps(env, &ret->uprobe_multi, reason);
}

const struct provider prov_pid = {
	.name = "pid",
	.of_processes = true,
	.id_base = PROV_ID_PID,
	.id_count = PROV_N_PID,
	.match = pid_match,
	.by_id = uproc_by_id,
	.args = pid_args,
	.entry = pid_entry,
	.attach = uproc_attach,
};
