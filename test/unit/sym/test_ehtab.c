/* SPDX-License-Identifier: Apache-2.0 */
/* Unwinding tables: each row of real files is what readelf says, and what is damaged does no harm. */
#include "../unit.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "elfmake.h"
#include "live.h"
#include "sym/unwind/eh_int.h"
#include "sym/unwind/ehtab.h"

#define MAX_COLUMNS 32

struct dump { /* of readelf --debug-dump=frames-interp */
	FILE *in;
	char columns[MAX_COLUMNS][16];
	int ncolumns;
	uint64_t end; /* of the function */
	bool in_fde;
};

static int load(const char *path, struct ehtab *t)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	struct elf e;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENOENT;
	r = elf_open(&e, (struct elf_src){ .fd = fd, .size = (uint64_t)st.st_size });
	if (r < 0)
		return r;
	r = ehtab_load(&e, t);
	elf_close(&e);
	return r;
}

static int split_words(char *line, char **words)
{
	int n = 0;
	char *save = NULL;

	for (char *w = strtok_r(line, " \n", &save); w && n < MAX_COLUMNS; w = strtok_r(NULL, " \n", &save))
		words[n++] = w;
	return n;
}

/* Next row of a function; false at the end. words[0] is its address. */
static bool next_row(struct dump *d, char *line, size_t size, char **words)
{
	while (fgets(line, (int)size, d->in)) {
		const char *fde = strstr(line, " FDE "), *pc = strstr(line, "pc="), *dots;
		int n;

		if (strstr(line, " CIE ") || fde) {
			dots = pc ? strstr(pc, "..") : NULL;
			d->in_fde = fde != NULL;
			d->end = dots ? strtoull(dots + 2, NULL, 16) : 0;
			continue;
		}
		n = split_words(line, words);
		if (n > 1 && !strcmp(words[0], "LOC")) {
			d->ncolumns = n;
			for (int i = 0; i < n; i++)
				snprintf(d->columns[i], sizeof(d->columns[i]), "%s", words[i]);
		} else if (n == d->ncolumns && n > 2 && strlen(words[0]) == 16 && d->in_fde) {
			return true;
		}
	}
	return false;
}

static const char *column(const struct dump *d, char *const *words, const char *name)
{
	for (int i = 0; i < d->ncolumns; i++)
		if (!strcmp(d->columns[i], name))
			return words[i];
	return "u";
}

static uint32_t expect_place(const char *w, uint32_t max, uint32_t gone)
{
	if (!strcmp(w, "u") || !strcmp(w, "s"))
		return 0;
	if (strncmp(w, "c-", 2) || atoi(w + 2) % 8 || (uint32_t)atoi(w + 2) / 8 > max)
		return gone;
	return (uint32_t)atoi(w + 2) / 8;
}

/* Makes a rule of readelf's line; false: an expression, which readelf does not show. */
static bool expected(const struct dump *d, char *const *words, uint32_t *ret)
{
	const char *cfa = column(d, words, "CFA"), *ra = column(d, words, "ra");
	const char *bp = column(d, words, "rbp");
	enum uw_kind kind = !strncmp(cfa, "rsp", 3)   ? UW_SP
			    : !strncmp(cfa, "rbp", 3) ? UW_BP
			    : !strncmp(cfa, "rbx", 3) ? UW_BX
						      : UW_LOST;

	if (!strcmp(cfa, "exp") || !strcmp(bp, "exp"))
		return false;
	if (!strcmp(ra, "u")) {
		*ret = UW_RULE(UW_END, 0, 0, 0);
		return true;
	}
	if (kind == UW_SP && (!strcmp(ra, "rdi") || !strcmp(ra, "r5"))) {
		kind = UW_RA_DI;
	} else if (kind == UW_LOST || strcmp(ra, "c-8") || atoi(cfa + 3) % 8) {
		*ret = UW_RULE(UW_LOST, 0, 0, 0);
		return true;
	}
	*ret = UW_RULE(kind, expect_place(bp, UW_BP_MAX, UW_BP_GONE),
		       expect_place(column(d, words, "rbx"), UW_BX_MAX, UW_BX_GONE), atoi(cfa + 3) / 8);
	return true;
}

