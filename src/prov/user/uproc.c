/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the files and functions of processes with probes, once each, and keeps one probe for each place.
 * Attaches programs to thousands of places with one call per file. */
#include "prov/user/uproc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/vec.h"
#include "load/probe_caps.h"
#include "load/uprobe.h"
#include "sym/elf/open.h"

struct point_key {
	const struct uobj *obj;
	uint64_t off, ref_ctr;
	uint64_t kind;
	const struct usdt *usdt;
};

struct point_ent {
	struct point_key key;
	struct upoint at;
	struct probe probe;
	UT_hash_handle hh;
};

struct file_ent {
	uint64_t key[2]; /* device, inode */
	struct timespec ctime;
	bool overlay;
	const struct uproc *proc;
	struct uproc_obj *obj;
	UT_hash_handle hh;
};

/* The session's; in the cache's arena but for the hash. */
struct prov_procs {
	struct uproc *first;
	struct point_ent *points;
	struct file_ent *files;
	struct point_ent **by_id; /* arena, power-of-two growth */
	uint32_t n;
	VEC(int) pins; /* descriptors of the files with probes */
	VEC(struct uproc *) commands;
	bool commands_known;
	struct ulater later;
	struct ulines_file lines;
	bool caps_known, multi, warned;
	int caps_error;
	char reason[CAPS_REASON_MAX];
};

static struct prov_procs *procs(struct prov_env *env)
{
	struct prov_cache *pc = env->cache;

	if (!pc->procs)
		pc->procs = arena_new_obj(pc->arena, struct prov_procs);
	return pc->procs;
}

struct ulines_file *uproc_lines(struct prov_env *env)
{
	return &procs(env)->lines;
}

void uproc_done(struct prov_cache *pc)
{
	struct prov_procs *ps = pc->procs;

	if (!ps)
		return;
	HASH_CLEAR(hh, ps->points);
	HASH_CLEAR(hh, ps->files);
	for (size_t i = 0; i < ps->pins.n; i++)
		close(ps->pins.v[i]);
	ulines_forget(&ps->lines);
	vec_free(&ps->pins);
	vec_free(&ps->commands);
}

/* On overlayfs a file has the inode of the lower file system, where the kernel puts the probe, but each mount has a
 * device of its own. With the same change time, to the nanosecond, it is the same file. Elsewhere two devices are
 * two files: clones of a file system have the same inodes and times. */
static struct file_ent *same_below(const struct prov_procs *ps, const struct file_ent *f)
{
	for (struct file_ent *k = ps->files; k; k = k->hh.next)
		if (k->key[1] == f->key[1] && (k->overlay || f->overlay) && f->ctime.tv_sec &&
		    k->ctime.tv_sec == f->ctime.tv_sec && k->ctime.tv_nsec == f->ctime.tv_nsec)
			return k;
	return NULL;
}

