#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * killsnoop.d: signals that programs send with kill(2), tkill(2) and tgkill(2).
 *
 * Topic: Signals
 * Usage: killsnoop.d [-p PID|-c COMMAND]
 * With -p or -c only those sent by this process and its descendants.
 *
 * TIME   when          PID, COMMAND   the sender
 * SIGNAL what is sent; 0: only asked whether it could be sent
 * TPID   to whom: negative for a process group, -1 for everyone
 * RESULT 0, or the error
 *
 * Example, while another terminal runs bash -c "kill -0 $$; kill -USR1 4000000; kill -TERM $$" 2>/dev/null:
 *   # killsnoop.d -p 4996
 *   TIME                     PID COMMAND          SIGNAL         TPID RESULT
 *   2026 Nov 21 17:04:23    5017 bash             0              5017 0
 *   2026 Nov 21 17:04:23    5017 bash             SIGUSR1     4000000 ESRCH
 *   2026 Nov 21 17:04:23    5017 bash             SIGTERM        5017 0
 */
#pragma D option quiet

BEGIN
{
	printf("%-20s %7s %-16s %-10s %8s %s\n", "TIME", "PID", "COMMAND", "SIGNAL", "TPID", "RESULT");
}

syscall::kill:entry, syscall::tkill:entry
/wanted/
{
	self->to = (int)arg0;
	self->sig = (int)arg1;
	self->on = 1;
}

syscall::tgkill:entry
/wanted/
{
	self->to = (int)arg1;
	self->sig = (int)arg2;
	self->on = 1;
}

syscall::kill:return, syscall::tkill:return, syscall::tgkill:return
/self->on/
{
	printf("%-20Y %7d %-16s %-10s %8d %s\n", walltimestamp, pid, execname, signal_name[self->sig],
	    self->to, errno ? errno_name[errno] : "0");
	self->on = 0;
	self->to = 0;
	self->sig = 0;
}
