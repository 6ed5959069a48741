/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files that a module's name stands for in all processes. These are the files that each process maps, in
 * whatever mount namespace, and those that a process would find here by that name. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "prov/user/uproc.h"

struct walk_files {
	struct prov_env *env;
	const char *module, *real; /* the same path without links, or NULL */
	void (*fn)(void *arg, struct uproc *p, struct uproc_obj *o);
	void *arg;
	VEC(struct uproc_obj *) seen;
};

static void one_file(struct walk_files *w, struct uproc *p, struct uproc_obj *o)
{
	const struct uproc *first;

	o = uproc_same_file(w->env, p, o, &first);
	for (size_t i = 0; i < w->seen.n; i++)
		if (w->seen.v[i] == o)
			return;
	if (vec_try_push(&w->seen, o) == 0)
		w->fn(w->arg, (struct uproc *)first, o);
}

static void files_of_process(struct walk_files *w, int pid)
{
	struct err err = { 0 };
	struct uproc *p;

	if (uproc_get(w->env, pid, &p, &err) == 0)
		for (size_t i = 0; i < p->nobjs; i++)
			if (uproc_module_matches(w->module, p->objs[i]->o) ||
			    (w->real && uproc_module_matches(w->real, p->objs[i]->o)))
				one_file(w, p, p->objs[i]);
	err_done(&err);
}

/* Files that nobody has mapped yet. */
static void files_by_name(struct walk_files *w)
{
	struct uobj *v;
	struct uproc *p;
	size_t n;

	if (w->module[0] == '/') {
		if (uproc_of_path(w->env, w->module, &p) == 0)
			one_file(w, p, p->objs[0]);
		return;
	}
	n = uobj_by_name(w->env->cache->arena, w->module, uproc_module_matches, &v);
	for (size_t i = 0; i < n; i++) {
		p = uproc_of_file(w->env, &v[i]);
		one_file(w, p, p->objs[0]);
	}
}

void uproc_each_file(struct prov_env *env, const char *module,
		     void (*fn)(void *arg, struct uproc *p, struct uproc_obj *o), void *arg)
{
	_cleanup_free_ char *real = module[0] == '/' ? realpath(module, NULL) : NULL;
	struct walk_files w = { .env = env, .module = module, .real = real, .fn = fn, .arg = arg };
	DIR *dir = env->past ? NULL : opendir("/proc");
	struct dirent *e;

	for (size_t i = 0; env->past; i++) {
		int pid = env->past->each(env->past->ctx, i);

		if (!pid)
			break;
		files_of_process(&w, pid);
	}
	while (dir && (e = readdir(dir))) {
		int pid = atoi(e->d_name);

		if (pid > 0 && pid != getpid())
			files_of_process(&w, pid);
	}
	if (dir)
		closedir(dir);
	if (!env->past)
		files_by_name(&w);
	vec_free(&w.seen);
}
