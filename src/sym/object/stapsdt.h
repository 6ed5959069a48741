/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the notes that sys/sdt.h leaves in ELF files: static probes (USDT). The files are foreign. */
#ifndef DWELL_SYM_OBJECT_STAPSDT_H
#define DWELL_SYM_OBJECT_STAPSDT_H
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "sym/elf/elf.h"

#define STAPSDT_MAX_SECTION (16u << 20) /* bytes; larger ones are not read */
#define STAPSDT_MAX_NOTES 65536u	/* of one file; further ones are left out */
#define STAPSDT_MAX_NAME 128u		/* bytes of a provider's or probe's name */
#define STAPSDT_MAX_ARGS 1024u		/* bytes of the description of the arguments */

struct stapsdt {
	const char *prov, *name;
	const char *args;  /* "8@%rdi -4@-12(%rbp)" */
	uint64_t addr;	   /* of the probe, as linked */
	uint64_t off;	   /* in the file */
	uint64_t sem_addr; /* of the counter of tracers (its semaphore), 0: none */
	uint64_t sem_off;  /* in the file */
};

/* All notes of a file that describe a probe in its code, in the order of the file; texts in the arena.
 * No notes: 0. -EBADMSG: a note reaches out of its section (the notes before it are returned). */
int stapsdt_read(struct arena *a, const struct elf *e, struct stapsdt **ret, size_t *ret_n);
#endif
