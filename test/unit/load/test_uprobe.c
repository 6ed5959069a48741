/* SPDX-License-Identifier: Apache-2.0 */
/* Uprobes with one call, one at a time, and where the file or the process is not there. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../ownoff.h"
#include "base/cleanup.h"
#include "load/bpf_sys.h"
#include "load/probe_caps.h"
#include "load/uprobe.h"
#include "unit.h"

/* Without counters for coverage: the kernel does not probe instructions with a lock prefix. */
#define PROBED __attribute__((noinline, used, no_profile_instrument_function))

PROBED static int one(int x)
{
	__asm__ volatile("");
	return x + 1;
}

PROBED static int two(int x)
{
	__asm__ volatile("");
	return x + 2;
}

/* Called where they begin, whatever the compiler thinks of them. */
static int (*volatile call_one)(int) = one;
static int (*volatile call_two)(int) = two;

static uint64_t offset_of(int (*f)(int))
{
	return own_offset((uintptr_t)f);
}

static int load(bool multi)
{
	static const char license[] = "GPL";
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_KPROBE;
	a.expected_attach_type = multi ? BPFSYS_UPROBE_MULTI : 0;
	a.insns = BPFSYS_PTR(insns);
	a.insn_cnt = 2;
	a.license = BPFSYS_PTR(license);
	return bpfsys(BPF_PROG_LOAD, &a, sizeof(a));
}

static uint64_t runs(int prog)
{
	struct bpf_prog_info info;

	assert_int_equal(bpfsys_prog_info(prog, &info), 0);
	return info.run_cnt;
}

static void done(struct uprobe_fds *fds, int prog)
{
	for (size_t i = 0; i < fds->fds.n; i++)
		close(fds->fds.v[i]);
	vec_free(&fds->fds);
	close(prog);
}

/* A program for several at a time, where the kernel can. */
static int load_multi(void)
{
	char reason[CAPS_REASON_MAX];

	if (!caps_try_uprobe_multi(reason, sizeof(reason)))
		skip();
	return load(true);
}

static void fires(bool (*can)(char *reason, size_t n), bool multi)
{
	char reason[CAPS_REASON_MAX];
	struct uprobe_place p = { .path = "/proc/self/exe", .pid = getpid(), .multi = multi };
	struct uprobe_site v[] = { { offset_of(one), 0, 1 }, { offset_of(two), 0, 2 } };
	struct uprobe_fds fds = { 0 };
	struct err err = { 0 };
	int stats, prog;
	uint64_t before;

	if (!can(reason, sizeof(reason)))
		skip();
	stats = bpfsys_enable_run_stats();
	prog = load(multi);
	assert_true(stats >= 0 && prog >= 0);
	assert_int_equal(uprobe_attach(&p, v, 2, prog, &fds, &err), 0);
	assert_int_equal(fds.attached, 2);
	assert_int_equal(fds.refused, 0);
	assert_int_equal(fds.fds.n, multi ? 1 : 2);
	before = runs(prog);
	assert_int_equal(call_one(1) + call_two(1), 5);
	assert_int_equal(runs(prog) - before, 2);
	for (size_t i = 0; i < fds.fds.n; i++)
		close(fds.fds.v[i]);
	before = runs(prog);
	assert_int_equal(one(1), 2);
	assert_int_equal(runs(prog), before);
	vec_free(&fds.fds);
	close(prog);
	close(stats);
}

static void with_one_call(void **state)
{
	(void)state;
	fires(caps_try_uprobe_multi, true);
}

static void one_at_a_time(void **state)
{
	(void)state;
	fires(caps_try_uprobe, false);
}

static void not_there(void **state)
{
	struct uprobe_place p = { .path = "/nonexistent", .multi = true };
	struct uprobe_site v = { offset_of(one), 0, 1 };
	struct uprobe_fds fds = { 0 };
	struct err err = { 0 };
	int prog = load_multi();

	(void)state;
	assert_int_equal(uprobe_attach(&p, &v, 1, prog, &fds, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent"));
	p = (struct uprobe_place){ .path = "/proc/self/exe", .pid = 0x3ffffff, .multi = true };
	assert_int_equal(uprobe_attach(&p, &v, 1, prog, &fds, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "is gone"));
	assert_int_equal(fds.fds.n, 0);
	done(&fds, prog);
}

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl vector_code\n"
	"vector_code:\n"
	"	.byte 0xc5, 0xf9, 0xef, 0xc0\n"		    /* vpxor: refused by kernels */
	"	.byte 0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xce\n" /* vpbroadcastb: taken for jp */
	"	nop\n"
	"	ret\n"
	".popsection\n");
extern int vector_code(int);

/* Places that the kernel would emulate wrongly are left out, the rest is attached. */
static void no_vectors(void **state)
{
	struct uprobe_place p = { .path = "/proc/self/exe", .pid = getpid(), .multi = true };
	uint64_t at = offset_of(vector_code);
	struct uprobe_site v[] = { { at, 0, 1 }, { at + 4, 0, 2 }, { at + 10, 0, 3 } };
	struct uprobe_fds fds = { 0 };
	struct err err = { 0 };
	int prog = load_multi();

	(void)state;
	assert_int_equal(uprobe_attach(&p, v, 3, prog, &fds, &err), 0);
	assert_int_equal(fds.attached, 1);
	assert_int_equal(fds.refused, 2);
	assert_int_equal(fds.refused_cookie, 1);
	assert_int_equal(uprobe_attach(&p, v + 1, 1, prog, &fds, &err), 0);
	assert_int_equal(fds.refused, 3);
	done(&fds, prog);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_one_call),
		cmocka_unit_test(one_at_a_time),
		cmocka_unit_test(not_there),
#if defined(__x86_64__)
		cmocka_unit_test(no_vectors),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
