/* SPDX-License-Identifier: Apache-2.0 */
/* Loading on the running kernel: maps with their initial values, ring slots, programs, callbacks with
 * BTF, task storage, and refusals in words. */
#include "../unit.h"
#include <errno.h>
#include "handimg.h"
#include "load/bpf_sys.h"
#include "load/link.h"
#include "load/load.h"

static const char src_text[] = "BEGIN\n{\n\ttrace(1);\n}\n";
static const struct source src = { .name = "hand.d", .text = src_text, .len = sizeof(src_text) - 1 };

static int load(struct image *img, struct loaded **l, struct err *err)
{
	struct caps caps = hi_caps();

	memset(err, 0, sizeof(*err));
	return load_image(img, NULL, &caps, NULL, l, err);
}

/* One program that is run by test-run. */
static int load_insns(const struct bpf_insn *insns, uint32_t n, struct loaded **l, struct err *err)
{
	static const struct img_line lines[] = { { 0, 0, { 0 } }, { 1, 7, { &src, 10, 8, 0 } } };
	static struct img_prog prog;
	static struct image img;

	prog = (struct img_prog){ .name = "hand",
				  .entry = { .kind = ENTRY_TEST_RUN, .target = "BEGIN" },
				  .insns = (struct bpf_insn *)(uintptr_t)insns,
				  .ninsns = n,
				  .lines = lines,
				  .nlines = 2,
				  .first_epid = 7,
				  .last_epid = 8 };
	img = (struct image){ .maps = hi_maps, .nmaps = HI_NMAPS, .progs = &prog, .nprogs = 1 };
	return load(&img, l, err);
}

static void program_runs_and_writes_the_state(void **state)
{
	static const struct bpf_insn insns[] = {
		MAPVAL(1, HI_STATE, sizeof(struct img_state)), MOVI(2, 42), STX(BPF_DW, 1, 2, 0), MOVI(0, 5), EXIT(),
	};
	struct loaded *l;
	struct err err;
	uint32_t retval = 0;

	(void)state;
	assert_int_equal(load_insns(insns, sizeof(insns) / sizeof(insns[0]), &l, &err), 0);
	assert_non_null(l->state);
	assert_int_equal(bpfsys_test_run(l->progs[0], -1, &retval), 0);
	assert_int_equal(retval, 5);
	assert_int_equal(*(uint64_t *)(void *)(l->state + 1), 42);
	load_free(l);
}

static void every_cpu_has_its_ring(void **state)
{
	static const struct bpf_insn insns[] = { MOVI(0, 0), EXIT() };
	const struct load_map *m;
	struct loaded *l;
	struct err err;

	(void)state;
	assert_int_equal(load_insns(insns, 2, &l, &err), 0);
	m = load_find_map(l, IMG_MAP_RINGS, 0, 0);
	assert_non_null(m);
	assert_int_equal(m->nrings, l->ncpus);
	for (uint32_t i = 0; i < m->nrings; i++) {
		uint32_t id = 0;

		assert_int_equal(bpfsys_map_lookup(m->fd, &i, &id), 0);
		assert_int_not_equal(id, 0);
	}
	assert_ptr_equal(load_find_map(l, IMG_MAP_AGG, 1, 1), &l->maps[HI_COUNT1]);
	assert_null(load_find_map(l, IMG_MAP_AGG, 2, 0));
	load_free(l);
}

static void cpus_that_are_not_online_have_small_rings(void **state)
{
	struct img_map map = hi_maps[HI_RINGS];
	struct image img = { .maps = &map, .nmaps = 1 };
	unsigned online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	struct caps caps = hi_caps();

	(void)state;
	if (online != caps.possible_cpus)
		skip(); /* which they are is not as below */
	caps.possible_cpus = online + 3;
	map.max_entries = online + 3;
	map.inner_size = 4 * HI_RING_SIZE;
	for (int exact = 0; exact < 2; exact++) {
		struct load_opts opts = { .rings_exact = exact };
		struct loaded *l;
		struct err err = { 0 };

		assert_int_equal(load_image(&img, NULL, &caps, &opts, &l, &err), 0);
		assert_int_equal(l->maps[0].nrings, online + 3);
		assert_int_equal(l->maps[0].ring_size, 4 * HI_RING_SIZE);
		for (unsigned i = 0; i < online + 3; i++)
			assert_int_equal(l->maps[0].ring_sizes[i], (i < online || exact ? 4 : 1) * HI_RING_SIZE);
		load_free(l);
	}
}

static void refusal_names_clause_line_and_size(void **state)
{
	/* Reads through a number. */
	static const struct bpf_insn insns[] = { MOVI(1, 1), LDX(BPF_DW, 0, 1, 0), EXIT() };
	struct loaded *l = NULL;
	struct err err;

	(void)state;
	assert_int_equal(load_insns(insns, 3, &l, &err), -EACCES);
	assert_null(l);
	assert_non_null(strstr(err.msg, "clause 7 (line 3 of hand.d, 2 of the program's 3 instructions)"));
	assert_non_null(strstr(err.msg, "R1 invalid mem access"));
	assert_null(strchr(err.msg, '\n'));
	assert_non_null(err.detail);
	assert_non_null(strstr(err.detail, "1: (79) r0 = *(u64 *)(r1 +0)"));
	err_done(&err);
}

