/* SPDX-License-Identifier: Apache-2.0 */
/* Images written by hand, so that loading and running are tested without the compiler. The program
 * pieces are macros over struct bpf_insn; HI_* are indices of the maps. */
#ifndef DWELL_TEST_HANDIMG_H
#define DWELL_TEST_HANDIMG_H
#include <linux/bpf.h>
#include <unistd.h>
#include "cg/image.h"
#include "types/caps.h"

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOVI(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADDI(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define CALL(h) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, h)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define JEQI(d, i, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JNEI(d, i, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define LDX(sz, d, s, o) INSN(BPF_LDX | BPF_MEM | (sz), d, s, o, 0)
#define STX(sz, d, s, o) INSN(BPF_STX | BPF_MEM | (sz), d, s, o, 0)
#define STI(sz, d, o, i) INSN(BPF_ST | BPF_MEM | (sz), d, 0, o, i)
#define XADD(d, o, s) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define MAP(d, idx) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_IDX, 0, idx), INSN(0, 0, 0, 0, 0)
#define MAPVAL(d, idx, o) INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_IDX_VALUE, 0, idx), INSN(0, 0, 0, 0, o)

enum { HI_RINGS, HI_STATE, HI_COUNTERS, HI_AGG0, HI_AGG1, HI_COUNT0, HI_COUNT1, HI_NMAPS };
enum { HI_RING_SIZE = 1 << 16, HI_STATE_SIZE = sizeof(struct img_state) + 8 };

/* r7 := a record of `size` bytes with time, format and probe set; jumps `fail` instructions after the end of
 * this piece when there is no room. Uses r0-r3 and 4 bytes of stack. */
#define RECORD(size, fmt, probe, fail) \
	CALL(BPF_FUNC_get_smp_processor_id), STX(BPF_W, 10, 0, -4), MOV(2, 10), ADDI(2, -4), MAP(1, HI_RINGS), \
		CALL(BPF_FUNC_map_lookup_elem), JEQI(0, 0, 10 + (fail)), MOV(1, 0), MOVI(2, size), MOVI(3, 0), \
		CALL(BPF_FUNC_ringbuf_reserve), JEQI(0, 0, 5 + (fail)), MOV(7, 0), CALL(BPF_FUNC_ktime_get_ns), \
		STX(BPF_DW, 7, 0, 0), STI(BPF_W, 7, 8, fmt), STI(BPF_W, 7, 12, probe)
/* r7 is the record: submit it. */
#define SUBMIT() MOV(1, 7), MOVI(2, BPF_RB_NO_WAKEUP), CALL(BPF_FUNC_ringbuf_submit)

static struct img_map hi_maps[HI_NMAPS] = {
	[HI_RINGS] = { .role = IMG_MAP_RINGS,
		       .name = "rings",
		       .type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
		       .key_size = 4,
		       .value_size = 4,
		       .inner_size = HI_RING_SIZE },
	[HI_STATE] = { .role = IMG_MAP_STATE,
		       .name = "state",
		       .type = BPF_MAP_TYPE_ARRAY,
		       .key_size = 4,
		       .value_size = HI_STATE_SIZE,
		       .max_entries = 1 },
	[HI_COUNTERS] = { .role = IMG_MAP_COUNTERS,
			  .name = "counters",
			  .type = BPF_MAP_TYPE_PERCPU_ARRAY,
			  .key_size = 4,
			  .value_size = REC_NSLOTS * 8,
			  .max_entries = 8 },
	[HI_AGG0] = { .role = IMG_MAP_AGG,
		      .name = "keyed0",
		      .type = BPF_MAP_TYPE_PERCPU_HASH,
		      .key_size = 8,
		      .value_size = 16,
		      .max_entries = 20000,
		      .flags = BPF_F_NO_PREALLOC,
		      .agg = 0,
		      .set = 0 },
	[HI_AGG1] = { .role = IMG_MAP_AGG,
		      .name = "keyed1",
		      .type = BPF_MAP_TYPE_PERCPU_HASH,
		      .key_size = 8,
		      .value_size = 16,
		      .max_entries = 20000,
		      .flags = BPF_F_NO_PREALLOC,
		      .agg = 0,
		      .set = 1 },
	[HI_COUNT0] = { .role = IMG_MAP_AGG,
			.name = "count0",
			.type = BPF_MAP_TYPE_PERCPU_ARRAY,
			.key_size = 4,
			.value_size = 8,
			.max_entries = 1,
			.agg = 1,
			.set = 0 },
	[HI_COUNT1] = { .role = IMG_MAP_AGG,
			.name = "count1",
			.type = BPF_MAP_TYPE_PERCPU_ARRAY,
			.key_size = 4,
			.value_size = 8,
			.max_entries = 1,
			.agg = 1,
			.set = 1 },
};

static inline struct caps hi_caps(void)
{
	return (struct caps){ .possible_cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF),
			      .online_cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
}
#endif
