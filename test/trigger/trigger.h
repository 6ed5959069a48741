/* SPDX-License-Identifier: Apache-2.0 */
/* The trigger program: each subcommand does something whose trace is known exactly. */
#ifndef TEST_TRIGGER_H
#define TEST_TRIGGER_H
#include <stddef.h>
#include <stdint.h>

/* A subcommand; argv[0] is its name. Exit code; 77: not possible on this machine. */
typedef int trigger_fn(int argc, char **argv);
struct trigger {
	const char *name;
	const char *args; /* for the usage */
	trigger_fn *run;
};

/* A system call made here, without libc: no frames and no calls besides the one asked for. */
static inline __attribute__((always_inline)) long raw_syscall(long nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
							      uint64_t e, uint64_t f)
{
#if defined(__x86_64__)
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register uint64_t x8 __asm__("x8") = (uint64_t)nr;
	register uint64_t x0 __asm__("x0") = a;
	register uint64_t x1 __asm__("x1") = b;
	register uint64_t x2 __asm__("x2") = c;
	register uint64_t x3 __asm__("x3") = d;
	register uint64_t x4 __asm__("x4") = e;
	register uint64_t x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return (long)x0;
#else
#error "no system call instruction for this architecture"
#endif
}

uint64_t now_ns(void);
/* argv[i] as a number, or the default. */
long arg_num(int argc, char **argv, int i, long dflt);
/* Page n of a file on slowfs, mapped: reading it is slow once. Exits with 77 when there is none. */
char *slow_page(const char *path, long n);
/* Runs what argv[1] names; or prints what there is, under the program's name. Exit code. */
int trigger_main(const char *name, const struct trigger *v, size_t n, int argc, char **argv);

trigger_fn run_getppid, run_writes, run_sixargs, run_errors, run_keys, run_open, run_int80, run_notresident, run_rate,
	run_exitcode;
trigger_fn run_chain, run_deep, run_spin, run_jit, run_deleted, run_pause;
trigger_fn run_contend, run_storm, run_execs, run_signals, run_reexec, run_threads, run_watch, run_faults;
trigger_fn run_life, run_naps, run_inherit;
trigger_fn run_directio, run_files, run_tcp, run_udp, run_fight, run_touch, run_track;
#endif
