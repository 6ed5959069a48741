/* SPDX-License-Identifier: Apache-2.0 */
/* Reads kernel memory with a tiny program that returns 32 bits of it as its result. It runs once for each half of
 * a word, and once to test whether the address can be read. */
#include "load/peek.h"
#include <errno.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"

enum { WANT_STATUS, WANT_LOW, WANT_HIGH };

#define SLOT (-8)

static int run(uint64_t addr, unsigned size, int want, uint32_t *ret)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = SLOT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = SLOT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = (int)size },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_3, .imm = (int)(uint32_t)addr },
		{ .imm = (int)(uint32_t)(addr >> 32) },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		want == WANT_STATUS ? (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = BPF_REG_0 }
				    : (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_W,
							 .src_reg = BPF_REG_10,
							 .off = want == WANT_LOW ? SLOT : SLOT + 4 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct cap_prog p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = insns, .ninsns = ARRAY_SIZE(insns) };
	_cleanup_close_ int fd = cap_load(&p);

	return fd < 0 ? fd : bpfsys_test_run(fd, -1, ret);
}

int peek_kernel(uint64_t addr, unsigned size, uint64_t *ret)
{
	uint32_t status, low, high;
	int r = run(addr, size, WANT_STATUS, &status);

	if (r == 0 && status)
		r = -EFAULT;
	if (r == 0)
		r = run(addr, size, WANT_LOW, &low);
	if (r == 0)
		r = run(addr, size, WANT_HIGH, &high);
	if (r == 0)
		*ret = (uint64_t)high << 32 | low;
	return r;
}
