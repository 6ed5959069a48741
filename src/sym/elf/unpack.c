/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks compressed sections. Source: System V gABI, "Section Compression"; GNU's .zdebug_* sections begin with
 * "ZLIB" and the size, 8 bytes, most significant first. libzstd is opened late: few files need it. */
#include "sym/elf/unpack.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include "base/cleanup.h"
#include "base/solib.h"

#define GNU_HEAD 12u /* "ZLIB" and the size */
#define MAX_GNU_NAME 64u

/* The name that goes with the header which this was compiled with. */
static const char zstd_library[] = "libzstd.so.1";
_Static_assert(ZSTD_VERSION_MAJOR == 1, "name the library after its header's version");

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

static int unpack_zlib(const uint8_t *in, uint64_t n, uint8_t *out, uint64_t size)
{
	uLongf got = size;

	return uncompress(out, &got, in, n) == Z_OK && got == size ? 0 : -EBADMSG;
}

/* The output is the window, so no more memory is needed than for that. */
static int unpack_zstd(const uint8_t *in, uint64_t n, uint8_t *out, uint64_t size)
{
	void *lib = solib_open(zstd_library);
	__typeof__(&ZSTD_decompress) decompress;
	int r = -EOPNOTSUPP;

	if (!lib)
		return r;
	*(void **)&decompress = solib_sym(lib, "ZSTD_decompress");
	if (decompress)
		r = decompress(out, size, in, n) == size ? 0 : -EBADMSG; /* an error is a number above any size */
	solib_close(lib);
	return r;
}

struct packed {
	const uint8_t *in;
	uint64_t n, size;
	bool zstd;
};

static int unpack(const struct packed *p, uint64_t max, uint8_t **ret)
{
	_cleanup_free_ uint8_t *out = NULL;
	int r;

	if (p->size > max)
		return -EFBIG;
	if (p->size / (p->zstd ? UNPACK_MAX_RATIO_ZSTD : UNPACK_MAX_RATIO_ZLIB) > p->n)
		return -EBADMSG;
	out = malloc(p->size + 1);
	if (!out)
		return -ENOMEM;
	r = p->zstd ? unpack_zstd(p->in, p->n, out, p->size) : unpack_zlib(p->in, p->n, out, p->size);
	if (r == 0)
		*ret = take_ptr(out);
	return r;
}

static int gabi_head(const struct elf *e, const uint8_t *raw, uint64_t n, struct packed *ret)
{
	Elf64_Chdr ch = { 0 };
	Elf32_Chdr ch32;
	size_t head = e->is64 ? sizeof(ch) : sizeof(ch32);

	if (n < head)
		return -EBADMSG;
	if (e->is64) {
		memcpy(&ch, raw, sizeof(ch));
	} else {
		memcpy(&ch32, raw, sizeof(ch32));
		ch.ch_type = ch32.ch_type;
		ch.ch_size = ch32.ch_size;
	}
	if (ch.ch_type != ELFCOMPRESS_ZLIB && ch.ch_type != ELFCOMPRESS_ZSTD)
		return -EOPNOTSUPP;
	*ret = (struct packed){ raw + head, n - head, ch.ch_size, ch.ch_type == ELFCOMPRESS_ZSTD };
	return 0;
}

static int gnu_head(const uint8_t *raw, uint64_t n, struct packed *ret)
{
	uint64_t size = 0;

	if (n < GNU_HEAD || memcmp(raw, "ZLIB", 4) != 0)
		return -EBADMSG;
	for (unsigned i = 4; i < GNU_HEAD; i++)
		size = size << 8 | raw[i];
	*ret = (struct packed){ raw + GNU_HEAD, n - GNU_HEAD, size, false };
	return 0;
}

/* ".debug_x", or ".zdebug_x" (*ret_gnu). */
static const Elf64_Shdr *find(const struct elf *e, const char *name, const Elf64_Shdr *after, bool *ret_gnu)
{
	const Elf64_Shdr *sh = elf_section_next(e, name, after);
	char gnu[MAX_GNU_NAME];

	*ret_gnu = false;
	if (sh || name[0] != '.' || snprintf(gnu, sizeof(gnu), ".z%s", name + 1) >= (int)sizeof(gnu))
		return sh;
	*ret_gnu = true;
	return elf_section_next(e, gnu, after);
}

int elf_section_unpack(const struct elf *e, const char *name, uint64_t max, uint8_t **ret, uint64_t *ret_n)
{
	const Elf64_Shdr *at = NULL;

	return elf_section_unpack_next(e, name, &at, max, ret, ret_n);
}

int elf_section_unpack_next(const struct elf *e, const char *name, const Elf64_Shdr **at, uint64_t max, uint8_t **ret,
			    uint64_t *ret_n)
{
	_cleanup_free_ uint8_t *raw = NULL;
	struct packed p = { 0 };
	bool gnu;
	const Elf64_Shdr *sh = find(e, name, *at, &gnu);
	int r;

	*at = sh;
	if (!sh || sh->sh_type == SHT_NOBITS || !sh->sh_size)
		return -ENODATA;
	if (sh->sh_size > max)
		return -EFBIG;
	/* Before allocating: a claim of size must not cost memory. */
	if (sh->sh_offset > e->src.size || sh->sh_size > e->src.size - sh->sh_offset)
		return -EBADMSG;
	raw = malloc(sh->sh_size);
	if (!raw)
		return -ENOMEM;
	r = elf_read(&e->src, sh->sh_offset, raw, sh->sh_size);
	if (r < 0)
		return r;
	if (!gnu && !(sh->sh_flags & SHF_COMPRESSED)) {
		*ret = take_ptr(raw);
		*ret_n = sh->sh_size;
		return 0;
	}
	r = gnu ? gnu_head(raw, sh->sh_size, &p) : gabi_head(e, raw, sh->sh_size, &p);
	if (r == 0)
		r = unpack(&p, max, ret);
	if (r == 0)
		*ret_n = p.size;
	return r;
}
