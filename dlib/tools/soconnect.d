#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soconnect.d: connect(2): the addresses that programs connect to, and the result.
 *
 * Topic: Network
 * Usage: soconnect.d [-p PID|-c COMMAND]
 * With -p or -c only by this process and its descendants.
 *
 * PID, COMMAND  the process       ADDRESS, PORT  internet addresses; the path of a local socket ("@": abstract)
 * US   microseconds       RESULT  0, or the error (EINPROGRESS: goes on meanwhile)
 *
 * Example:
 *   # soconnect.d -c "curl -s http://127.0.0.1:9/"
 *       PID COMMAND          ADDRESS                                    PORT       US RESULT
 *     12317 curl             /var/run/nscd/socket                          -       18 ENOENT
 *     12317 curl             /var/run/nscd/socket                          -        3 ENOENT
 *     12317 curl             127.0.0.1                                     9       60 EINPROGRESS
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %-16s %-40s %6s %8s %s\n", "PID", "COMMAND", "ADDRESS", "PORT", "US", "RESULT");
}

syscall::connect:entry
/wanted/
{
	self->addr = arg1;
	self->start = timestamp;
}

syscall::connect:return
/self->start/
{
	this->family = *(unsigned short *)copyin(self->addr, 2);
}

syscall::connect:return
/self->start && this->family == AF_INET/
{
	this->in = (struct sockaddr_in *)copyin(self->addr, sizeof (struct sockaddr_in));
	printf("%7d %-16s %-40s %6d %8d %s\n", pid, execname, inet_ntop(AF_INET, &this->in->sin_addr),
	    ntohs(this->in->sin_port), (timestamp - self->start) / 1000,
	    errno ? errno_name[errno] : "0");
}

syscall::connect:return
/self->start && this->family == AF_INET6/
{
	this->in6 = (struct sockaddr_in6 *)copyin(self->addr, sizeof (struct sockaddr_in6));
	printf("%7d %-16s %-40s %6d %8d %s\n", pid, execname, inet_ntop(AF_INET6, &this->in6->sin6_addr),
	    ntohs(this->in6->sin6_port), (timestamp - self->start) / 1000,
	    errno ? errno_name[errno] : "0");
}

syscall::connect:return
/self->start && this->family == AF_UNIX/
{
	this->path = copyinstr(self->addr + 2);
	printf("%7d %-16s %-40s %6s %8d %s\n", pid, execname,
	    this->path == "" ? strjoin("@", copyinstr(self->addr + 3)) : this->path, "-",
	    (timestamp - self->start) / 1000, errno ? errno_name[errno] : "0");
}

syscall::connect:return
/self->start && this->family != AF_INET && this->family != AF_INET6 && this->family != AF_UNIX/
{
	printf("%7d %-16s %-40s %6s %8d %s\n", pid, execname,
	    strjoin("family ", lltostr(this->family)), "-", (timestamp - self->start) / 1000,
	    errno ? errno_name[errno] : "0");
}

syscall::connect:return
{
	self->start = 0;
	self->addr = 0;
}
