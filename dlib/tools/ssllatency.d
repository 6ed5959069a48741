#!/usr/bin/env -S dwell -s
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssllatency.d: how long handshakes, reads and writes of TLS take.
 *
 * Topic: Functions of programs
 * Usage: ssllatency.d [-p PID|-c COMMAND] [--module FILE]
 * OpenSSL, in all programs that use it, also those that start later; with -p or -c only in this process and its
 * descendants. Reads wait for what the other side sends. FAILED counts calls that return 0 or less: also those that are
 * to be repeated.
 *
 * FUNCTION  of OpenSSL     CALLS, FAILED  how many     AVG_US, MAX_US  microseconds
 * Then, by function, microseconds as a distribution.
 *
 * Example:
 *   # ssllatency.d -c "python3 hello-tls.py"
 *   FUNCTION              CALLS   FAILED     AVG_US     MAX_US
 *   SSL_do_handshake          4        2       1210       3304
 *   SSL_read_ex               2        0         69        101
 *   SSL_write_ex              2        0         41         52
 *   ...
 */
#pragma D option quiet
#pragma D option zdefs
#pragma D option aggsortrev
#pragma D param module string "files that have the functions" libssl.so*
#pragma D param interval string "time between reports; else one at the end" 1d

pid*:$module:SSL_do_handshake:entry, pid*:$module:SSL_read:entry, pid*:$module:SSL_write:entry,
pid*:$module:SSL_read_ex:entry, pid*:$module:SSL_write_ex:entry
/wanted && !self->start/
{
	self->start = timestamp;
	self->func = probefunc;
}

pid*:$module:SSL_do_handshake:return, pid*:$module:SSL_read:return, pid*:$module:SSL_write:return,
pid*:$module:SSL_read_ex:return, pid*:$module:SSL_write_ex:return
/self->start && self->func == probefunc/
{
	@calls[probefunc] = count();
	@failed[probefunc] = sum((int)arg1 <= 0);
	@avg[probefunc] = avg((timestamp - self->start) / 1000);
	@max[probefunc] = max((timestamp - self->start) / 1000);
	@us[probefunc] = quantize((timestamp - self->start) / 1000);
	self->start = 0;
	self->func = NULL;
}

tick-$interval
{
	printf("%Y\n", walltimestamp);
}

tick-$interval, END
{
	printf("%-20s %8s %8s %10s %10s\n", "FUNCTION", "CALLS", "FAILED", "AVG_US", "MAX_US");
	printa("%-20s %@8d %@8d %@10d %@10d\n", @calls, @failed, @avg, @max);
	printa("\n%s, microseconds%@d", @us);
	trunc(@calls);
	trunc(@failed);
	trunc(@avg);
	trunc(@max);
	trunc(@us);
}
