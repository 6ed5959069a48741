/* SPDX-License-Identifier: Apache-2.0 */
/* Makes listening sockets, and drops privileges of a server. */
#include "launcher/listen.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include "base/cleanup.h"
#include "launcher/launch.h"

#define BACKLOG 1024 /* a connection waits for all that came before it */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_of(const char *host, uint16_t port, union address *a)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, host, &a->v4.sin_addr) == 1) {
		a->v4.sin_family = AF_INET;
		a->v4.sin_port = htons(port);
		return sizeof(a->v4);
	}
	if (inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		return sizeof(a->v6);
	}
	return 0;
}

int listen_tcp(const char *host, uint64_t *port)
{
	union address a;
	socklen_t n = address_of(host ? host : "127.0.0.1", (uint16_t)*port, &a);
	_cleanup_close_ int fd = -1;
	int on = 1;

	if (!n)
		return -EINVAL;
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 || bind(fd, &a.any, n) < 0 ||
	    listen(fd, BACKLOG) < 0 || getsockname(fd, &a.any, &n) < 0)
		return -errno;
	*port = ntohs(a.any.sa_family == AF_INET ? a.v4.sin_port : a.v6.sin6_port);
	return take_fd(fd);
}

int listen_unix(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask;
	struct stat st;
	int r;

	if (strlen(path) >= sizeof(a.sun_path))
		return -ENAMETOOLONG;
	strcpy(a.sun_path, path);
	if (fd < 0)
		return -errno;
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return -EADDRINUSE;
		unlink(path);
	}
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&a, sizeof(a));
	umask(mask);
	if (r < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return take_fd(fd);
}

int listen_confine(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { 0 };
	int e = launch_drop(LISTEN_NOBODY);

	return e < 0 ? e : syscall(SYS_capset, &h, none) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ? -errno : 0;
}
