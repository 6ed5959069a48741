/* SPDX-License-Identifier: Apache-2.0 */
/* In C what kcost.py says in D: KIND 1 a count by the program's name, 2 a time from entry to return. */
#define ENTRY "kprobe.multi/__x64_sys_getppid"
#define RETURN "kretprobe.multi/__x64_sys_getppid"
#if KIND == 1
#include "../perf/count.bpf.c"
#else
#include "../perf/latency.bpf.c"
#endif
