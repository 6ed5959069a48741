/* SPDX-License-Identifier: Apache-2.0 */
/* A process with code made at run time and a perf map that names it: prints "name address" lines
 * and "ready"; for each 'm' on its standard input it replaces code, writes more names, and says
 * "more". */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	char path[64], c;
	unsigned char *code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t at = (uintptr_t)code;

	if (code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 65536; i++)
		code[i] = 0xc3;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *f = fopen(path, "w");

	if (!f)
		return 1;
	fprintf(f, "%" PRIxPTR " 40 jit_one\n0x%" PRIxPTR " 0x100 LazyCompile:~two /a b.js:1\n", at, at + 0x40);
	fflush(f);
	printf("jit_one %p\njit_two %p\njit_none %p\nready 0\n", (void *)at, (void *)(at + 0x40),
	       (void *)(at + 0x8000));
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0) {
		fprintf(f, "%" PRIxPTR " 20 jit_replaced\n%" PRIxPTR " 10 jit_three\n", at + 0x10, at + 0x8000);
		fflush(f);
		puts("more");
		fflush(stdout);
	}
	unlink(path);
	return 0;
}
