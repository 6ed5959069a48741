/* SPDX-License-Identifier: Apache-2.0 */
/* To be loaded before the C library: a machine whose debug registers can be written and do nothing, as on virtual
 * machines whose host keeps debug exceptions to itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <unistd.h>

#define POKEUSER 6 /* PTRACE_POKEUSER; <sys/ptrace.h> declares ptrace() otherwise */

long ptrace(int request, ...)
{
	long (*next)(int, pid_t, void *, void *) = dlsym(RTLD_NEXT, "ptrace");
	const size_t seven = offsetof(struct user, u_debugreg) + 7 * sizeof(long);
	void *addr, *data;
	va_list v;
	pid_t pid;

	va_start(v, request);
	pid = va_arg(v, pid_t);
	addr = va_arg(v, void *);
	data = va_arg(v, void *);
	va_end(v);
	return request == POKEUSER && (size_t)addr == seven ? 0 : next(request, pid, addr, data);
}

/* A watched word is an event that never comes: its count is read from /dev/zero. */
long syscall(long nr, ...)
{
	long (*next)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list v;

	va_start(v, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(v, long);
	va_end(v);
	if (nr == SYS_perf_event_open && ((const struct perf_event_attr *)a[0])->type == PERF_TYPE_BREAKPOINT)
		return open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return next(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}
