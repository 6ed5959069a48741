/* SPDX-License-Identifier: Apache-2.0 */
/* The library of unwind.c: its functions are called through the PLT. */
#include <sys/syscall.h>
#include "unwind.h"

UW long uw_inner(uw_fn *fn, long x)
{
	return fn(x + 1) + 1;
}

long uw_lib_call(uw_fn *fn, long x)
{
	return uw_inner(fn, x) + 1;
}

static long chosen(long x)
{
	return x + 1;
}

/* Runs inside of the dynamic linker, before its caller's first call gets through. */
uw_fn *uw_choose(void);
uw_fn *uw_choose(void)
{
#if defined(__x86_64__)
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_getppid) : "rcx", "r11", "memory");
#endif
	return chosen;
}

long uw_lib_chosen(long x) __attribute__((ifunc("uw_choose")));
