/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the D variables by which tables are grouped: group_id, group_name and others. Option -x by selects what a
 * group is: process, container, control group, systemd unit or user. */
#ifndef DWELL_ENGINE_FRONT_GROUPED_H
#define DWELL_ENGINE_FRONT_GROUPED_H
#include <stdbool.h>
#include "base/strb.h"
#include "lang/options.h"

#define GROUPED_USERS_MAX 128 /* users of /etc/passwd whose names are known; others have their number only */
#define GROUPED_NAMES "container, cgroup, unit, user"

/* Whether that is one of GROUPED_NAMES. */
bool grouped_knows(const char *by);
/* Adds the inlines group_id, group_name, container_of[T] and group_name_of[T] for any thread T, their headings
 * group_id_head and group_head, and group_prefix. 0, or -EINVAL with the reason in *ret_reason, in the arena. */
int grouped_text(struct arena *a, const struct dopts *o, struct strb *b, const char **ret_reason);
#endif