static void look_below(const struct uobj *o, struct file_ent *f)
{
	struct stat st;
	struct statfs fs;
	_cleanup_close_ int fd = open_path_regular(AT_FDCWD, o->attach, &st);

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return;
	f->ctime = st.st_ctim;
	f->overlay = fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

struct uproc_obj *uproc_same_file(struct prov_env *env, const struct uproc *p, struct uproc_obj *o,
				  const struct uproc **ret_proc)
{
	struct prov_procs *ps = procs(env);
	uint64_t key[2] = { o->o->st_dev, o->o->ino };
	struct file_ent *f, *below;

	HASH_FIND(hh, ps->files, key, sizeof(key), f);
	if (!f) {
		f = arena_new_obj(env->cache->arena, struct file_ent);
		*f = (struct file_ent){ .key = { key[0], key[1] }, .proc = p, .obj = o };
		look_below(o->o, f);
		if ((below = same_below(ps, f))) {
			f->proc = below->proc;
			f->obj = below->obj;
		}
		HASH_ADD(hh, ps->files, key, sizeof(f->key), f);
	}
	*ret_proc = f->proc;
	return f->obj;
}

struct uproc_obj *uproc_this_file(struct prov_env *env, const struct uproc *p, struct uproc_obj *o,
				  const struct uproc **ret_proc)
{
	struct prov_procs *ps = procs(env);
	struct uproc_obj *known = uproc_same_file(env, p, o, ret_proc);
	struct file_ent *f;
	uint64_t key[2] = { o->o->st_dev, o->o->ino };

	if (known->pinned || known == o)
		return known;
	HASH_FIND(hh, ps->files, key, sizeof(key), f);
	f->proc = *ret_proc = p;
	f->obj = o;
	return o;
}

struct uproc_obj *uproc_add_file(struct prov_env *env, struct uproc *p, struct uproc_obj *o)
{
	struct uproc_obj **v;

	for (size_t i = 0; i < p->nobjs; i++)
		if (p->objs[i]->pinned && p->objs[i]->o->ino == o->o->ino && p->objs[i]->o->st_dev == o->o->st_dev)
			return p->objs[i];
	v = arena_new_arr(env->cache->arena, struct uproc_obj *, p->nobjs + 1);
	if (p->nobjs)
		memcpy(v, p->objs, p->nobjs * sizeof(*v));
	v[p->nobjs++] = o;
	p->objs = v;
	return o;
}

struct ulater *uproc_ulater(struct prov_env *env)
{
	return &procs(env)->later;
}

uint32_t uproc_nprobes(struct prov_env *env)
{
	return procs(env)->n;
}

int uproc_get(struct prov_env *env, int pid, struct uproc **ret, struct err *err)
{
	struct prov_procs *ps = procs(env);
	struct arena *a = env->cache->arena;
	struct uobj *objs;
	struct uproc *p;
	size_t n;
	int r, host = env->past ? env->past->find(env->past->ctx, pid) : pid;

	if (host <= 0)
		return err_set(err, -ESRCH, "process %d is none of the recording's", pid);
	for (p = ps->first; p; p = p->next) {
		if (p->pid == host) {
			*ret = p;
			return 0;
		}
	}
	r = uobj_list(a, host, &objs, &n, err);
	if (r < 0)
		return r;
	p = arena_new_obj(a, struct uproc);
	p->pid = host;
	p->prov = arena_printf(a, "pid%d", pid);
	p->objs = arena_new_arr(a, struct uproc_obj *, n + 1);
	p->nobjs = n;
	for (size_t i = 0; i < n; i++) {
		p->objs[i] = arena_new_obj(a, struct uproc_obj);
		p->objs[i]->o = &objs[i];
	}
	p->next = ps->first;
	ps->first = p;
	*ret = p;
	return 0;
}

static bool has_file(const struct uproc *p, const struct uobj *o)
{
	for (size_t i = 0; i < p->nobjs; i++)
		if (p->objs[i]->o->ino == o->ino && !strcmp(p->objs[i]->o->name, o->name))
			return true;
	return false;
}

size_t uproc_find_later(struct prov_env *env, struct uproc *p, const char *module)
{
	struct arena *a = env->cache->arena;
	struct uobj *v = arena_new_arr(a, struct uobj, p->nobjs + 1), *found;
	struct uproc_obj **objs;
	size_t first = p->nobjs, n;

	for (size_t i = 0; i < p->nobjs; i++)
		v[i] = *p->objs[i]->o;
	n = uobj_find(a, p->pid, v, p->nobjs, module, &found);
	objs = arena_new_arr(a, struct uproc_obj *, first + n + 1);
	memcpy(objs, p->objs, first * sizeof(*objs));
	p->objs = objs;
	for (size_t i = 0; i < n; i++) {
		if (has_file(p, &found[i]))
			continue;
		p->objs[p->nobjs] = arena_new_obj(a, struct uproc_obj);
		p->objs[p->nobjs++]->o = &found[i];
	}
	return first;
}

int uproc_of_path(struct prov_env *env, const char *path, struct uproc **ret)
{
	struct arena *a = env->cache->arena;
	struct uobj *o = arena_new_obj(a, struct uobj);
	int r = uobj_of_path(a, path, o);

	if (r < 0)
		return r;
	*ret = uproc_of_file(env, o);
	return 0;
}

struct uproc *uproc_of_file(struct prov_env *env, const struct uobj *o)
{
	struct arena *a = env->cache->arena;
	struct uproc *p = arena_new_obj(a, struct uproc);

	p->prov = "pid0";
	p->objs = arena_new_arr(a, struct uproc_obj *, 1);
	p->objs[0] = arena_new_obj(a, struct uproc_obj);
	p->objs[0]->o = o;
	p->nobjs = 1;
	return p;
}

static void list_commands(struct prov_env *env, struct prov_procs *ps, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct uproc *p;

		if (uproc_of_path(env, arena_printf(env->cache->arena, "%s/%s", dir, e->d_name), &p) == 0 &&
		    usdt_has(env, p->objs[0], NULL) && vec_try_push(&ps->commands, p) < 0)
			break; /* out of memory: as if there were no more */
	}
	if (d)
		closedir(d);
}

/* /bin is often another name of /usr/bin. */
static bool is_new_dir(const char *dir, struct stat *seen, size_t *n)
{
	struct stat *st = &seen[*n];

	if (dir[0] != '/' || stat(dir, st) < 0)
		return false;
	for (size_t i = 0; i < *n; i++)
		if (seen[i].st_dev == st->st_dev && seen[i].st_ino == st->st_ino)
			return false;
	return ++*n;
}

