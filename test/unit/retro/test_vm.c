/* SPDX-License-Identifier: Apache-2.0 */
/* BPF programs without the kernel: instructions as its documentation has them, maps, helpers; what a verifier would
 * refuse ends the run. */
#include "retro/vm.h"
#include "base/cleanup.h"
#include "unit.h"

#define ALU(op, dst, n) ((struct bpf_insn){ BPF_ALU64 | (op) | BPF_K, (dst), 0, 0, (n) })
#define ALU32(op, dst, n) ((struct bpf_insn){ BPF_ALU | (op) | BPF_K, (dst), 0, 0, (n) })
#define REG(op, dst, src) ((struct bpf_insn){ BPF_ALU64 | (op) | BPF_X, (dst), (src), 0, 0 })
#define JUMP(op, dst, n, to) ((struct bpf_insn){ BPF_JMP | (op) | BPF_K, (dst), 0, (to), (n) })
#define LOAD(size, dst, src, at) ((struct bpf_insn){ BPF_LDX | BPF_MEM | (size), (dst), (src), (at), 0 })
#define STORE(size, dst, src, at) ((struct bpf_insn){ BPF_STX | BPF_MEM | (size), (dst), (src), (at), 0 })
#define ATOMIC(op, dst, src, at) ((struct bpf_insn){ BPF_STX | BPF_ATOMIC | BPF_DW, (dst), (src), (at), (op) })
#define WIDE(dst, kind, n, high) \
	((struct bpf_insn){ BPF_LD | BPF_IMM | BPF_DW, (dst), (kind), 0, (n) }), \
		((struct bpf_insn){ 0, 0, 0, 0, (high) })
#define CALL(n) ((struct bpf_insn){ BPF_JMP | BPF_CALL, 0, 0, 0, (n) })
#define SUB(n) ((struct bpf_insn){ BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, (n) })
#define EXIT ((struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 })
#define HASH 0
#define STATE 1
#define KEYS 3 /* in the hash at most */

struct seen {
	unsigned records, entries;
	uint64_t last, sum;
};

static size_t read_user(void *ctx, uint64_t addr, void *buf, size_t n)
{
	static const char text[] = "/etc/hosts";

	(void)ctx;
	if (addr != 0x1000)
		return 0;
	n = n < sizeof(text) ? n : sizeof(text);
	memcpy(buf, text, n);
	return n;
}

static int record(void *ctx, const void *data, uint32_t len)
{
	struct seen *s = ctx;

	s->records++;
	memcpy(&s->last, data, len < 8 ? len : 8);
	return 0;
}

static int entry(void *ctx, const void *key, const void *value)
{
	struct seen *s = ctx;
	uint64_t v;

	(void)key;
	memcpy(&v, value, sizeof(v));
	s->entries++;
	s->sum += v;
	return 0;
}

/* Runs instructions. After the last one, r0 is put into the state, and read from there. */
static int run(const struct bpf_insn *v, size_t n, struct seen *seen, uint64_t *r0)
{
	struct img_map maps[] = {
		[HASH] = { .role = IMG_MAP_ASSOC,
			   .type = BPF_MAP_TYPE_HASH,
			   .key_size = 4,
			   .value_size = 8,
			   .max_entries = KEYS },
		[STATE] = { .role = IMG_MAP_STATE,
			    .type = BPF_MAP_TYPE_ARRAY,
			    .key_size = 4,
			    .value_size = sizeof(struct img_state),
			    .max_entries = 1 },
		{ .role = IMG_MAP_RINGS,
		  .type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
		  .key_size = 4,
		  .value_size = 4,
		  .max_entries = 1 },
	};
	const struct bpf_insn tail[] = { WIDE(1, BPF_PSEUDO_MAP_IDX_VALUE, STATE, offsetof(struct img_state, watch)),
					 STORE(BPF_DW, 1, 0, 0), EXIT };
	const struct image img = { .maps = maps, .nmaps = ARRAY_SIZE(maps) };
	const struct vm_host host = { .ctx = seen, .read_user = read_user, .record = record };
	struct bpf_insn all[256];
	struct img_prog p = { .name = "test", .insns = all };
	struct err e = { 0 };
	struct vm *vm = NULL;
	int r;

	memcpy(all, v, n * sizeof(*v));
	memcpy(all + n, tail, sizeof(tail));
	n += ARRAY_SIZE(tail);
	p.ninsns = (uint32_t)n;
	assert_int_equal(vm_new(&img, &host, &vm), 0);
	*vm_now(vm) = (struct vm_now){
		.ns = 77, .tgid = 5, .tid = 6, .comm = "me", .task = (uint64_t)(uintptr_t)vm_alloc(vm, 64)
	};
	r = vm_run(vm, &p, vm_alloc(vm, 64), &e);
	assert_true(r == 0 || e.msg[0]);
	*r0 = vm_state(vm)->watch[0];
	assert_int_equal(vm_drain_map(vm, HASH, entry, seen), 0);
	vm_free(vm);
	err_done(&e);
	return r;
}

