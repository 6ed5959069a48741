/* SPDX-License-Identifier: Apache-2.0 */
/* Offers all providers as one source of probes. Opens nothing until a description needs it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/tracefs.h"
#include "prov/kernel/fbt.h"
#include "prov/prov_int.h"
#include "prov/user/jvm.h"
#include "prov/user/uproc.h"

#define CACHE_LIMIT ((size_t)256 << 20) /* the table of tracepoints takes less than 1 MiB */

/* In the order of their ids, so that lists of probes are in id order. */
static const struct provider *const providers[] = {
	&prov_dtrace,  &prov_sched,  &prov_syscall, &prov_proc,	    &prov_io,	   &prov_lockstat, &prov_vminfo,
	&prov_sysinfo, &prov_signal, &prov_fsinfo,  &prov_tcp,	    &prov_udp,	   &prov_ip,	   &prov_wp,
	&prov_cpc,     &prov_iter,   &prov_sdt,	    &prov_rawtp,    &prov_profile, &prov_fbt,	   &prov_pid,
	&prov_usdt,    &prov_java,   &prov_wpuser,  &prov_fbt_more, &prov_rawfbt,  &prov_instr,	   &prov_kinst,
};

struct registry {
	struct prov_env env;
	struct prov_cache cache;
	struct probe_source source;
};

/* A name alone that only the provider dtrace can have: the others need not look. */
static bool only_dtrace(const struct pdesc *d)
{
	static const char *const own[] = { "BEGIN", "END", "ERROR" };

	for (size_t i = 0; d->name && i < ARRAY_SIZE(own); i++)
		if (!strcmp(d->name, own[i]))
			return true;
	return false;
}

const char *registry_provider(size_t i)
{
	for (size_t k = 0; k < ARRAY_SIZE(providers); k++) {
		bool twice = false;

		for (size_t j = 0; j < k; j++)
			twice |= !strcmp(providers[j]->name, providers[k]->name);
		if (!twice && !providers[k]->of_processes && i-- == 0)
			return providers[k]->name;
	}
	return NULL;
}

static void own(struct probe_list *l, size_t from, const struct provider *pv)
{
	for (size_t i = from; i < l->n; i++)
		if (!l->v[i]->provider)
			l->v[i]->provider = pv;
}

static int match_id(struct registry *r, struct arena *a, uint32_t id, struct probe_list *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++) {
		const struct provider *pv = providers[i];
		struct probe *p;
		int e;

		if (id < pv->id_base || id - pv->id_base >= pv->id_count)
			continue;
		e = pv->by_id(&r->env, a, id, &p);
		if (e == -ENOENT)
			return 0;
		if (e < 0)
			return e;
		prov_list_add(a, ret, p);
		own(ret, ret->n - 1, pv);
		return 0;
	}
	return 0;
}

static int registry_match(void *ctx, struct arena *a, const struct pdesc *d, struct probe_list *ret,
			  const char **reason)
{
	struct registry *r = ctx;
	struct probe_list out = { 0 };
	const char *first = NULL;
	int e = 0;

	if (d->id)
		e = match_id(r, a, d->id, &out);
	for (size_t i = 0; !d->id && e >= 0 && i < ARRAY_SIZE(providers); i++) {
		const struct provider *pv = providers[i];
		size_t before = out.n;

		if (pv->of_processes ? !registry_is_user(r, d) : !pdesc_glob(d->prov, pv->name))
			continue;
		if (pv != &prov_dtrace && only_dtrace(d))
			continue;
		e = pv->match(&r->env, a, d, &out, &first);
		own(&out, before, pv);
	}
	if (e < 0)
		return e;
	if (reason)
		*reason = out.n ? NULL : first;
	*ret = out;
	return 0;
}

static int registry_args(void *ctx, struct arena *a, struct probe *p)
{
	struct registry *r = ctx;
	const struct provider *pv = p->provider;

	return p->args_known ? 0 : pv->args(&r->env, a, p);
}

int registry_new(struct typesrc *ts, const struct caps *caps, int64_t target, struct registry **ret)
{
	struct registry *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->cache.arena = arena_new(CACHE_LIMIT);
	r->env = (struct prov_env){
		.ts = ts,
		.caps = caps,
		.tracefs_fd = PROV_UNOPENED,
		.target = target,
		.cache = &r->cache,
	};
	r->source = (struct probe_source){ r, registry_match, registry_args };
	*ret = r;
	return 0;
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	if (r->env.tracefs_fd >= 0)
		close(r->env.tracefs_fd);
	java_done(&r->cache);
	uproc_done(&r->cache);
	arena_free(r->cache.arena);
	free(r);
}

