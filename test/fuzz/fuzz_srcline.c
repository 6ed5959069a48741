/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and inlined functions of foreign files: whatever an ELF file says, each address gives a bounded list of frames
 * whose texts can be read, and each statement a line and a file. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "sym/dwarf/srcfind.h"

static volatile size_t sink;

static void look(struct srcline *s, uint64_t addr)
{
	struct srcframe f[SRCLINE_MAX_FRAMES];
	size_t n = srcline_at(s, addr, f);

	if (n > SRCLINE_MAX_FRAMES)
		abort();
	for (size_t i = 0; i < n; i++)
		sink += (f[i].func ? strlen(f[i].func) : 0) + (f[i].file ? strlen(f[i].file) : 0) +
			(f[i].def_file ? strlen(f[i].def_file) : 0);
}

static bool want_all(void *arg, const char *base)
{
	(void)arg;
	sink += strlen(base);
	return true;
}

static int statement(void *arg, const struct srcplace *p)
{
	(void)arg;
	if (!p->line)
		abort();
	sink += strlen(p->file) + p->addr;
	return 0;
}

static void read_all(const struct elf *e, const struct elf *alt)
{
	struct srcline *s;

	if (srcline_open(e, alt, NULL, &s) < 0)
		return;
	for (unsigned i = 0; i < e->nsh; i++)
		for (uint64_t at = 0; e->sh[i].sh_flags & SHF_EXECINSTR && at < e->sh[i].sh_size && at < 4096; at += 3)
			look(s, e->sh[i].sh_addr + at);
	look(s, 0x1000);
	look(s, UINT64_MAX);
	srcfind_statements(s, want_all, statement, NULL);
	look(s, 0x1000);
	srcline_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf e;

	if (elf_open(&e, (struct elf_src){ .fd = -1, .mem = data, .size = size }) < 0)
		return 0;
	read_all(&e, NULL);
	read_all(&e, &e);
	elf_close(&e);
	return 0;
}
