/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and inlined functions: tables made by hand (rows, ranges, limits, damage). */
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/param.h>
#include "base/cleanup.h"
#include "elfmake.h"
#include "sym/dwarf/dwline.h"
#include "sym/dwarf/srcline.h"
#include "unit.h"

#define CODE 0x1000u

/* Abbreviations: 1 unit (low_pc, high_pc as length, stmt_list, comp_dir); 2 function (name, low, length, decl_file,
 * decl_line); 3 inlined function (origin, low, length, call_file, call_line); 4 function without code (name, decl_file,
 * decl_line); 5 block with entries in it; 6 function (name, ranges). */
static const uint8_t abbrevs[] = {
	1,    0x11, 1,	  0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0x1b, 0x08, 0,	0,    2,    0x2e, 1,	0x03, 0x08,
	0x11, 0x01, 0x12, 0x06, 0x3a, 0x0b, 0x3b, 0x0b, 0,    0,    3,	  0x1d, 1,    0x31, 0x13, 0x11, 0x01, 0x12,
	0x06, 0x58, 0x0b, 0x59, 0x0b, 0,    0,	  4,	0x2e, 0,    0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0,    0,
	5,    0x0b, 1,	  0,	0,    6,    0x2e, 0,	0x03, 0x08, 0x55, 0x17, 0,    0,    0,
};

static void u8(struct strb *b, unsigned v)
{
	strb_addc(b, (char)v);
}

static void u16(struct strb *b, uint16_t v)
{
	strb_add(b, &v, sizeof(v));
}

static void u32(struct strb *b, uint32_t v)
{
	strb_add(b, &v, sizeof(v));
}

static void u64(struct strb *b, uint64_t v)
{
	strb_add(b, &v, sizeof(v));
}

static void text(struct strb *b, const char *s)
{
	strb_add(b, s, strlen(s) + 1);
}

/* A unit, which has `size` bytes of code. */
static void begin_at(struct strb *b, uint64_t addr, uint32_t size)
{
	u32(b, 0); /* length: set at the end */
	u16(b, 4);
	u32(b, 0);
	u8(b, 8);
	u8(b, 1);
	u64(b, addr);
	u32(b, size);
	u32(b, 0);
	text(b, "/src");
}

static void begin(struct strb *b, uint32_t size)
{
	begin_at(b, CODE, size);
}

static void func(struct strb *b, const char *name, uint64_t addr, uint32_t size, unsigned line)
{
	u8(b, 2);
	text(b, name);
	u64(b, addr);
	u32(b, size);
	u8(b, 1);
	u8(b, line);
}

static uint32_t abstract(struct strb *b, const char *name, unsigned file, unsigned line)
{
	uint32_t at = (uint32_t)b->n;

	u8(b, 4);
	text(b, name);
	u8(b, file);
	u8(b, line);
	return at;
}

static void inlined(struct strb *b, uint32_t origin, uint64_t addr, uint32_t size, unsigned line)
{
	u8(b, 3);
	u32(b, origin);
	u64(b, addr);
	u32(b, size);
	u8(b, 1);
	u8(b, line);
}

/* A table of version 4 with two files, and room for a program. minimum length of an instruction 1, lines from -5 on in
 * steps of 14, opcodes from 13 on. */
