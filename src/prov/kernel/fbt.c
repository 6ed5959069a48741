/* SPDX-License-Identifier: Apache-2.0 */
/* Providers fbt and rawfbt: entry and return of the functions of the kernel and its modules, by kprobes.
 * Source: DTrace guide, "fbt Provider"; rawfbt as in DTrace for Linux: the same without types. */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/kprobe.h"
#include "load/link.h"
#include "load/probe_caps.h"
#include "prov/kernel/fbt.h"
#include "prov/kernel/kfuncs.h"
#include "sym/proc/kallsyms.h"

#define MAX_CHAIN 32
#define WORD 8
#define MANY 500 /* functions: patching them takes so long that its own firings count */
#define MEANT 3	 /* letters of a pattern that begins like functions of the tracing machinery: they are meant */
#define FEW_SLOTS (PROV_N_FBT / 2)
#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static const char entry_name[] = "entry", return_name[] = "return";

/* How functions are traced here, tried once in a session. */
struct fbt_state {
	enum kprobe_way way;
	int error;
	char reason[CAPS_REASON_MAX];
	size_t machinery; /* functions that patterns have left out */
	bool said_machinery, said_slow;
	size_t single; /* kprobes attached one at a time */
};

static struct fbt_state *state(struct prov_env *env)
{
	struct prov_cache *pc = env->cache;
	struct fbt_state *s = pc->fbt;
	char multi[CAPS_REASON_MAX];

	if (s)
		return s;
	s = pc->fbt = arena_new_obj(pc->arena, struct fbt_state);
	s->way = KPROBE_MULTI;
	if (caps_try_kprobe_multi(multi, sizeof(multi)))
		return s;
	s->way = caps_attach_cookie() ? KPROBE_COOKIE : KPROBE_PLAIN;
	if (!caps_try_kprobe(s->reason, sizeof(s->reason)))
		s->error = -EOPNOTSUPP;
	return s;
}

static bool is_return(const struct probe *p)
{
	return !strcmp(p->name, return_name);
}

static uint32_t id_of(uint32_t slot, bool raw, bool ret)
{
	uint32_t base = raw ? PROV_ID_RAWFBT : slot < FEW_SLOTS ? PROV_ID_FBT : PROV_ID_FBT_MORE - PROV_N_FBT;

	return base + 2 * slot + ret;
}

struct probe *fbt_probe(struct arena *a, const struct kfunc *f, bool raw, bool ret)
{
	struct probe *p = arena_new_obj(a, struct probe);

	*p = (struct probe){ .id = id_of(f->slot, raw, ret),
			     .prov = raw ? "rawfbt" : "fbt",
			     .mod = f->mod,
			     .func = f->name,
			     .name = ret ? return_name : entry_name,
			     .priv = f };
	return p;
}

/* Is the machinery of tracing itself meant by this pattern? */
static bool wants_machinery(const char *pat)
{
	return pat && (pdesc_is_exact(pat) || strcspn(pat, "*?[\\") >= MEANT);
}

/* The function that starts at an address, whatever its name is in the list; NULL. */
static const struct kfunc *at_address(struct prov_env *env, uint64_t addr)
{
	const struct kfuncs *k = env->cache->kfuncs;

	if (kfuncs_locate(env, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].addr == addr)
			return &k->v[i];
	return NULL;
}

const struct kfunc *fbt_other_name(struct prov_env *env, const struct pdesc *d, const char **reason)
{
	const char *mod = pdesc_is_exact(d->mod) ? d->mod : NULL;
	const struct kfunc *f = NULL;
	const struct ksym *s;
	struct ksyms ks;

	if (!pdesc_is_exact(d->func) || !pdesc_is_exact(d->prov) || ksyms_read(&ks, "/proc/kallsyms", NULL) < 0)
		return NULL;
	s = ksyms_find(&ks, mod, d->func);
	if (s && strchr("tTwW", s->type)) {
		f = at_address(env, s->addr);
		*reason = arena_printf(
			env->cache->arena,
			"the kernel does not let %s be traced: it is marked notrace, or tracing itself needs it",
			d->func);
	} else if (s) {
		*reason = arena_printf(env->cache->arena, "%s is no function", d->func);
	}
	ksyms_free(&ks);
	return f;
}

