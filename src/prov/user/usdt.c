/* SPDX-License-Identifier: Apache-2.0 */
/* Implements static probes of programs and libraries (USDT). Finds them in the notes of their files. The
 * provider's name is that of the note followed by the number of the process. Source: DTrace guide, "Statically
 * Defined Tracing for User Applications". */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lang/later.h"
#include "prov/user/sdtargs.h"
#include "prov/user/uproc.h"

struct matching {
	struct prov_env *env;
	struct arena *a;
	const struct pdesc *d;
	struct probe_list *out;
	bool everyone; /* probes for all processes, see match_everyone() */
};

static void add(struct matching *m, const struct uproc *p, struct uproc_obj *o, const struct usdt *u, const char *prov)
{
	struct upoint at = {
		.kind = UP_USDT,
		.proc = p,
		.obj = o->o,
		.file = o,
		.machine = o->funcs ? o->funcs->machine : 0,
		.off = u->v[0]->off,
		.ref_ctr = u->v[0]->sem_off,
		.usdt = u,
		.everyone = m->everyone,
	};
	struct probe *pr = uproc_probe(m->env, m->a, &at, arena_strdup(m->env->cache->arena, prov), u->func, u->name);

	if (pr)
		prov_list_add(m->a, m->out, pr);
}

static void match_object(struct matching *m, const struct uproc *p, struct uproc_obj *o)
{
	usdt_load(m->env, p, o);
	for (size_t i = 0; i < o->nusdt; i++) {
		const struct usdt *u = &o->usdt[i];
		char prov[STAPSDT_MAX_NAME + 16], all[STAPSDT_MAX_NAME + 2];

		if (snprintf(prov, sizeof(prov), "%s%s", u->prov, p->prov + 3) >= (int)sizeof(prov))
			continue;
		snprintf(all, sizeof(all), "%s*", u->prov);
		if (prov_match_names(m->d, prov, o->o->name, u->func, u->name) ||
		    (o->o->is_exe && prov_match_names(m->d, prov, "a.out", u->func, u->name)))
			add(m, p, o, u, m->everyone ? all : prov);
	}
}

/* Matches the probes of one file of a process. For everyone: of the file, in the name of the first process that had
 * it. */
static void match_file(struct matching *m, const struct uproc *p, struct uproc_obj *o)
{
	if (m->everyone)
		o = uproc_same_file(m->env, p, o, &p);
	if (usdt_has(m->env, o, NULL))
		match_object(m, p, o);
}

static void match_process(struct matching *m, int pid)
{
	struct err err = { 0 };
	struct uproc *p;
	int r = uproc_get(m->env, pid, &p, &err);
	size_t n = m->out->n;

	err_done(&err);
	for (size_t i = 0; r == 0 && i < p->nobjs; i++)
		match_file(m, p, p->objs[i]);
	if (r == 0 && m->out->n == n && m->d->mod && !m->everyone)
		for (size_t i = uproc_find_later(m->env, p, m->d->mod); i < p->nobjs; i++)
			match_file(m, p, p->objs[i]);
}

/* "abc12": process 2 with provider abc1, and process 12 with provider abc. */
static void match_numbered(struct matching *m, const char *prov)
{
	size_t n = strlen(prov), from = n;

	while (from > 0 && prov[from - 1] >= '0' && prov[from - 1] <= '9')
		from--;
	for (; from < n; from++) {
		const char *digits = prov + from;
		char path[32];

		if (from == 0 || digits[0] == '0' || strlen(digits) > 9)
			continue;
		snprintf(path, sizeof(path), "/proc/%s", digits);
		if (m->env->past || access(path, F_OK) == 0)
			match_process(m, atoi(digits));
	}
}

/* A pattern that may be any process: all of them are looked at. Their files are probed for all processes, so
 * that those which start or fork later are seen from their first instruction on. */
static void match_everyone(struct matching *m)
{
	DIR *dir = m->env->past ? NULL : opendir("/proc");
	struct dirent *e;

	m->everyone = !m->env->listing && m->d->prov[strlen(m->d->prov) - 1] == '*';
	for (size_t i = 0; m->env->past; i++) {
		int pid = m->env->past->each(m->env->past->ctx, i);

		if (!pid)
			break;
		match_process(m, pid);
	}
	while (dir && (e = readdir(dir))) {
		int pid = atoi(e->d_name);

		if (pid > 0 && pid != getpid())
			match_process(m, pid);
	}
	if (dir)
		closedir(dir);
}

/* The files that the user has named: no process needs to have them yet. */
static void match_files(struct matching *m, const char *patterns)
{
	size_t len;

	m->everyone = true;
	for (const char *s = patterns; *s; s += len + (s[len] == ':')) {
		glob_t g = { 0 };

		len = strcspn(s, ":");
		if (len && glob(arena_printf(m->a, "%.*s", (int)len, s), 0, NULL, &g) == 0)
			for (size_t i = 0; i < g.gl_pathc; i++) {
				struct uproc *p;

				if (uproc_of_path(m->env, g.gl_pathv[i], &p) == 0)
					match_file(m, p, p->objs[0]);
			}
		globfree(&g);
	}
}

