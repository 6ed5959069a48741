/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of static probes: what they say, their limits, damaged ones; and boundaries of instructions. */
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/cleanup.h"
#include "elfmake.h"
#include "sym/elf/insn.h"
#include "sym/object/stapsdt.h"
#include "unit.h"

#define BASE 0x500

static void add_note(struct strb *b, uint64_t pc, uint64_t base, uint64_t sem, const char *prov, const char *name,
		     const char *args)
{
	uint64_t words[3] = { pc, base, sem };
	size_t desc = sizeof(words) + strlen(prov) + strlen(name) + strlen(args) + 3;
	uint32_t head[3] = { 8, (uint32_t)desc, 3 };

	strb_add(b, head, sizeof(head));
	strb_add(b, "stapsdt", 8);
	strb_add(b, words, sizeof(words));
	strb_add(b, prov, strlen(prov) + 1);
	strb_add(b, name, strlen(name) + 1);
	strb_add(b, args, strlen(args) + 1);
	while (b->n % 4)
		strb_addc(b, '\0');
}

struct reading {
	struct arena *a;
	struct strb file;
	struct elf e;
	struct stapsdt *v;
	size_t n;
	int r;
};

static void read_notes(struct reading *rd, const struct strb *notes)
{
	const struct elfmake_section v[] = {
		{ ".note.stapsdt", SHT_NOTE, 0, notes->s, notes->n },
		{ ".stapsdt.base", SHT_PROGBITS, BASE, "", 1 },
	};

	*rd = (struct reading){ .a = arena_new(256u << 20) };
	elfmake(&rd->file, v, 2);
	assert_int_equal(elfmake_open(&rd->file, &rd->e), 0);
	rd->r = stapsdt_read(rd->a, &rd->e, &rd->v, &rd->n);
}

static void done(struct reading *rd, struct strb *notes)
{
	elf_close(&rd->e);
	strb_free(&rd->file);
	strb_free(notes);
	arena_free(rd->a);
}

static void places(void **state)
{
	struct strb b = { 0 };
	struct reading rd;

	(void)state;
	add_note(&b, ELFMAKE_CODE + 5, BASE, ELFMAKE_DATA + 6, "p", "n__x", "8@%rax");
	add_note(&b, ELFMAKE_CODE - 0x20, BASE - 0x100, 0, "p", "moved", ""); /* linked elsewhere */
	add_note(&b, 0x9999999, BASE, 0, "p", "nowhere", "");
	add_note(&b, ELFMAKE_CODE, BASE, ELFMAKE_DATA + 5000, "p", "bss", "");
	add_note(&b, ELFMAKE_CODE, BASE, 0, "", "nameless", "");
	read_notes(&rd, &b);
	assert_int_equal(rd.r, 0);
	assert_int_equal(rd.n, 3);
	assert_string_equal(rd.v[0].name, "n__x");
	assert_string_equal(rd.v[0].args, "8@%rax");
	assert_int_equal(rd.v[0].off, ELFMAKE_CODE + 5);
	assert_int_equal(rd.v[0].sem_off, 0x2006);
	assert_int_equal(rd.v[1].addr, ELFMAKE_CODE - 0x20 + 0x100);
	assert_string_equal(rd.v[2].name, "bss"); /* its semaphore is not in the file */
	assert_int_equal(rd.v[2].sem_off, 0);
	done(&rd, &b);
}

static void limits(void **state)
{
	char name[STAPSDT_MAX_NAME + 2], args[STAPSDT_MAX_ARGS + 2];
	struct strb b = { 0 };
	struct reading rd;

	(void)state;
	memset(name, 'n', sizeof(name));
	memset(args, 'a', sizeof(args));
	name[STAPSDT_MAX_NAME + 1] = args[STAPSDT_MAX_ARGS + 1] = '\0';
	add_note(&b, ELFMAKE_CODE, BASE, 0, "p", name, "");
	add_note(&b, ELFMAKE_CODE, BASE, 0, "p", "n", args);
	name[STAPSDT_MAX_NAME] = args[STAPSDT_MAX_ARGS] = '\0';
	add_note(&b, ELFMAKE_CODE, BASE, 0, name, name, args);
	read_notes(&rd, &b);
	assert_int_equal(rd.n, 1);
	assert_string_equal(rd.v[0].prov, name);
	assert_string_equal(rd.v[0].args, args);
	done(&rd, &b);
	for (unsigned i = 0; i <= STAPSDT_MAX_NOTES; i++)
		add_note(&b, ELFMAKE_CODE, BASE, 0, "p", "n", "");
	read_notes(&rd, &b);
	assert_int_equal(rd.r, 0);
	assert_int_equal(rd.n, STAPSDT_MAX_NOTES);
	done(&rd, &b);
	strb_fill(&b, '\0', STAPSDT_MAX_SECTION + 1);
	read_notes(&rd, &b);
	assert_int_equal(rd.r, -EFBIG);
	done(&rd, &b);
}

static void damaged(void **state)
{
	struct strb b = { 0 };
	struct reading rd;
	uint32_t huge = UINT32_MAX;

	(void)state;
	add_note(&b, ELFMAKE_CODE, BASE, 0, "p", "good", "");
	size_t second = b.n;

	add_note(&b, ELFMAKE_CODE, BASE, 0, "p", "cut", "");
	memcpy(b.s + second + 4, &huge, sizeof(huge));
	read_notes(&rd, &b);
	assert_int_equal(rd.r, -EBADMSG);
	assert_int_equal(rd.n, 1);
	done(&rd, &b);
	/* texts without end */
	add_note(&b, ELFMAKE_CODE, BASE, 0, "p", "n", "args");
	memset(b.s + b.n - 4, 'x', 4);
	read_notes(&rd, &b);
	assert_int_equal(rd.n, 0);
	done(&rd, &b);
}

static void boundaries(void **state)
{
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa,		    /* endbr64 */
					0x48, 0x83, 0xec, 0x08,		    /* sub */
					0x62, 0xf1, 0x7f, 0xc9, 0x6f, 0x0f, /* vmovdqu8 */
					0xc3,				    /* ret */
					0x06, 0x90 };			    /* not in 64 bits */
	static const uint32_t want[] = { 0, 4, 8, 14 };
	_cleanup_free_ uint32_t *v = NULL;
	_cleanup_free_ uint32_t *arm = NULL;
	const char *reason = NULL;
	size_t n;

	(void)state;
	assert_int_equal(insn_offsets(EM_X86_64, code, sizeof(code), &v, &n, &reason), 0);
	assert_int_equal(n, ARRAY_SIZE(want));
	assert_memory_equal(v, want, sizeof(want));
	assert_int_equal(insn_offsets(EM_AARCH64, code, 16, &arm, &n, &reason), 0);
	assert_int_equal(n, 4);
	assert_int_equal(arm[3], 12);
	assert_int_equal(insn_offsets(EM_MIPS, code, 16, &arm, &n, &reason), -ENOSYS);
	assert_non_null(reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(limits),
		cmocka_unit_test(damaged),
		cmocka_unit_test(boundaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
