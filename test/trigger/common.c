/* SPDX-License-Identifier: Apache-2.0 */
/* Functions for all trigger programs: choosing the subcommand, time, a page that is slow to read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "trigger.h"

#define PAGE 4096

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

long arg_num(int argc, char **argv, int i, long dflt)
{
	return i < argc ? strtol(argv[i], NULL, 0) : dflt;
}

char *slow_page(const char *path, long n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *p = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, n * PAGE);

	if (p == MAP_FAILED) {
		perror(path);
		exit(77);
	}
	madvise(p, PAGE, MADV_RANDOM);
	return p;
}

int trigger_main(const char *name, const struct trigger *v, size_t n, int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < n; i++)
		if (!strcmp(argv[1], v[i].name))
			return v[i].run(argc - 1, argv + 1);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%s %s %s\n", name, v[i].name, v[i].args);
	return 2;
}
