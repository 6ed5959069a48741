#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dbstat.d: how long queries of PostgreSQL, MariaDB and MySQL take, as a distribution.
 *
 * Topic: Files
 * Usage: dbstat.d [-p PID]
 * All servers, also those that start later: PostgreSQL by its static probes (as Debian builds them), MariaDB and MySQL
 * by their function dispatch_command(). -p: one process and its descendants. dbslower.d shows the slow queries
 * themselves.
 *
 * COMMAND  the server     QUERIES  how many     AVG_US, MAX_US  microseconds
 * Then, by server, microseconds as a distribution.
 *
 * Example:
 *   # dbstat.d --for 5s
 *   COMMAND           QUERIES     AVG_US     MAX_US
 *   postgres               40      25120     300411
 *   ...
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option aggsortrev
#pragma D param interval string "time between reports; else one at the end" 1d

/* int dispatch_command(enum enum_server_command, THD *, char *query, unsigned length, …): 3 is COM_QUERY. */
postgresql*:::query-start,
pid*:mariadbd:*dispatch_command*:entry, pid*:mysqld:*dispatch_command*:entry
/wanted && (probename == "query-start" || arg0 == 3)/
{
	self->start = timestamp;
}

postgresql*:::query-done,
pid*:mariadbd:*dispatch_command*:return, pid*:mysqld:*dispatch_command*:return
/self->start/
{
	@queries[execname] = count();
	@avg[execname] = avg((timestamp - self->start) / 1000);
	@max[execname] = max((timestamp - self->start) / 1000);
	@us[execname] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%-16s %8s %10s %10s\n", "COMMAND", "QUERIES", "AVG_US", "MAX_US");
	printa("%-16s %@8d %@10d %@10d\n", @queries, @avg, @max);
	printa("\n%s, microseconds%@d", @us);
	trunc(@queries);
	trunc(@avg);
	trunc(@max);
	trunc(@us);
}