struct uproc *const *uproc_commands(struct prov_env *env, size_t *ret_n)
{
	struct prov_procs *ps = procs(env);
	const char *path = getenv("PATH");
	struct stat seen[UPROC_MAX_PATH];
	size_t n = 0, len;

	for (const char *s = path ? path : ""; *s && !ps->commands_known && n < UPROC_MAX_PATH;
	     s += len + (s[len] == ':')) {
		const char *dir = arena_printf(env->cache->arena, "%.*s", (int)(len = strcspn(s, ":")), s);

		if (is_new_dir(dir, seen, &n))
			list_commands(env, ps, dir);
	}
	ps->commands_known = true;
	*ret_n = ps->commands.n;
	return ps->commands.v;
}

const struct ufuncs *uproc_funcs(struct prov_env *env, const struct uproc *p, struct uproc_obj *o)
{
	if (!o->funcs_tried) {
		o->funcs_tried = true;
		o->funcs_error = uobj_funcs(env->cache->arena, o->o, p->pid, &o->funcs);
	}
	return o->funcs_error < 0 ? NULL : o->funcs;
}

static void remember(struct prov_env *env, struct prov_procs *ps, struct point_ent *pe)
{
	if ((ps->n & (ps->n - 1)) == 0) {
		struct point_ent **v = arena_new_arr(env->cache->arena, struct point_ent *, ps->n ? ps->n * 2 : 1);

		if (ps->n)
			memcpy(v, ps->by_id, ps->n * sizeof(*v));
		ps->by_id = v;
	}
	ps->by_id[ps->n++] = pe;
	HASH_ADD(hh, ps->points, key, sizeof(pe->key), pe);
}

/* The process may unmap the file, or execute another one, before it is attached to: that must not matter. False: it
 * has done so already. Lists need no descriptor for each file of each process. */
static bool pin(struct prov_env *env, struct uproc_obj *o)
{
	struct prov_procs *ps = procs(env);
	struct stat st;
	int fd;

	if (o->pinned || env->listing)
		return true;
	fd = open_path_regular(AT_FDCWD, o->o->attach, &st);
	if (fd < 0)
		return false;
	if (st.st_ino != o->o->ino || st.st_dev != o->o->st_dev || vec_try_push(&ps->pins, fd) < 0) {
		close(fd);
		return false;
	}
	o->pinned = arena_printf(env->cache->arena, "/proc/self/fd/%d", fd);
	return true;
}

struct probe *uproc_probe(struct prov_env *env, struct arena *a, const struct upoint *at, const char *prov,
			  const char *func, const char *name)
{
	struct prov_procs *ps = procs(env);
	struct point_key key = { .obj = at->obj,
				 .off = at->off,
				 .ref_ctr = at->ref_ctr,
				 .kind = at->kind | (uint64_t)at->everyone << 8 | (uint64_t)at->line << 32,
				 .usdt = at->usdt };
	struct point_ent *pe;

	HASH_FIND(hh, ps->points, &key, sizeof(key), pe);
	if (!pe) {
		if (ps->n >= PROV_N_PID || !pin(env, at->file))
			return NULL;
		pe = arena_new_obj(env->cache->arena, struct point_ent);
		pe->key = key;
		pe->at = *at;
		pe->probe = (struct probe){
			.id = PROV_ID_PID + ps->n,
			.prov = prov,
			.mod = at->obj->name,
			.func = func,
			.name = name,
			.note = at->note,
			.inlined = at->kind == UP_COPY,
			.priv = &pe->at,
			.every_process = at->everyone,
			.provider = at->kind == UP_USDT	  ? &prov_usdt
				    : at->kind == UP_JAVA ? &prov_java
							  : &prov_pid,
		};
		remember(env, ps, pe);
	}
	struct probe *p = arena_new_obj(a, struct probe);

	*p = pe->probe;
	return p;
}

int uproc_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	struct prov_procs *ps = procs(env);

	if (id - PROV_ID_PID >= ps->n)
		return -ENOENT;
	*ret = arena_new_obj(a, struct probe);
	**ret = ps->by_id[id - PROV_ID_PID]->probe;
	return 0;
}

int uproc_caps(struct prov_env *env, bool *ret_multi, const char **reason)
{
	struct prov_procs *ps = procs(env);

	if (env->past) { /* breakpoints in it */
		*ret_multi = false;
		return 0;
	}
	if (!ps->caps_known) {
		ps->caps_known = true;
		ps->multi = caps_try_uprobe_multi(ps->reason, sizeof(ps->reason));
		if (!ps->multi && !caps_try_uprobe(ps->reason, sizeof(ps->reason)))
			ps->caps_error = -EOPNOTSUPP;
	}
	*ret_multi = ps->multi;
	if (ps->caps_error)
		*reason = ps->reason;
	return ps->caps_error;
}

