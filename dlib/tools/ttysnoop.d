#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ttysnoop.d: what is written to a terminal.
 *
 * Topic: Processes
 * Usage: ttysnoop.d --tty PATH
 * Shows it as it is, with the sequences that colour and move: a terminal of the same size shows what its user sees.
 * At most 512 bytes of each write.
 *
 * Example, while somebody types echo hello in /dev/pts/0:
 *   # ttysnoop.d --tty /dev/pts/0
 *   echo hello
 *   hello
 */
#pragma D option quiet
#pragma D option strsize=512
#pragma D param tty string "the terminal: /dev/pts/3"

/* A pseudo terminal's path in its file system is /dev/pts/N. */
syscall::write:entry
/wanted && fd_type[arg0] == S_IFCHR && fds[arg0].fi_pathname == $$tty/
{
	self->buf = arg1;
}

syscall::write:return
/self->buf && !errno/
{
	/* copyin() adds no NUL. Bytes of an earlier, longer copy may follow. */
	printf("%s", substr(stringof(copyin(self->buf, arg0 < 512 ? arg0 : 512)), 0, arg0));
}

syscall::write:return
{
	self->buf = 0;
}
