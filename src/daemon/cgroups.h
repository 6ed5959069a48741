/* SPDX-License-Identifier: Apache-2.0 */
/* Names cgroups for labels of metrics: the path, and the service, the container and the pod that run there. Reads
 * only files of the machine; asks no container engine and no API. */
#ifndef DWELL_DAEMON_CGROUPS_H
#define DWELL_DAEMON_CGROUPS_H
#include <stdbool.h>
#include <stdint.h>

#define CGROUPS_MAX 4096 /* cgroups that are looked at, and known */
#define CGROUPS_DEPTH 16
#define CGROUPS_LOOK_NS (UINT64_C(100) * 1000000) /* between looks for cgroups that are new, at least, … */
#define CGROUPS_LOOK_SHARE 100			  /* … and at least this many times the duration of the last look */
#define CGROUPS_GONE_NS (UINT64_C(600) * 1000000000) /* … for one that was not there */
#define CGROUPS_PATH 512
#define CGROUPS_NAME 256
#define CGROUPS_FILE_MAX (1 << 20) /* bytes of a runtime's file */

struct cgroup_names {
	char path[CGROUPS_PATH];      /* "/system.slice/ssh.service" */
	char container[CGROUPS_NAME]; /* its name; of one that has none that is known, 12 digits of its id; "": none */
	char pod[CGROUPS_NAME], space[CGROUPS_NAME]; /* of Kubernetes: its name and namespace; or "" */
};

/* The ids that the path of a cgroup tells. Pure. */
struct cgroup_ids {
	char container[65]; /* 64 digits, or the name of a container of LXC or systemd-nspawn */
	char pod[64];	    /* the pod's uid; or "" */
	bool named;	    /* container is a name */
};
void cgroup_parse(const char *path, struct cgroup_ids *ret);

struct cgroups;
/* root: in front of all paths, "" but in tests. NULL: no memory. */
struct cgroups *cgroups_new(const char *root);
void cgroups_free(struct cgroups *c); /* accepts NULL */
/* By the id that the kernel gives (of the unified hierarchy); NULL: it is not known. now: CLOCK_MONOTONIC ns. The
 * result lives until the next call. */
const struct cgroup_names *cgroups_find(struct cgroups *c, uint64_t id, uint64_t now);
#endif