static void begin_lines(struct strb *b)
{
	static const uint8_t oplens[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t at;
	uint32_t len;

	u32(b, 0);
	u16(b, 4);
	at = b->n;
	u32(b, 0);
	u8(b, 1);
	u8(b, 1);
	u8(b, 1);
	u8(b, 0xfb);
	u8(b, 14);
	u8(b, 13);
	strb_add(b, oplens, sizeof(oplens));
	text(b, "include");
	u8(b, 0);
	text(b, "main.c");
	strb_add(b, "\0\0\0", 3); /* directory 0, no time, no length */
	text(b, "fast.h");
	strb_add(b, "\1\0\0", 3);
	u8(b, 0);
	len = (uint32_t)(b->n - at - 4);
	memcpy(b->s + at, &len, sizeof(len));
}

static void set_address(struct strb *b, uint64_t addr)
{
	u8(b, 0);
	u8(b, 9);
	u8(b, 2);
	u64(b, addr);
}

/* A special opcode. */
static void advance(struct strb *b, int line, unsigned addr)
{
	u8(b, (unsigned)(line + 5) + 14 * addr + 13);
}

static void end_lines(struct strb *b, unsigned addr)
{
	u8(b, 2);
	u8(b, addr);
	strb_add(b, "\0\1\1", 3);
}

/* A table of version 5 with one file and one row; nfmt: the number of its fields (the first is its name). */
static void new_lines(struct strb *b, unsigned nfmt, const char *name)
{
	static const uint8_t oplens[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t at;
	uint32_t len;

	u32(b, 0);
	u16(b, 5);
	u8(b, 8);
	u8(b, 0);
	at = b->n;
	u32(b, 0);
	strb_add(b, "\1\1\1\xfb\x0e\x0d", 6);
	strb_add(b, oplens, sizeof(oplens));
	strb_add(b, "\1\1\x08\1", 4); /* directories: a name, as text; one */
	text(b, "/src");
	u8(b, nfmt);
	for (unsigned i = 0; i < nfmt; i++) {
		u8(b, i ? 3 : 1); /* its time, as a byte */
		u8(b, i ? 0x0b : 0x08);
	}
	u8(b, 2);
	for (unsigned k = 0; k < 2; k++) { /* rows count from 1 on unless they say otherwise */
		text(b, name);
		strb_fill(b, '\0', nfmt - 1);
	}
	len = (uint32_t)(b->n - at - 4);
	memcpy(b->s + at, &len, sizeof(len));
	set_address(b, CODE);
	advance(b, 0, 0);
	end_lines(b, 16);
}

static void set_length(struct strb *b)
{
	uint32_t len = (uint32_t)b->n - 4;

	memcpy(b->s, &len, sizeof(len));
}

/* Takes the sections over. */
static int open_made(struct strb *info, struct strb *lines, struct strb *ranges, struct srcline **ret)
{
	struct strb file = { 0 };
	struct elf e;
	int r;

	set_length(info);
	if (lines->n)
		set_length(lines);
	const struct elfmake_section v[] = {
		{ ".debug_info", SHT_PROGBITS, 0, info->s, info->n },
		{ ".debug_abbrev", SHT_PROGBITS, 0, abbrevs, sizeof(abbrevs) },
		{ ".debug_line", SHT_PROGBITS, 0, strb_str(lines), lines->n },
		{ ".debug_ranges", SHT_PROGBITS, 0, ranges ? ranges->s : "", ranges ? ranges->n : 0 },
	};

	elfmake(&file, v, 4);
	assert_int_equal(elfmake_open(&file, &e), 0);
	r = srcline_open(&e, NULL, NULL, ret);
	elf_close(&e);
	strb_free(&file);
	strb_free(info);
	strb_free(lines);
	if (ranges)
		strb_free(ranges);
	return r;
}

static void is_frame(const struct srcframe *f, const char *func, const char *file, unsigned line, unsigned def_line)
{
	assert_string_equal(f->func, func);
	assert_string_equal(f->file, file);
	assert_int_equal(f->line, line);
	assert_int_equal(f->def_line, def_line);
}

/* main.c:10 at 1000, fast.h:3 from 1004, main.c:12 from 1008 on; inner is inlined at 1004…1008, called in line 11. */
static void by_hand(void **state)
{
	struct strb info = { 0 }, lines = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;

	(void)state;
	begin(&info, 0x10);
	uint32_t inner = abstract(&info, "inner", 2, 3);

	func(&info, "outer", CODE, 0x10, 9);
	u8(&info, 5); /* a block is no scope */
	inlined(&info, inner, CODE + 4, 4, 11);
	strb_add(&info, "\0\0\0\0", 4);
	begin_lines(&lines);
	set_address(&lines, CODE);
	advance(&lines, 8, 0);			/* 1000: main.c:9, but … */
	advance(&lines, 1, 0);			/* … of the same address the last holds: main.c:10 */
	strb_add(&lines, "\4\2\3\x79", 4);	/* file 2, line 10 - 7 */
	advance(&lines, 0, 4);			/* 1004: fast.h:3 */
	strb_add(&lines, "\4\1\3\x9\2\4\1", 7); /* file 1, line 12, address + 4, row */
	end_lines(&lines, 8);
	assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
	for (uint64_t at = CODE; at < CODE + 4; at++) {
		assert_int_equal(srcline_at(s, at, f), 1);
		is_frame(&f[0], "outer", "/src/main.c", 10, 9);
	}
	for (uint64_t at = CODE + 4; at < CODE + 8; at++) {
		assert_int_equal(srcline_at(s, at, f), 2);
		is_frame(&f[0], "inner", "/src/include/fast.h", 3, 3);
		assert_string_equal(f[0].def_file, "/src/include/fast.h");
		is_frame(&f[1], "outer", "/src/main.c", 11, 9);
		assert_string_equal(f[1].def_file, "/src/main.c");
	}
	for (uint64_t at = CODE + 8; at < CODE + 16; at++) {
		assert_int_equal(srcline_at(s, at, f), 1);
		is_frame(&f[0], "outer", "/src/main.c", 12, 9);
	}
	assert_int_equal(srcline_at(s, CODE - 1, f), 0);
	assert_int_equal(srcline_at(s, CODE + 16, f), 0);
	srcline_free(s);
}

/* A function in two parts, relative to the unit and to a base of the list's own; a part at 0 is none. */
static void in_parts(void **state)
{
	struct strb info = { 0 }, lines = { 0 }, ranges = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;
	unsigned known = 0;

	(void)state;
	begin(&info, 0x100);
	u8(&info, 6);
	text(&info, "two");
	u32(&info, 0);
	u8(&info, 0);
	u64(&ranges, 0x10);
	u64(&ranges, 0x18);
	u64(&ranges, UINT64_MAX);
	u64(&ranges, 0);
	u64(&ranges, 0); /* left out by the linker */
	u64(&ranges, 0x2000);
	u64(&ranges, CODE + 0x40);
	u64(&ranges, CODE + 0x44);
	u64(&ranges, 0);
	u64(&ranges, 0);
	assert_int_equal(open_made(&info, &lines, &ranges, &s), 0);
	for (uint64_t at = CODE; at < CODE + 0x100; at++) {
		bool in = (at >= CODE + 0x10 && at < CODE + 0x18) || (at >= CODE + 0x40 && at < CODE + 0x44);

		assert_int_equal(srcline_at(s, at, f), in);
		known += in;
	}
	assert_int_equal(known, 12);
	srcline_free(s);
}

static void inline_depth(void **state)
{
	(void)state;
	for (unsigned n = SRCLINE_MAX_FRAMES - 2; n <= SRCLINE_MAX_FRAMES; n++) {
		struct strb info = { 0 }, lines = { 0 };
		struct srcframe f[SRCLINE_MAX_FRAMES];
		struct srcline *s;

		begin(&info, 0x10);
		uint32_t inner = abstract(&info, "inner", 1, 3);

		func(&info, "outer", CODE, 0x10, 1);
		for (unsigned i = 0; i < n; i++)
			inlined(&info, inner, CODE, 0x10, i + 1);
		strb_fill(&info, '\0', n + 2);
		assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
		size_t want = n + 1 < SRCLINE_MAX_FRAMES ? n + 1 : SRCLINE_MAX_FRAMES;

		assert_int_equal(srcline_at(s, CODE, f), want);
		assert_string_equal(f[want - 1].func, "outer");
		assert_string_equal(f[want - 2].func, "inner");
		srcline_free(s);
	}
}

/* Entries deeper than the limit, files and rows above theirs: what came before them is known. */
static void limits(void **state)
{
	(void)state;
	for (unsigned n = DWARF_MAX_DEPTH - 3; n <= DWARF_MAX_DEPTH;
	     n++) { /* the unit and two functions are levels, too */
		struct strb info = { 0 }, lines = { 0 };
		struct srcframe f[SRCLINE_MAX_FRAMES];
		struct srcline *s;

		begin(&info, 0x20);
		func(&info, "first", CODE, 0x10, 1);
		u8(&info, 0);
		for (unsigned i = 0; i < n; i++)
			u8(&info, 5);
		func(&info, "deep", CODE + 0x10, 0x10, 2);
		strb_fill(&info, '\0', n + 2);
		assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
		assert_int_equal(srcline_at(s, CODE, f), 1);
		assert_int_equal(srcline_at(s, CODE + 0x10, f), n <= DWARF_MAX_DEPTH - 1);
		srcline_free(s);
	}
	for (unsigned extra = 0; extra < 2; extra++) {
		struct strb info = { 0 }, lines = { 0 };
		struct srcframe f[SRCLINE_MAX_FRAMES];
		struct srcline *s;

		begin(&info, UINT32_MAX);
		func(&info, "f", CODE, 0x10, 1);
		strb_add(&info, "\0\0", 2);
		begin_lines(&lines);
		set_address(&lines, CODE);
		for (unsigned i = 0; i < DWLINE_MAX_ROWS - 1; i++)
			advance(&lines, 0, 1);
		end_lines(&lines, 1);
		set_address(&lines, CODE + 0x10000000u); /* a sequence after it */
		advance(&lines, 0, 0);
		if (extra)
			advance(&lines, 0, 1);
		end_lines(&lines, 8);
		assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
		assert_int_equal(srcline_at(s, CODE + 1, f), 1);
		assert_int_equal(f[0].line, 1);
		assert_int_equal(srcline_at(s, CODE + 0x10000000u, f), !extra);
		srcline_free(s);
	}
}

/* All that is read of a file counts: a section of what is left is looked for, one of a byte more is too large. */
static void too_large(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 2; extra++) {
		struct strb info = { 0 }, file = { 0 };
		struct srcline *s;
		Elf64_Ehdr h;
		struct elf e;

		begin(&info, 0x10);
		u8(&info, 0);
		set_length(&info);
		const struct elfmake_section v[] = {
			{ ".debug_info", SHT_PROGBITS, 0, info.s, info.n },
			{ ".debug_abbrev", SHT_PROGBITS, 0, abbrevs, sizeof(abbrevs) },
			{ ".debug_line", SHT_PROGBITS, 0, "", 0 },
		};
		uint64_t size = SRCLINE_MAX_BYTES - info.n - sizeof(abbrevs) + extra;

		elfmake(&file, v, ARRAY_SIZE(v));
		memcpy(&h, file.s, sizeof(h));
		memcpy(file.s + h.e_shoff + 3 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), &size,
		       sizeof(size));
		assert_int_equal(elfmake_open(&file, &e), 0);
		assert_int_equal(srcline_open(&e, NULL, NULL, &s),
				 extra ? -EFBIG : -EBADMSG); /* the file does not have what its header says */
		elf_close(&e);
		strb_free(&file);
		strb_free(&info);
	}
}

