/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel stacks of all threads by a BPF program that the kernel runs on each of them (an iterator over
 * tasks). It hands out records of a fixed size. Source: kernel/bpf/task_iter.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"
#include "load/kmem.h"

#define FRAMES 64 /* of a stack; outer ones are left out */
#define ROOM 64u  /* records that are read at once */
#define OFF(field) ((int16_t)offsetof(struct record, field))

struct record {
	uint64_t task;
	int64_t bytes; /* of ip that are set, or -errno: it has none */
	uint64_t ip[FRAMES];
};

/* r7 = ctx->task; if (r7) { r8->task = r7; r8->bytes = get_task_stack(r7, r8->ip, sizeof, 0);
 * seq_write(ctx->meta->seq, r8, sizeof(*r8)); } */
static int load_walker(int map, uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_6, .off = 8 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_7, .off = 15 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_8,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map },
		{ .imm = 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_8, .src_reg = BPF_REG_7, .off = OFF(task) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_7 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_8 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = OFF(ip) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 8 * FRAMES },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_task_stack },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_8, .src_reg = BPF_REG_0, .off = OFF(bytes) },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = sizeof(struct record) },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_seq_write },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct cap_prog p = { .type = BPF_PROG_TYPE_TRACING,
			      .expected_attach = BPF_TRACE_ITER,
			      .btf_id = btf_id,
			      .insns = insns,
			      .ninsns = ARRAY_SIZE(insns) };

	return cap_load(&p);
}

static int each_record(int fd, kmem_stack_fn *fn, void *arg)
{
	struct record *v = malloc(ROOM * sizeof(*v));
	size_t have = 0;
	int r = v ? 0 : -ENOMEM;

	while (r == 0) {
		const ssize_t got = read(fd, (char *)v + have, ROOM * sizeof(*v) - have);
		size_t i;

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0) {
			r = got < 0 ? -errno : 0;
			break;
		}
		have += (size_t)got;
		for (i = 0; i < have / sizeof(*v) && r == 0; i++)
			r = fn(arg, v[i].task, v[i].ip, v[i].bytes > 0 ? (size_t)v[i].bytes / 8 : 0);
		have -= i * sizeof(*v);
		memmove(v, v + i, have);
	}
	free(v);
	return r;
}

int kmem_stacks(uint32_t btf_id, kmem_stack_fn *fn, void *arg)
{
	_cleanup_close_ int map = -1, prog = -1, link = -1, fd = -1;
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(struct record);
	a.max_entries = 1;
	map = bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
	if (map < 0)
		return map;
	prog = load_walker(map, btf_id);
	if (prog < 0)
		return prog;
	link = bpfsys_iter_link(prog, -1);
	if (link < 0)
		return link;
	fd = bpfsys_iter_create(link);
	return fd < 0 ? fd : each_record(fd, fn, arg);
}
