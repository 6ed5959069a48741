#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sofdsnoop.d: file descriptors that programs send to each other through Unix sockets (SCM_RIGHTS).
 *
 * Topic: Files
 * Usage: sofdsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants. sendmsg(2) and recvmsg(2); of one call the first 16.
 *
 * PID, COMMAND  the process      D  S sent, R received     SOCK  the socket's descriptor
 * FD  the descriptor that was sent, or the new one that was received      FILE  what it is
 *
 * Example:
 *   # sofdsnoop.d -c "python3 pass-fd.py"
 *       PID COMMAND          D SOCK   FD FILE
 *     11853 python3          S    3    5 /etc/hostname
 *     11853 python3          R    4    6 /etc/hostname
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %1s %4s %4s %s\n", "PID", "COMMAND", "D", "SOCK", "FD", "FILE");
}

syscall::sendmsg:entry, syscall::recvmsg:entry
/wanted/
{
	self->msg = arg1;
	self->sock = arg0;
}

/* Both are read at the end: what is received is there then. The level is SOL_SOCKET, the type SCM_RIGHTS. */
syscall::sendmsg:return, syscall::recvmsg:return
/self->msg && (int)arg0 >= 0/
{
	struct user_msghdr *m = (struct user_msghdr *)copyin(self->msg, sizeof (struct user_msghdr));
	uint64_t at = (uint64_t)m->msg_control;
	uint64_t len = m->msg_controllen;

	if (at && len > sizeof (struct cmsghdr)) {
		struct cmsghdr *c = (struct cmsghdr *)copyin(at, sizeof (struct cmsghdr));
		uint64_t n = (c->cmsg_len - sizeof (struct cmsghdr)) / sizeof (int);

		if (c->cmsg_level == 1 && c->cmsg_type == 1)
			for (uint64_t i = 0; i < n && i < 16; i++) {
				int fd = *(int *)copyin(at + sizeof (struct cmsghdr) + i * sizeof (int), sizeof (int));

				printf("%7d %-16s %1s %4d %4d %s\n", pid, execname, probefunc == "sendmsg" ? "S" : "R",
				    self->sock, fd, fds[fd].fi_pathname);
			}
	}
}

syscall::sendmsg:return, syscall::recvmsg:return
{
	self->msg = 0;
	self->sock = 0;
}