static uint64_t result(const struct bpf_insn *v, size_t n)
{
	struct seen s = { 0 };
	uint64_t r0 = 0;

	assert_int_equal(run(v, n, &s, &r0), 0);
	return r0;
}
#define RESULT(...) \
	result((const struct bpf_insn[]){ __VA_ARGS__ }, \
	       sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))
#define FAILS(...) \
	assert_int_equal(fails((const struct bpf_insn[]){ __VA_ARGS__ }, \
			       sizeof((const struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn)), \
			 -EPROTO)

static int fails(const struct bpf_insn *v, size_t n)
{
	struct seen s = { 0 };
	uint64_t r0;

	return run(v, n, &s, &r0);
}

static void arithmetic_is_that_of_the_documentation(void **state)
{
	(void)state;
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, -5), ALU(BPF_DIV, 0, 0)), 0);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 7), ALU(BPF_MOD, 0, 0)), 7);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, -1), ALU32(BPF_ADD, 0, 1)), 0);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, -8), ALU(BPF_ARSH, 0, 1)), (uint64_t)-4);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, -8), ALU32(BPF_RSH, 0, 1)), 0x7ffffffc);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 1), ALU(BPF_LSH, 0, 40), ALU(BPF_NEG, 0, 0)), (uint64_t) - (1ll << 40));
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, -6), ((struct bpf_insn){ BPF_ALU64 | BPF_DIV | BPF_K, 0, 0, 1, 4 })),
			 (uint64_t)-1);
	assert_int_equal(RESULT(ALU(BPF_MOV, 1, 0x180), ((struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_X, 0, 1, 8, 0 })),
			 (uint64_t)-128);
	assert_int_equal(
		RESULT(WIDE(0, 0, 0x11223344, 0x55), ((struct bpf_insn){ BPF_ALU | BPF_END | BPF_TO_BE, 0, 0, 0, 32 })),
		0x44332211);
}

static void jumps_know_signs_and_widths(void **state)
{
	(void)state;
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 1), ALU(BPF_MOV, 2, -1), JUMP(BPF_JGT, 2, 5, 1), ALU(BPF_MOV, 0, 2)),
			 1);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 1), ALU(BPF_MOV, 2, -1), JUMP(BPF_JSGT, 2, 5, 1), ALU(BPF_MOV, 0, 2)),
			 2);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 1), WIDE(2, 0, 3, 1),
				((struct bpf_insn){ BPF_JMP32 | BPF_JEQ | BPF_K, 2, 0, 1, 3 }), ALU(BPF_MOV, 0, 2)),
			 1);
	assert_int_equal(RESULT(ALU(BPF_MOV, 0, 0), ALU(BPF_ADD, 0, 1), JUMP(BPF_JLT, 0, 10, -2)), 10);
}

