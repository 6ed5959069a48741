/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the D variable wanted. It is 1 if the current thread matches the options comm, user, cgroup, container and
 * unit. With a target the thread must be $target or a descendant, too. Without such options it is the constant 1.
 * Shipped programs test it in their predicates. */
#ifndef DWELL_ENGINE_FRONT_WANTED_H
#define DWELL_ENGINE_FRONT_WANTED_H
#include "base/strb.h"
#include "lang/options.h"

#define WANTED_GROUPS_MAX 16 /* control groups of one name */

/* Is there any such option? */
bool wanted_any(const struct dopts *o);
/* Adds "inline int wanted = …;", and the same of any thread: "inline int wanted_of[struct task_struct *T] = …;". 0, or
 * -EINVAL with the reason in *ret_reason, in the arena. With 0, it is a note for the user, or as it was. */
int wanted_text(struct arena *a, const struct dopts *o, struct strb *b, const char **ret_reason);

/* The i-th tree of control groups: the folder where it is mounted, "" if it is not there, NULL: there are no more. The
 * tree of version 2 comes first, then the controllers of version 1. *ret_of: a D expression for a thread's control
 * group in it. */
const char *wanted_tree(struct arena *a, size_t i, const char **ret_of);
/* The same of another thread than the current one: thread is a name in D. */
const char *wanted_of_thread(struct arena *a, const char *of, const char *thread);
/* Can it be the id of a container, or its beginning? */
#define WANTED_NO_CONTAINER "'%s' is no id of a container: 8 to 64 hexadecimal digits"
bool wanted_is_container(const char *id);
/* The number of a user: of a name in /etc/passwd, or the number itself. */
bool wanted_user(const char *name, uint64_t *ret);
/* Are all control groups visible? Only then are levels the kernel's. */
bool wanted_sees_groups(void);
/* Adds a string constant of D, of max characters at most. */
void wanted_string(struct strb *b, const char *s, size_t max);
#endif