bool registry_place(const struct probe *p, size_t i, struct probe_place *ret)
{
	const struct upoint *at = p->priv;

	if (!at || p->later || i >= (at->usdt ? at->usdt->n : 1))
		return false;
	*ret = (struct probe_place){ .dev = at->obj->st_dev,
				     .ino = at->obj->ino,
				     .off = i ? at->usdt->v[i]->off : at->off,
				     .ret = at->kind == UP_RETURN,
				     .everyone = at->everyone,
				     .counted = at->ref_ctr != 0,
				     .pid = at->everyone || !at->proc ? 0 : at->proc->pid };
	return true;
}

/* -- attaching -- */

static const struct upoint *point_of(const struct probe *p)
{
	return p->priv;
}

static bool same_place(const struct upoint *a, const struct upoint *b)
{
	return a->obj == b->obj && a->proc == b->proc && a->everyone == b->everyone;
}

static size_t count_sites(const struct probe *const *probes, uint32_t n, uint32_t from)
{
	size_t k = 0;

	for (uint32_t i = from; i < n; i++)
		k += point_of(probes[i])->usdt ? point_of(probes[i])->usdt->n : 1;
	return k;
}

/* All probes of the program from index `from` on that are in the same file. */
static int attach_file(const struct probe *const *probes, uint32_t n, uint32_t from, bool *done, const struct entry *e,
		       int prog_fd, struct uprobe_fds *fds, struct err *err)
{
	const struct upoint *first = point_of(probes[from]);
	_cleanup_free_ struct uprobe_site *v = malloc(count_sites(probes, n, from) * sizeof(*v));
	struct uprobe_place place = {
		.path = first->file->pinned,
		.name = first->obj->path,
		.pid = first->everyone ? 0 : first->proc->pid,
		.ret = first->kind == UP_RETURN,
		.multi = e->uprobe_multi,
	};
	size_t k = 0;

	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = from; i < n; i++) {
		const struct upoint *p = point_of(probes[i]);

		if (done[i] || !same_place(p, first))
			continue;
		done[i] = true;
		v[k++] = (struct uprobe_site){ p->off, p->ref_ctr, ENTRY_COOKIE(i, probes[i]->id) };
		for (size_t j = 1; p->usdt && j < p->usdt->n; j++) {
			v[k] = v[k - 1];
			v[k].off = p->usdt->v[j]->off;
			v[k++].ref_ctr = p->usdt->v[j]->sem_off;
		}
	}
	if (!first->file->touched)
		uobj_touch(first->obj, first->proc->pid);
	first->file->touched = true;
	return uprobe_attach(&place, v, k, prog_fd, fds, err);
}

/* Adds a note for the user about a match that succeeded. */
static void remark(struct prov_procs *ps, const struct uprobe_fds *f, const struct entry *e,
		   const struct probe *const *probes, uint32_t n, struct err *err)
{
	if (f->refused) {
		const struct probe *p = probes[f->refused_cookie >> 32];

		err_set(err, 0,
			"%zu of %u probes cannot be enabled, the kernel cannot probe their instructions: "
			"%s:%s:%s:%s …",
			f->refused, n, p->prov, p->mod, p->func, p->name);
	} else if (!e->uprobe_multi && n >= UPROBE_SLOW_FROM && !ps->warned) {
		ps->warned = true;
		err_set(err, 0, "%u probes in processes are attached one at a time: detaching will take long (%s)", n,
			ps->reason);
	}
}

int uproc_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		 int prog_fd, struct link **ret, struct err *err)
{
	_cleanup_free_ bool *done = calloc(nprobes, sizeof(*done));
	struct uprobe_fds f = { 0 };
	int r = done ? 0 : err_set(err, -ENOMEM, "out of memory");

	ulines_forget(uproc_lines(env)); /* all is found by now */
	for (uint32_t i = 0; i < nprobes && r == 0; i++)
		if (!done[i])
			r = attach_file(probes, nprobes, i, done, e, prog_fd, &f, err);
	if (r == 0 && !f.attached)
		r = err_set(err, f.refusal, "the kernel cannot probe this instruction");
	if (r == 0)
		r = link_from_fds(f.fds.v, f.fds.n, ret);
	if (r == 0)
		remark(procs(env), &f, e, probes, nprobes, err);
	for (size_t i = 0; i < f.fds.n && r < 0; i++)
		close(f.fds.v[i]);
	vec_free(&f.fds);
	return r;
}
