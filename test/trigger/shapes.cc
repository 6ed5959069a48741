// SPDX-License-Identifier: Apache-2.0
// A C++ call chain: its mangled names are shown demangled.
#include <sys/syscall.h>
#include <unistd.h>

namespace shapes {
struct circle {
	__attribute__((noinline)) long area(int, const char *);
};
long circle::area(int a, const char *)
{
	long r;
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_getppid) : "rcx", "r11", "memory");
#else
	r = getppid();
#endif
	return r + a;
}
} // namespace shapes

int main()
{
	shapes::circle c;

	return c.area(1, "x") == 0;
}