/* Compares all rows; *nexpr: those that readelf shows as expressions. */
static unsigned compare(const char *path, unsigned *nexpr)
{
	char cmd[512], line[1024], *words[MAX_COLUMNS];
	struct dump d = { 0 };
	unsigned n = 0;
	struct ehtab t;

	assert_int_equal(load(path, &t), 0);
	snprintf(cmd, sizeof(cmd), "readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
	d.in = popen(cmd, "r");
	assert_non_null(d.in);
	*nexpr = 0;
	while (next_row(&d, line, sizeof(line), words)) {
		uint64_t pc = strtoull(words[0], NULL, 16);
		uint32_t want, got = ehtab_at(&t, pc);

		if (pc >= d.end)
			continue; /* readelf shows the CIE's row of functions without instructions */
		n++;
		if (!expected(&d, words, &want)) {
			uint32_t kind = UW_RULE_KIND(got);

			(*nexpr)++;
			if (kind != UW_PLT && kind != UW_BP_DEREF && kind != UW_SP_DEREF && kind != UW_SIGNAL &&
			    kind != UW_LOST && UW_RULE_BP(got) != UW_BP_GONE && UW_RULE_BP(got) != UW_BP_AT_BP)
				fail_msg("%s: at 0x%llx: an expression as rule %x", path, (unsigned long long)pc, got);
		} else if (got != want) {
			fail_msg("%s: at 0x%llx: rule %x, not %x (CFA %s)", path, (unsigned long long)pc, got, want,
				 column(&d, words, "CFA"));
		}
	}
	pclose(d.in);
	ehtab_done(&t);
	return n;
}

static void test_rows_as_readelf(void **state)
{
	static const char *const files[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
					     "/bin/sleep", "/bin/bash" };
	unsigned nexpr;

	(void)state;
#if !defined(__x86_64__)
	skip();
#endif
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (access(files[i], R_OK) == 0)
			assert_true(compare(files[i], &nexpr) > 100);
	assert_true(compare(live_path("pie"), &nexpr) > 5);
	assert_true(nexpr > 0); /* its PLT */
	assert_true(compare(live_path("nopie"), &nexpr) > 5);
	assert_true(compare(live_path("static"), &nexpr) > 1000);
}

/* -- hand-made programs -- */

#define CODE 0x1000u
static const struct eharch x86 = {
	.machine = EM_X86_64, .sp = 7, .fp = 6, .third = 3, .ra = 16, .ra_on_stack = true, .ra_reg = 5, .sig_cfa = 160
};
static const struct eharch arm = {
	.machine = EM_AARCH64, .sp = 31, .fp = 29, .third = 30, .ra = 30, .link = true, .sig_uc = 128
};

struct rows {
	const struct eharch *arch;
	const struct ehcie *cie;
	uint64_t pc[8];
	uint32_t rule[8];
	unsigned n;
};

static int note_row(void *ctx, uint64_t pc, const struct ehstate *st)
{
	struct rows *r = ctx;

	assert_true(r->n < ARRAY_SIZE(r->pc));
	r->pc[r->n] = pc;
	r->rule[r->n++] = ehcfa_rule(r->arch, r->cie, st);
	return 0;
}

/* The rules of a program in a function of 64 bytes, after the usual CIE: on x86-64 rsp + 8, ra at CFA - 8; on arm64
 * sp, ra in its register. */
static struct rows run_on(const struct eharch *arch, const uint8_t *prog, size_t n, bool signal)
{
	struct ehsec s = { .arch = arch };
	struct ehcie cie = { .code_align = 1,
			     .data_align = -8,
			     .signal = signal,
			     .usable = true,
			     .init = { .cfa = EHC_REG, .reg = 7, .off = 8, .ra = { EHR_OFF, -8 } } };
	struct ehstate st;
	struct rows r = { .arch = arch, .cie = &cie };

	if (arch->link)
		cie.init = (struct ehstate){ .cfa = EHC_REG, .reg = 31 };
	st = cie.init;

	assert_int_equal(
		ehcfa_run(&s, &cie, (struct ehbuf){ prog, prog + n, false }, CODE, CODE + 64, &st, note_row, &r), 0);
	return r;
}

static struct rows run(const uint8_t *prog, size_t n, bool signal)
{
	return run_on(&x86, prog, n, signal);
}

#define RUN_ARM(...) run_on(&arm, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), false)
#define RUN(signal, ...) run((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), signal)

static void test_programs(void **state)
{
	struct rows r;

	(void)state;
	/* push %rbp; mov %rsp,%rbp; …; leave */
	r = RUN(false, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x4a, 0x0c, 7, 8, 0xc6);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 0, 1));
	assert_int_equal(r.pc[1], CODE + 1);
	assert_int_equal(r.rule[1], UW_RULE(UW_SP, 2, 0, 2));
	assert_int_equal(r.rule[2], UW_RULE(UW_BP, 2, 0, 2));
	assert_int_equal(r.pc[3], CODE + 1 + 3 + 10);
	assert_int_equal(r.rule[3], UW_RULE(UW_SP, 0, 0, 1));
	/* remember, change, restore */
	r = RUN(false, 0x0a, 0x0e, 48, 0x83, 3, 0x50, 0x0b);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 3, 6));
	assert_int_equal(r.rule[1], UW_RULE(UW_SP, 0, 0, 1));
	/* the stack realigned: CFA is *(rbp - 8), rbp is at *rbp */
	r = RUN(false, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0);
	assert_int_equal(r.rule[0], UW_RULE(UW_BP_DEREF, UW_BP_AT_BP, 0, -1));
	/* OpenSSL's: the caller's stack pointer is kept, CFA is *(rsp + 88) + 8, rbp is 6 words below; + 64: lost */
	r = RUN(false, 0x86, 6, 0x0f, 6, 0x77, 0xd8, 0, 0x06, 0x23, 8);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP_DEREF, 6, 0, 11));
	r = RUN(false, 0x0f, 6, 0x77, 0xd8, 0, 0x06, 0x23, 64);
	assert_int_equal(r.rule[0], UW_RULE(UW_LOST, 0, 0, 0));
	/* PLT */
	r = RUN(false, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22);
	assert_int_equal(r.rule[0], UW_RULE(UW_PLT, 0, 0, 9));
	/* the trampoline of signals: CFA is *(rsp + 160) */
	r = RUN(true, 0x0f, 4, 0x77, 0xa0, 0x01, 0x06);
	assert_int_equal(r.rule[0], UW_RULE(UW_SIGNAL, 0, 0, 0));
	/* vfork(): the return address was popped into rdi */
	r = RUN(false, 0x41, 0x0e, 0, 0x09, 16, 5);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 0, 1));
	assert_int_equal(r.rule[1], UW_RULE(UW_RA_DI, 0, 0, 0));
	/* the outermost function: ra undefined */
	r = RUN(false, 0x07, 16);
	assert_int_equal(r.rule[0], UW_RULE(UW_END, 0, 0, 0));
}

