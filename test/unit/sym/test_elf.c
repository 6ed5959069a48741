/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files that are damaged, oversized or made to mislead, and the table of symbols. */
#include <dlfcn.h>
#include <fcntl.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>
#include "base/cleanup.h"
#include "elfmake.h"
#include "sym/elf/elfsym.h"
#include "sym/elf/minidebug.h"
#include "sym/elf/open.h"
#include "sym/elf/unpack.h"
#include "sym/sym.h"

/* A small ELF file: sections null, .shstrtab, .symtab, .strtab, .text; one PT_LOAD, one PT_NOTE. */
enum { NSYM = 4, NSEC = 5 };

struct image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	Elf64_Shdr sh[NSEC];
	char shstr[64];
	Elf64_Sym sym[NSYM];
	char str[64];
	struct {
		Elf64_Nhdr n;
		char name[4];
		uint8_t desc[ELF_MAX_BUILD_ID + 4];
	} note;
};

#define OFF(field) offsetof(struct image, field)

static const struct image small = {
	.eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_phoff = OFF(ph),
		.e_shoff = OFF(sh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NSEC,
		.e_shstrndx = 1 },
	.ph = { { .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_offset = 0x1000,
		  .p_vaddr = 0x401000,
		  .p_filesz = 0x1000,
		  .p_memsz = 0x1000 },
		{ .p_type = PT_NOTE, .p_offset = OFF(note), .p_filesz = sizeof(((struct image *)0)->note) } },
	.sh = { { 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = OFF(shstr),
		  .sh_size = sizeof(((struct image *)0)->shstr) },
		{ .sh_name = 11,
		  .sh_type = SHT_SYMTAB,
		  .sh_offset = OFF(sym),
		  .sh_link = 3,
		  .sh_size = sizeof(((struct image *)0)->sym),
		  .sh_entsize = sizeof(Elf64_Sym) },
		{ .sh_name = 19,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = OFF(str),
		  .sh_size = sizeof(((struct image *)0)->str) },
		{ .sh_name = 27,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = 0x401000,
		  .sh_offset = 0x1000,
		  .sh_size = 0x1000 } },
	.sym = { { 0 },
		 { .st_name = 1,
		   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		   .st_shndx = 4,
		   .st_value = 0x401100,
		   .st_size = 0x20 },
		 { .st_name = 5, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 4, .st_value = 0x401200 },
		 { .st_name = 14,
		   .st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC),
		   .st_shndx = 4,
		   .st_value = 0x401300,
		   .st_size = 0x10 } },
	.shstr = "\0.shstrtab\0.symtab\0.strtab\0.text\0.note.gnu.build-id",
	.str = "\0one\0two@@V_1\0three",
	.note = { .n = { .n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID }, .name = "GNU" },
};

static void make(struct image *im)
{
	*im = small;
	memset(im->note.desc, 0xab, sizeof(im->note.desc));
}

static struct elf_src src_of(const void *p, size_t n)
{
	return (struct elf_src){ .fd = -1, .mem = p, .size = n };
}

static int load(const struct image *im, struct symtab *t)
{
	struct elf e;
	int r = elf_open(&e, src_of(im, sizeof(*im)));

	*t = (struct symtab){ 0 };
	if (r == 0) {
		r = elfsym_load(&e, SHT_SYMTAB, t);
		elf_close(&e);
	}
	return r < 0 ? r : symtab_finish(t);
}

static void well_formed(void **state)
{
	struct image im;
	struct symtab t;
	struct elf e;

	(void)state;
	make(&im);
	assert_int_equal(load(&im, &t), 0);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.text + symtab_at(&t, 0x40111f)->name, "one");
	assert_null(symtab_at(&t, 0x401120));
	assert_null(symtab_at(&t, 0x4010ff));
	/* Unsized: up to the next one. */
	assert_string_equal(t.text + symtab_at(&t, 0x4012ff)->name, "two");
	assert_string_equal(t.text + symtab_at(&t, 0x40130f)->name, "three");
	assert_null(symtab_at(&t, 0x401310));
	symtab_done(&t);
	assert_int_equal(elf_open(&e, src_of(&im, sizeof(im))), 0);
	assert_int_equal(e.nbuild_id, 20);
	assert_int_equal(e.build_id[19], 0xab);
	elf_close(&e);
}

