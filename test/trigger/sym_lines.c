/* SPDX-License-Identifier: Apache-2.0 */
/* Computes for SECONDS (sym_lines SECONDS): nearly all of it in lines_innermost(), which is inlined into
 * lines_middle(), which is inlined into lines_outer(). Without an argument it does nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "sym_lines.h"

static volatile unsigned long sink;
unsigned long lines_outer(unsigned long n);

IN_PLACE unsigned long lines_middle(unsigned long x)
{
	unsigned long a = lines_innermost(x + 1);

	if (a & 1)
		a ^= lines_innermost(a);
	return a;
}

/* In a section of its own: the function that it is part of has two ranges. */
static __attribute__((noinline, cold)) void lines_rare(unsigned long x)
{
	fprintf(stderr, "%lu\n", x);
}

IN_PLACE void lines_check(unsigned long x)
{
	if (__builtin_expect(x == 42, 0)) {
		lines_rare(x);
		lines_rare(x + 1);
	}
}

__attribute__((noinline)) unsigned long lines_outer(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++) {
		sum += lines_middle(i);
		lines_check(sum);
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct timespec t;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end = t.tv_sec + (argc > 1 ? atol(argv[1]) : 0);
	while (t.tv_sec < end) {
		sink = lines_outer(1000);
		clock_gettime(CLOCK_MONOTONIC, &t);
	}
	return 0;
}
