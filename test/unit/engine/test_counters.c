/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc into lines "name value". */
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "base/cleanup.h"
#include "engine/run/counters.h"
#include "engine/run/refaults.h"

static char root[] = "/tmp/counters-XXXXXX";

static void file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", root, strncmp(name, "sys/", 4) ? "proc/" : "", name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void reads_what_there_is(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	(void)state;
	assert_non_null(mkdtemp(root));
	folder("proc");
	folder("proc/net");
	folder("proc/pressure");
	file("stat", "cpu  10 1 20 300 40 5 6 7 0 0\nctxt 99\nprocesses 12\n");
	file("vmstat", "nr_free_pages 1\npswpin 3\n");
	file("diskstats", " 8 0 sda 5 0 80 1 2 0 16 1 0 77 9\n 8 1 sdb 0 0 0 0 0 0 0 0 0 0 0\n");
	file("net/netstat", "TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 1 4\n");
	file("net/softnet_stat", "0000000a 00000002 00000001 0\n0000000b 00000010 00000000 0\n");
	file("net/dev", "head\nhead\n lo: 9 9 9 9 9 9 9 9 9 9\n eth0: 100 1 0 0 0 0 0 0 200 2\n");
	file("pressure/cpu",
	     "some avg10=0.00 avg60=0.00 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4\n");
	counters_read(&b, root);
	assert_string_equal(strb_str(&b),
			    "cpu.busy 42\ncpu.idle 340\ncpu.steal 7\nstat.ctxt 99\nstat.processes 12\nvm.pswpin 3\n"
			    "disk.sda.busy_ms 77\ndisk.sda.sectors 96\nnet.TcpExt.ListenOverflows 4\n"
			    "softnet.dropped 18\nsoftnet.squeezed 1\nif.rx_bytes 100\nif.tx_bytes 200\n"
			    "psi.cpu.some 123\npsi.cpu.full 4\n");
}

/* Groups with a limit, and the sums over those below. */
static void reads_refaults_of_both_versions(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	(void)state;
	folder("sys");
	folder("sys/fs");
	folder("sys/fs/cgroup");
	folder("sys/fs/cgroup/memory");
	folder("sys/fs/cgroup/memory/free");
	folder("sys/fs/cgroup/memory/tight");
	file("sys/fs/cgroup/memory/free/memory.limit_in_bytes", "9223372036854771712\n");
	file("sys/fs/cgroup/memory/free/memory.stat", "total_workingset_refault_file 7\n");
	file("sys/fs/cgroup/memory/tight/memory.limit_in_bytes", "50331648\n");
	file("sys/fs/cgroup/memory/tight/memory.stat",
	     "workingset_refault_file 1\ntotal_workingset_refault_anon 2\ntotal_workingset_refault_file 3\n");
	refaults_read(&b, root);
	assert_string_equal(strb_str(&b), "refaults./tight 3\n");
	strb_reset(&b);
	file("sys/fs/cgroup/cgroup.controllers", "memory\n");
	folder("sys/fs/cgroup/a b");
	folder("sys/fs/cgroup/high");
	folder("sys/fs/cgroup/high/below");
	file("sys/fs/cgroup/a b/memory.max", "1\n");
	file("sys/fs/cgroup/high/memory.max", "max\n");
	file("sys/fs/cgroup/high/memory.high", "4096\n");
	file("sys/fs/cgroup/high/memory.stat",
	     "workingset_refault_anon 2\nworkingset_refault_file 5\nworkingset_activate_file 9\n");
	file("sys/fs/cgroup/high/below/memory.max", "max\n");
	refaults_read(&b, root);
	assert_string_equal(strb_str(&b), "refaults./high 5\n");
}

static void leaves_out_what_is_not_there(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	(void)state;
	counters_read(&b, "/nowhere");
	refaults_read(&b, "/nowhere");
	assert_int_equal(b.n, 0);
}

/* The words of a line after the 32nd are not looked at: it is read as if it ended there. */
static void long_lines_are_cut_after_32_words(void **state)
{
	char line[4096] = "cpu 1 2 3 4 5 6 7 8", path[8192] = "";
	_cleanup_(strb_free) struct strb b = { 0 };

	(void)state;
	for (unsigned n = 9; n < 500; n++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %u", n);
	strcat(line, "\nctxt 5\n");
	file("stat", line);
	file("vmstat", "");
	file("diskstats", "");
	file("net/netstat", "");
	file("net/dev", "");
	file("net/softnet_stat", "");
	file("pressure/cpu", "");
	counters_read(&b, root);
	assert_non_null(strstr(strb_str(&b), "cpu.busy 19\ncpu.idle 9\ncpu.steal 8\nstat.ctxt 5\n"));
	strb_reset(&b);
	/* A path that is too long is none: it is not cut to another one. */
	while (strlen(path) < 4096 - strlen(root) - strlen("/proc/stat"))
		strcat(path, "/");
	strcat(path, root);
	assert_int_equal(strlen(path) + strlen("/proc/stat"), 4096);
	counters_read(&b, path);
	assert_null(strstr(b.n ? strb_str(&b) : "", "stat.ctxt"));
	strb_reset(&b);
	counters_read(&b, path + 1);
	assert_non_null(strstr(strb_str(&b), "stat.ctxt 5\n"));
}

static int clear(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_there_is),
		cmocka_unit_test(reads_refaults_of_both_versions),
		cmocka_unit_test(leaves_out_what_is_not_there),
		cmocka_unit_test(long_lines_are_cut_after_32_words),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
