/* SPDX-License-Identifier: Apache-2.0 */
/* System calls with known arguments and results. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "trigger.h"

int run_getppid(int argc, char **argv)
{
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--)
		raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	return 0;
}

int run_exitcode(int argc, char **argv)
{
	return (int)arg_num(argc, argv, 1, 0);
}

int run_writes(int argc, char **argv)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char *buf = calloc(1, 1 << 20);

	if (fd < 0 || !buf)
		return 1;
	for (int i = 1; i < argc; i++)
		raw_syscall(SYS_write, (uint64_t)fd, (uint64_t)buf, (uint64_t)arg_num(argc, argv, i, 0), 0, 0, 0);
	free(buf);
	close(fd);
	return 0;
}

/* Six arguments whose values the kernel refuses at once: EINVAL by the flags. */
int run_sixargs(int argc, char **argv)
{
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--)
		raw_syscall(SYS_process_vm_readv, 0x11, 0x2222222222222222, 0x33, 0x4444444444444444, 0x55,
			    0x6666666666666666);
	return 0;
}

int run_errors(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	raw_syscall(SYS_close, (uint64_t)-1, 0, 0, 0, 0, 0);				/* EBADF */
	raw_syscall(SYS_kill, (uint64_t)getpid(), 4096, 0, 0, 0, 0);			/* EINVAL */
	raw_syscall(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/no/such", 0, 0, 0, 0); /* ENOENT */
	raw_syscall(SYS_lseek, (uint64_t)-1, (uint64_t)-2, 7, 0, 0, 0);			/* EBADF */
	raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);					/* no error */
	return 0;
}

int run_keys(int argc, char **argv)
{
	long n = arg_num(argc, argv, 1, 1), rounds = arg_num(argc, argv, 2, 1);
	struct rusage ru;

	for (long r = 0; r < rounds; r++)
		for (long i = 0; i < n; i++)
			raw_syscall(SYS_lseek, (uint64_t)-1, (uint64_t)i, 0, 0, 0, 0);
	getrusage(RUSAGE_SELF, &ru);
	printf("%llu %lld\n", (unsigned long long)now_ns(),
	       (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000LL + ru.ru_utime.tv_usec + ru.ru_stime.tv_usec);
	return 0;
}

int run_open(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		raw_syscall(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)argv[i], O_RDONLY, 0, 0, 0);
	return 0;
}

#if defined(__x86_64__)
static void no_int80(int sig)
{
	(void)sig;
	_exit(77);
}

int run_int80(int argc, char **argv)
{
	enum { NR_I386_GETPPID = 64 };

	signal(SIGSEGV, no_int80); /* a kernel without CONFIG_IA32_EMULATION */
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--) {
		long ret;

		__asm__ volatile("int $0x80" : "=a"(ret) : "a"(NR_I386_GETPPID) : "memory", "r8", "r9", "r10", "r11");
		if (ret == -ENOSYS)
			return 77;
	}
	return 0;
}
#else
int run_int80(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 77;
}
#endif

/* write(2) from a page that was never touched: at entry it is not in memory, at return it is. */
int run_notresident(int argc, char **argv)
{
	static const char text[] = "not resident";
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	int out = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	void *p;

	if (fd < 0 || out < 0 || write(fd, text, sizeof(text)) < 0)
		return 77;
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 77;
	raw_syscall(SYS_write, (uint64_t)out, (uint64_t)p, sizeof(text), 0, 0, 0);
	return 0;
}

struct pace {
	uint64_t per_second, ms, calls;
	pthread_t thread;
};

/* getppid in bursts of a millisecond's share, so that the offered rate is exact on average. */
static void *pace_thread(void *arg)
{
	struct pace *p = arg;
	uint64_t start = now_ns(), end = start + p->ms * 1000000;

	for (;;) {
		uint64_t now = now_ns(), due;

		if (now >= end)
			break;
		due = (now - start) / 1000 * p->per_second / 1000000;
		for (; p->calls < due; p->calls++)
			raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	}
	return NULL;
}

int run_rate(int argc, char **argv)
{
	enum { MAX_THREADS = 64 };
	static struct pace paces[MAX_THREADS];
	long threads = arg_num(argc, argv, 3, 1);
	uint64_t per_second = (uint64_t)arg_num(argc, argv, 1, 1000), ms = (uint64_t)arg_num(argc, argv, 2, 1000);
	uint64_t total = 0, start = now_ns();

	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	for (long i = 0; i < threads; i++) {
		paces[i] = (struct pace){ .per_second = per_second / (uint64_t)threads, .ms = ms };
		if (pthread_create(&paces[i].thread, NULL, pace_thread, &paces[i]))
			return 1;
	}
	for (long i = 0; i < threads; i++) {
		pthread_join(paces[i].thread, NULL);
		total += paces[i].calls;
	}
	fprintf(stderr, "%llu calls %llu ms\n", (unsigned long long)total,
		(unsigned long long)((now_ns() - start) / 1000000));
	return 0;
}
