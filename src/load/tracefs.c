/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or mounts tracefs. On many machines it is not mounted, and a tracer should not change what others see:
 * fsmount() makes a mount that is attached nowhere (Linux 5.2). */
#include "load/tracefs.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "base/strb.h"
#include "load/reasons.h"

#define TRACEFS_SUPER_MAGIC 0x74726163
#define TRACEFS_FILE_MAX (16u << 20) /* no file of tracefs that we read is near this */

static const char *const mount_points[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static int open_mounted(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(mount_points); i++) {
		_cleanup_close_ int fd = open(mount_points[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct statfs st;

		if (fd >= 0 && fstatfs(fd, &st) == 0 && st.f_type == TRACEFS_SUPER_MAGIC)
			return take_fd(fd);
	}
	return -ENOENT;
}

static int mount_private(void)
{
	_cleanup_close_ int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int tracefs_open(int *ret_fd, struct err *err)
{
	int fd = open_mounted();
	struct reason words;

	if (fd < 0)
		fd = mount_private();
	if (fd < 0)
		return err_set(err, fd, "%s", reason_tracefs(fd, &words));
	*ret_fd = fd;
	return 0;
}

int tracefs_read(int dirfd, const char *path, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	_cleanup_(strb_free) struct strb b = { 0 };
	int e;

	if (fd < 0)
		return -errno;
	e = read_stream(fd, &b, TRACEFS_FILE_MAX);
	if (e < 0)
		return e;
	*ret_len = b.n;
	*ret = strb_take(&b);
	return *ret ? 0 : -ENOMEM;
}