/* Probes of an exact name that the list does not have. */
static void match_other(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			const char **reason, bool raw)
{
	const struct kfunc *f = fbt_other_name(env, d, reason);

	for (unsigned back = 0; f && back < 2; back++) {
		struct probe *p = fbt_probe(a, f, raw, back);

		p->func = arena_strdup(env->cache->arena, d->func);
		if (pdesc_glob(d->mod, p->mod) && pdesc_glob(d->name, p->name))
			prov_list_add(a, out, p);
	}
}

static int match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		 const char **reason, bool raw)
{
	bool in = pdesc_glob(d->name, entry_name), back = pdesc_glob(d->name, return_name);
	bool all = wants_machinery(d->func) || env->listing;
	const struct kfuncs *k;
	struct fbt_state *s;
	size_t first = out->n, left = 0;

	if (!in && !back)
		return 0;
	s = state(env);
	if (s->error) {
		*reason = s->reason;
		return 0;
	}
	if (env->listing && env->opts && env->opts->leftout) {
		(void)kfuncs_left_out(env, a, d, raw ? "rawfbt" : "fbt", out, reason);
		return 0;
	}
	if (kfuncs_get(env, &k, reason) < 0)
		return 0;
	for (size_t i = 0; i < k->n; i++) {
		const struct kfunc *f = &k->v[i];

		if (!pdesc_glob(d->mod, f->mod) || !kfuncs_matches(d->func, f->name))
			continue;
		if (f->machinery && !all) {
			left++;
			continue;
		}
		if (in)
			prov_list_add(a, out, fbt_probe(a, f, raw, false));
		if (back)
			prov_list_add(a, out, fbt_probe(a, f, raw, true));
	}
	s->machinery = left > s->machinery ? left : s->machinery;
	if (out->n == first)
		match_other(env, a, d, out, reason, raw);
	if (fbt_may_come(env, d) && (out->n > first || env->opts->zdefs)) {
		prov_list_add(a, out, fbt_model(env, a, d));
	} else if (fbt_may_come(env, d) && pdesc_is_exact(d->mod) && !fbt_knows_module(env, d->mod)) {
		*reason = arena_printf(
			env->cache->arena,
			"no function of a kernel module %s can be traced now: with -Z dwell waits until it is loaded",
			d->mod);
	} else if (s->way != KPROBE_MULTI && !env->listing && out->n - first > KPROBE_MAX_SINGLE) {
		*reason = arena_printf(
			env->cache->arena,
			"it matches %zu probes; this kernel attaches them one at a time, which would take minutes "
			"or hours (it has no kprobe_multi, see dwell features): name fewer, at most %d",
			out->n - first, KPROBE_MAX_SINGLE);
		out->n = first;
	}
	return 0;
}

static int fbt_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		     const char **reason)
{
	return match(env, a, d, out, reason, false);
}

static int rawfbt_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			const char **reason)
{
	return match(env, a, d, out, reason, true);
}

/* prov_fbt lists all. */
static int no_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		    const char **reason)
{
	(void)env, (void)a, (void)d, (void)out, (void)reason;
	return 0;
}

static int fbt_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	bool raw = id >= PROV_ID_RAWFBT;
	uint32_t base = raw ? PROV_ID_RAWFBT : id < PROV_ID_PID ? PROV_ID_FBT : PROV_ID_FBT_MORE - PROV_N_FBT;
	const struct kfuncs *k;
	const struct kfunc *f;
	const char *reason;

	if (state(env)->error || kfuncs_get(env, &k, &reason) < 0)
		return -ENOENT;
	f = kfuncs_by_slot(k, (id - base) / 2);
	if (!f)
		return -ENOENT;
	*ret = fbt_probe(a, f, raw, (id - base) % 2);
	return 0;
}