static void functions_have_registers_and_a_stack_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(RESULT(ALU(BPF_MOV, 6, 40), ALU(BPF_MOV, 1, 2), STORE(BPF_DW, 10, 6, -8), SUB(3),
				LOAD(BPF_DW, 2, 10, -8), REG(BPF_ADD, 0, 2), JUMP(BPF_JA, 0, 0, 4), REG(BPF_MOV, 0, 1),
				ALU(BPF_MOV, 6, 9), STORE(BPF_DW, 10, 6, -8), EXIT),
			 42);
	/* a loop: its function gets 0, 1, 2, 3 and adds them to what the context points to */
	assert_int_equal(RESULT(ALU(BPF_MOV, 2, 0), STORE(BPF_DW, 10, 2, -8), ALU(BPF_MOV, 1, 4),
				WIDE(2, BPF_PSEUDO_FUNC, 7, 0), REG(BPF_MOV, 3, 10), ALU(BPF_ADD, 3, -8),
				ALU(BPF_MOV, 4, 0), CALL(BPF_FUNC_loop), LOAD(BPF_DW, 0, 10, -8), JUMP(BPF_JA, 0, 0, 3),
				ATOMIC(BPF_ADD, 2, 1, 0), ALU(BPF_MOV, 0, 0), EXIT),
			 6);
}

static void atomics_return_what_was_there(void **state)
{
	(void)state;
	assert_int_equal(RESULT(ALU(BPF_MOV, 2, 5), STORE(BPF_DW, 10, 2, -8), ALU(BPF_MOV, 3, 2),
				ATOMIC(BPF_ADD | BPF_FETCH, 10, 3, -8), LOAD(BPF_DW, 0, 10, -8), ALU(BPF_LSH, 0, 8),
				REG(BPF_OR, 0, 3)),
			 0x705);
	assert_int_equal(RESULT(ALU(BPF_MOV, 2, 5), STORE(BPF_DW, 10, 2, -8), ALU(BPF_MOV, 0, 4), ALU(BPF_MOV, 3, 9),
				ATOMIC(BPF_CMPXCHG, 10, 3, -8)),
			 5);
}

static void a_hash_has_as_many_keys_as_it_may(void **state)
{
	struct seen s = { 0 };
	uint64_t r0;
	/* for (key = 0; key < 5; key++) put(key, key) */
	const struct bpf_insn v[] = { ALU(BPF_MOV, 6, 0),
				      ALU(BPF_MOV, 7, 0),
				      STORE(BPF_W, 10, 6, -4),
				      STORE(BPF_DW, 10, 6, -16),
				      WIDE(1, BPF_PSEUDO_MAP_IDX, HASH, 0),
				      REG(BPF_MOV, 2, 10),
				      ALU(BPF_ADD, 2, -4),
				      REG(BPF_MOV, 3, 10),
				      ALU(BPF_ADD, 3, -16),
				      ALU(BPF_MOV, 4, 0),
				      CALL(BPF_FUNC_map_update_elem),
				      REG(BPF_ADD, 7, 0),
				      ALU(BPF_ADD, 6, 1),
				      JUMP(BPF_JLT, 6, KEYS + 2, -13),
				      REG(BPF_MOV, 0, 7) };

	(void)state;
	assert_int_equal(run(v, ARRAY_SIZE(v), &s, &r0), 0);
	assert_int_equal(r0, (uint64_t)(2 * -E2BIG));
	assert_int_equal(s.entries, KEYS);
	assert_int_equal(s.sum, 0 + 1 + 2);
}

