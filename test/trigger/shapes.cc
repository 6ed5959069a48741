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
	volatile long r; // on the stack, so that there is a frame
#if defined(__x86_64__)
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_getppid) : "rcx", "r11", "memory");
	r = ret;
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