static void cut_anywhere(void **state)
{
	struct image im;

	(void)state;
	make(&im);
	for (size_t n = 0; n < sizeof(im); n++) {
		_cleanup_free_ char *copy = malloc(n + 1); /* exact size: reads past it are seen */
		struct symtab t = { 0 };
		struct elf e;

		memcpy(copy, &im, n);
		if (elf_open(&e, src_of(copy, n)) < 0) {
			assert_true(n < OFF(sh));
			continue;
		}
		elfsym_load(&e, SHT_SYMTAB, &t);
		elf_close(&e);
		symtab_done(&t);
	}
}

static void damage(void **state)
{
	struct symtab t;
	struct image im;

	(void)state;
#define WITH(change, want) \
	do { \
		make(&im); \
		change; \
		assert_int_equal(load(&im, &t), want); \
		symtab_done(&t); \
	} while (0)
	WITH(im.eh.e_ident[0] = 0, -ENOEXEC);
	WITH(im.eh.e_ident[EI_CLASS] = 3, -ENOEXEC);
	WITH(im.eh.e_ident[EI_DATA] = ELFDATA2MSB, -ENOEXEC);
	WITH(im.eh.e_phoff = UINT64_MAX - 8, -ENOEXEC);
	WITH(im.eh.e_phentsize = 1, -ENOEXEC);
	WITH(im.eh.e_shoff = UINT64_MAX - 8, -ENOENT);
	WITH(im.eh.e_shentsize = 1, -ENOENT);
	WITH(im.eh.e_shstrndx = 60000, 0);
	WITH(im.sh[1].sh_size = UINT64_MAX, 0);
	WITH(im.sh[2].sh_link = 60000, -ENOENT);
	WITH(im.sh[2].sh_size = 3, -ENOENT);
	WITH(im.sh[2].sh_offset = UINT64_MAX - 3, -ENODATA);
	WITH(im.sh[3].sh_size = UINT64_MAX, -EFBIG);
	WITH(im.sh[3].sh_type = SHT_NOBITS, -ENOENT);
	WITH(im.sh[3].sh_offset = sizeof(im), -ENODATA);
	WITH(im.sh[3].sh_size = ELF_MAX_STRTAB, -ENODATA);
	WITH(im.sh[3].sh_size = ELF_MAX_STRTAB + 1, -EFBIG);
	WITH(im.sh[2].sh_size = (uint64_t)SYM_MAX_SYMBOLS_PER_FILE * sizeof(Elf64_Sym), -ENODATA);
	WITH(im.sh[2].sh_size = ((uint64_t)SYM_MAX_SYMBOLS_PER_FILE + 1) * sizeof(Elf64_Sym), -E2BIG);
	WITH(im.sym[1].st_name = UINT32_MAX, 0);
	WITH(im.sym[1].st_value = UINT64_MAX; im.sym[1].st_size = UINT64_MAX, 0);
	WITH(im.ph[0].p_offset = UINT64_MAX; im.ph[0].p_filesz = UINT64_MAX, 0);
	WITH(im.ph[1].p_offset = UINT64_MAX, 0);
	WITH(im.note.n.n_namesz = UINT32_MAX, 0);
	WITH(im.note.n.n_descsz = UINT32_MAX, 0);
#undef WITH
}

static unsigned build_id_of(const struct image *im)
{
	struct elf e;

	assert_int_equal(elf_open(&e, src_of(im, sizeof(*im))), 0);
	unsigned n = e.nbuild_id;

	elf_close(&e);
	return n;
}