/* Units whose tables are more than may be kept: each is found, also after it was dropped, and the memory is bounded. */
static void large_tables(void **state)
{
	enum { UNITS = 12, ROWS = 1 << 20 };
	struct strb info = { 0 }, lines = { 0 }, file = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;
	size_t before, most = 0, largest = 0;
	struct elf e;

	(void)state;
	for (unsigned i = 0; i < UNITS; i++) {
		uint32_t at = (uint32_t)info.n, len;

		begin_at(&info, CODE + 0x10 * i, 0x10);
		func(&info, "f", CODE + 0x10 * i, 0x10, 1 + i);
		strb_add(&info, "\0\0", 2);
		len = (uint32_t)info.n - at - 4;
		memcpy(info.s + at, &len, sizeof(len));
	}
	begin_lines(&lines);
	set_address(&lines, CODE);
	for (unsigned i = 0; i < ROWS; i++)
		advance(&lines, 1, 1);
	end_lines(&lines, 1);
	set_length(&lines);
	const struct elfmake_section v[] = {
		{ ".debug_info", SHT_PROGBITS, 0, info.s, info.n },
		{ ".debug_abbrev", SHT_PROGBITS, 0, abbrevs, sizeof(abbrevs) },
		{ ".debug_line", SHT_PROGBITS, 0, lines.s, lines.n },
	};
	elfmake(&file, v, ARRAY_SIZE(v));
	assert_int_equal(elfmake_open(&file, &e), 0);
	assert_int_equal(srcline_open(&e, NULL, NULL, &s), 0);
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (unsigned i = 0; i < 2 * UNITS; i++) {
		unsigned unit = i % UNITS;
		assert_int_equal(srcline_at(s, CODE + 0x10 * unit + 3, f), 1);
		is_frame(f, "f", "/src/main.c", 0x10 * unit + 4, 1 + unit);
		most = MAX(most, mallinfo2().uordblks + mallinfo2().hblkhd - before);
		largest = i ? largest : most;
	}
	assert_true(UNITS * largest > SRCLINE_MAX_CACHE || largest == 0); /* 0: no figures with this allocator */
	if (most > SRCLINE_MAX_CACHE + 2 * largest)
		fail_msg("%zu bytes are kept", most);
	srcline_free(s);
	elf_close(&e);
	strb_free(&file);
	strb_free(&info);
	strb_free(&lines);
}

