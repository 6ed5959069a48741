#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dbslower.d: queries of PostgreSQL, and of MariaDB or MySQL, that take longer than some milliseconds.
 *
 * Topic: Files
 * Usage: dbslower.d [-p PID] [--ms N]
 * All servers, also those that start later: PostgreSQL by its static probes (as Debian builds them), MariaDB and MySQL
 * by their function dispatch_command(), queries cut at 256 characters. -p: one process and its descendants.
 *
 * TIME  when the answer was complete      PID  of the server's process      MS  from the query to the end of the answer
 * QUERY  as it came
 *
 * Example:
 *   # dbslower.d --ms 100
 *   TIME                     PID         MS QUERY
 *   2026 Nov 27 01:03:54   13383        160 select count(*) from pg_class, pg_sleep(0.15)
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option strsize=512
#pragma D param ms int "milliseconds from which on a query is shown" 10

BEGIN
{
	printf("%-20s %7s %10s %s\n", "TIME", "PID", "MS", "QUERY");
}

postgresql*:::query-start
/wanted/
{
	self->query = copyinstr(arg0);
	self->start = timestamp;
}

/* int dispatch_command(enum enum_server_command, THD *, char *query, unsigned length, …): 3 is COM_QUERY. */
pid*:mariadbd:*dispatch_command*:entry, pid*:mysqld:*dispatch_command*:entry
/arg0 == 3 && wanted/
{
	self->query = copyinstr(arg2, 256);
	self->start = timestamp;
}

postgresql*:::query-done, pid*:mariadbd:*dispatch_command*:return, pid*:mysqld:*dispatch_command*:return
/self->start && timestamp - self->start >= $ms * 1000000/
{
	printf("%-20Y %7d %10d %s\n", walltimestamp, pid, (timestamp - self->start) / 1000000, self->query);
}

postgresql*:::query-done, pid*:mariadbd:*dispatch_command*:return, pid*:mysqld:*dispatch_command*:return
{
	self->start = 0;
	self->query = NULL;
}
