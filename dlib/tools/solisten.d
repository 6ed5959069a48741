#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solisten.d: listen(2): sockets that programs make ready for connections.
 *
 * Topic: Network
 * Usage: solisten.d
 *
 * PID, COMMAND  the process        ADDRESS, PORT  where connections are expected
 * BACKLOG       connections that may wait to be accepted, as asked for (net.core.somaxconn limits it)
 *
 * Example:
 *   # solisten.d -c "python3 -m http.server 8999"
 *       PID COMMAND          ADDRESS                                    PORT  BACKLOG
 *     18340 python3          0.0.0.0                                    8999        5
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-40s %6s %8s\n", "PID", "COMMAND", "ADDRESS", "PORT", "BACKLOG");
}

syscall::listen:entry
/wanted/
{
	self->backlog = (int)arg1;
	self->in = 1;
}

/* The state LISTEN is 10. */
sdt:::inet_sock_set_state
/self->in && args[2] == 10 && args[0]->sk_protocol == 6/
{
	printf("%7d %-16s %-40s %6d %8d\n", pid, execname, sock_local[(struct sock *)args[0]],
	    sock_lport[(struct sock *)args[0]], self->backlog);
}

syscall::listen:return
{
	self->in = 0;
	self->backlog = 0;
}