/* Looks one file up, and expects its name; the function is found, whatever the rest is. */
static void expect_file(struct strb *lines, const char *file)
{
	struct strb info = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;

	begin(&info, 0x10);
	func(&info, "f", CODE, 0x10, 1);
	strb_add(&info, "\0\0", 2);
	assert_int_equal(open_made(&info, lines, NULL, &s), 0);
	assert_int_equal(srcline_at(s, CODE, f), 1);
	assert_string_equal(f[0].func, "f");
	if (file)
		assert_string_equal(f[0].file, file);
	else
		assert_null(f[0].file);
	srcline_free(s);
}

/* Files of a table up to the limit (the first has no entry before version 5), and the length of a path. */
static void file_limits(void **state)
{
	(void)state;
	for (unsigned n = DWLINE_MAX_FILES - 2; n <= DWLINE_MAX_FILES; n++) {
		struct strb lines = { 0 };
		size_t at;

		begin_lines(&lines);
		lines.n--; /* the end of the list */
		at = lines.n;
		for (unsigned i = 2; i < n; i++)
			strb_add(&lines, "x\0\0\0", 5);
		u8(&lines, 0);
		uint32_t len;

		memcpy(&len, lines.s + 6, sizeof(len));
		len += (uint32_t)(lines.n - at - 1);
		memcpy(lines.s + 6, &len, sizeof(len));
		set_address(&lines, CODE);
		advance(&lines, 0, 0);
		end_lines(&lines, 16);
		expect_file(&lines, n < DWLINE_MAX_FILES ? "/src/main.c" : NULL);
	}
	for (unsigned n = DWLINE_MAX_PATH - 7; n <= DWLINE_MAX_PATH - 5; n++) { /* "/src/", and the NUL */
		struct strb lines = { 0 };
		_cleanup_free_ char *want = NULL;
		char *name = calloc(1, n + 1);

		memset(name, 'n', n);
		assert_true(asprintf(&want, "/src/%s", name) > 0);
		new_lines(&lines, 1, name);
		expect_file(&lines, n < DWLINE_MAX_PATH - 5 ? want : NULL);
		free(name);
	}
	for (unsigned n = DWLINE_MAX_FORMATS; n <= DWLINE_MAX_FORMATS + 1; n++) {
		struct strb lines = { 0 };

		new_lines(&lines, n, "a.c");
		expect_file(&lines, n <= DWLINE_MAX_FORMATS ? "/src/a.c" : NULL);
	}
}