static void test_programs_of_arm64(void **state)
{
	const uint32_t lost = UW_RULE(UW_LOST, 0, 0, 0);
	const struct ehcie signal = { .signal = true };
	const struct ehstate any = { .cfa = EHC_REG, .reg = 29 };
	struct rows r;

	(void)state;
	/* stp x29,x30,[sp,#-32]!; …; ldp: both saved at once, the return address above the frame pointer */
	r = RUN_ARM(0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x48, 0xdd, 0xde, 0x0e, 0);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, 0, 0));
	assert_int_equal(r.rule[1], UW_RULE_LINK(UW_SP, UW_SAVED_PAIR(3), 4));
	assert_int_equal(r.rule[2], UW_RULE_LINK(UW_SP, 0, 0));
	r = RUN_ARM(0x0c, 29, 16, 0x9d, 2, 0x9e, 1); /* CFA by the frame pointer: alloca() */
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_BP, UW_SAVED_PAIR(1), 2));
	r = RUN_ARM(0x0e, 16, 0x9e, 2); /* without frame pointer */
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, UW_SAVED_LINK(2), 2));
	r = RUN_ARM(0x0e, 32, 0x9e, 2, 0x9d, 4); /* as clang saves them */
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, UW_SAVED_FAR(2, 2), 4));
	assert_int_equal(ehcfa_rule(&arm, &signal, &any), UW_RULE(UW_SIGNAL, 0, 0, 16));
	/* The limits of what a rule can say. */
	r = RUN_ARM(0x9e, 0xff, 0x07, 0x9d, 0x80, 0x08);
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, UW_SAVED_PAIR(UW_PAIR_MAX), 0));
	r = RUN_ARM(0x9e, 0x80, 0x08, 0x9d, 0x81, 0x08);
	assert_int_equal(r.rule[0], lost);
	r = RUN_ARM(0x9e, UW_FAR_MAX, 0x9d, 0x80 | ((UW_FAR_MAX + UW_FAR_MAX_BY) & 127), 1);
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, UW_SAVED_FAR(UW_FAR_MAX, UW_FAR_MAX_BY), 0));
	r = RUN_ARM(0x9e, UW_FAR_MAX, 0x9d, 0x80 | ((UW_FAR_MAX + UW_FAR_MAX_BY + 1) & 127), 1);
	assert_int_equal(r.rule[0], lost);
	r = RUN_ARM(0x9e, 0xff, 0x0f);
	assert_int_equal(r.rule[0], UW_RULE_LINK(UW_SP, UW_SAVED_LINK(UW_LINK_MAX), 0));
	r = RUN_ARM(0x9e, 0x80, 0x10);
	assert_int_equal(r.rule[0], lost);
	r = RUN_ARM(0x9e, 4, 0x9d, 3); /* the wrong way round */
	assert_int_equal(r.rule[0], lost);
	r = RUN_ARM(0x9d, 3); /* a frame pointer alone */
	assert_int_equal(r.rule[0], lost);
}

