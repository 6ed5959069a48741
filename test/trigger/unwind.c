/* SPDX-License-Identifier: Apache-2.0 */
/* Known call chains without frame pointers, each ending in getppid(), which tests trace:
 *   unwind chain|qsort|ifunc|signal|altstack|realign|alloca|bigframe|thread|deep N [TIMES]|dlopen LIB|vdso|sleep|jit
 *   unwind different|different-fp - [TIMES]: through 26 functions, the latter with frame pointers */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "unwind.h"

long uw_probe(void)
{
	long r;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_getppid) : "rcx", "r11", "memory");
#else
	r = syscall(SYS_getppid);
#endif
	return r + 1;
}

static volatile long sink;

static long times = 1;

UW long leaf(long x)
{
	for (long i = 0; i < times; i++)
		x += uw_probe();
	return x;
}

static long run_chain(void)
{
	return uw_lib_call(leaf, 3) + 1;
}

UW int compare(const void *a, const void *b)
{
	sink += uw_probe();
	return *(const int *)a - *(const int *)b;
}

UW long sort_two(int *v)
{
	qsort(v, 2, sizeof(*v), compare);
	return v[0] + sink;
}

static long run_qsort(void)
{
	int v[2] = { 2, 1 };

	return sort_two(v) + 1;
}

/* The choice among implementations is made by the dynamic linker when the function is first called. */
static long run_ifunc(void)
{
	return uw_lib_chosen(4) + 1;
}

static void handler(int sig)
{
	sink += uw_probe() + sig;
}

UW long raise_it(long x)
{
	sink += raise(SIGUSR1);
	return x + sink;
}

static long run_signal(void)
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(SIGUSR1, &sa, NULL);
	return raise_it(1) + 1;
}

/* The handler on a stack of its own, of a signal that comes in the middle of code. */
UW long fault_it(volatile int *p, long x)
{
	*p = (int)x;
	return x + sink;
}

static char *page;

static void fault_handler(int sig)
{
	sink += uw_probe() + sig;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static long run_altstack(void)
{
	static char other[65536];
	stack_t ss = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction sa = { .sa_handler = fault_handler, .sa_flags = SA_ONSTACK };

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&ss, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	return fault_it((volatile int *)(void *)page, 5) + 1;
}

UW long realigned(long x)
{
	volatile long v[8] __attribute__((aligned(64)));

	v[x & 7] = leaf(x);
	return v[x & 7] + 1;
}

static long run_realign(void)
{
	return realigned(2) + 1;
}

UW long with_alloca(long n)
{
	volatile char *p = __builtin_alloca((size_t)n);

	p[n - 1] = (char)leaf(n);
	return p[n - 1] + 1;
}

static long run_alloca(void)
{
	return with_alloca(1000 + (sink & 7)) + 1;
}

/* A frame that an offset of 16 bits in words still reaches. */
UW long big_frame(long n)
{
	volatile char v[200000];

	v[n] = (char)leaf(n);
	return v[n] + 1;
}

static long run_bigframe(void)
{
	return big_frame(2000) + 1;
}

static void *thread_main(void *arg)
{
	sink += leaf((long)(intptr_t)arg);
	return NULL;
}

static long run_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_main, NULL);
	return pthread_join(t, NULL);
}

UW long deep(long n)
{
	return n <= 1 ? leaf(n) + 1 : deep(n - 1) + 1;
}

/* Functions that differ in size of code and of frame, each called by the next. */
#define FRAME(name, callee, words) \
	UW static long name(long n) \
	{ \
		volatile long v[words]; \
\
		for (int i = 0; i < (words); i++) \
			v[i] = n; \
		v[(words) / 2] = callee(n + 1); \
		return v[(words) / 2] + 1; \
	}
/* clang-format off */
#define FRAMES(p, first)                                                                                   \
	FRAME(p##a, first, 1) FRAME(p##b, p##a, 2) FRAME(p##c, p##b, 9) FRAME(p##d, p##c, 4)               \
	FRAME(p##e, p##d, 3) FRAME(p##f, p##e, 6) FRAME(p##g, p##f, 17) FRAME(p##h, p##g, 1)               \
	FRAME(p##i, p##h, 2) FRAME(p##j, p##i, 30) FRAME(p##k, p##j, 5) FRAME(p##l, p##k, 8)               \
	FRAME(p##m, p##l, 4)
/* clang-format on */

FRAMES(low_, leaf)
FRAMES(high_, low_m)
#ifndef __clang__
#pragma GCC push_options
#pragma GCC optimize("no-omit-frame-pointer")
#endif
FRAMES(fp_low_, leaf)
FRAMES(fp_high_, fp_low_m)
#ifndef __clang__
#pragma GCC pop_options
#endif

static long run_dlopen(const char *path)
{
	void *h = dlopen(path, RTLD_NOW);
	long (*call)(uw_fn * fn, long x) = h ? (long (*)(uw_fn *, long))(uintptr_t)dlsym(h, "uw_lib_call") : NULL;

	return call ? call(leaf, 6) + 1 : -1;
}

/* Half a second in the kernel's code page. */
UW long read_clock(long ms)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
	return b.tv_nsec;
}

UW long sleep_a_bit(long n)
{
	struct timespec ts = { .tv_nsec = 20000000 };

	for (; n > 0; n--)
		sink += nanosleep(&ts, NULL);
	return sink;
}

/* Code of no file, with a frame pointer: push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret. */
static long run_jit(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, code, sizeof(code));
	return ((long (*)(long (*)(void)))(uintptr_t)p)(uw_probe) + 1;
#else
	return -1;
#endif
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		long (*run)(void);
	} runs[] = { { "chain", run_chain },   { "qsort", run_qsort },	     { "ifunc", run_ifunc },
		     { "signal", run_signal }, { "altstack", run_altstack }, { "realign", run_realign },
		     { "alloca", run_alloca }, { "bigframe", run_bigframe }, { "thread", run_thread },
		     { "jit", run_jit } };
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 1;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (!strcmp(what, runs[i].name))
			return runs[i].run() < 0;
	if (argc > 3)
		times = atol(argv[3]);
	if (!strcmp(what, "deep"))
		return deep(n) < 0;
	if (!strcmp(what, "different"))
		return high_m(n) < 0;
	if (!strcmp(what, "different-fp"))
		return fp_high_m(n) < 0;
	if (!strcmp(what, "dlopen") && argc > 2)
		return run_dlopen(argv[2]) < 0;
	if (!strcmp(what, "vdso"))
		return read_clock(n) < 0;
	if (!strcmp(what, "sleep"))
		return sleep_a_bit(n) < 0;
	return 2;
}
