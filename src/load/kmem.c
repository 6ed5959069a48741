/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and runs the BPF program that copies kernel memory into a map. */
#include "load/kmem.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/caps_int.h"

/* The only element of the map: what is asked for, and what came. */
struct piece {
	uint64_t addr, len;
	int64_t result;
	uint64_t current; /* task_struct */
	uint8_t bytes[KMEM_PIECE];
};

#define OFF(field) ((int16_t)offsetof(struct piece, field))

/* r6 = &piece; piece->result = len <= KMEM_PIECE ? probe_read_kernel(bytes, len, addr) : -1;
 * piece->current = get_current_task() */
static int load_reader(int map)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW,
		  .dst_reg = BPF_REG_6,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map },
		{ .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = OFF(bytes) },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_6, .off = OFF(len) },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_6, .off = OFF(addr) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -1 },
		{ .code = BPF_JMP | BPF_JGT | BPF_K, .dst_reg = BPF_REG_2, .imm = KMEM_PIECE, .off = 1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0, .off = OFF(result) },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0, .off = OFF(current) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct cap_prog p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = insns, .ninsns = ARRAY_SIZE(insns) };

	return cap_load(&p);
}

int kmem_open(struct kmem *ret)
{
	union bpf_attr a;

	*ret = (struct kmem){ -1, -1 };
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(struct piece);
	a.max_entries = 1;
	ret->map = bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
	if (ret->map < 0)
		return ret->map;
	ret->prog = load_reader(ret->map);
	if (ret->prog < 0) {
		int r = ret->prog;

		kmem_close(ret);
		return r;
	}
	return 0;
}

static int run(const struct kmem *k, struct piece *p)
{
	uint32_t key = 0, status;
	int r = bpfsys_map_update(k->map, &key, p);

	if (r == 0)
		r = bpfsys_test_run(k->prog, -1, &status);
	return r == 0 ? bpfsys_map_lookup(k->map, &key, p) : r;
}

static int read_piece(const struct kmem *k, uint64_t addr, void *buf, size_t len)
{
	struct piece p = { .addr = addr, .len = len };
	int r = run(k, &p);

	if (r == 0)
		r = (int)p.result;
	if (r == 0)
		memcpy(buf, p.bytes, len);
	return r;
}

int kmem_read(const struct kmem *k, uint64_t addr, void *buf, size_t len)
{
	int r = 0;

	for (size_t at = 0; r == 0 && at < len; at += KMEM_PIECE)
		r = read_piece(k, addr + at, (uint8_t *)buf + at, len - at < KMEM_PIECE ? len - at : KMEM_PIECE);
	return r;
}

int kmem_current(const struct kmem *k, uint64_t *ret)
{
	struct piece p = { 0 };
	int r = run(k, &p);

	if (r == 0)
		*ret = p.current;
	return r;
}

void kmem_close(struct kmem *k)
{
	closep(&k->map);
	closep(&k->prog);
	k->map = k->prog = -1;
}