/* Functions and ranges of a unit, and all work together: those before the limit are known. */
static void scope_limits(void **state)
{
	struct srcframe f[SRCLINE_MAX_FRAMES];

	(void)state;
	for (unsigned n = SRCLINE_MAX_SCOPES; n <= SRCLINE_MAX_SCOPES + 1; n++) {
		struct strb info = { 0 }, lines = { 0 };
		struct srcline *s;

		begin(&info, UINT32_MAX);
		for (unsigned i = 0; i < n; i++) {
			func(&info, "f", CODE + i, 1, 1);
			u8(&info, 0);
		}
		u8(&info, 0);
		assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
		assert_int_equal(srcline_at(s, CODE + SRCLINE_MAX_SCOPES - 1, f), 1);
		assert_int_equal(srcline_at(s, CODE + SRCLINE_MAX_SCOPES, f), 0);
		srcline_free(s);
	}
	for (unsigned n = SRCLINE_MAX_RANGES - 1; n <= SRCLINE_MAX_RANGES + 1; n++) {
		struct strb info = { 0 }, lines = { 0 }, ranges = { 0 };
		struct srcline *s;

		begin(&info, UINT32_MAX);
		func(&info, "f", CODE, 1, 1);
		u8(&info, 0);
		u8(&info, 6);
		text(&info, "two");
		u32(&info, 0);
		u8(&info, 0);
		for (unsigned i = 1; i < n; i++) {
			u64(&ranges, i);
			u64(&ranges, i + 1);
		}
		strb_fill(&ranges, '\0', 16);
		assert_int_equal(open_made(&info, &lines, &ranges, &s), 0);
		assert_int_equal(srcline_at(s, CODE, f), 1);
		assert_int_equal(srcline_at(s, CODE + n - 1, f), n <= SRCLINE_MAX_RANGES);
		srcline_free(s);
	}
}