static void limits_of_headers(void **state)
{
	_cleanup_free_ char *big = calloc(1, sizeof(struct image) + ELF_MAX_SECTIONS * 64 + 128);
	struct image im;
	struct elf e;

	(void)state;
	make(&im);
	im.note.n.n_descsz = ELF_MAX_BUILD_ID;
	assert_int_equal(build_id_of(&im), ELF_MAX_BUILD_ID);
	im.note.n.n_descsz = ELF_MAX_BUILD_ID + 1;
	assert_int_equal(build_id_of(&im), 0);

	make(&im);
	im.eh.e_phoff = im.eh.e_shoff = sizeof(im);
	im.eh.e_shnum = 0;
	for (unsigned over = 0; over < 2; over++) {
		im.eh.e_phnum = (Elf64_Half)(ELF_MAX_SEGMENTS + over);
		memcpy(big, &im, sizeof(im));
		int r = elf_open(&e, src_of(big, sizeof(im) + 1024 * 64));

		assert_int_equal(r, over ? -ENOEXEC : 0);
		if (r == 0)
			elf_close(&e);
	}
	im.eh.e_phnum = 0;
	for (unsigned over = 0; over < 2; over++) {
		im.eh.e_shnum = (Elf64_Half)(ELF_MAX_SECTIONS + over);
		memcpy(big, &im, sizeof(im));
		assert_int_equal(elf_open(&e, src_of(big, sizeof(im) + (ELF_MAX_SECTIONS + 1) * 64)), 0);
		assert_int_equal(e.nsh, over ? 0 : ELF_MAX_SECTIONS);
		elf_close(&e);
	}
	/* Notes are looked through up to a limit. */
	make(&im);
	im.ph[1].p_offset = sizeof(im);
	im.ph[1].p_filesz = 3 * ELF_MAX_NOTES;
	for (unsigned over = 0; over < 2; over++) {
		size_t skip = ELF_MAX_NOTES - sizeof(im.note) + over * 64;
		Elf64_Nhdr pad = { .n_descsz = (Elf64_Word)(skip - sizeof(pad)) };

		memcpy(big, &im, sizeof(im));
		memcpy(big + sizeof(im), &pad, sizeof(pad));
		memcpy(big + sizeof(im) + skip, &im.note, sizeof(im.note));
		assert_int_equal(elf_open(&e, src_of(big, sizeof(im) + (size_t)im.ph[1].p_filesz)), 0);
		assert_int_equal(e.nbuild_id, over ? 0 : 20);
		elf_close(&e);
	}
}

static void add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, unsigned rank)
{
	assert_int_equal(symtab_add(t, addr, size, name, strlen(name), rank), 0);
}

