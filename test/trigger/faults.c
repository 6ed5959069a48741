/* SPDX-License-Identifier: Apache-2.0 */
/* Page faults: as many as asked for, in touch_pages(). */
#include <sys/mman.h>
#include <unistd.h>
#include "trigger.h"

static __attribute__((noinline)) void touch_pages(volatile char *p, long n, long size)
{
	for (long i = 0; i < n; i++)
		p[i * size] = 1;
}

int run_faults(int argc, char **argv)
{
	long n = arg_num(argc, argv, 1, 1), size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, (size_t)(n * size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	madvise(p, (size_t)(n * size), MADV_NOHUGEPAGE);
	touch_pages(p, n, size);
	return 0;
}