/* The code of what is deeper than the limit is unknown; what was open there is closed. */
static void deeper_than_limit(void **state)
{
	struct strb info = { 0 }, lines = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;

	(void)state;
	begin(&info, 0x10);
	uint32_t inner = abstract(&info, "inner", 1, 3);

	func(&info, "outer", CODE, 0x10, 1);
	inlined(&info, inner, CODE, 0x10, 2);
	u8(&info, 0);
	for (unsigned i = 0; i < DWARF_MAX_DEPTH; i++)
		u8(&info, 5);
	strb_fill(&info, '\0', DWARF_MAX_DEPTH + 2);
	assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
	assert_int_equal(srcline_at(s, CODE, f), 2);
	assert_string_equal(f[0].func, "inner");
	assert_string_equal(f[1].func, "outer");
	srcline_free(s);
}

/* A file of units that have an entry without attributes each; the n-th's abbreviations are at n * step. */
static int open_units(unsigned n, unsigned step, unsigned code, const struct strb *table)
{
	struct strb file = { 0 }, info = { 0 };
	struct srcline *s;
	struct elf e;
	int r;

	for (unsigned i = 0; i < n; i++) {
		u32(&info, 8); /* length: what follows */
		u16(&info, 4);
		u32(&info, i * step);
		u8(&info, 8);
		u8(&info, code);
	}
	const struct elfmake_section v[] = {
		{ ".debug_info", SHT_PROGBITS, 0, info.s, info.n },
		{ ".debug_abbrev", SHT_PROGBITS, 0, table->s, table->n },
	};

	elfmake(&file, v, ARRAY_SIZE(v));
	assert_int_equal(elfmake_open(&file, &e), 0);
	r = srcline_open(&e, NULL, NULL, &s);
	if (r == 0)
		srcline_free(s);
	elf_close(&e);
	strb_free(&file);
	strb_free(&info);
	return r;
}

/* Units; and with a table of its own for each, they are not searched for one by one (that would take minutes). */
static void unit_limits(void **state)
{
	struct strb table = { 0 };

	(void)state;
	strb_fill(&table, '\0', DWARF_MAX_UNITS + 1);
	assert_int_equal(open_units(DWARF_MAX_UNITS, 1, 0, &table), 0);
	assert_int_equal(open_units(DWARF_MAX_UNITS + 1, 1, 0, &table), -EFBIG);
	strb_free(&table);
}