/* The vdso of arm64 describes nothing; handlers of signals return into it all the same. */
static void test_sigreturn_of_arm64(void **state)
{
	static const char names[] = "\0__kernel_rt_sigreturn\0__kernel_gettimeofday";
	const Elf64_Sym syms[] = {
		{ 0 },
		{ .st_name = 23, .st_info = STT_FUNC, .st_shndx = 1, .st_value = ELFMAKE_CODE + 0x100 },
		{ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = ELFMAKE_CODE + 0x208 }
	};
	static const char code[4096];
	const uint16_t machines[] = { EM_AARCH64, EM_X86_64 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct elfmake_section v[] = {
			{ .name = ".text",
			  .type = SHT_PROGBITS,
			  .addr = ELFMAKE_CODE,
			  .data = code,
			  .size = sizeof(code) },
			{ .name = ".dynstr", .type = SHT_STRTAB, .data = names, .size = sizeof(names) },
			{ .name = ".dynsym", .type = SHT_DYNSYM, .data = syms, .size = sizeof(syms) },
		};
		struct strb b = { 0 };
		struct ehtab t;
		struct elf e;

		elfmake(&b, v, ARRAY_SIZE(v));
		memcpy(b.s + offsetof(Elf64_Ehdr, e_machine), &machines[i], sizeof(machines[i]));
		assert_int_equal(elfmake_open(&b, &e), 0);
		if (machines[i] == EM_AARCH64) {
			assert_int_equal(ehtab_load(&e, &t), 0);
			assert_int_equal(UW_RULE_KIND(ehtab_at(&t, ELFMAKE_CODE + 0x203)), UW_NONE);
			assert_int_equal(ehtab_at(&t, ELFMAKE_CODE + 0x204), UW_RULE(UW_SIGNAL, 0, 0, 16));
			assert_int_equal(ehtab_at(&t, ELFMAKE_CODE + 0x20c), UW_RULE(UW_SIGNAL, 0, 0, 16));
			assert_int_equal(UW_RULE_KIND(ehtab_at(&t, ELFMAKE_CODE + 0x210)), UW_NONE);
		} else {
			assert_int_equal(ehtab_load(&e, &t), -ENOENT);
		}
		ehtab_done(&t);
		elf_close(&e);
		strb_free(&b);
	}
}

