/* SPDX-License-Identifier: Apache-2.0 */
/* A program with known functions for probes in processes: `probed N [MS]` calls each of them N times, MS
 * milliseconds apart; with N = 0 until it is killed. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, used))

KEEP int probed_add(int a, int b);
KEEP int probed_add(int a, int b)
{
	return a * 10 + b;
}

KEEP long probed_ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
KEEP long probed_ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

struct probed_inner {
	short tag;
	unsigned bits : 5;
};

struct probed_arg {
	int id;
	const char *name;
	struct probed_inner in;
	struct probed_arg *next;
};

KEEP int probed_struct(const struct probed_arg *p, unsigned char small);
KEEP int probed_struct(const struct probed_arg *p, unsigned char small)
{
	return p->id + (int)strlen(p->next->name) + small;
}

KEEP long probed_fact(long n);
KEEP long probed_fact(long n)
{
	return n < 2 ? 1 : n * probed_fact(n - 1);
}

/* A function that local code calls by a name of its own. */
KEEP int probed_alias(int x) __attribute__((alias("probed_real")));
KEEP int probed_real(int x);
KEEP int probed_real(int x)
{
	return x ^ 1;
}

static void *in_thread(void *arg)
{
	return (void *)(intptr_t)probed_add(*(int *)arg, 1);
}

static void once(int i)
{
	struct probed_arg second = { .id = 2, .name = "second" };
	struct probed_arg first = { .id = 40 + i, .name = "first", .in = { -3, 17 }, .next = &second };
	volatile long sink = probed_add(i, 7);
	pthread_t t;

	sink += probed_ten(1, 2, 3, 4, 5, 6, 7, 8, 9, -i);
	sink += probed_struct(&first, 200);
	sink += probed_fact(5);
	sink += probed_real(i);
	(void)sink;
	if (pthread_create(&t, NULL, in_thread, &i) == 0)
		pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, ms = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; n == 0 || i < n; i++) {
		once(i);
		if (ms)
			usleep((useconds_t)ms * 1000);
	}
	return 0;
}
