/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names of pods and containers in the files that kubelet and container runtimes keep. */
#ifndef DWELL_DAEMON_PODFILES_H
#define DWELL_DAEMON_PODFILES_H
#include "daemon/cgroups.h"

/* Fills container, pod and space as far as they are known; the others stay as they are. */
void podfiles_find(const char *root, const struct cgroup_ids *ids, struct cgroup_names *ret);
#endif
