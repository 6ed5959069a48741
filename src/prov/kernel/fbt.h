/* SPDX-License-Identifier: Apache-2.0 */
/* What fbt knows of names that the kernel's list has not. Private to src/prov. */
#ifndef DWELL_PROV_KERNEL_FBT_H
#define DWELL_PROV_KERNEL_FBT_H
#include "prov/kernel/kfuncs.h"

/* An exact name that is not in the list: another name of a function that is, as __x64_sys_getppid is of
 * __ia32_sys_getppid. NULL: *why may say why it has no probe. */
const struct kfunc *fbt_other_name(struct prov_env *env, const struct pdesc *d, const char **why);
#endif
