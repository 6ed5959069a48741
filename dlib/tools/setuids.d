#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setuids.d: programs that change their user or group: setuid(2), setresgid(2) and the like.
 *
 * Topic: Processes
 * Usage: setuids.d
 *
 * PID, UID, COMMAND  the process, and its user before       CALL  the system call
 * ARGS    numbers of users or groups; -1: as it is          RESULT  0, or the error
 *
 * Example:
 *   # setuids.d -c "setpriv --reuid 65534 --regid 65534 --clear-groups true"
 *       PID     UID COMMAND          CALL       ARGS                     RESULT
 *      8566       0 setpriv          setresuid  65534 65534 65534        0
 *      8566   65534 setpriv          setresgid  65534 65534 65534        0
 */
#pragma D option quiet

BEGIN
{
	printf("%7s %7s %-16s %-10s %-24s %s\n", "PID", "UID", "COMMAND", "CALL", "ARGS", "RESULT");
}

syscall::setuid:entry, syscall::setgid:entry, syscall::setfsuid:entry, syscall::setfsgid:entry
/wanted/
{
	self->args = lltostr((int)arg0);
}

syscall::setreuid:entry, syscall::setregid:entry
/wanted/
{
	self->args = strjoin(lltostr((int)arg0), strjoin(" ", lltostr((int)arg1)));
}

syscall::setresuid:entry, syscall::setresgid:entry
/wanted/
{
	self->args = strjoin(lltostr((int)arg0), strjoin(" ", strjoin(lltostr((int)arg1),
	    strjoin(" ", lltostr((int)arg2)))));
}

syscall::set*id:entry
/self->args != NULL/
{
	self->uid = uid;
}

syscall::set*id:return
/self->args != NULL/
{
	printf("%7d %7d %-16s %-10s %-24s %s\n", pid, self->uid, execname, probefunc, self->args,
	    errno ? errno_name[errno] : "0");
	self->args = NULL;
	self->uid = 0;
}
