/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the id of a control group by its path, for the compiler. */
#ifndef DWELL_ENGINE_FRONT_CGROUPID_H
#define DWELL_ENGINE_FRONT_CGROUPID_H
#include "lang/dprog.h"

#define CGROUPID_ROOT "/sys/fs/cgroup"

/* A path from the root on ("/sys/fs/cgroup/system.slice"), or below it ("/system.slice"). */
extern const struct cgroup_source cgroupid_source;
#endif