static void what_is_too_complex_is_said_so(void **state)
{
	/* Ten million iterations: the verifier follows one million instructions. */
	static const struct bpf_insn insns[] = {
		MOVI(1, 0), ADDI(1, 1), INSN(BPF_JMP | BPF_JLT | BPF_K, 1, 0, -2, 10000000), MOVI(0, 0), EXIT(),
	};
	struct loaded *l = NULL;
	struct err err;

	(void)state;
	assert_int_equal(load_insns(insns, 5, &l, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "clause 7 (line 3 of hand.d, "));
	assert_non_null(strstr(err.msg, "too complex"));
	err_done(&err);
}

/* More branches than the verifier keeps in mind: 8192. */
static void so_are_too_many_jumps(void **state)
{
	enum { JUMPS = 9000 };
	struct bpf_insn *insns = calloc(JUMPS + 3, sizeof(*insns));
	struct loaded *l = NULL;
	struct err err;

	(void)state;
	assert_non_null(insns);
	insns[0] = (struct bpf_insn)CALL(BPF_FUNC_ktime_get_ns);
	for (int i = 0; i < JUMPS; i++)
		insns[1 + i] = (struct bpf_insn)INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0, i);
	insns[JUMPS + 1] = (struct bpf_insn)MOVI(0, 0);
	insns[JUMPS + 2] = (struct bpf_insn)EXIT();
	assert_true(load_insns(insns, JUMPS + 3, &l, &err) < 0);
	assert_non_null(strstr(err.msg, "too complex"));
	err_done(&err);
	free(insns);
}

static void bad_map_index_is_refused(void **state)
{
	static const struct bpf_insn insns[] = { MAP(1, HI_NMAPS), MOVI(0, 0), EXIT() };
	struct loaded *l = NULL;
	struct err err;

	(void)state;
	assert_int_equal(load_insns(insns, 4, &l, &err), -EBADMSG);
	err_done(&err);
}

static void callback_needs_and_gets_btf(void **state)
{
	/* main: bpf_loop(10, cb, &sum, 0); returns sum. cb(i, ctx): *(u64 *)ctx += i. */
	static const struct bpf_insn insns[] = {
		STI(BPF_DW, 10, -8, 0),
		MOVI(1, 10),
		INSN(BPF_LD | BPF_IMM | BPF_DW, 2, BPF_PSEUDO_FUNC, 0, 8),
		INSN(0, 0, 0, 0, 0),
		MOV(3, 10),
		ADDI(3, -8),
		MOVI(4, 0),
		CALL(BPF_FUNC_loop),
		LDX(BPF_DW, 0, 10, -8),
		MOVI(5, 0),
		EXIT(),
		LDX(BPF_DW, 3, 2, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, 3, 1, 0, 0),
		STX(BPF_DW, 2, 3, 0),
		MOVI(0, 0),
		EXIT(),
	};
	static const struct img_func funcs[] = { { "hand", 0, 1, false }, { "cb.0", 11, 2, false } };
	static struct img_prog progs[2];
	struct image img = { .progs = progs, .nprogs = 2 };
	struct loaded *l;
	struct err err;
	uint32_t retval = 0;

	(void)state;
	for (int i = 0; i < 2; i++)
		progs[i] = (struct img_prog){ .name = "hand",
					      .entry = { .kind = ENTRY_TEST_RUN, .target = "BEGIN" },
					      .insns = (struct bpf_insn *)(uintptr_t)insns,
					      .ninsns = 16,
					      .funcs = funcs,
					      .nfuncs = 2 };
	if (load(&img, &l, &err) < 0)
		fail_msg("%s\n%s", err.msg, err.detail ? err.detail : "");
	assert_int_equal(bpfsys_test_run(l->progs[1], -1, &retval), 0);
	assert_int_equal(retval, 45);
	load_free(l);
}

