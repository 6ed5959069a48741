/* SPDX-License-Identifier: Apache-2.0 */
/* Adds probes of fbt for kernel modules that are loaded while the program runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/tracefs.h"
#include "prov/kernel/fbt.h"
#include "sym/proc/kallsyms.h"

/* Functions that a description may find later, as one probe for all clauses that have it. */
struct fbt_model {
	struct pdesc d;
	struct probe probe;
	struct fbt_model *next;
};

struct fbt_later {
	struct fbt_model *models;
	struct kfuncs now; /* of the module that was loaded last */
};

static struct fbt_later *later(struct prov_env *env)
{
	if (!env->cache->fbtlater)
		env->cache->fbtlater = arena_new_obj(env->cache->arena, struct fbt_later);
	return env->cache->fbtlater;
}

static const char *part(const char *s)
{
	return s ? s : "";
}

bool fbt_may_come(const struct prov_env *env, const struct pdesc *d)
{
	return !env->listing && env->opts && pdesc_is_exact(d->prov) && d->mod && *d->mod &&
	       strcmp(d->mod, "vmlinux") != 0;
}

struct probe *fbt_model(struct prov_env *env, struct arena *a, const struct pdesc *d)
{
	struct fbt_model **tail = &later(env)->models, *m;
	struct arena *keep = env->cache->arena;
	uint32_t n = 0;

	for (; *tail && (strcmp((*tail)->d.prov, d->prov) != 0 || strcmp((*tail)->d.mod, d->mod) != 0 ||
			 strcmp((*tail)->d.func, part(d->func)) != 0 || strcmp((*tail)->d.name, part(d->name)) != 0);
	     tail = &(*tail)->next)
		n++;
	if (!*tail) {
		m = *tail = arena_new_obj(keep, struct fbt_model);
		m->probe = (struct probe){
			.id = PROV_ID_FBT_LATER + n,
			.prov = arena_strdup(keep, d->prov),
			.mod = arena_strdup(keep, d->mod),
			.func = arena_strdup(keep, part(d->func)),
			.name = arena_strdup(keep, part(d->name)),
			.args_known = true, /* none has a type: the module's are not there */
			.later = true,
			.provider = &prov_fbt,
		};
		m->d = (struct pdesc){ m->probe.prov, m->probe.mod, m->probe.func, m->probe.name, 0 };
	}
	return arena_memdup(a, &(*tail)->probe, sizeof((*tail)->probe));
}

/* Leaves the lines of one module, in place. */
static void keep_lines(char *text, const char *mod)
{
	char want[KSYMS_MAX_NAME + 4], *to = text;
	size_t n = (size_t)snprintf(want, sizeof(want), "[%s]", mod);

	for (char *l = text, *end; *l; l = end) {
		end = l + strcspn(l, "\n");
		size_t len = (size_t)(end - l);

		end += *end == '\n';
		if (n < sizeof(want) && len > n && !memcmp(l + len - n, want, n)) {
			memmove(to, l, (size_t)(end - l));
			to += end - l;
		}
	}
	*to = '\0';
}

/* Ids of modules' functions are places in a table: those that others have already are not given again. */
static void move_slots(const struct kfuncs *had, struct kfuncs *k)
{
	const uint32_t room = KFUNCS_MAX_SLOTS - KFUNCS_MAX_BUILTIN;

	for (size_t i = 0; i < k->n; i++) {
		const struct kfunc *f;
		struct kfunc *x = &k->v[i];

		for (uint32_t tries = 0; tries < room && (f = kfuncs_by_slot(had, x->slot)); tries++) {
			if (!strcmp(f->name, x->name) && !strcmp(f->mod, x->mod))
				break;
			x->slot = KFUNCS_MAX_BUILTIN + (x->slot - KFUNCS_MAX_BUILTIN + 1) % room;
		}
	}
}

static int read_list(struct prov_env *env, char **ret, bool *addrs)
{
	int dir = prov_tracefs(env), r;
	size_t len;

	if (dir < 0)
		return env->tracefs_error;
	*addrs = true;
	r = tracefs_read(dir, "available_filter_functions_addrs", ret, &len);
	if (r == -ENOENT) {
		*addrs = false;
		r = tracefs_read(dir, "available_filter_functions", ret, &len);
	}
	return r;
}

int fbt_module(struct prov_env *env, const char *mod, bool *ret_any)
{
	struct arena *keep = env->cache->arena;
	struct fbt_later *l = later(env);
	_cleanup_free_ char *text = NULL;
	struct kfuncs k = { 0 };
	struct ksyms ks;
	bool addrs = true;
	int r = arena_exhausted(keep) ? -ENOMEM : read_list(env, &text, &addrs);

	*ret_any = false;
	if (r < 0)
		return r;
	l->now = k;
	keep_lines(text, mod);
	r = kfuncs_parse(keep, arena_strdup(keep, text), addrs, &k);
	if (r < 0 || !k.n)
		return r;
	if (env->cache->kfuncs)
		move_slots(env->cache->kfuncs, &k);
	r = ksyms_read(&ks, "/proc/kallsyms", NULL);
	if (r < 0)
		return r;
	kfuncs_locate_in(&k, &ks);
	ksyms_free(&ks);
	l->now = k;
	*ret_any = true;
	return 0;
}

bool fbt_knows_module(const struct prov_env *env, const char *mod)
{
	const struct kfuncs *k = env->cache->kfuncs;

	for (size_t i = k ? k->nbuiltin : 0; k && i < k->n; i++)
		if (!strcmp(k->v[i].mod, mod))
			return true;
	return false;
}

void fbt_match_module(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out)
{
	const struct kfuncs *k = &later(env)->now;
	bool raw = d->prov && !strcmp(d->prov, prov_rawfbt.name);

	if (!d->prov || (!raw && strcmp(d->prov, prov_fbt.name) != 0))
		return;
	for (size_t i = 0; i < k->n; i++) {
		const struct kfunc *f = &k->v[i];

		if (f->machinery || !pdesc_glob(d->mod, f->mod) || !kfuncs_matches(d->func, f->name))
			continue;
		for (unsigned back = 0; back < 2; back++) {
			struct probe *p = fbt_probe(a, f, raw, back);

			p->args_known = true;
			if (pdesc_glob(d->name, p->name))
				prov_list_add(a, out, p);
		}
	}
}
