/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes to make the unwinding table of a file: prints "ms rows buckets size path" for each that has
 * one. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/unwind/ehtab.h"

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void one(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	double begun = now_ms();
	struct stat st;
	struct ehtab t;
	struct elf e;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0)
		return;
	if (ehtab_load(&e, &t) == 0) {
		printf("%.1f %u %u %lld %s\n", now_ms() - begun, t.nrows, t.nindex, (long long)st.st_size, path);
		ehtab_done(&t);
	}
	elf_close(&e);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		one(argv[i]);
	return 0;
}
