/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the functions of the kernel and its modules that can be traced, as the kernel reports them. Private to
 * src/prov. */
#ifndef DWELL_PROV_KERNEL_KFUNCS_H
#define DWELL_PROV_KERNEL_KFUNCS_H
#include "prov/prov_int.h"

/* Slots: functions of the kernel by their place in its list, those of modules by a hash of the name after them. */
#define KFUNCS_MAX_BUILTIN 100000u
#define KFUNCS_MAX_SLOTS 500000u

struct kfunc {
	const char *name, *mod;
	uint64_t loc;  /* of the place that is patched, a few bytes after the start; 0: the kernel does not tell */
	uint64_t addr; /* of the start, once kfuncs_locate() was called; 0: not known */
	uint32_t slot;
	uint32_t nth;	/* its place among functions with the same name in the same module, from 0 on */
	bool machinery; /* BPF itself calls it for our programs */
};

struct kfuncs {
	struct kfunc *v; /* in slot order */
	size_t n, nbuiltin;
	bool located;
};

/* From the text of available_filter_functions ("NAME [MODULE]" per line), or with addrs of
 * available_filter_functions_addrs ("ADDRESS NAME [MODULE]"). The text is changed, and must outlive *ret. */
int kfuncs_parse(struct arena *a, char *text, bool addrs, struct kfuncs *ret);
/* The functions of the running kernel, read once in a session: prov_cache.kfuncs. -errno: *reason says why. */
int kfuncs_get(struct prov_env *env, const struct kfuncs **ret, const char **reason);
const struct kfunc *kfuncs_by_slot(const struct kfuncs *k, uint32_t slot);
/* Finds the addresses; read of kallsyms on the first call. */
int kfuncs_locate(struct prov_env *env, struct err *err);
struct ksyms;
void kfuncs_locate_in(struct kfuncs *k, const struct ksyms *ks);
/* The name without what the compiler adds to parts and copies of a function (.isra.0, .constprop.0, .part.0, .cold):
 * its length. */
size_t kfuncs_stem(const char *name);
/* A pattern (NULL: any) fits the function, under its own name or under the one that the source has. */
bool kfuncs_matches(const char *pat, const char *name);
/* kfuncleft.c: functions that d fits and that have no probe, or that patterns leave out, as probes with unavailable and
 * without id. -errno: *reason says why. */
int kfuncs_left_out(struct prov_env *env, struct arena *a, const struct pdesc *d, const char *prov,
		    struct probe_list *out, const char **reason);
/* Why a function of the kernel that is not in its list has no probe; init: it is in the part for the start. */
const char *kfuncs_why_none(const char *name, bool init);
/* BPF calls the function for our programs: its firings would be skipped, each with some cost. */
bool kfuncs_is_machinery(const char *name);
/* The kernel calls the function while it patches others: attached last and detached first, it does not slow that. */
bool kfuncs_is_patching(const char *name);
#endif
