/* SPDX-License-Identifier: Apache-2.0 */
/* Reads local symbols from .gnu_debugdata: an ELF file, compressed with xz, inside of a stripped one. */
#ifndef DWELL_SYM_ELF_MINIDEBUG_H
#define DWELL_SYM_ELF_MINIDEBUG_H
#include "sym/elf/elf.h"
#include "sym/elf/symtab.h"

#define MINIDEBUG_MAX_PACKED (32u << 20)
#define MINIDEBUG_MAX (128u << 20)     /* unpacked, bytes */
#define MINIDEBUG_MAX_DICT (80u << 20) /* memory of the decoder (xz -9 needs 65 MiB) */

/* Adds the symbols. 0, -ENOENT when there are none, -EFBIG over the limits, -EBADMSG for bad xz. */
int minidebug_load(const struct elf *e, struct symtab *t);
/* The packed file itself. Errors as above; the caller calls minidebug_close(). */
struct minidebug {
	struct elf elf;
	uint8_t *image;
};
int minidebug_open(const struct elf *e, struct minidebug *ret);
void minidebug_close(struct minidebug *m);
/* Unpacks xz; *ret is malloc'ed. Errors as above. */
int minidebug_unpack(const void *in, size_t n, size_t max, uint8_t **ret, size_t *ret_n);
#endif
