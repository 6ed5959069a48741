#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kvmexit.d: a virtual machine of eight bytes of code, which writes to a port as often as it is told, and halts. What its own
program counted is what the tool must count. Without KVM the tool tells the reason."""
import os
import re
import subprocess

import live

WRITES = 1234
GUEST = r"""#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? atoi(argv[1]) : 1, io = 0;
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0), cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	/* mov cx, n; again: out 0x80, al; loop again; hlt */
	uint8_t code[] = { 0xb9, n & 255, n >> 8, 0xe6, 0x80, 0xe2, 0xfc, 0xf4 };
	uint8_t *mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region r = { .memory_size = 65536, .userspace_addr = (uintptr_t)mem };
	struct kvm_regs g = { .rflags = 2, .rip = 0x1000 };
	struct kvm_sregs s;
	struct kvm_run *run;

	if (cpu < 0)
		return 77;
	memcpy(mem + 0x1000, code, sizeof(code));
	ioctl(vm, KVM_SET_USER_MEMORY_REGION, &r);
	run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	ioctl(cpu, KVM_GET_SREGS, &s);
	s.cs.base = s.cs.selector = 0;
	ioctl(cpu, KVM_SET_SREGS, &s);
	ioctl(cpu, KVM_SET_REGS, &g);
	while (ioctl(cpu, KVM_RUN, 0) == 0 && run->exit_reason == KVM_EXIT_IO)
		io++;
	printf("counted %u\n", run->exit_reason == KVM_EXIT_HLT ? io : 0);
	return 0;
}
"""
source = os.path.join(live.WORK, "guest.c")
with open(source, "w", encoding="utf-8") as f:
    f.write(GUEST)
built = subprocess.run(["cc", "-O1", "-o", source[:-2], source], capture_output=True, text=True, check=False)
if built.returncode or subprocess.run([source[:-2], "1"], capture_output=True, check=False).returncode == 77:
    r = live.dwell("run", "kvmexit", "--for", "100ms")
    live.check(
        r.returncode == 0 or (r.returncode == 1 and "KVM is not in this kernel" in r.stderr),
        "without a machine it says why, or nothing",
        f"{r}",
    )
    live.done()
r = live.dwell("run", "kvmexit", "--interval", "1h", "--", source[:-2], WRITES)
live.check(f"counted {WRITES}" in r.stdout, "the guest ran", r.stdout + r.stderr)
live.check(
    re.search(rf"^ *\d+ guest +program: io +{WRITES} +\d+$", r.stdout, re.M),
    "each write of the guest to a port",
    r.stdout + r.stderr,
)
live.check(re.search(r"^ *\d+ guest +program: hlt +1 +0$", r.stdout, re.M), "its halt", r.stdout + r.stderr)
live.done()
