/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that contend, and processes that come and go. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trigger.h"

enum { MAX_THREADS = 256 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *contender(void *arg)
{
	uint64_t end = *(uint64_t *)arg;

	while (now_ns() < end) {
		pthread_mutex_lock(&lock);
		usleep(100);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int run_all(long n, void *(*fn)(void *), void *arg)
{
	static pthread_t threads[MAX_THREADS];

	if (n < 1 || n > MAX_THREADS)
		return 2;
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, fn, arg))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int run_contend(int argc, char **argv)
{
	uint64_t end = now_ns() + (uint64_t)arg_num(argc, argv, 1, 1000) * 1000000;

	return run_all(arg_num(argc, argv, 2, 2), contender, &end);
}

static void *call_once(void *arg)
{
	(void)arg;
	raw_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
	return NULL;
}

int run_threads(int argc, char **argv)
{
	return run_all(arg_num(argc, argv, 1, 1), call_once, NULL);
}

int run_storm(int argc, char **argv)
{
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
	}
	return 0;
}

int run_execs(int argc, char **argv)
{
	char *av[] = { "trigger", "exitcode", "0", NULL };

	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--) {
		pid_t pid = fork();

		if (pid == 0) {
			execv("/proc/self/exe", av);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return 1;
	}
	return 0;
}

static void no_signal(int sig)
{
	(void)sig;
}

int run_signals(int argc, char **argv)
{
	signal(SIGURG, no_signal);
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--)
		if (kill(getpid(), SIGURG))
			return 1;
	return 0;
}

int run_reexec(int argc, char **argv)
{
	(void)argc;
	execv("/proc/self/exe", argv); /* argv[0] "reexec" becomes the program's name */
	return 127;
}
