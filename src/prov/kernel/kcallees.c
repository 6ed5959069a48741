/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a function of the kernel calls. These are relative calls and jumps to the start of other functions, and
 * calls through a register. The call is direct, or through the thunk that kernels with retpolines have for each
 * register. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/probe_caps.h"
#include "prov/callees.h"
#include "prov/kernel/fbt.h"
#include "prov/kernel/kcode.h"

#define THUNK "__x86_indirect_thunk_"
#define CACHE_LIMIT ((size_t)256 << 20) /* as the registry's */

struct finding {
	struct arena *a;
	struct prov_env *env;
	struct kcode code;
	const struct kfuncs *k;
	const struct kfunc *f;
	struct callees *c;
};

/* The name that the kernel's list has for the function at an address; NULL. */
static const struct kfunc *listed(const struct finding *f, uint64_t addr)
{
	for (size_t i = 0; i < f->k->n; i++)
		if (f->k->v[i].addr == addr)
			return &f->k->v[i];
	return NULL;
}

/* The index in struct pt_regs of the register that a thunk's name tells. */
static int reg_of(const char *name)
{
	static const char *const names[] = { "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10",
					     "r9",  "r8",  "rax", "rcx", "rdx", "rsi", "rdi" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return INSN_NO_REG;
}

static void add_site(struct finding *f, const struct insn *i, int reg)
{
	struct callees *c = f->c;

	if (reg == INSN_NO_REG || c->nsites == CALLEES_MAX_BY_REG)
		c->unknown++;
	else
		c->sites[c->nsites++] = (struct callee_site){ arena_printf(f->a, "0x%x", i->off), reg };
}

static void add_target(struct finding *f, const struct insn *i, const struct ksym *s)
{
	const char *name = ksyms_name(&f->code.syms, s), *mod = ksyms_module(&f->code.syms, s);
	const struct kfunc *k = listed(f, s->addr);

	if (!strncmp(name, THUNK, strlen(THUNK))) {
		if (i->classes & INSN_CALL)
			add_site(f, i, reg_of(name + strlen(THUNK)));
	} else if (k) {
		callees_add(f->a, f->c, k->mod, k->name,
			    k->machinery ? "BPF itself, or what it calls, runs it for dwell's programs" : NULL);
	} else if (kfuncs_stem(name) != kfuncs_stem(f->f->name) || strncmp(name, f->f->name, kfuncs_stem(name)) != 0) {
		callees_add(f->a, f->c, mod, name, kfuncs_why_none(name, false));
	}
}

static int find(struct finding *f, const char **reason)
{
	_cleanup_free_ struct insn *v = NULL;
	size_t n = 0;
	int r = kcode_list(&f->code, f->a, f->f, &v, &n, reason);

	for (size_t i = 0; r == 0 && i < n; i++) {
		unsigned class = kcode_class(&f->code, f->f, &v[i]);
		const struct ksym *s = kcode_target(&f->code, f->f, &v[i]);

		if (s && class & (INSN_CALL | INSN_BRANCH))
			add_target(f, &v[i], s);
		else if (class & INSN_CALL && !v[i].has_target)
			add_site(f, &v[i], v[i].reg);
	}
	return r;
}

static const struct kfunc *find_function(struct finding *f, const char *mod, const char *func, const char **reason)
{
	const struct pdesc d = { .prov = "fbt", .mod = mod, .func = func };
	const struct kfunc *found = NULL;

	*reason = NULL;
	for (size_t i = 0; i < f->k->n; i++) {
		const struct kfunc *k = &f->k->v[i];

		if (strcmp(k->name, func) != 0 || (mod && strcmp(k->mod, mod) != 0))
			continue;
		if (found) {
			*reason = arena_printf(f->a, "several functions are called %s%s%s", func,
					       strcmp(k->mod, found->mod) != 0 ? "; name the module: " : "",
					       strcmp(k->mod, found->mod) != 0 ? k->mod : "");
			return NULL;
		}
		found = k;
	}
	if (!found)
		found = fbt_other_name(f->env, &d, reason);
	if (!found && !*reason)
		*reason = arena_printf(f->a, "there is no function %s", func);
	if (found && found->machinery)
		*reason = arena_printf(
			f->a,
			"BPF itself, or what it calls, runs %s for dwell's programs: the kernel skips probes there",
			func);
	return *reason ? NULL : found;
}

static int with_cache(struct finding *f, const char *mod, const char *func, const char **reason)
{
	int r = kfuncs_get(f->env, &f->k, reason);

	if (r == 0)
		r = kcode_open(f->a, &f->code, reason);
	if (r < 0)
		return r;
	kfuncs_locate_in(f->env->cache->kfuncs, &f->code.syms);
	f->f = find_function(f, mod, func, reason);
	if (f->f) {
		f->c->mod = arena_strdup(f->a, f->f->mod);
		f->c->func = arena_strdup(f->a, f->f->name);
	}
	r = f->f ? find(f, reason) : -ENOENT;
	kcode_close(&f->code);
	return r;
}

int callees_kernel(struct arena *a, const char *mod, const char *func, struct callees *ret, struct err *err)
{
	struct prov_cache cache = { .arena = arena_new(CACHE_LIMIT) };
	struct prov_env env = { .tracefs_fd = PROV_UNOPENED, .cache = &cache };
	struct finding f = { .a = a, .env = &env, .c = ret };
	char refusal[CAPS_REASON_MAX];
	const char *reason = NULL;
	int r;

	*ret = (struct callees){ 0 };
	if (!caps_try_kprobe(refusal, sizeof(refusal))) {
		arena_free(cache.arena);
		return err_set(err, -EOPNOTSUPP, "functions of the kernel cannot be traced here: %s", refusal);
	}
	r = with_cache(&f, mod, func, &reason);
	if (r < 0)
		err_set(err, r, "%s", reason ? reason : strerror(-r));
	if (env.tracefs_fd >= 0)
		close(env.tracefs_fd);
	arena_free(cache.arena);
	return r;
}