/* Does a value of this type take one register? */
static bool is_word(struct typesrc *ts, struct tref ref)
{
	struct tinfo t;

	for (unsigned i = 0; i < MAX_CHAIN && ref.id; i++) {
		if (typesrc_get(ts, ref, &t) < 0)
			return false;
		if (t.kind != TK_TYPEDEF && t.kind != TK_CONST && t.kind != TK_VOLATILE && t.kind != TK_RESTRICT)
			return t.kind == TK_PTR || ((t.kind == TK_INT || t.kind == TK_ENUM) && t.size <= WORD);
		ref = t.target;
	}
	return false;
}

/* By BTF. Parts and copies that the compiler made may have other parameters: those are not typed. */
void fbt_type_args(struct prov_env *env, struct arena *a, struct probe *p, const struct kfunc *f, bool back)
{
	struct probe_arg *args;
	struct tref ref;
	struct tinfo t;
	unsigned n = 0;

	p->args_known = true;
	if (!env->ts || f->name[kfuncs_stem(f->name)] ||
	    typesrc_find(env->ts, f->mod, f->name, TKM(TK_FUNC), &ref) < 0 || typesrc_get(env->ts, ref, &t) < 0)
		return;
	ref = t.target;
	if (typesrc_get(env->ts, ref, &t) < 0 || t.kind != TK_FUNC_PROTO)
		return;
	args = arena_new_arr(a, struct probe_arg, UREGS_NARGS);
	if (back) {
		args[n++] = (struct probe_arg){ .ctype = "int", .name = "offset" };
		if (is_word(env->ts, t.target))
			args[n++] = (struct probe_arg){ .ref = t.target };
	}
	for (; !back && n < t.nmembers && n < UREGS_NARGS; n++) {
		struct tmember m;

		/* After a structure nobody knows where the others are. */
		if (typesrc_member(env->ts, ref, n, &m) < 0 || !is_word(env->ts, m.type))
			break;
		args[n] = (struct probe_arg){ .ref = m.type, .name = m.name && *m.name ? m.name : NULL };
	}
	p->args = args;
	p->nargs = n;
}

static int fbt_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	fbt_type_args(env, a, p, p->priv, is_return(p));
	return 0;
}

static int rawfbt_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	(void)env, (void)a;
	p->args_known = true;
	return 0;
}

void fbt_place_args(struct entry *e, bool back)
{
	if (back)
		uregs_return(MACHINE, e);
	else
		uregs_entry(MACHINE, e);
	for (unsigned i = 0; i < e->nargs; i++)
		if (e->args[i].kind == ARG_USER_MEM)
			e->args[i].kind = ARG_KERNEL_MEM;
}

static int fbt_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		     const char **reason)
{
	struct fbt_state *s = state(env);
	bool back = is_return(p), raw = p->id >= PROV_ID_RAWFBT;

	(void)a;
	if (s->error) {
		*reason = s->reason;
		return s->error;
	}
	/* Without a cookie each probe is a program. */
	*ret = (struct entry){ .kind = ENTRY_KPROBE,
			       .target = back ? return_name : entry_name,
			       .cpu = -1,
			       .kprobe_multi = s->way == KPROBE_MULTI,
			       .instance = p->later		    ? UINT64_MAX
					   : s->way == KPROBE_PLAIN ? p->id
								    : 1u + raw,
			       .is_return = back };
	fbt_place_args(ret, back);
	return 0;
}

/* Adds a note for the user about a match that succeeded. */
static void remark(struct fbt_state *s, const struct kprobe_fds *f, size_t lost, const struct probe *const *probes,
		   uint32_t n, struct err *err)
{
	const struct probe *p = f->refused ? probes[f->refused_cookie >> 32] : NULL;

	s->single += s->way == KPROBE_MULTI ? 0 : f->attached;
	if (p)
		err_set(err, 0, "%zu of %u probes are left out, the kernel does not take them: %s:%s:%s:%s (%s) …",
			f->refused + lost, n, p->prov, p->mod, p->func, p->name, strerror(-f->refusal));
	else if (lost)
		err_set(err, 0,
			"%zu of %u probes are left out: other functions have the same name, and the kernel does not tell "
			"which of them can be traced",
			lost, n);
	else if (s->machinery && !s->said_machinery)
		err_set(err, 0, "%zu functions that tracing itself calls are left out: name them to trace them",
			s->machinery);
	else if (s->single >= KPROBE_SLOW_FROM && !s->said_slow)
		err_set(err, 0,
			"functions of the kernel are attached one at a time: detaching will take long (no kprobe_multi, see "
			"dwell features)");
	s->said_machinery |= s->machinery && !p && !lost;
	s->said_slow |= s->single >= KPROBE_SLOW_FROM;
}

