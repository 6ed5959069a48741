/* SPDX-License-Identifier: Apache-2.0 */
/* Sends datagrams to $NOTIFY_SOCKET. */
#include "daemon/sdnotify.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/num.h"

void sdnotify(const char *text)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t n = path ? strlen(path) : 0;
	_cleanup_close_ int fd = -1;

	if (n < 2 || n >= sizeof(a.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(a.sun_path, path, n);
	if (path[0] == '@')
		a.sun_path[0] = '\0'; /* a name of the abstract namespace, which no NUL ends */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		sendto(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&a,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}

uint64_t sdnotify_watchdog(void)
{
	const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	uint64_t n, who;

	if (!us || num_parse_u64(us, &n) < 0 || n > UINT64_MAX / 1000)
		return 0;
	if (pid && (num_parse_u64(pid, &who) < 0 || who != (uint64_t)getpid()))
		return 0;
	return n * 1000 / 2;
}
