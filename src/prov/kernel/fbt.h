/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the parts of the provider fbt: probes of kernel functions, and of modules that are loaded later. Private to
 * src/prov. */
#ifndef DWELL_PROV_KERNEL_FBT_H
#define DWELL_PROV_KERNEL_FBT_H
#include "prov/kernel/kfuncs.h"

/* An exact name that is not in the list: another name of a function that is, as __x64_sys_getppid is of
 * __ia32_sys_getppid. NULL: *reason may say why it has no probe. */
const struct kfunc *fbt_other_name(struct prov_env *env, const struct pdesc *d, const char **reason);
/* A probe at the entry of a function, or with back at its return. */
struct probe *fbt_probe(struct arena *a, const struct kfunc *f, bool raw, bool back);
/* Fills p->args of a function by the kernel's type information, as far as it is known. */
void fbt_type_args(struct prov_env *env, struct arena *a, struct probe *p, const struct kfunc *f, bool back);
/* Where the arguments, or with back the value, are then. */
void fbt_place_args(struct entry *e, bool back);

/* ---- fbtlater.c: functions of modules that are loaded while the program runs ---- */
/* May such a module have functions that the description fits? It must name a module, or a pattern of some. */
bool fbt_may_come(const struct prov_env *env, const struct pdesc *d);
/* The probe that stands for those that the description may find later. */
struct probe *fbt_model(struct prov_env *env, struct arena *a, const struct pdesc *d);
/* Reads what can be traced of a module. *ret_any: there is something. 0 or -errno; then *ret_any is false. */
int fbt_module(struct prov_env *env, const char *mod, bool *ret_any);
/* Were there functions of the module when the kernel's list was read? */
bool fbt_knows_module(const struct prov_env *env, const char *mod);
/* Probes of the module of the last fbt_module(). */
void fbt_match_module(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out);
#endif
