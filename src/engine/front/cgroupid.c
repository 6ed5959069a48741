/* SPDX-License-Identifier: Apache-2.0 */
/* Implements cgroupid("/path"): returns the id of a control group. On 64 bits it is the inode number of its
 * folder. Source: kernel fs/kernfs/dir.c, kernfs_id_ino() (Linux 5.5). */
#include "engine/front/cgroupid.h"
#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include "base/cleanup.h"

/* 0: a folder of control groups, of version *ret_version. -ENOENT; -EINVAL: it is something else. */
static int look(const char *path, struct stat *st, int *ret_version)
{
	struct statfs fs;

	if (stat(path, st) < 0 || statfs(path, &fs) < 0)
		return -errno;
	*ret_version = fs.f_type == CGROUP2_SUPER_MAGIC ? 2 : fs.f_type == CGROUP_SUPER_MAGIC ? 1 : 0;
	return *ret_version && S_ISDIR(st->st_mode) ? 0 : -EINVAL;
}

static int cgroupid_find(void *ctx, struct arena *a, const char *path, uint64_t *ret, const char **ret_reason)
{
	static const char *const roots[] = { "", CGROUPID_ROOT, CGROUPID_ROOT "/unified" };
	const char *slash = path[0] == '/' ? "" : "/";
	int e = 0, worst = -ENOENT, version = 0;
	struct stat st;

	(void)ctx;
	*ret_reason = NULL;
	for (size_t i = path[0] == '/' ? 0 : 1; i < ARRAY_SIZE(roots); i++) {
		e = look(arena_printf(a, "%s%s%s", roots[i], slash, path), &st, &version);
		if (e == 0) {
			*ret = st.st_ino;
			if (version == 1)
				*ret_reason =
					"a control group of version 1: the variable cgroup, which is of version 2, never has this number";
			return 0;
		}
		worst = e != -ENOENT && e != -EINVAL ? e : worst;
	}
	*ret_reason = worst == -ENOENT ? arena_printf(a, "there is no such control group, at this path or below %s",
						      CGROUPID_ROOT)
				       : arena_printf(a, "%s", strerror(-worst));
	return worst;
}

const struct cgroup_source cgroupid_source = { .find = cgroupid_find };
