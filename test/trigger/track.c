/* SPDX-License-Identifier: Apache-2.0 */
/* Openings and closings of keys at known times, for trackers: lseek(-1, key, 0) opens, (…, 1) closes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "trigger.h"

enum { OPEN, CLOSE };

static void mark(long key, long what)
{
	syscall(SYS_lseek, -1, key, what);
}

static void wait_us(long us)
{
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* bK opens key K, eK closes it; BN and EN: the keys 1 … N; sN sleeps N us. */
int run_track(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		long n = strtol(argv[i] + 1, NULL, 0);

		switch (argv[i][0]) {
		case 'b': mark(n, OPEN); break;
		case 'e': mark(n, CLOSE); break;
		case 's': wait_us(n); break;
		case 'B':
		case 'E':
			for (long k = 1; k <= n; k++)
				mark(k, argv[i][0] == 'B' ? OPEN : CLOSE);
			break;
		default: fprintf(stderr, "trigger track: %s?\n", argv[i]); return 2;
		}
	}
	return 0;
}