static void best_name_of_an_address(void **state)
{
	static const struct {
		struct {
			const char *name;
			unsigned rank;
		} v[3];
		const char *best;
	} cases[] = {
		{ { { "__libc_read", 13 }, { "read", 13 }, { "__read", 13 } }, "read" },
		{ { { "local", 12 }, { "exported", 13 } }, "exported" },
		{ { { "label", 1 }, { "function_long", 12 } }, "function_long" },
		{ { { "an_object", 11 }, { "function", 12 } }, "function" },
		{ { { "longer_name", 13 }, { "short", 13 } }, "short" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symtab t = { 0 };

		for (size_t j = 0; j < 3 && cases[i].v[j].name; j++)
			add(&t, 0x10, 8, cases[i].v[j].name, cases[i].v[j].rank);
		assert_int_equal(symtab_finish(&t), 0);
		assert_int_equal(t.n, 1);
		assert_string_equal(t.text + symtab_at(&t, 0x10)->name, cases[i].best);
		symtab_done(&t);
	}
}

static void nested_and_unsized(void **state)
{
	struct symtab t = { 0 };

	(void)state;
	add(&t, 0x300, 0x100, "unsized_last", SYMRANK_FUNC);
	add(&t, 0x100, 0x100, "outer", SYMRANK_SIZED);
	add(&t, 0x140, 0x10, "inner", SYMRANK_SIZED);
	add(&t, 0x180, 0x80, "label_in_outer", 0);
	add(&t, 0x280, 0x1000, "unsized", SYMRANK_FUNC);
	assert_int_equal(symtab_finish(&t), 0);
	assert_string_equal(t.text + symtab_at(&t, 0x148)->name, "inner");
	assert_string_equal(t.text + symtab_at(&t, 0x150)->name, "outer");
	assert_string_equal(t.text + symtab_at(&t, 0x190)->name, "outer");
	assert_null(symtab_at(&t, 0x200));
	assert_string_equal(t.text + symtab_at(&t, 0x2ff)->name, "unsized");
	assert_string_equal(t.text + symtab_at(&t, 0x3ff)->name, "unsized_last");
	assert_null(symtab_at(&t, 0x400));
	symtab_done(&t);
}

static void limits_of_the_table(void **state)
{
	_cleanup_free_ char *name = malloc(SYMTAB_MAX_NAME + 1);

	(void)state;
	/* An outer symbol is found before a limited number of inner ones, and no more. */
	for (unsigned over = 0; over < 2; over++) {
		struct symtab t = { 0 };

		add(&t, 0, 1000000, "outer", SYMRANK_SIZED);
		for (unsigned i = 1; i < SYMTAB_LOOK_BACK + over; i++)
			add(&t, i * 16, 8, "inner", SYMRANK_SIZED);
		assert_int_equal(symtab_finish(&t), 0);
		assert_int_equal(symtab_at(&t, 500000) != NULL, !over);
		symtab_done(&t);
	}
	struct symtab t = { 0 };
	unsigned n = SYMTAB_MAX_TEXT / (SYMTAB_MAX_NAME / 2);

	memset(name, 'x', SYMTAB_MAX_NAME + 1);
	assert_int_equal(symtab_add(&t, 0, 1, name, SYMTAB_MAX_NAME + 1, 0), 0);
	assert_int_equal(t.ntext, SYMTAB_MAX_NAME + 1);
	t.ntext = 0;
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(symtab_add(&t, i, 1, name, SYMTAB_MAX_NAME / 2 - 1, 0), 0);
	assert_int_equal(t.ntext, SYMTAB_MAX_TEXT);
	assert_int_equal(symtab_add(&t, 0, 1, "", 0, 0), -E2BIG);
	symtab_done(&t);
}

static void segments(void **state)
{
	/* Code and data share a page of the file, as without -z separate-code. */
	static const struct elf_seg seg[] = {
		{ .off = 0, .vaddr = 0x400000, .filesz = 0x1800, .memsz = 0x1800, .flags = PF_R | PF_X },
		{ .off = 0x1800, .vaddr = 0x602800, .filesz = 0x400, .memsz = 0x2000, .flags = PF_R | PF_W },
	};
	static const struct {
		uint64_t off;
		bool exec, found;
		uint64_t vaddr;
	} cases[] = {
		{ 0x10, true, true, 0x400010 },	  { 0x1900, false, true, 0x602900 }, { 0x1700, true, true, 0x401700 },
		{ 0x1900, true, true, 0x401900 }, { 0x1700, false, true, 0x602700 }, { 0x1d00, false, true, 0x602d00 },
		{ 0x9000, true, false, 0 },	  { UINT64_MAX, false, false, 0 },
	};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(elf_seg_vaddr(seg, 2, cases[i].off, cases[i].exec, &v), cases[i].found);
		if (cases[i].found)
			assert_int_equal(v, cases[i].vaddr);
	}
	assert_true(elf_seg_off(seg, 2, 0x602800, &v));
	assert_int_equal(v, 0x1800);
	assert_false(elf_seg_off(seg, 2, 0x602c00, &v));
}

