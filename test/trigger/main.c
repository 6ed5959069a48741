/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a subcommand of the trigger program. */
#include "trigger.h"

static const struct trigger triggers[] = {
	{ "getppid", "[N]: N calls of getppid", run_getppid },
	{ "writes", "SIZE…: a write(2) to /dev/null of each size", run_writes },
	{ "sixargs", "[N]: N calls of process_vm_readv with known arguments, all failing", run_sixargs },
	{ "errors", "calls that fail with known errors", run_errors },
	{ "keys", "N [ROUNDS]: lseek(-1, 0…N-1, 0); prints the monotonic time in ns and its CPU time in us", run_keys },
	{ "open", "PATH…: openat(AT_FDCWD, PATH, O_RDONLY)", run_open },
	{ "int80", "[N]: N getppid calls through the 32-bit entry", run_int80 },
	{ "notresident", "FILE: write(2) of a page of FILE that is not in memory", run_notresident },
	{ "rate", "PER_SECOND MS [THREADS]: getppid at that rate; prints calls and ms", run_rate },
	{ "exitcode", "N: exits with N", run_exitcode },
	{ "chain", "[N [MS]]: run_chain > chain_a > chain_b > chain_c > getppid, N times; then sleeps", run_chain },
	{ "deep", "DEPTH: getppid at the end of a recursion", run_deep },
	{ "spin", "MS: burns CPU in spin_here()", run_spin },
	{ "jit", "getppid from generated code that a perf map names", run_jit },
	{ "deleted", "runs chain from a copy of this file that is deleted first", run_deleted },
	{ "pause", "MS: sleeps", run_pause },
	{ "contend", "MS [THREADS]: threads contending for a mutex", run_contend },
	{ "storm", "N: N children that exit at once", run_storm },
	{ "execs", "N: N children that execute this program's exitcode 0", run_execs },
	{ "reexec", "ARG…: executes itself with these arguments", run_reexec },
	{ "faults", "N: touches N new pages of memory in touch_pages()", run_faults },
	{ "watch",
	  "N [MS [THREADS]]: sets watched to 1 … N and reads it once each, in as many threads in turn; then sleeps",
	  run_watch },
	{ "threads", "N: N threads, each calls getppid once and ends", run_threads },
	{ "life", "four processes, two threads, four signals, a fault", run_life },
	{ "signals", "[N]: sends itself N signals whose handler does nothing", run_signals },
	{ "inherit", "a real-time thread waits for a lock of the main thread", run_inherit },
	{ "naps", "N M: sleeps 1 ms N times, then yields M times", run_naps },
	{ "directio", "FILE N [K]: N writes and N reads of K times 16 KiB past the page cache", run_directio },
	{ "files", "DIR: three files, a folder and a link come and go", run_files },
	{ "tcp", "PORT: a connection with 100 bytes, and one that is refused", run_tcp },
	{ "udp", "PORT N: N datagrams of 50 bytes", run_udp },
	{ "touch", "N: touches N new pages", run_touch },
	{ "fight", "FILE MS: four threads write to one file", run_fight },
	{ "track", "bK|eK|BN|EN|sUS…: opens and closes keys, sleeps", run_track },
};

int main(int argc, char **argv)
{
	return trigger_main("trigger", triggers, sizeof(triggers) / sizeof(triggers[0]), argc, argv);
}
