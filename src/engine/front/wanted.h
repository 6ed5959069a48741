/* SPDX-License-Identifier: Apache-2.0 */
/* The variable wanted of D: is the current thread one of those that the options comm, user, cgroup, container and unit
 * ask for, and $target or a descendant if there is one? Programs say where that counts; without such options it is the
 * constant 1. */
#ifndef DWELL_ENGINE_FRONT_WANTED_H
#define DWELL_ENGINE_FRONT_WANTED_H
#include "base/strb.h"
#include "lang/options.h"

#define WANTED_GROUPS_MAX 16 /* control groups of one name */

/* Is there any such option? */
bool wanted_any(const struct dopts *o);
/* Adds "inline int wanted = …;". 0, or -EINVAL with the reason in *ret_why, in the arena. */
int wanted_text(struct arena *a, const struct dopts *o, struct strb *b, const char **ret_why);
#endif
