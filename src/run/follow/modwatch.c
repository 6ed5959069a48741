/* SPDX-License-Identifier: Apache-2.0 */
/* Reads uevents of the kernel and reports modules that were loaded. */
#include "run/follow/modwatch.h"
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"

#define OF_KERNEL 1	   /* the group of the kernel's own messages; 2 is udev's */
#define MESSAGE_BYTES 4096 /* the kernel's have 2 KiB at most: UEVENT_BUFFER_SIZE */
#define LOADED "add@/module/"

int modwatch_open(void)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_groups = OF_KERNEL };
	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	int room = MODWATCH_ROOM;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)); /* without the right: as it is */
	return take_fd(fd);
}

bool modwatch_parse(const char *msg, char name[MODWATCH_MAX_NAME])
{
	size_t n = strlen(LOADED);

	if (strncmp(msg, LOADED, n) != 0 || strlen(msg + n) >= MODWATCH_MAX_NAME || !msg[n] || strchr(msg + n, '/'))
		return false;
	strcpy(name, msg + n);
	return true;
}

struct step modwatch_next(int fd, char name[MODWATCH_MAX_NAME])
{
	char msg[MESSAGE_BYTES];
	struct sockaddr_nl from;
	socklen_t len = sizeof(from);
	ssize_t n;

	while ((n = recvfrom(fd, msg, sizeof(msg) - 1, 0, (struct sockaddr *)&from, &len)) >= 0) {
		msg[n] = '\0';
		if (from.nl_pid == 0 && modwatch_parse(msg, name)) /* a process may send, too */
			return step_more();
		len = sizeof(from);
	}
	return errno == EAGAIN ? step_end() : step_failed(-errno);
}