const struct probe_source *registry_source(struct registry *r)
{
	return &r->source;
}

int registry_file(struct registry *r, const struct uobj_mapping *m, const struct pdesc *const *descs, size_t n,
		  bool *ret_wanted)
{
	return ulater_open(&r->env, m, descs, n, ret_wanted);
}

void registry_match_file(struct registry *r, struct arena *a, const struct pdesc *d, bool with_args,
			 struct probe_list *ret)
{
	*ret = (struct probe_list){ 0 };
	if (upid_is_everyone(d->prov))
		pid_match_later(&r->env, a, d, ret);
	else
		usdt_match_later(&r->env, a, d, ret);
	for (size_t i = 0; with_args && i < ret->n; i++)
		registry_args(r, a, ret->v[i]);
}

int registry_classes_fd(struct registry *r)
{
	return java_classes_fd(&r->env);
}

void registry_classes_start(struct registry *r)
{
	java_classes_start(&r->env);
}

bool registry_is_java(const struct pdesc *d)
{
	return d->prov && java_is_ours(d->prov);
}

bool registry_next_class(struct registry *r, const char **ret_name, int *ret_pid)
{
	return java_next_class(&r->env, ret_name, ret_pid);
}

void registry_match_class(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret)
{
	*ret = (struct probe_list){ 0 };
	java_match_later(&r->env, a, d, ret);
	for (size_t i = 0; i < ret->n; i++)
		registry_args(r, a, ret->v[i]);
}

int registry_class_done(struct registry *r, struct err *err)
{
	return java_class_done(&r->env, err);
}

bool registry_wants_jvms(const struct pdesc *d)
{
	return registry_is_java(d) && d->prov[strlen(d->prov) - 1] == '*';
}

bool registry_is_new_jvm(struct registry *r, int pid)
{
	return !java_knows(&r->env, pid) && java_has_libjvm(pid);
}

int registry_connect_jvm(int pid, const _Atomic bool *stop, struct err *err)
{
	return jattach(pid, stop, err);
}

int registry_add_jvm(struct registry *r, int pid, int fd, struct err *err)
{
	return java_add_jvm(&r->env, pid, fd, err);
}

void registry_match_jvm(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret)
{
	*ret = (struct probe_list){ 0 };
	java_match_jvm(&r->env, a, d, ret);
	for (size_t i = 0; i < ret->n; i++)
		registry_args(r, a, ret->v[i]);
}

void registry_jvm_done(struct registry *r)
{
	java_jvm_done(&r->env);
}

int registry_module(struct registry *r, const char *name, bool *ret_any)
{
	return fbt_module(&r->env, name, ret_any);
}

bool registry_knows_module(struct registry *r, const char *name)
{
	return fbt_knows_module(&r->env, name);
}

void registry_match_module(struct registry *r, struct arena *a, const struct pdesc *d, struct probe_list *ret)
{
	*ret = (struct probe_list){ 0 };
	fbt_match_module(&r->env, a, d, ret);
	for (size_t i = 0; i < ret->n; i++)
		ret->v[i]->provider = !strcmp(ret->v[i]->prov, prov_rawfbt.name) ? &prov_rawfbt : &prov_fbt;
}

int registry_entry(void *registry, const struct probe *p, struct entry *ret, const char **reason)
{
	struct registry *r = registry;
	const struct provider *pv = p->provider;

	return pv->entry(&r->env, r->cache.arena, p, ret, reason);
}

int registry_attach(struct registry *r, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		    int prog_fd, struct link **ret, struct err *err)
{
	const struct provider *pv = probes[0]->provider;

	if (pv->attach)
		return pv->attach(&r->env, probes, nprobes, e, prog_fd, ret, err);
	return link_attach(e, prog_fd, ret, err);
}

bool registry_is_user(struct registry *r, const struct pdesc *d)
{
	(void)r;
	if (!d->prov || d->id)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++)
		if (!providers[i]->of_processes && pdesc_glob(d->prov, providers[i]->name))
			return false;
	return true;
}

void registry_options(struct registry *r, const struct dopts *o)
{
	r->env.opts = o;
}

void registry_processes(struct registry *r, const struct prov_processes *p)
{
	r->env.past = p;
}

void registry_stop_when(struct registry *r, int (*stop)(void))
{
	r->env.stop = stop;
}

void registry_target_begins(struct registry *r, const struct pdesc *d)
{
	r->env.target_begins = true;
	java_load_ahead(&r->env, d);
}

void registry_list_only(struct registry *r)
{
	r->env.listing = true;
}
