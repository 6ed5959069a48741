/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether bpf_loop() exists, and whether the verifier understands it. Before Linux 6.7 the verifier walks the
 * callback once and believes what it finds after that. It treats code that only runs in a later iteration as dead
 * and removes it. Programs then give wrong results, unless the generator hides the values (rt_vary() in cg). The
 * callback here is wrong in its second iteration only; a correct kernel refuses it for that reason. Source: kernel
 * commit ab5cfac139ab ("bpf: verify callbacks as if they are called unknown number of times"). */
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"

#define LOOP_LOG 4096
#define LOOP_CALLBACK 10 /* first instruction of the callback */
#define LOOP_FUNC_ID 2	 /* in the type information below */
#define PSEUDO_FUNC_OFF(at) (LOOP_CALLBACK - (at)-1)

/* Callbacks must have type information: void f(), for both functions. */
static const struct {
	struct btf_header hdr;
	uint32_t proto[3], func[3]; /* name, info, type */
	char strs[4];
} loop_btf = {
	.hdr = { .magic = BTF_MAGIC,
		 .version = BTF_VERSION,
		 .hdr_len = sizeof(struct btf_header),
		 .type_len = 24,
		 .str_off = 24,
		 .str_len = 4 },
	.proto = { 0, BTF_KIND_FUNC_PROTO << 24, 0 },
	.func = { 1, BTF_KIND_FUNC << 24, 1 },
	.strs = "\0f\0",
};

static const struct bpf_insn loop_insns[] = {
	/* u64 seen = 0; bpf_loop(8, cb, &seen, 0); return 0; */
	{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 8 },
	{ .code = BPF_LD | BPF_IMM | BPF_DW,
	  .dst_reg = BPF_REG_2,
	  .src_reg = BPF_PSEUDO_FUNC,
	  .imm = PSEUDO_FUNC_OFF(2) },
	{ .code = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_10 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_3, .imm = -8 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4 },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_loop },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
	/* cb: if (seen) read a register that is not set; seen = 1; return 0; */
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_2 },
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_3, .off = 1 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_9 },
	{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .imm = 1 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

bool cap_try_loop_once(struct attempt *a, bool *ret_once)
{
	static const struct bpf_func_info funcs[] = { { 0, LOOP_FUNC_ID }, { LOOP_CALLBACK, LOOP_FUNC_ID } };
	_cleanup_close_ int btf = bpfsys_btf_load(&loop_btf, sizeof(loop_btf)), prog = -1;
	char log[LOOP_LOG] = "";
	struct cap_prog p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			      .insns = loop_insns,
			      .ninsns = ARRAY_SIZE(loop_insns),
			      .log = log,
			      .log_size = sizeof(log),
			      .btf_fd = btf,
			      .funcs = funcs,
			      .nfuncs = ARRAY_SIZE(funcs) };

	if (btf < 0)
		return cap_refused(a, "type information", btf);
	prog = cap_load(&p);
	if (ret_once)
		*ret_once = prog >= 0;
	if (prog >= 0)
		snprintf(a->reason, sizeof(a->reason), "the verifier walks one iteration only (before 6.7)");
	/* Source: kernel/bpf/verifier.c, check_reg_arg(). */
	if (prog >= 0 || strstr(log, "R9 !read_ok"))
		return true;
	snprintf(a->reason, sizeof(a->reason), "%s",
		 strstr(log, "non-JITed") ? "needs the BPF JIT" : "the kernel does not have this helper");
	return false;
}

bool cap_try_loop(struct attempt *a)
{
	return cap_try_loop_once(a, NULL);
}

void caps_loops(struct caps *c)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | 0xe0, .off = 0 }, /* may_goto: BPF_JCOND of linux/bpf.h, 6.9 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_close_ int fd = cap_load(&(struct cap_prog){
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = insns, .ninsns = ARRAY_SIZE(insns) });

	c->may_goto = fd >= 0;
}
