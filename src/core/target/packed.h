/* SPDX-License-Identifier: Apache-2.0 */
/* Packed files that can be read at any place: frames of zstd, each of PACKED_FRAME bytes, and a table of them at the
 * end. `zstd -d` unpacks them. Source: "Zstandard Seekable Format", contrib/seekable_format of zstd 1.5. */
#ifndef DWELL_CORE_TARGET_PACKED_H
#define DWELL_CORE_TARGET_PACKED_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/vec.h"
#include "base/zstdlib.h"
#include "sym/elf/elf.h"

#define PACKED_LIBRARY "the library for packed cores"
#define PACKED_FRAME (256u << 10)    /* bytes of a frame, unpacked */
#define PACKED_MAX_FRAME (8u << 20)  /* a file with a larger one is refused */
#define PACKED_MAX_FRAMES (4u << 20) /* the same with more */
#define PACKED_MAX_RATIO 32768u	     /* a larger claim of size is none */

/* -- reading -- */

struct packed;
/* Whether a file begins as a packed one. */
bool packed_is(const struct elf_src *src);
/* Takes the table. src stays the caller's; *size: bytes of all that is packed. packed_close() frees *ret. -EBADMSG: the
 * table is missing or damaged. */
int packed_open(const struct elf_src *src, struct packed **ret, uint64_t *size, struct err *err);
/* All n bytes at off, or -ENODATA, -EBADMSG, -errno. */
int packed_read(struct packed *p, uint64_t off, void *buf, size_t n);
void packed_close(struct packed *p); /* accepts NULL */

/* -- writing -- */

struct packer {
	int fd; /* not owned */
	struct zstdlib z;
	ZSTD_CCtx *ctx;
	uint8_t *in, *out;
	size_t n;	       /* bytes in `in` */
	VEC(uint32_t) table;   /* packed size and size of each frame */
	uint64_t bytes, taken; /* that were written, that were added */
};
/* Ended by packer_done(). 0, -ENOMEM, -ENOENT with *err. */
int packer_begin(struct packer *p, int fd, struct err *err);
/* 0 or -errno of write(2). */
int packer_add(struct packer *p, const void *bytes, size_t n);
int packer_end(struct packer *p);
void packer_done(struct packer *p);
#endif
