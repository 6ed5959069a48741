/* SPDX-License-Identifier: Apache-2.0 */
/* Adds static probes, and probes of functions, in files that processes map while the program runs. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/user/sdtargs.h"
#include "prov/user/uproc.h"

#define LOOK_ARENA ((size_t)32 << 20) /* for the notes of one file, until it is known whether they matter */

/* Probes that a description may find later, as one probe for all clauses that have it. */
struct ulater_model {
	struct pdesc d;
	struct probe probe;
	struct ulater_model *next;
};

static const char *part(const char *s)
{
	return s ? s : "";
}

static bool same_desc(const struct pdesc *a, const struct pdesc *b)
{
	return !strcmp(part(a->prov), part(b->prov)) && !strcmp(part(a->mod), part(b->mod)) &&
	       !strcmp(part(a->func), part(b->func)) && !strcmp(part(a->name), part(b->name));
}

struct probe *ulater_model(struct prov_env *env, struct arena *a, const struct pdesc *d)
{
	struct ulater_model **tail = &uproc_ulater(env)->models, *m;
	struct arena *keep = env->cache->arena;
	uint32_t n = 0;

	for (; *tail && !same_desc(&(*tail)->d, d); tail = &(*tail)->next)
		n++;
	if (!*tail) {
		m = *tail = arena_new_obj(keep, struct ulater_model);
		m->probe = (struct probe){
			.id = PROV_ID_PID + PROV_N_PID + n,
			.prov = arena_strdup(keep, part(d->prov)),
			.mod = arena_strdup(keep, part(d->mod)),
			.func = arena_strdup(keep, part(d->func)),
			.name = arena_strdup(keep, part(d->name)),
			/* Each JVM has places of its own. */
			.every_process = d->prov[strlen(d->prov) - 1] == '*' && !java_is_ours(d->prov),
			.later = true,
			.provider = upid_is_everyone(d->prov) ? &prov_pid
				    : java_is_ours(d->prov)   ? &prov_java
							      : &prov_usdt,
		};
		if (upid_is_everyone(d->prov) || java_is_ours(d->prov))
			m->probe.mod = "*"; /* "libc" finds libc.so.6, and "Map.Entry" Map$Entry */
		if (java_is_ours(d->prov))
			m->probe.func = "*"; /* "add" finds add(int,long) */
		m->d = (struct pdesc){ m->probe.prov, arena_strdup(keep, part(d->mod)), m->probe.func, m->probe.name,
				       0 };
	}
	return arena_memdup(a, &(*tail)->probe, sizeof((*tail)->probe));
}

void ulater_entry(struct entry *e)
{
	e->instance = UINT64_MAX; /* no program shared with probes that are there */
	for (e->nargs = 0; e->nargs < SDTARGS_MAX; e->nargs++)
		e->args[e->nargs] = (struct arg_loc){ .kind = ARG_CTX_REGS, .size = 8 };
}

void ulater_only_new(struct prov_env *env, struct probe_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i]->id >= uproc_ulater(env)->first_new)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* Does one of the descriptions name a provider in this process? */
static bool is_wanted(struct arena *a, const struct stapsdt *note, int pid, const struct pdesc *const *descs, size_t n)
{
	const char *prov = arena_printf(a, "%s%d", usdt_name(a, note->prov), pid);

	for (size_t i = 0; i < n; i++)
		if (pdesc_glob(descs[i]->prov, prov))
			return true;
	return false;
}

/* Functions of all processes: the file's name decides. */
static bool is_named(const struct uobj *o, const struct pdesc *const *descs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (upid_is_everyone(descs[i]->prov) && uproc_module_matches(descs[i]->mod, o))
			return true;
	return false;
}

/* This keeps nothing of most files: it looks at every file that a process maps. -errno: it cannot be read. */
static int look(struct arena *a, const struct uobj *o, int pid, const struct pdesc *const *descs, size_t n,
		bool *ret_wanted)
{
	struct stapsdt *notes = NULL;
	struct uobj_file file;
	size_t nnotes = 0;
	int r = uobj_open(o, &file);

	if (r < 0)
		return r == -ENOEXEC ? 0 : r;
	*ret_wanted = is_named(o, descs, n);
	if (!*ret_wanted)
		stapsdt_read(a, &file.elf, &notes, &nnotes);
	uobj_close(&file);
	for (size_t i = 0; i < nnotes && !*ret_wanted; i++)
		*ret_wanted = is_wanted(a, &notes[i], pid, descs, n);
	return 0;
}

static struct uproc_obj *new_obj(struct arena *keep, const struct uobj *o)
{
	struct uproc_obj *r = arena_new_obj(keep, struct uproc_obj);
	struct uobj *k = arena_memdup(keep, o, sizeof(*o));

	k->path = arena_strdup(keep, o->path);
	k->name = strrchr(k->path, '/') + 1;
	k->attach = arena_strdup(keep, o->attach);
	r->o = k;
	return r;
}

/* Tests the name alone: most files are of no interest if functions of one are wanted. */
static bool may_matter(const struct uobj_mapping *m, const struct pdesc *const *descs, size_t n)
{
	const struct uobj o = { .path = m->path, .name = basename(m->path), .is_exe = true };

	for (size_t i = 0; i < n; i++)
		if (!upid_is_everyone(descs[i]->prov) || uproc_module_matches(descs[i]->mod, &o))
			return true;
	return false;
}

int ulater_open(struct prov_env *env, const struct uobj_mapping *m, const struct pdesc *const *descs, size_t n,
		bool *ret_wanted)
{
	struct arena *keep = env->cache->arena, *a = arena_new(LOOK_ARENA);
	struct ulater *l = uproc_ulater(env);
	struct uobj o;
	bool matters = may_matter(m, descs, n);
	int r = arena_exhausted(keep) ? -ENOMEM : matters ? uobj_of_mapping(a, m, &o) : 0;

	*ret_wanted = false;
	if (r == 0 && matters)
		r = look(a, &o, m->pid, descs, n, ret_wanted);
	if (*ret_wanted) {
		l->obj = new_obj(keep, &o);
		l->proc = arena_new_obj(keep, struct uproc);
		l->proc->pid = m->pid;
		l->proc->prov = arena_printf(keep, "pid%d", m->pid);
		l->first_new = PROV_ID_PID + uproc_nprobes(env);
	}
	arena_free(a);
	return r;
}
