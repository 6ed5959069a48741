/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that other users chose. Mounts of FUSE need no check here: the kernel refuses a user's mount to
 * processes outside that user's namespace before it asks the file system's daemon. */
#include "sym/elf/open.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"

int open_reopen(int pathfd)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", pathfd);
	int fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Takes over pathfd. */
static int check_regular(int pathfd, struct stat *st)
{
	int r = 0;

	if (pathfd < 0)
		return -errno;
	if (fstat(pathfd, st) < 0)
		r = -errno;
	else if (!S_ISREG(st->st_mode))
		r = -EMEDIUMTYPE;
	if (r < 0) {
		close(pathfd);
		return r;
	}
	return pathfd;
}

int open_path_regular(int dirfd, const char *path, struct stat *st)
{
	return check_regular(openat(dirfd, path, O_PATH | O_CLOEXEC), st);
}

static int reopen(int pathfd)
{
	if (pathfd < 0)
		return pathfd;
	int fd = open_reopen(pathfd);

	close(pathfd);
	return fd;
}

int open_regular(int dirfd, const char *path, bool follow, struct stat *st)
{
	int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);

	return reopen(check_regular(openat(dirfd, path, flags), st));
}

int open_regular_in_root(int rootfd, const char *path, bool follow, struct stat *st)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return reopen(check_regular((int)syscall(SYS_openat2, rootfd, path, &how, sizeof(how)), st));
}
