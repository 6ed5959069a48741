/* SPDX-License-Identifier: Apache-2.0 */
/* Proves on the running kernel what provider sched relies on: in sched_exit_tp the current task is the
 * one that sched_switch named as the next, and in sched_switch it is still the previous one. */
#include "../unit.h"
#include <linux/bpf.h>
#include <sched.h>
#include <string.h>
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "prov/prov_int.h"

enum { SEEN_NEXT, SWITCH_IS_PREV, SWITCH_OTHER, EXIT_IS_NEXT, EXIT_OTHER, NVALUES };

#define MOV(d, s) \
	{ \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = d, .src_reg = s \
	}
#define MOVI(d, i) \
	{ \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = d, .imm = i \
	}
#define ADDI(d, i) \
	{ \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = d, .imm = i \
	}
#define LDX(d, s, o) \
	{ \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = d, .src_reg = s, .off = o \
	}
#define STX(d, o, s) \
	{ \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = d, .src_reg = s, .off = o \
	}
#define STI(d, o, i) \
	{ \
		.code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = d, .off = o, .imm = i \
	}
#define JEQ(d, s, o) \
	{ \
		.code = BPF_JMP | BPF_JEQ | BPF_X, .dst_reg = d, .src_reg = s, .off = o \
	}
#define JEQI(d, i, o) \
	{ \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = d, .imm = i, .off = o \
	}
#define CALL(f) \
	{ \
		.code = BPF_JMP | BPF_CALL, .imm = f \
	}
#define EXIT \
	{ \
		.code = BPF_JMP | BPF_EXIT \
	}
#define LDMAP(d, fd) \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = d, .src_reg = BPF_PSEUDO_MAP_FD, .imm = fd }, \
	{ \
		0 \
	}

static int load(const struct bpf_insn *insns, uint32_t n, uint32_t btf_id)
{
	static char log[65536];
	union bpf_attr a;
	int fd;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_TRACING;
	a.expected_attach_type = BPF_TRACE_RAW_TP;
	a.attach_btf_id = btf_id;
	a.insns = BPFSYS_PTR(insns);
	a.insn_cnt = n;
	a.license = BPFSYS_PTR("GPL");
	a.log_buf = BPFSYS_PTR(log);
	a.log_size = sizeof(log);
	a.log_level = 1;
	fd = bpfsys(BPF_PROG_LOAD, &a, sizeof(a));
	if (fd < 0)
		fprintf(stderr, "%s\n", log);
	return fd;
}

static int make_map(void)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
	a.key_size = 4;
	a.value_size = NVALUES * 8;
	a.max_entries = 1;
	return bpfsys(BPF_MAP_CREATE, &a, sizeof(a));
}

static uint32_t btf_id(struct prov_env *env, const char *tp)
{
	struct tref ref;

	return tptab_find_builtin(env, tp, &ref) < 0 ? 0 : ref.id;
}

/* r6 = ctx, r7 = current, r8 = the CPU's values */
#define PROLOGUE(map) \
	MOV(6, 1), CALL(BPF_FUNC_get_current_task), MOV(7, 0), STI(10, -4, 0), MOV(2, 10), ADDI(2, -4), LDMAP(1, map), \
		CALL(BPF_FUNC_map_lookup_elem)
#define COUNT(v) LDX(2, 8, (v)*8), ADDI(2, 1), STX(8, (v)*8, 2)

static int load_switch(int map, uint32_t id)
{
	const struct bpf_insn insns[] = {
		PROLOGUE(map),
		JEQI(0, 0, 12),
		MOV(8, 0),
		LDX(1, 6, 16), /* next */
		STX(8, SEEN_NEXT * 8, 1),
		LDX(1, 6, 8), /* prev */
		JEQ(1, 7, 4),
		COUNT(SWITCH_OTHER),
		{ .code = BPF_JMP | BPF_JA, .off = 3 },
		COUNT(SWITCH_IS_PREV),
		MOVI(0, 0),
		EXIT,
	};

	return load(insns, ARRAY_SIZE(insns), id);
}

static int load_exit(int map, uint32_t id)
{
	const struct bpf_insn insns[] = {
		PROLOGUE(map),
		JEQI(0, 0, 14),
		MOV(8, 0),
		LDX(1, 6, 0), /* is_switch: one byte is meaningful */
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = 1, .imm = 1 },
		JEQI(1, 0, 10),
		LDX(1, 8, SEEN_NEXT * 8),
		JEQI(1, 0, 8), /* attached between a switch and its end */
		JEQ(1, 7, 4),
		COUNT(EXIT_OTHER),
		{ .code = BPF_JMP | BPF_JA, .off = 3 },
		COUNT(EXIT_IS_NEXT),
		MOVI(0, 0),
		EXIT,
	};

	return load(insns, ARRAY_SIZE(insns), id);
}

static void read_sums(int map, uint64_t sum[NVALUES])
{
	uint32_t key = 0;
	long ncpu = sysconf(_SC_NPROCESSORS_CONF);
	_cleanup_free_ uint64_t *v = calloc((size_t)ncpu * NVALUES, sizeof(*v));

	assert_int_equal(bpfsys_map_lookup(map, &key, v), 0);
	memset(sum, 0, NVALUES * sizeof(*sum));
	for (long c = 0; c < ncpu; c++)
		for (int i = 0; i < NVALUES; i++)
			sum[i] += v[c * NVALUES + i];
}

static void incoming_task(void **state)
{
	struct prov_cache cache = { .arena = arena_new(1 << 20) };
	struct prov_env env = { .cache = &cache, .tracefs_fd = -1 };
	_cleanup_close_ int map = -1, sw = -1, ex = -1, lsw = -1, lex = -1;
	uint64_t sum[NVALUES];
	uint32_t exit_id;

	(void)state;
	assert_int_equal(typesrc_open_kernel(&env.ts, NULL), 0);
	exit_id = btf_id(&env, "sched_exit_tp");
	if (!exit_id) {
		typesrc_free(env.ts);
		arena_free(cache.arena);
		skip(); /* the provider then uses sched_switch */
	}
	map = make_map();
	sw = load_switch(map, btf_id(&env, "sched_switch"));
	ex = load_exit(map, exit_id);
	assert_true(map >= 0 && sw >= 0 && ex >= 0);
	lsw = bpfsys_raw_tracepoint_open(sw, NULL);
	lex = bpfsys_raw_tracepoint_open(ex, NULL);
	assert_true(lsw >= 0 && lex >= 0);
	for (int i = 0; i < 200; i++)
		usleep(500);
	read_sums(map, sum);
	assert_true(sum[SWITCH_IS_PREV] > 100);
	assert_int_equal(sum[SWITCH_OTHER], 0);
	assert_true(sum[EXIT_IS_NEXT] > 100);
	/* On 6.18 some switches are missing in sched_switch,
	 * a few in a thousand, and the next named before them is then an older one. */
	assert_true(sum[EXIT_OTHER] * 20 < sum[EXIT_IS_NEXT]);
	typesrc_free(env.ts);
	arena_free(cache.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(incoming_task) };
	int map = make_map();

	if (map < 0)
		return skip_all("needs root and BPF");
	close(map);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
