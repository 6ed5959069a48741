/* SPDX-License-Identifier: Apache-2.0 */
/* To be loaded before the C library: a machine whose debug registers can be written and do nothing, as on virtual
 * machines whose host keeps debug exceptions to itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

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