static void memory_that_is_not_known_is_a_fault(void **state)
{
	(void)state;
	assert_int_equal(RESULT(REG(BPF_MOV, 1, 10), ALU(BPF_ADD, 1, -64), ALU(BPF_MOV, 2, 64), ALU(BPF_MOV, 3, 0x1000),
				CALL(BPF_FUNC_probe_read_user_str)),
			 11);
	assert_int_equal(RESULT(REG(BPF_MOV, 1, 10), ALU(BPF_ADD, 1, -64), ALU(BPF_MOV, 2, 5), ALU(BPF_MOV, 3, 0x1000),
				CALL(BPF_FUNC_probe_read_user_str)),
			 5);
	assert_int_equal(RESULT(REG(BPF_MOV, 1, 10), ALU(BPF_ADD, 1, -64), ALU(BPF_MOV, 2, 5), ALU(BPF_MOV, 3, 0x2000),
				CALL(BPF_FUNC_probe_read_user)),
			 (uint64_t)-EFAULT);
	assert_int_equal(RESULT(REG(BPF_MOV, 1, 10), ALU(BPF_ADD, 1, -64), ALU(BPF_MOV, 2, 5), ALU(BPF_MOV, 3, 64),
				CALL(BPF_FUNC_probe_read_kernel)),
			 (uint64_t)-EFAULT);
	assert_int_equal(RESULT(ALU(BPF_MOV, 1, 64), LOAD(BPF_DW, 0, 1, 0)), 0);
}

static void helpers_tell_what_was_then(void **state)
{
	(void)state;
	assert_int_equal(RESULT(CALL(BPF_FUNC_ktime_get_ns)), 77);
	assert_int_equal(RESULT(CALL(BPF_FUNC_get_current_pid_tgid)), 5ull << 32 | 6);
	assert_int_equal(RESULT(REG(BPF_MOV, 1, 10), ALU(BPF_ADD, 1, -16), ALU(BPF_MOV, 2, 16),
				CALL(BPF_FUNC_get_current_comm), LOAD(BPF_W, 0, 10, -16)),
			 'm' | 'e' << 8);
}

static void records_are_given_when_they_are_complete(void **state)
{
	struct seen s = { 0 };
	uint64_t r0;
	const struct bpf_insn v[] = { ALU(BPF_MOV, 2, 16),
				      CALL(BPF_FUNC_ringbuf_reserve),
				      REG(BPF_MOV, 6, 0),
				      ALU(BPF_MOV, 1, 42),
				      STORE(BPF_DW, 6, 1, 0),
				      ALU(BPF_MOV, 2, 16),
				      CALL(BPF_FUNC_ringbuf_reserve),
				      REG(BPF_MOV, 1, 0),
				      CALL(BPF_FUNC_ringbuf_discard),
				      REG(BPF_MOV, 1, 6),
				      CALL(BPF_FUNC_ringbuf_submit) };

	(void)state;
	assert_int_equal(run(v, ARRAY_SIZE(v), &s, &r0), 0);
	assert_int_equal(s.records, 1);
	assert_int_equal(s.last, 42);
}

static void what_a_verifier_refuses_ends_the_run(void **state)
{
	(void)state;
	FAILS(ALU(BPF_MOV, 1, 64), STORE(BPF_DW, 1, 1, 0), EXIT);	/* writes elsewhere */
	FAILS(JUMP(BPF_JA, 0, 0, -1), EXIT);				/* does not end */
	FAILS(SUB(-1), EXIT);						/* calls itself */
	FAILS(JUMP(BPF_JA, 0, 0, 9), EXIT);				/* leaves the program */
	FAILS(CALL(BPF_FUNC_probe_write_user), EXIT);			/* is not there */
	FAILS(((struct bpf_insn){ 0xff, 0, 0, 0, 0 }), EXIT);		/* is none */
	FAILS(ALU(BPF_MOV, 1, 3), CALL(BPF_FUNC_ringbuf_submit), EXIT); /* a record that did not begin */
	FAILS(ALU(BPF_MOV, 1, 3), CALL(BPF_FUNC_map_lookup_elem), EXIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_that_of_the_documentation),
		cmocka_unit_test(jumps_know_signs_and_widths),
		cmocka_unit_test(functions_have_registers_and_a_stack_of_their_own),
		cmocka_unit_test(atomics_return_what_was_there),
		cmocka_unit_test(a_hash_has_as_many_keys_as_it_may),
		cmocka_unit_test(memory_that_is_not_known_is_a_fault),
		cmocka_unit_test(helpers_tell_what_was_then),
		cmocka_unit_test(records_are_given_when_they_are_complete),
		cmocka_unit_test(what_a_verifier_refuses_ends_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