static void unpacking(void **state)
{
	enum { N = 600000 };
	_cleanup_free_ uint8_t *in = calloc(1, N), *packed = malloc(N);
	size_t npacked = 0, n;
	uint8_t *out;

	(void)state;
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, in, N, packed, &npacked, N), LZMA_OK);
	assert_int_equal(minidebug_unpack(packed, npacked, N, &out, &n), 0);
	assert_int_equal(n, N);
	free(out);
	assert_int_equal(minidebug_unpack(packed, npacked, N - 1, &out, &n), -EFBIG);
	assert_int_equal(minidebug_unpack(packed, npacked / 2, N, &out, &n), -EBADMSG);
	packed[npacked / 2] ^= 1;
	assert_int_equal(minidebug_unpack(packed, npacked, N, &out, &n), -EBADMSG);
	assert_int_equal(minidebug_unpack("", 0, N, &out, &n), -EBADMSG);
}

/* Packs by zstd. The library is opened as the reader opens it. */
static size_t test_zstd(const void *in, size_t n, void *out, size_t cap)
{
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
	__typeof__(&ZSTD_compress) pack;
	size_t r;

	assert_non_null(lib);
	*(void **)&pack = dlsym(lib, "ZSTD_compress");
	assert_non_null(pack);
	r = pack(out, cap, in, n, 1);
	assert_true(r <= cap);
	dlclose(lib);
	return r;
}

/* A file whose section is data of n bytes, with these flags; the section unpacked. */
static int unpack_section(const char *name, const void *data, size_t n, bool compressed, uint64_t max, uint64_t *ret_n)
{
	const struct elfmake_section v[] = { { name, SHT_PROGBITS, 0, data, n } };
	const uint64_t flags = compressed ? SHF_COMPRESSED : 0;
	struct strb file = { 0 };
	uint8_t *out = NULL;
	Elf64_Ehdr h;
	struct elf e;
	int r;

	elfmake(&file, v, 1);
	memcpy(&h, file.s, sizeof(h));
	memcpy(file.s + h.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_flags), &flags, sizeof(flags));
	assert_int_equal(elfmake_open(&file, &e), 0);
	r = elf_section_unpack(&e, ".debug_x", max, &out, ret_n);
	for (uint64_t i = 0; r == 0 && i < *ret_n; i++)
		assert_int_equal(out[i], i % 251);
	free(out);
	elf_close(&e);
	strb_free(&file);
	return r;
}

/* Both packers, both forms: the size is what the head says, or the section is refused. */
static void packed_sections(void **state)
{
	enum { N = 100000 };
	_cleanup_free_ uint8_t *in = malloc(N), *packed = malloc(2 * N);
	uint8_t *body = packed + sizeof(Elf64_Chdr);
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < N; i++)
		in[i] = (uint8_t)(i % 251);
	for (uint32_t way = ELFCOMPRESS_ZLIB; way <= ELFCOMPRESS_ZLIB + 2; way++) {
		Elf64_Chdr ch = { .ch_type = way, .ch_size = N };
		uLongf npacked = N;
		size_t total;

		if (way == ELFCOMPRESS_ZLIB)
			assert_int_equal(compress(body, &npacked, in, N), Z_OK);
		else
			npacked = test_zstd(in, N, body, N);
		total = sizeof(ch) + npacked;
		memcpy(packed, &ch, sizeof(ch));
		if (way > ELFCOMPRESS_ZLIB + 1) { /* unknown */
			assert_int_equal(unpack_section(".debug_x", packed, total, true, N, &n), -EOPNOTSUPP);
			continue;
		}
		assert_int_equal(unpack_section(".debug_x", packed, total, true, N, &n), 0);
		assert_int_equal(n, N);
		assert_int_equal(unpack_section(".debug_x", packed, total, true, N - 1, &n), -EFBIG);
		assert_int_equal(unpack_section(".debug_x", packed, total - 1, true, N, &n), -EBADMSG);
		assert_int_equal(unpack_section(".debug_x", packed, sizeof(ch) - 1, true, N, &n), -EBADMSG);
		for (int more = -1; more <= 1; more += 2) { /* a false size */
			ch.ch_size = (uint64_t)(N + more);
			memcpy(packed, &ch, sizeof(ch));
			assert_int_equal(unpack_section(".debug_x", packed, total, true, 2 * N, &n), -EBADMSG);
		}
		ch.ch_size = 1ull << 40; /* more than its bytes can stand for: nothing is allocated */
		memcpy(packed, &ch, sizeof(ch));
		assert_int_equal(unpack_section(".debug_x", packed, total, true, UINT64_MAX, &n), -EBADMSG);
	}
}

