/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function all the time and prints what a call costs: ns, once for every slice of 100 ms.
 * usage: uprobed [bare|bare-ret]: with a uprobe of its own on it, which runs an empty BPF program */
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../ownoff.h"

#define SLICE_NS 100000000LL
#define CHUNK 100

__attribute__((noinline)) int uprobed_target(int x);
__attribute__((noinline)) int uprobed_target(int x)
{
	__asm__ volatile("");
	return x + 1;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int attach(int ret)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct perf_event_attr attr = { .size = sizeof(attr), .config = (unsigned)ret };
	int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "bare", "GPL", insns, 2, NULL), fd;
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");

	if (prog < 0 || !f || fscanf(f, "%u", &attr.type) != 1)
		return -1;
	attr.uprobe_path = (uintptr_t) "/proc/self/exe";
	attr.probe_offset = own_offset((uintptr_t)uprobed_target);
	fd = (int)syscall(SYS_perf_event_open, &attr, getpid(), -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -1 : ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog);
}

int main(int argc, char **argv)
{
	volatile int x = 0;

	if (argc > 1 && attach(strcmp(argv[1], "bare-ret") == 0) < 0) {
		perror("uprobe");
		return 1;
	}
	for (;;) {
		long long start = now_ns(), end, n = 0;

		do {
			for (int i = 0; i < CHUNK; i++)
				x = uprobed_target(x);
			n += CHUNK;
			end = now_ns();
		} while (end - start < SLICE_NS);
		printf("%.1f\n", (double)(end - start) / (double)n);
		fflush(stdout);
	}
}