/* Abbreviations of one table and of all, which may overlap; and attributes of one. */
static void abbreviation_limits(void **state)
{
	const unsigned tables = DWARF_MAX_TABLES_ABBREVS / DWARF_MAX_ABBREVS;
	struct strb table = { 0 };

	(void)state;
	for (unsigned n = 1; n <= DWARF_MAX_ABBREVS + 1; n++) {
		strb_add(&table, "\1\x11\0\0", 5);
		if (n < DWARF_MAX_ABBREVS)
			continue;
		u8(&table, 0);
		assert_int_equal(open_units(1, 5, 1, &table), n <= DWARF_MAX_ABBREVS ? 0 : -EFBIG);
		if (n == DWARF_MAX_ABBREVS) {
			assert_int_equal(open_units(tables, 5, 1, &table), 0);
			assert_int_equal(open_units(tables + 1, 5, 1, &table), -EFBIG);
		}
		table.n--;
	}
	strb_free(&table);
	for (unsigned n = DWARF_MAX_ATTRS; n <= DWARF_MAX_ATTRS + 1; n++) {
		strb_add(&table, "\1\x11\0", 3);
		for (unsigned i = 0; i < n; i++)
			strb_add(&table, "\x3f\x19", 2); /* a flag that takes no room */
		strb_fill(&table, '\0', 3);
		assert_int_equal(open_units(1, 0, 1, &table), n <= DWARF_MAX_ATTRS ? 0 : -EFBIG);
		strb_free(&table);
	}
}

/* Many functions with one long list of ranges that come to nothing: the work ends. */
static void work_limit(void **state)
{
	enum { LIST = 1 << 16, FUNCS = SRCLINE_MAX_STEPS / LIST + 10 };
	struct strb info = { 0 }, lines = { 0 }, ranges = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;

	(void)state;
	begin(&info, 0x10);
	func(&info, "f", CODE, 0x10, 1);
	u8(&info, 0);
	for (unsigned i = 0; i < FUNCS; i++) {
		u8(&info, 6);
		text(&info, "x");
		u32(&info, 0);
	}
	u8(&info, 0);
	for (unsigned i = 0; i < LIST; i++) {
		u64(&ranges, 1);
		u64(&ranges, 1);
	}
	assert_int_equal(open_made(&info, &lines, &ranges, &s), 0);
	srcline_at(s, CODE, f);
	assert_int_equal(srcline_at(s, CODE, f), 0); /* nothing more is read of such a file */
	srcline_free(s);
}

/* With any part cut off or changed, only bytes that exist are read (the sanitizers look). */
static void damaged(void **state)
{
	struct strb info = { 0 }, lines = { 0 };
	struct srcframe f[SRCLINE_MAX_FRAMES];
	struct srcline *s;

	(void)state;
	for (unsigned cut = 0; cut < 60; cut++) {
		begin(&info, 0x10);
		func(&info, "f", CODE, 0x10, 1);
		strb_add(&info, "\0\0", 2);
		begin_lines(&lines);
		set_address(&lines, CODE);
		advance(&lines, 4, 0);
		end_lines(&lines, 8);
		lines.n = lines.n > cut ? lines.n - cut : 0;
		assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
		assert_int_equal(srcline_at(s, CODE, f), 1);
		assert_string_equal(f[0].func, "f");
		assert_int_equal(f[0].line, cut ? 0 : 5);
		srcline_free(s);
	}
	begin(&info, 0x10);
	func(&info, "f", CODE, 0x10, 1);
	u8(&info, 77); /* no such abbreviation: the function before it is known */
	assert_int_equal(open_made(&info, &lines, NULL, &s), 0);
	assert_int_equal(srcline_at(s, CODE, f), 1);
	srcline_free(s);
}

static void none(void **state)
{
	struct strb file = { 0 };
	struct srcline *s;
	struct elf e;

	(void)state;
	elfmake(&file, NULL, 0);
	assert_int_equal(elfmake_open(&file, &e), 0);
	assert_int_equal(srcline_open(&e, NULL, NULL, &s), -ENODATA);
	elf_close(&e);
	strb_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(in_parts),
		cmocka_unit_test(inline_depth),
		cmocka_unit_test(limits),
		cmocka_unit_test(too_large),
		cmocka_unit_test(large_tables),
		cmocka_unit_test(file_limits),
		cmocka_unit_test(scope_limits),
		cmocka_unit_test(deeper_than_limit),
		cmocka_unit_test(unit_limits),
		cmocka_unit_test(abbreviation_limits),
		cmocka_unit_test(work_limit),
		cmocka_unit_test(damaged),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