/* GNU's form, which the name tells. */
static void packed_sections_of_gnu(void **state)
{
	enum { N = 3000 };
	uint8_t in[N], packed[2 * N] = { 'Z', 'L', 'I', 'B', 0, 0, 0, 0, 0, 0, N >> 8, N & 255 };
	uLongf npacked = sizeof(packed) - 12;
	uint64_t n;

	(void)state;
	for (size_t i = 0; i < N; i++)
		in[i] = (uint8_t)(i % 251);
	assert_int_equal(compress(packed + 12, &npacked, in, N), Z_OK);
	assert_int_equal(unpack_section(".zdebug_x", packed, 12 + npacked, false, N, &n), 0);
	assert_int_equal(n, N);
	assert_int_equal(unpack_section(".zdebug_x", packed, 12 + npacked, false, N - 1, &n), -EFBIG);
	assert_int_equal(unpack_section(".zdebug_x", packed, 11, false, N, &n), -EBADMSG);
	packed[0] = 'z';
	assert_int_equal(unpack_section(".zdebug_x", packed, 12 + npacked, false, N, &n), -EBADMSG);
	assert_int_equal(unpack_section(".debug_y", packed, 12 + npacked, false, N, &n), -ENODATA);
}

static void only_regular_files(void **state)
{
	char dir[] = "/tmp/dwell-open-XXXXXX", fifo[64], link[64], file[64];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(file, sizeof(file), "%s/file", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("file", link), 0);
	close(creat(file, 0600));
	assert_int_equal(open_regular(AT_FDCWD, fifo, true, &st), -EMEDIUMTYPE);
	assert_int_equal(open_regular(AT_FDCWD, dir, true, &st), -EMEDIUMTYPE);
	assert_int_equal(open_regular(AT_FDCWD, "/dev/zero", true, &st), -EMEDIUMTYPE);
	assert_int_equal(open_regular(AT_FDCWD, link, false, &st), -EMEDIUMTYPE);
	assert_int_equal(open_regular(AT_FDCWD, "/nonexistent", true, &st), -ENOENT);
	for (int i = 0; i < 2; i++) {
		int fd = open_regular(AT_FDCWD, i ? link : file, i, &st);

		assert_true(fd >= 0);
		close(fd);
	}
	/* A link to the outside means a file inside. */
	int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	unlink(link);
	assert_int_equal(symlink("/../../file", link), 0);
	int fd = open_regular_in_root(root, "/link", true, &st);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(open_regular_in_root(root, "/etc/passwd", true, &st), -ENOENT);
	assert_int_equal(open_regular_in_root(root, "/link", false, &st), -EMEDIUMTYPE);
	close(root);
	unlink(link);
	unlink(file);
	unlink(fifo);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(damage),
		cmocka_unit_test(limits_of_headers),
		cmocka_unit_test(best_name_of_an_address),
		cmocka_unit_test(nested_and_unsized),
		cmocka_unit_test(limits_of_the_table),
		cmocka_unit_test(segments),
		cmocka_unit_test(unpacking),
		cmocka_unit_test(packed_sections),
		cmocka_unit_test(packed_sections_of_gnu),
		cmocka_unit_test(only_regular_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
