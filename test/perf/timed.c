/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command N times and prints wall time (ns), user and system time (us) and peak memory (KB) of
 * each. A small C program, since a child inherits its parent's peak. usage: timed N COMMAND [ARG…] */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static long long us(struct timeval t)
{
	return t.tv_sec * 1000000LL + t.tv_usec;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (int n = atoi(argv[1]); n > 0; n--) {
		long long start = now_ns();
		struct rusage ru;
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			int null = open("/dev/null", O_RDWR);

			dup2(null, STDIN_FILENO);
			dup2(null, STDOUT_FILENO);
			execvp(argv[2], argv + 2);
			_exit(127);
		}
		if (pid < 0 || wait4(pid, &status, 0, &ru) < 0 || status)
			return 1;
		printf("%lld %lld %lld %ld\n", now_ns() - start, us(ru.ru_utime), us(ru.ru_stime), ru.ru_maxrss);
	}
	return 0;
}
