/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the program and the library of known call chains without frame pointers. */
#ifndef DWELL_TEST_UNWIND_H
#define DWELL_TEST_UNWIND_H

#ifdef __clang__
#define UW __attribute__((noinline))
#else
#define UW __attribute__((noinline, noclone, noipa))
#endif

typedef long uw_fn(long x);

long uw_probe(void); /* a getppid() that is no call */
long uw_lib_call(uw_fn *fn, long x);
long uw_lib_chosen(long x);
UW long leaf(long x);
UW int compare(const void *a, const void *b);
UW long sort_two(int *v);
UW long raise_it(long x);
UW long fault_it(volatile int *p, long x);
UW long realigned(long x);
UW long with_alloca(long n);
UW long big_frame(long n);
UW long deep(long n);
UW long read_clock(long ms);
UW long sleep_a_bit(long n);
UW long uw_inner(uw_fn *fn, long x);
#endif
