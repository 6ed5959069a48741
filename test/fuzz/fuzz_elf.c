/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of symbols and unwinding tables on foreign input: an ELF file when the input begins like one; any other
 * input is taken as a perf map, as lines of /proc/PID/maps, and as a mangled name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fuzz.h"
#include "sym/elf/debugfile.h"
#include "sym/elf/demangle.h"
#include "sym/unwind/ehtab.h"
#include "sym/elf/elfsym.h"
#include "sym/proc/maps.h"
#include "sym/elf/minidebug.h"
#include "sym/proc/perfmap.h"
#include "sym/elf/strset.h"

/* Names of one file that are demangled: the library under it is not what is tested. */
#define MAX_NAMES 16u

static void look_up(const struct symtab *t, struct elf_seg *seg, unsigned nseg)
{
	struct demangler d = { 0 };
	struct strset ss = { 0 };
	uint64_t out;

	for (size_t i = 0; i < t->n; i++) {
		const struct usym *u = symtab_at(t, t->v[i].addr);

		/* In order, one per address, and found at its own address unless it is empty. */
		if (i > 0 && t->v[i - 1].addr >= t->v[i].addr)
			abort();
		if (t->v[i].size > 0 && u != &t->v[i])
			abort();
		if (t->v[i].name >= t->ntext)
			abort();
		if (i < MAX_NAMES && !demangle(&d, &ss, t->text + t->v[i].name))
			abort();
		elf_seg_off(seg, nseg, t->v[i].addr, &out);
		elf_seg_vaddr(seg, nseg, t->v[i].addr, i & 1, &out);
	}
	symtab_at(t, 0);
	symtab_at(t, UINT64_MAX);
	demangler_free(&d);
	strset_free(&ss);
}

/* Every address of a table is found in few steps, and rows are in order. */
static void unwind_table(const struct elf *e)
{
	struct ehtab t;

	if (ehtab_load(e, &t) < 0)
		return;
	for (uint32_t i = 0; i < t.nrows; i++) {
		uint32_t pc = UW_ROW_PC(t.rows[i]);

		if (i ? UW_ROW_PC(t.rows[i - 1]) >= pc : pc != 0)
			abort();
		if (ehtab_at(&t, t.base + pc) != UW_ROW_RULE(t.rows[i]))
			abort();
	}
	for (uint32_t i = 0; i < t.nindex; i++) {
		uint32_t first = UW_INDEX_FIRST(t.index[i]), count = UW_INDEX_COUNT(t.index[i]);

		if (count == 0 || count > UW_BUCKET + 1 || first > t.nrows || count > t.nrows - first)
			abort();
	}
	ehtab_done(&t);
}

static void read_elf(const uint8_t *data, size_t size)
{
	struct elf e;
	struct symtab t = { 0 };
	struct debugfile df;
	struct elf_seg *seg = NULL;
	unsigned nseg = 0;

	if (elf_open(&e, (struct elf_src){ .fd = -1, .mem = data, .size = size }) < 0)
		return;
	elfsym_load(&e, SHT_SYMTAB, &t);
	elfsym_load(&e, SHT_DYNSYM, &t);
	minidebug_load(&e, &t);
	elfsym_load_plt(&e, &t);
	if (debugfile_open(&e, "/nonexistent/file", "/nonexistent", 0, &df) == 0)
		debugfile_close(&df);
	if (debugfile_open_alt(&e, "/nonexistent/file", "/nonexistent", 0, &df) == 0)
		debugfile_close(&df);
	unwind_table(&e);
	if (symtab_finish(&t) == 0 && elf_segments(&e, &seg, &nseg) == 0)
		look_up(&t, seg, nseg);
	free(seg);
	symtab_done(&t);
	elf_close(&e);
}

static void read_text(const uint8_t *data, size_t size)
{
	struct perfmap pm;
	_cleanup_free_ char *text = malloc(size + 1);
	struct demangler d = { 0 };
	struct strset ss = { 0 };

	if (!text)
		return;
	perfmap_init(&pm);
	memcpy(text, data, size);
	text[size] = '\0';
	demangle(&d, &ss, text);
	for (char *s = text, *nl; (nl = strchr(s, '\n')); s = nl + 1) {
		struct maps_line l;

		perfmap_add_line(&pm, s, (size_t)(nl - s));
		*nl = '\0';
		if (maps_parse_line(s, &l) && (l.start >= l.end || strlen(l.path) > size))
			abort();
	}
	perfmap_sort(&pm);
	for (size_t i = 0; i < pm.n; i++) {
		const struct perfsym *p = perfmap_at(&pm, pm.v[i].addr);

		if (p && pm.v[i].addr - p->addr >= p->size)
			abort();
	}
	perfmap_free(&pm);
	demangler_free(&d);
	strset_free(&ss);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0)
		read_elf(data, size);
	else
		read_text(data, size);
	return 0;
}
