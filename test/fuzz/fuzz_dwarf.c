/* SPDX-License-Identifier: Apache-2.0 */
/* Debug information of foreign files: whatever it says, what comes out is BTF that the type reader takes
 * or refuses, and functions whose prototypes lie in it. An input that is no ELF file is .debug_info and
 * .debug_abbrev (cut at its first byte's share) of one. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fuzz.h"
#include "sym/dwarf/dwarf.h"
#include "types/typesrc.h"

static void read_types(const uint8_t *data, size_t size, bool with_itself)
{
	struct dwarf_types t;
	struct typesrc *ts;
	struct elf e;
	int r;

	if (elf_open(&e, (struct elf_src){ .fd = -1, .mem = data, .size = size }) < 0)
		return;
	r = dwarf_read_types(&e, with_itself ? &e : NULL, NULL, &t);
	if (r == 0) { /* what no function refers to, too */
		struct dwarf_types all = { 0 };

		dwarf_read_all_types(&e, with_itself ? &e : NULL, NULL, &all);
		if (all.btf && typesrc_open_mem("fuzz", all.btf, all.len, &ts, NULL) == 0)
			typesrc_free(ts);
		ts = NULL;
		dwarf_types_done(&all);
	}
	elf_close(&e);
	if (r < 0)
		return;
	if (typesrc_open_mem("fuzz", t.btf, t.len, &ts, NULL) == 0) {
		for (size_t i = 0; i < t.nfuncs; i++) {
			struct tinfo in;

			if (typesrc_get(ts, (struct tref){ 0, t.funcs[i].proto }, &in) < 0 ||
			    in.kind != TK_FUNC_PROTO || in.nmembers > DWARF_MAX_PARAMS)
				abort();
		}
		typesrc_free(ts);
	}
	dwarf_types_done(&t);
}

/* A file with these two sections. */
static void wrap(const uint8_t *data, size_t size)
{
	static const char names[] = "\0.debug_info\0.debug_abbrev\0.shstrtab";
	size_t cut = size ? (size - 1) * data[0] / 256 + 1 : 0;
	size_t total = sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr) + sizeof(names) + size;
	_cleanup_free_ uint8_t *p = calloc(1, total);
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_shoff = sizeof(h),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4,
			 .e_shstrndx = 3 };
	size_t at = sizeof(h) + 4 * sizeof(Elf64_Shdr);
	Elf64_Shdr sh[4] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = at + sizeof(names) + 1,
		  .sh_size = cut ? cut - 1 : 0 },
		{ .sh_name = 13,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = at + sizeof(names) + cut,
		  .sh_size = size - cut },
		{ .sh_name = 27, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof(names) },
	};

	if (!p)
		return;
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), sh, sizeof(sh));
	memcpy(p + at, names, sizeof(names));
	memcpy(p + at + sizeof(names), data, size);
	read_types(p, total, false);
	read_types(p, total, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0)
		read_types(data, size, false);
	else
		wrap(data, size);
	return 0;
}
