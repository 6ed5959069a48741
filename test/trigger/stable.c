/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers for the stable providers: processes, signals, faults, scheduling. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trigger.h"

static void handler(int sig)
{
	(void)sig;
}

static void child_exits(void)
{
	_exit(3);
}

static void child_is_killed(void)
{
	kill(getpid(), SIGTERM);
}

static void child_execs(void)
{
	char *av[] = { "trigger", "exitcode", "0", NULL };
	char missing[] = "/nonexistent/dwell", self[] = "/proc/self/exe"; /* in memory already */

	execv(missing, av);
	execv(self, av);
}

static void child_faults(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	*(volatile int *)8 = 1;
}

static int in_child(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(127);
	}
	return pid < 0 || waitpid(pid, NULL, 0) < 0;
}

static void *thread(void *arg)
{
	return arg;
}

/* Four processes (one exits, one is killed, one executes, one faults), two threads one after the other,
 * and four signals to itself: handled, ignored, waited for. */
int run_life(int argc, char **argv)
{
	pthread_t t;
	sigset_t set;
	int sig;

	(void)argc;
	(void)argv;
	if (in_child(child_exits) || in_child(child_is_killed) || in_child(child_execs) || in_child(child_faults))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
			return 1;
	signal(SIGUSR1, handler);
	kill(getpid(), SIGUSR1);
	signal(SIGUSR2, SIG_IGN);
	kill(getpid(), SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGHUP);
	return sigwait(&set, &sig) || sig != SIGHUP;
}

/* Sleeps and yields on one CPU, so that it is known who wakes and who is preempted. */
int run_naps(int argc, char **argv)
{
	for (long n = arg_num(argc, argv, 1, 1); n > 0; n--)
		usleep(1000);
	for (long n = arg_num(argc, argv, 2, 1); n > 0; n--)
		raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	return 0;
}

static pthread_mutex_t pi_lock;

static void *wants_lock(void *arg)
{
	pthread_mutex_lock(&pi_lock);
	pthread_mutex_unlock(&pi_lock);
	return arg;
}

/* A real-time thread (priority 10) waits for a lock that the main thread holds and so inherits from it. */
int run_inherit(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 10 };
	pthread_mutexattr_t ma;
	pthread_attr_t ta;
	pthread_t t;

	(void)argc;
	(void)argv;
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setprotocol(&ma, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi_lock, &ma);
	pthread_attr_init(&ta);
	pthread_attr_setinheritsched(&ta, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&ta, SCHED_FIFO);
	pthread_attr_setschedparam(&ta, &param);
	pthread_mutex_lock(&pi_lock);
	if (pthread_create(&t, &ta, wants_lock, NULL))
		return 77;
	usleep(50000);
	pthread_mutex_unlock(&pi_lock);
	return pthread_join(t, NULL);
}
