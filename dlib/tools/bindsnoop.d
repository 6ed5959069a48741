#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bindsnoop.d: bind(2): the addresses and ports that programs ask for, and the result.
 *
 * Topic: Network
 * Usage: bindsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants. Internet addresses.
 *
 * PID, COMMAND  the process       ADDRESS, PORT  what was asked for; port 0: any
 * RESULT  0, or the error (EADDRINUSE: another socket has the port)
 *
 * Example:
 *   # bindsnoop.d -c "python3 -m http.server 8999"
 *       PID COMMAND          ADDRESS                                    PORT RESULT
 *     18248 python3          0.0.0.0                                    8999 0
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-40s %6s %s\n", "PID", "COMMAND", "ADDRESS", "PORT", "RESULT");
}

syscall::bind:entry
/wanted/
{
	self->addr = arg1;
}

syscall::bind:return
/self->addr/
{
	this->family = *(unsigned short *)copyin(self->addr, 2);
}

syscall::bind:return
/self->addr && this->family == AF_INET/
{
	this->in = (struct sockaddr_in *)copyin(self->addr, sizeof (struct sockaddr_in));
	printf("%7d %-16s %-40s %6d %s\n", pid, execname, inet_ntop(AF_INET, &this->in->sin_addr),
	    ntohs(this->in->sin_port), errno ? errno_name[errno] : "0");
}

syscall::bind:return
/self->addr && this->family == AF_INET6/
{
	this->in6 = (struct sockaddr_in6 *)copyin(self->addr, sizeof (struct sockaddr_in6));
	printf("%7d %-16s %-40s %6d %s\n", pid, execname, inet_ntop(AF_INET6, &this->in6->sin6_addr),
	    ntohs(this->in6->sin6_port), errno ? errno_name[errno] : "0");
}

syscall::bind:return
{
	self->addr = 0;
}