/* Moves probes of functions that patching calls to the end: *nlast of them. */
static size_t sites(const struct probe *const *probes, uint32_t nprobes, struct kprobe_site *v, size_t *nlast)
{
	size_t n = 0;

	*nlast = 0;
	for (unsigned last = 0; last < 2; last++) {
		for (uint32_t i = 0; i < nprobes; i++) {
			const struct kfunc *k = probes[i]->priv;
			bool late = nprobes >= MANY && kfuncs_is_patching(k->name);

			if (!k->addr || late != last)
				continue;
			v[n++] = (struct kprobe_site){ k->addr, ENTRY_COOKIE(i, probes[i]->id) };
			*nlast += late;
		}
	}
	return n;
}

/* Reports that none of the functions has an address. */
static int none_found(const struct probe *p, struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s", p->mod);
	if (strcmp(p->mod, "vmlinux") != 0 && access(path, F_OK) < 0)
		return err_set(err, -ENOENT, "the kernel module %s is gone since it was looked at", p->mod);
	return err_set(err, -ENOENT,
		       "other functions have the same name, and the kernel does not tell which of them can be traced");
}

static int fbt_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		      int prog_fd, struct link **ret, struct err *err)
{
	_cleanup_free_ struct kprobe_site *v = malloc((nprobes + 1) * sizeof(*v));
	struct fbt_state *s = state(env);
	enum kprobe_way way = e->kprobe_session ? KPROBE_SESSION : s->way;
	struct kprobe_fds f = { 0 };
	int r = v ? kfuncs_locate(env, err) : err_set(err, -ENOMEM, "out of memory");
	size_t n = 0, nlast, nfds;

	if (r == 0)
		n = sites(probes, nprobes, v, &nlast);
	if (r == 0)
		r = kprobe_attach(way, e->is_return, v, n - nlast, prog_fd, env->stop, &f, err);
	nfds = f.fds.n;
	if (r == 0)
		r = kprobe_attach(way, e->is_return, v + n - nlast, nlast, prog_fd, env->stop, &f, err);
	if (r == 0 && !n)
		r = none_found(probes[0], err);
	else if (r == 0 && !f.attached)
		r = err_set(err, f.refusal, "the kernel does not take it: %s", strerror(-f.refusal));
	if (r == 0)
		r = link_from_fds(f.fds.v, f.fds.n, ret);
	if (r == 0) {
		link_last(*ret, f.fds.n - nfds);
		remark(s, &f, nprobes - n, probes, nprobes, err);
	}
	if (r < 0)
		link_close_fds(f.fds.v, f.fds.n);
	vec_free(&f.fds);
	return r;
}

const struct provider prov_fbt = {
	.name = "fbt",
	.id_base = PROV_ID_FBT,
	.id_count = PROV_N_FBT,
	.match = fbt_match,
	.by_id = fbt_by_id,
	.args = fbt_args,
	.entry = fbt_entry,
	.attach = fbt_attach,
};

/* The ids of functions after the first ones. */
const struct provider prov_fbt_more = {
	.name = "fbt",
	.id_base = PROV_ID_FBT_MORE,
	.id_count = 2 * KFUNCS_MAX_SLOTS - PROV_N_FBT,
	.match = no_match,
	.by_id = fbt_by_id,
	.args = fbt_args,
	.entry = fbt_entry,
	.attach = fbt_attach,
};

const struct provider prov_rawfbt = {
	.name = "rawfbt",
	.id_base = PROV_ID_RAWFBT,
	.id_count = PROV_N_RAWFBT,
	.match = rawfbt_match,
	.by_id = fbt_by_id,
	.args = rawfbt_args,
	.entry = fbt_entry,
	.attach = fbt_attach,
};
