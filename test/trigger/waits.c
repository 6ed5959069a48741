/* SPDX-License-Identifier: Apache-2.0 */
/* Waits with a known reason and holder. When all threads are where they should be, `waits KIND …` prints "ready" and
 * the facts as name=value. It stays there until it is killed or the time is over. Built without frame pointers, so that
 * user stacks need unwinding tables. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trigger.h"

#define PAGE 4096
#define SETTLE_MS 200 /* until a thread is where it is to wait */

static __attribute__((noinline)) void nap_here(long ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
	__asm__ volatile("");
}

static __attribute__((noinline)) void nap_through(long ms)
{
	volatile char frame[200];

	frame[0] = 1;
	nap_here(ms);
	frame[1] = frame[0];
}

static void ready(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void ready(const char *fmt, ...)
{
	va_list ap;

	printf("ready pid=%d ", (int)getpid());
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

static int run_nap(int argc, char **argv)
{
	ready("since=%llu", (unsigned long long)now_ns());
	nap_through(arg_num(argc, argv, 1, 1000));
	return 0;
}

/* Two threads: the first takes something and keeps it, the second wants it. */
struct pair {
	void *(*holder)(void *), *(*waiter)(void *);
	pid_t tid[2];
	char *slow; /* a page that takes long to be read */
	int fd, other_fd;
	pthread_mutex_t lock;
	unsigned long long since; /* when it is wanted */
};
static struct pair pair;

static void *hold(void *arg)
{
	prctl(PR_SET_NAME, "holder");
	__atomic_store_n(&pair.tid[0], (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	return pair.holder(arg);
}

static void *want(void *arg)
{
	prctl(PR_SET_NAME, "waiter");
	nap_here(SETTLE_MS);
	pair.since = now_ns();
	__atomic_store_n(&pair.tid[1], (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	return pair.waiter(arg);
}

static int run_pair(const char *lock, long ms)
{
	static char buf[512];
	pthread_t t;

	/* No memory is to be had while the address space is locked. */
	setvbuf(stdout, buf, _IOFBF, sizeof(buf));
	pthread_create(&t, NULL, want, NULL);
	pthread_create(&t, NULL, hold, NULL);
	nap_here(2 * SETTLE_MS);
	ready("holder=%d waiter=%d lock=%s since=%llu", (int)pair.tid[0], (int)pair.tid[1], lock, pair.since);
	nap_here(ms);
	return 0;
}

/* The kernel copies from the slow page while it has the lock of the pipe or file. */
static __attribute__((noinline)) void *write_slowly(void *arg)
{
	ssize_t n = write(pair.fd, pair.slow, PAGE);

	(void)n;
	return arg;
}

static __attribute__((noinline)) void *write_at_once(void *arg)
{
	ssize_t n = write(pair.other_fd, "x", 1);

	(void)n;
	return arg;
}

static int run_mutex(int argc, char **argv)
{
	int fds[2];

	if (argc < 2 || pipe2(fds, O_CLOEXEC) < 0)
		return 2;
	pair = (struct pair){ .holder = write_slowly,
			      .waiter = write_at_once,
			      .fd = fds[1],
			      .other_fd = fds[1],
			      .slow = slow_page(argv[1], arg_num(argc, argv, 2, 0)) };
	return run_pair("mutex", arg_num(argc, argv, 3, 60000));
}

static int run_rwsem(int argc, char **argv)
{
	char path[] = "/tmp/dwell-waits.XXXXXX";
	int fd = mkstemp(path);

	if (argc < 2 || fd < 0)
		return 2;
	pair = (struct pair){ .holder = write_slowly,
			      .waiter = write_at_once,
			      .fd = fd,
			      .other_fd = open(path, O_WRONLY | O_CLOEXEC),
			      .slow = slow_page(argv[1], arg_num(argc, argv, 2, 0)) };
	unlink(path);
	return run_pair("rwsem_write", arg_num(argc, argv, 3, 60000));
}

/* Reading memory by /proc keeps the address space's lock for reading while a page is read in. */
static __attribute__((noinline)) void *read_memory(void *arg)
{
	char c;
	ssize_t n = pread(pair.fd, &c, 1, (off_t)(uintptr_t)pair.slow);

	(void)n;
	return arg;
}

static __attribute__((noinline)) void *map_memory(void *arg)
{
	mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return arg;
}

static int run_mmap(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	pair = (struct pair){ .holder = read_memory,
			      .waiter = map_memory,
			      .fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC),
			      .slow = slow_page(argv[1], arg_num(argc, argv, 2, 0)) };
	return run_pair("mmap_lock", arg_num(argc, argv, 3, 60000));
}

static __attribute__((noinline)) void *lock_and_nap(void *arg)
{
	pthread_mutex_lock(&pair.lock);
	nap_here(3600 * 1000);
	pthread_mutex_unlock(&pair.lock);
	return arg;
}

static __attribute__((noinline)) void *lock_it(void *arg)
{
	pthread_mutex_lock(&pair.lock);
	__asm__ volatile("");
	return arg;
}

static int run_futex(int argc, char **argv)
{
	bool pi = argc > 1 && !strcmp(argv[1], "pi");
	pthread_mutexattr_t a;

	pair = (struct pair){ .holder = lock_and_nap, .waiter = lock_it };
	pthread_mutexattr_init(&a);
	if (pi)
		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pair.lock, &a);
	return run_pair(pi ? "rtmutex" : "futex", arg_num(argc, argv, 2, 60000));
}

static __attribute__((noinline)) void *flock_and_nap(void *arg)
{
	flock(pair.fd, LOCK_EX);
	nap_here(3600 * 1000);
	return arg;
}

static __attribute__((noinline)) void *flock_it(void *arg)
{
	flock(pair.other_fd, LOCK_EX);
	__asm__ volatile("");
	return arg;
}

static int run_flock(int argc, char **argv)
{
	char path[] = "/tmp/dwell-waits.XXXXXX";
	int fd = mkstemp(path);

	pair = (struct pair){
		.holder = flock_and_nap, .waiter = flock_it, .fd = fd, .other_fd = open(path, O_RDONLY | O_CLOEXEC)
	};
	unlink(path);
	return run_pair("flock", arg_num(argc, argv, 1, 60000));
}

/* The parent of vfork() waits in state D until the child is another program or ends. */
static int run_vfork(int argc, char **argv)
{
	static struct timespec ts;

	ts.tv_sec = arg_num(argc, argv, 1, 60000) / 1000;
	ready("since=%llu", (unsigned long long)now_ns());
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
		_exit(0);
	}
	return 0;
}

static int run_stopped(int argc, char **argv)
{
	long ms = arg_num(argc, argv, 1, 60000);
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, WUNTRACED);
	ready("stopped=%d since=%llu", (int)child, (unsigned long long)now_ns());
	nap_here(ms);
	return 0;
}

static const struct trigger waits[] = {
	{ "nap", "MS: sleeps in nap_here(), called by nap_through()", run_nap },
	{ "mutex", "SLOW [PAGE [MS]]: of a pipe, held while a page of SLOW is read", run_mutex },
	{ "rwsem", "SLOW [PAGE [MS]]: of a file, held in the same way", run_rwsem },
	{ "mmap", "SLOW [PAGE [MS]]: of the address space, held for reading, wanted for writing", run_mmap },
	{ "futex", "[pi|plain [MS]]: a mutex of pthreads", run_futex },
	{ "flock", "[MS]: a lock of a file", run_flock },
	{ "vfork", "[MS]: in state D", run_vfork },
	{ "stopped", "[MS]: a child is stopped", run_stopped },
};

int main(int argc, char **argv)
{
	return trigger_main("waits", waits, sizeof(waits) / sizeof(waits[0]), argc, argv);
}
