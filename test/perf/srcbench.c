/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the cost of lines of source: `srcbench FILE [N]` looks up N addresses, spread over the code of a file with
 * debug information, and has addr2line -i -f look up the same ones. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "sym/dwarf/srcline.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static long memory_kb(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return u.ru_maxrss;
}

/* In no order, as samples come: multiples of a number that has no divisor in common with n. */
static uint64_t nth(const Elf64_Shdr *code, unsigned i, unsigned n)
{
	return code->sh_addr + code->sh_size / n * ((uint64_t)i * 7919 % n);
}

static void ours(struct srcline *s, const Elf64_Shdr *code, unsigned n, const char *what)
{
	struct srcframe f[SRCLINE_MAX_FRAMES];
	double begin = now_ms();
	size_t frames = 0, found = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t k = srcline_at(s, nth(code, i, n), f);

		frames += k;
		found += k > 0;
	}
	printf("  %s: %.3f ms, %.2f us each; %zu found, %zu frames\n", what, now_ms() - begin,
	       (now_ms() - begin) * 1e3 / n, found, frames);
}

static void theirs(const char *path, const Elf64_Shdr *code, unsigned n)
{
	_cleanup_free_ char *cmd = NULL;
	double begin = now_ms();
	FILE *p;

	if (asprintf(&cmd, "addr2line -i -f -e '%s' > /dev/null", path) < 0 || !(p = popen(cmd, "w")))
		return;
	for (unsigned i = 0; i < n; i++)
		fprintf(p, "%llx\n", (unsigned long long)nth(code, i, n));
	pclose(p);
	printf("  addr2line: %.1f ms, %.2f us each; %ld kB\n", now_ms() - begin, (now_ms() - begin) * 1e3 / n,
	       memory_kb(RUSAGE_CHILDREN));
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
	const Elf64_Shdr *code;
	struct srcline *s;
	double begin;
	struct stat st;
	struct elf e;

	if (fd < 0 || !n || fstat(fd, &st) < 0 ||
	    elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size }) < 0 ||
	    !(code = elf_section(&e, ".text"))) {
		fprintf(stderr, "usage: srcbench FILE [N]\n");
		return 2;
	}
	begin = now_ms();
	if (srcline_open(&e, NULL, NULL, &s) < 0) {
		fprintf(stderr, "%s: no debug information\n", argv[1]);
		return 1;
	}
	printf("%s: %u addresses\n  opened in %.1f ms\n", argv[1], n, now_ms() - begin);
	ours(s, code, n, "first time");
	ours(s, code, n, "again");
	printf("  %ld kB\n", memory_kb(RUSAGE_SELF));
	theirs(argv[1], code, n);
	srcline_free(s);
	elf_close(&e);
	return 0;
}