static void task_storage_and_constants(void **state)
{
	static const char text[8] = "const";
	static struct img_map maps[] = {
		{ .role = IMG_MAP_TLS,
		  .name = "tls",
		  .type = BPF_MAP_TYPE_TASK_STORAGE,
		  .key_size = 4,
		  .value_size = 24,
		  .needs_btf = true },
		{ .role = IMG_MAP_RODATA,
		  .name = "rodata",
		  .type = BPF_MAP_TYPE_ARRAY,
		  .key_size = 4,
		  .value_size = 8,
		  .max_entries = 1,
		  .init = text },
	};
	/* Reads the constant's first bytes. */
	static const struct bpf_insn insns[] = { MAPVAL(1, 1, 0), LDX(BPF_W, 0, 1, 0), EXIT() };
	struct img_prog prog = { .name = "hand",
				 .entry = { .kind = ENTRY_TEST_RUN, .target = "BEGIN" },
				 .insns = (struct bpf_insn *)(uintptr_t)insns,
				 .ninsns = 4 };
	struct image img = { .maps = maps, .nmaps = 2, .progs = &prog, .nprogs = 1 };
	struct loaded *l;
	struct err err;
	uint32_t retval = 0, key = 0, want;

	(void)state;
	memcpy(&want, text, sizeof(want));
	if (load(&img, &l, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(bpfsys_test_run(l->progs[0], -1, &retval), 0);
	assert_int_equal(retval, want);
	assert_int_equal(bpfsys_map_update(l->maps[1].fd, &key, text), -EPERM); /* frozen */
	load_free(l);
}

static void unknown_tracepoint_is_an_error(void **state)
{
	static const struct bpf_insn insns[] = { MOVI(0, 0), EXIT() };
	struct entry e = { .kind = ENTRY_RAW_TP, .target = "no_such_tracepoint" };
	struct link *link = NULL;
	struct loaded *l;
	struct err err;

	(void)state;
	assert_int_equal(load_insns(insns, 2, &l, &err), 0);
	assert_int_equal(link_attach(&e, l->progs[0], &link, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no_such_tracepoint"));
	e = (struct entry){ .kind = ENTRY_NONE };
	assert_int_equal(link_attach(&e, l->progs[0], &link, &err), -EOPNOTSUPP);
	assert_null(link);
	link_free(NULL);
	load_free(l);
}

/* Counts in the state's word. */
static const struct bpf_insn counting[] = {
	MAPVAL(1, HI_STATE, sizeof(struct img_state)), MOVI(2, 1), XADD(1, 0, 2), MOVI(0, 0), EXIT(),
};

static void raw_tracepoint_fires_until_freed(void **state)
{
	struct entry e = { .kind = ENTRY_RAW_TP, .target = "sys_enter" };
	struct link *link = NULL;
	struct loaded *l;
	struct err err;
	uint64_t *n, seen;

	(void)state;
	assert_int_equal(load_insns(counting, 6, &l, &err), 0);
	n = (uint64_t *)(void *)(l->state + 1);
	assert_int_equal(link_attach(&e, l->progs[0], &link, &err), 0);
	for (int i = 0; i < 100; i++)
		getppid();
	assert_true(*(volatile uint64_t *)n >= 100);
	link_free(link);
	link_barrier();
	seen = *(volatile uint64_t *)n;
	for (int i = 0; i < 100; i++)
		getppid();
	assert_int_equal(*(volatile uint64_t *)n, seen);
	load_free(l);
}

static void timer_counts_its_periods(void **state)
{
	static struct img_prog prog;
	struct image img = { .maps = hi_maps, .nmaps = HI_NMAPS, .progs = &prog, .nprogs = 1 };
	struct link *link = NULL;
	uint64_t periods = 0, nfds = 0, ns = 0, n;
	struct loaded *l;
	struct err err;

	(void)state;
	prog = (struct img_prog){ .name = "hand",
				  .entry = { .kind = ENTRY_PERF_EVENT, .period_ns = 1000000, .cpu = 0 },
				  .insns = (struct bpf_insn *)(uintptr_t)counting,
				  .ninsns = 6 };
	if (load(&img, &l, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(link_attach(&prog.entry, l->progs[0], &link, &err), 0);
	usleep(100000);
	assert_int_equal(link_perf_enabled_ns(link, &ns), 0);
	n = *(volatile uint64_t *)(void *)(l->state + 1);
	assert_int_equal(link_perf_periods(link, 1000000, &periods, &nfds), 0);
	assert_int_equal(nfds, 1);
	assert_true(ns >= 90000000);
	assert_true(periods >= 90 && periods >= ns / 1000000);
	/* Fewer are normal on a busy machine, more would be a mistake. */
	assert_true(n >= 10 && n <= periods + 1);
	link_free(link);
	load_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_runs_and_writes_the_state),
		cmocka_unit_test(every_cpu_has_its_ring),
		cmocka_unit_test(cpus_that_are_not_online_have_small_rings),
		cmocka_unit_test(refusal_names_clause_line_and_size),
		cmocka_unit_test(what_is_too_complex_is_said_so),
		cmocka_unit_test(so_are_too_many_jumps),
		cmocka_unit_test(bad_map_index_is_refused),
		cmocka_unit_test(callback_needs_and_gets_btf),
		cmocka_unit_test(task_storage_and_constants),
		cmocka_unit_test(unknown_tracepoint_is_an_error),
		cmocka_unit_test(raw_tracepoint_fires_until_freed),
		cmocka_unit_test(timer_counts_its_periods),
	};

	if (geteuid() != 0)
		return skip_all("needs root and BPF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