/* Programs that no process has yet. Only where it does not turn what matches nothing into something: that stays an
 * error without -Z. */
static void match_commands(struct matching *m, size_t first)
{
	struct uproc *const *v;
	size_t n;

	if (m->env->listing || m->env->past || (m->out->n == first && !m->env->opts->zdefs))
		return;
	v = uproc_commands(m->env, &n);
	for (size_t i = 0; i < n; i++)
		match_file(m, v[i], v[i]->objs[0]);
}

/* May files that appear later have probes of this provider: "myapp*" in any process, "myapp123" in that one? */
static bool is_open(const struct prov_env *env, const struct pdesc *d)
{
	size_t n = strlen(d->prov);

	if (env->listing || !env->opts || env->past || !d->prov[n - 1])
		return false;
	return d->prov[n - 1] == '*' || (d->prov[n - 1] >= '0' && d->prov[n - 1] <= '9' && pdesc_is_exact(d->prov));
}

/* A file's probes were added for each process that has it. */
static void drop_repeated(struct probe_list *l, size_t first)
{
	size_t n = first + 1;

	for (size_t i = first + 1; i < l->n; i++)
		if (l->v[i]->id != l->v[n - 1]->id)
			l->v[n++] = l->v[i];
	l->n = n;
}

static int usdt_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		      const char **reason)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out };
	size_t first = out->n, n = strlen(d->prov);

	(void)reason;
	if (n == 0 || strchr("*?[", d->prov[0]) || !strncmp(d->prov, "pid", 3) || java_is_ours(d->prov))
		return 0;
	if (d->prov[n - 1] >= '0' && d->prov[n - 1] <= '9')
		match_numbered(&m, d->prov);
	else if (!pdesc_is_exact(d->prov))
		match_everyone(&m);
	if (env->opts && d->prov[n - 1] == '*') {
		match_files(&m, env->opts->usdtfiles);
		match_commands(&m, first);
	}
	if (out->n > first) {
		prov_list_sort(out, first);
		drop_repeated(out, first);
	}
	if (is_open(env, d) && (out->n > first || env->opts->zdefs))
		prov_list_add(a, out, ulater_model(env, a, d));
	return 0;
}

/* The number at the end of a provider's name is this process'. */
static bool is_of(const char *prov, int pid)
{
	char digits[16];
	size_t n = strlen(prov), k = (size_t)snprintf(digits, sizeof(digits), "%d", pid);

	return n > k && !strcmp(prov + n - k, digits);
}

void usdt_match_later(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out)
{
	struct matching m = { .env = env, .a = a, .d = d, .out = out, .everyone = d->prov[strlen(d->prov) - 1] == '*' };
	struct ulater *l = uproc_ulater(env);
	const struct uproc *p = l->proc;
	struct uproc *known;
	struct err err = { 0 };

	if (m.everyone) {
		struct uproc_obj *o = uproc_this_file(env, p, l->obj, &p);

		match_object(&m, p, o);
	} else if (is_of(d->prov, p->pid) && uproc_get(env, p->pid, &known, &err) == 0) {
		match_object(&m, known, uproc_add_file(env, known, l->obj));
	}
	err_done(&err);
	ulater_only_new(env, out);
	prov_list_sort(out, 0);
}

/* As the notes tell sizes and signs. The types of probes that are found later are not known yet: their arguments are
 * widened to 64 bits. */
static int usdt_fill_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	static const char *const types[2][9] = {
		{ [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t" },
		{ [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t" },
	};
	struct sdtarg v[SDTARGS_MAX];
	unsigned n = p->later ? SDTARGS_MAX : usdt_args(env, p->priv, v);
	struct probe_arg *args = arena_new_arr(a, struct probe_arg, n + 1);

	for (unsigned i = 0; i < n; i++)
		args[i].ctype = p->later ? LATER_ARG_TYPE : types[v[i].is_signed][v[i].size];
	p->args = args;
	p->nargs = n;
	p->args_known = true;
	return 0;
}

static int usdt_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		      const char **reason)
{
	struct sdtarg v[SDTARGS_MAX];

	(void)a;
	*ret = (struct entry){ .kind = ENTRY_UPROBE, .target = "usdt", .cpu = -1 };
	if (p->later) {
		ulater_entry(ret);
		return uproc_caps(env, &ret->uprobe_multi, reason);
	}
	ret->nargs = usdt_args(env, p->priv, v);
	for (unsigned i = 0; i < ret->nargs; i++)
		ret->args[i] = v[i].loc;
	return uproc_caps(env, &ret->uprobe_multi, reason);
}

const struct provider prov_usdt = {
	.name = "usdt",
	.of_processes = true,
	.id_base = PROV_ID_PID,
	.id_count = 0, /* its ids are among those of pid */
	.match = usdt_match,
	.by_id = uproc_by_id,
	.args = usdt_fill_args,
	.entry = usdt_entry,
	.attach = uproc_attach,
};