static void test_what_a_rule_cannot_say(void **state)
{
	const uint32_t lost = UW_RULE(UW_LOST, 0, 0, 0);
	uint8_t deep[EH_MAX_STATES + 2];
	struct rows r;

	(void)state;
	r = RUN(false, 0x0c, 10, 0); /* CFA in r10 */
	assert_int_equal(r.rule[0], lost);
	r = RUN(false, 0x0e, 12); /* not a multiple of 8 */
	assert_int_equal(r.rule[0], lost);
	r = RUN(false, 0x0e, 0xf8, 0xff, 0x0f); /* UW_OFF_MAX words */
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 0, UW_OFF_MAX));
	r = RUN(false, 0x0e, 0x80, 0x80, 0x10); /* one more */
	assert_int_equal(r.rule[0], lost);
	r = RUN(false, 0x86, UW_BP_MAX, 0x83, UW_BX_MAX);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, UW_BP_MAX, UW_BX_MAX, 1));
	r = RUN(false, 0x86, UW_BP_MAX + 1, 0x83, UW_BX_MAX + 1);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, UW_BP_GONE, UW_BX_GONE, 1));
	r = RUN(false, 0x3f); /* no such instruction: the rest is lost */
	assert_int_equal(r.rule[0], lost);
	r = RUN(false, 0x41, 0x0e); /* cut off */
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 0, 1));
	assert_int_equal(r.rule[1], lost);
	r = RUN(false, 0x0b); /* nothing to restore */
	assert_int_equal(r.rule[0], lost);
	memset(deep, 0x0a, sizeof(deep));
	r = run(deep, EH_MAX_STATES, false);
	assert_int_equal(r.rule[0], UW_RULE(UW_SP, 0, 0, 1));
	r = run(deep, EH_MAX_STATES + 1, false);
	assert_int_equal(r.rule[0], lost);
	r = RUN(false, 0x7f, 0x0e, 16, 0x42, 0x0e, 24); /* beyond the function's end */
	assert_int_equal(r.n, 2);
	assert_int_equal(r.rule[1], lost);
}

/* Finds its way from the program header when the section headers are gone. */
static void test_without_sections(void **state)
{
	char path[] = "/tmp/dwell_ehtab_XXXXXX";
	_cleanup_close_ int out = mkstemp(path);
	_cleanup_close_ int in = open(live_path("pie"), O_RDONLY | O_CLOEXEC);
	struct ehtab a, b;
	char buf[65536];
	ssize_t n;

	(void)state;
	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	assert_int_equal(pwrite(out, (const char[8]){ 0 }, 8, offsetof(Elf64_Ehdr, e_shoff)), 8);
	assert_int_equal(pwrite(out, (const char[2]){ 0 }, 2, offsetof(Elf64_Ehdr, e_shnum)), 2);
	assert_int_equal(load(live_path("pie"), &a), 0);
	assert_int_equal(load(path, &b), 0);
	unlink(path);
	assert_int_equal(a.nrows, b.nrows);
	assert_memory_equal(a.rows, b.rows, a.nrows * sizeof(*a.rows));
	assert_int_equal(a.nindex, b.nindex);
	assert_memory_equal(a.index, b.index, a.nindex * sizeof(*a.index));
	assert_int_equal(ehtab_at(&a, a.base - 1), 0);
	assert_int_equal(ehtab_at(&a, a.base + UW_ROW_PC(a.rows[a.nrows - 1])), 0);
	assert_int_equal(ehtab_at(&a, UINT64_MAX), 0);
	ehtab_done(&a);
	ehtab_done(&b);
}

static void test_no_table(void **state)
{
	struct ehtab t;
	struct elf e = { .is64 = true, .machine = EM_386 };

	(void)state;
	assert_int_equal(ehtab_load(&e, &t), -EOPNOTSUPP);
	e = (struct elf){ .is64 = false, .machine = EM_X86_64 };
	assert_int_equal(ehtab_load(&e, &t), -EOPNOTSUPP);
	e = (struct elf){ .is64 = true, .machine = EM_X86_64 };
	assert_int_equal(ehtab_load(&e, &t), -ENOENT);
	ehtab_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_as_readelf),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_programs_of_arm64),
		cmocka_unit_test(test_sigreturn_of_arm64),
		cmocka_unit_test(test_what_a_rule_cannot_say),
		cmocka_unit_test(test_without_sections),
		cmocka_unit_test(test_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
