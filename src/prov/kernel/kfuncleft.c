/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the functions that have no probe of fbt, and says why: compares the kernel's symbols with its list of
 * functions that can be traced (-l --left-out). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/kernel/kfuncs.h"
#include "sym/proc/kallsyms.h"

struct left {
	struct arena *a;
	const struct ksyms *ks;
	uint64_t *addrs; /* of functions with probes, sorted */
	size_t n;
	uint64_t init_start, init_end;
};

static int by_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t address_of(const struct ksyms *ks, const char *name)
{
	const struct ksym *s = ksyms_find(ks, "vmlinux", name);

	return s ? s->addr : 0;
}

/* Symbols that are no functions of anybody: padding before functions, trampolines, BPF programs. */
static bool is_filler(const char *name, const char *mod)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__SCT__", 7) || !strncmp(mod, "__builtin__", 11) ||
	       !strcmp(mod, "bpf");
}

const char *kfuncs_why_none(const char *name, bool init)
{
	if (strstr(name, ".cold"))
		return "a part that the compiler moved away: it is jumped to, and not called";
	if (init)
		return "it ran while the kernel started, and its memory is free since";
	return "nothing at its start that tracing could patch: it is marked notrace, or written in assembler";
}

static void add(struct left *l, struct probe_list *out, const char *prov, const char *mod, const char *func,
		const char *reason)
{
	struct probe *p = arena_new_obj(l->a, struct probe);

	*p = (struct probe){ .prov = prov,
			     .mod = arena_strdup(l->a, mod),
			     .func = arena_strdup(l->a, func),
			     .name = "",
			     .unavailable = reason };
	prov_list_add(l->a, out, p);
}

/* Adds the functions of the kernel's list that have no probe, and collects the addresses of the others. */
static void from_list(struct left *l, const struct kfuncs *k, const struct pdesc *d, const char *prov,
		      struct probe_list *out)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct kfunc *f = &k->v[i];

		if (f->addr)
			l->addrs[l->n++] = f->addr;
		if ((f->addr && !f->machinery) || !pdesc_glob(d->mod, f->mod) || !kfuncs_matches(d->func, f->name))
			continue;
		add(l, out, prov, f->mod, f->name,
		    f->addr ? "tracing itself calls it: patterns leave it out, its own name gets it"
			    : "others have the same name, and the kernel does not tell which of them can be traced");
	}
	qsort(l->addrs, l->n, sizeof(*l->addrs), by_addr);
}

static void from_symbols(struct left *l, const struct pdesc *d, const char *prov, struct probe_list *out)
{
	for (size_t i = 0; i < l->ks->n; i++) {
		const struct ksym *s = &l->ks->v[i];
		const char *name = ksyms_name(l->ks, s), *mod = ksyms_module(l->ks, s);

		if (!strchr("tTwW", s->type) || is_filler(name, mod) || !pdesc_glob(d->mod, mod) ||
		    !kfuncs_matches(d->func, name) || bsearch(&s->addr, l->addrs, l->n, sizeof(*l->addrs), by_addr))
			continue;
		add(l, out, prov, mod, name, kfuncs_why_none(name, s->addr >= l->init_start && s->addr < l->init_end));
	}
}

int kfuncs_left_out(struct prov_env *env, struct arena *a, const struct pdesc *d, const char *prov,
		    struct probe_list *out, const char **reason)
{
	_cleanup_free_ uint64_t *addrs = NULL;
	const struct kfuncs *k;
	struct left l = { .a = a };
	struct ksyms ks;
	int r = kfuncs_get(env, &k, reason);

	if (r < 0)
		return r;
	r = ksyms_read(&ks, "/proc/kallsyms", NULL);
	if (r < 0) {
		*reason = "the kernel does not tell the addresses of its functions (/proc/kallsyms)";
		return r;
	}
	kfuncs_locate_in(env->cache->kfuncs, &ks);
	addrs = malloc((k->n + 1) * sizeof(*addrs));
	if (addrs) {
		l.ks = &ks;
		l.addrs = addrs;
		l.init_start = address_of(&ks, "_sinittext");
		l.init_end = address_of(&ks, "_einittext");
		from_list(&l, k, d, prov, out);
		from_symbols(&l, d, prov, out);
	}
	ksyms_free(&ks);
	return addrs ? 0 : -ENOMEM;
}
