/* SPDX-License-Identifier: Apache-2.0 */
/* A process with known functions: prints "name address" lines, then "ready", and lives until its
 * standard input ends. Built in several forms (see test/unit/sym/meson.build). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, used))

int exported_data[4] = { 1, 2, 3, 4 };
static int zeroed_data[64 * 1024];

static KEEP int local_function(int x)
{
	return x * 3 + exported_data[x & 3];
}

KEEP int exported_function(int x);
KEEP int exported_function(int x)
{
	return local_function(x) + zeroed_data[x & 1023];
}

/* The function that a C++ compiler would emit for int zoo::Lion::roar(int). */
KEEP int cxx_function(int x) __asm__("_ZN3zoo4Lion4roarEi");
KEEP int cxx_function(int x)
{
	return x - 1;
}

__asm__(".pushsection .text\n"
	".globl unsized_label\n"
	"unsized_label:\n"
	"	nop\n	nop\n	nop\n	nop\n"
	".globl after_label\n"
	".type after_label, %function\n"
	"after_label:\n"
	"	nop\n	ret\n"
	".size after_label, . - after_label\n"
	".popsection\n");
extern char unsized_label[], after_label[];

int main(int argc, char **argv)
{
	char c;

	(void)argv;
	printf("local_function %p\n", (void *)(uintptr_t)local_function);
	printf("exported_function %p\n", (void *)(uintptr_t)exported_function);
	printf("zoo::Lion::roar %p\n", (void *)(uintptr_t)cxx_function);
	printf("unsized_label %p\n", (void *)unsized_label);
	printf("after_label %p\n", (void *)after_label);
	printf("exported_data %p\n", (void *)exported_data);
	printf("zeroed_data %p\n", (void *)zeroed_data);
	printf("qsort %p\n", (void *)(uintptr_t)qsort);
	printf("ready %d\n", exported_function(argc) & 0);
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0) {
	}
	return 0;
}
