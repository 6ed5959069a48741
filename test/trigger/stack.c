/* SPDX-License-Identifier: Apache-2.0 */
/* Known call chains. Compiled with frame pointers; the functions are never inlined or turned into jumps. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "trigger.h"

#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone, noipa))
#endif
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

FRAME void chain_c(void);
FRAME void chain_b(void);
FRAME void chain_a(void);
FRAME void deep(long n);
FRAME void spin_here(uint64_t end);

void chain_c(void)
{
	/* On the stack: gcc leaves out the frame of a leaf that does not use it. */
	volatile long ret = raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);

	(void)ret;
}

void chain_b(void)
{
	chain_c();
	NO_TAIL_CALL();
}

void chain_a(void)
{
	chain_b();
	NO_TAIL_CALL();
}

int run_chain(int argc, char **argv)
{
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--)
		chain_a();
	usleep((useconds_t)arg_num(argc, argv, 2, 0) * 1000);
	return 0;
}

void deep(long n)
{
	if (n > 1)
		deep(n - 1);
	else
		chain_c();
	NO_TAIL_CALL();
}

int run_deep(int argc, char **argv)
{
	deep(arg_num(argc, argv, 1, 1));
	return 0;
}

void spin_here(uint64_t end)
{
	volatile uint64_t x = 0;

	do {
		for (int i = 0; i < 10000; i++)
			x = x + 1;
	} while (now_ns() < end);
}

int run_spin(int argc, char **argv)
{
	spin_here(now_ns() + (uint64_t)arg_num(argc, argv, 1, 1000) * 1000000);
	return 0;
}

int run_pause(int argc, char **argv)
{
	long ms = arg_num(argc, argv, 1, 1000);
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	return nanosleep(&ts, NULL) ? 1 : 0;
}

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; mov $SYS_getppid,%eax; syscall; pop %rbp; ret */
static const unsigned char jit_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, SYS_getppid, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };

int run_jit(int argc, char **argv)
{
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	(void)argc;
	(void)argv;
	if (p == MAP_FAILED)
		return 77;
	memcpy(p, jit_code, sizeof(jit_code));
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC))
		return 77;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "we");
	if (!f)
		return 77;
	fprintf(f, "%lx %zx made_by_jit\n", (unsigned long)p, sizeof(jit_code));
	fclose(f);
	((void (*)(void))(void *)p)();
	sleep(1); /* long enough for the map to be read */
	unlink(path);
	return 0;
}
#else
int run_jit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 77;
}
#endif

/* Copies this program, deletes the copy and runs "chain" from it (through its descriptor). */
int run_deleted(int argc, char **argv)
{
	char path[] = "/tmp/trigger-copy.XXXXXX", buf[65536];
	char *av[] = { "trigger-copy", "chain", "1", "1500", NULL }, *none[] = { NULL };
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out = mkstemp(path), run;
	ssize_t n;

	(void)argc;
	(void)argv;
	if (in < 0 || out < 0 || fchmod(out, 0700))
		return 77;
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n)
			return 77;
	run = open(path, O_RDONLY | O_CLOEXEC);
	close(out);
	unlink(path);
	fexecve(run, av, none);
	return 77;
}
