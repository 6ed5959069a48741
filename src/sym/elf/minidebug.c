/* SPDX-License-Identifier: Apache-2.0 */
/* Reads .gnu_debugdata, an ELF file that xz has compressed inside a stripped one, and adds its symbols to a table.
 * Source: GDB manual, "Debugging information in a special section: MiniDebugInfo". */
#include "sym/elf/minidebug.h"
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/elf/elfsym.h"

#define UNPACK_STEP (256u << 10)

static int error_of(lzma_ret r)
{
	switch (r) {
	case LZMA_STREAM_END: return 0;
	case LZMA_MEM_ERROR: return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR: return -EFBIG;
	default: return -EBADMSG;
	}
}

int minidebug_unpack(const void *in, size_t n, size_t max, uint8_t **ret, size_t *ret_n)
{
	lzma_stream z = LZMA_STREAM_INIT;
	_cleanup_free_ uint8_t *out = NULL;
	size_t have = 0, cap = 0;
	lzma_ret r = lzma_stream_decoder(&z, MINIDEBUG_MAX_DICT, 0);

	z.next_in = in;
	z.avail_in = n;
	while (r == LZMA_OK) {
		if (have == cap && have >= max) {
			lzma_end(&z);
			return -EFBIG;
		}
		if (have == cap && vec_reserve_raw((void **)&out, &cap, have + UNPACK_STEP, 1) < 0) {
			r = LZMA_MEM_ERROR;
			break;
		}
		z.next_out = out + have;
		z.avail_out = cap - have;
		r = lzma_code(&z, LZMA_FINISH);
		have = cap - z.avail_out;
	}
	lzma_end(&z);
	int e = error_of(r);

	if (e == 0 && have > max)
		e = -EFBIG;
	if (e < 0)
		return e;
	*ret = take_ptr(out);
	*ret_n = have;
	return 0;
}

int minidebug_open(const struct elf *e, struct minidebug *ret)
{
	const Elf64_Shdr *sh = elf_section(e, ".gnu_debugdata");
	_cleanup_free_ char *packed = NULL;
	_cleanup_free_ uint8_t *image = NULL;
	size_t npacked, nimage;

	if (!sh)
		return -ENOENT;
	int r = elf_section_read(e, sh, MINIDEBUG_MAX_PACKED, &packed, &npacked);

	if (r == 0)
		r = minidebug_unpack(packed, npacked, MINIDEBUG_MAX, &image, &nimage);
	if (r == 0)
		r = elf_open(&ret->elf, (struct elf_src){ .fd = -1, .mem = image, .size = nimage });
	if (r < 0)
		return r;
	ret->image = take_ptr(image);
	return 0;
}

void minidebug_close(struct minidebug *m)
{
	elf_close(&m->elf);
	free(m->image);
	m->image = NULL;
}

int minidebug_load(const struct elf *e, struct symtab *t)
{
	struct minidebug m;
	int r = minidebug_open(e, &m);

	if (r < 0)
		return r;
	r = elfsym_load(&m.elf, SHT_SYMTAB, t);
	minidebug_close(&m);
	return r;
}
