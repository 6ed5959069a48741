/* SPDX-License-Identifier: Apache-2.0 */
/* Waits whose reason, holder and length are known: `waits KIND …` prints "ready" and what it is about as
 * name=value when all threads are where they should be, and waits until it is killed or the time is over.
 * Built without frame pointers, so that user stacks need unwinding tables. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "trigger.h"

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

static void ready(const char *about)
{
	printf("ready pid=%d %s\n", (int)getpid(), about);
	fflush(stdout);
}

static int run_nap(int argc, char **argv)
{
	ready("");
	nap_through(arg_num(argc, argv, 1, 1000));
	return 0;
}

static const struct trigger waits[] = {
	{ "nap", "MS: sleeps in nap_here(), called by nap_through()", run_nap },
};

long arg_num(int argc, char **argv, int i, long dflt)
{
	return i < argc ? strtol(argv[i], NULL, 0) : dflt;
}

int main(int argc, char **argv)
{
	size_t n = sizeof(waits) / sizeof(waits[0]);

	for (size_t i = 0; argc > 1 && i < n; i++)
		if (!strcmp(argv[1], waits[i].name))
			return waits[i].run(argc - 1, argv + 1);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "waits %s %s\n", waits[i].name, waits[i].args);
	return 2;
}
