/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the arguments of static probes: assembler operands to registers, memory and constants. Private to
 * src/prov. */
#ifndef DWELL_PROV_USER_SDTARGS_H
#define DWELL_PROV_USER_SDTARGS_H
#include "cg/entry.h"

#define SDTARGS_MAX 12 /* sys/sdt.h has no more */

struct sdtarg {
	struct arg_loc loc; /* ARG_NONE: it cannot be read (vector registers, unknown forms) */
	uint8_t size;	    /* 1, 2, 4, 8 */
	bool is_signed, is_float;
};

struct sdtargs_env {
	uint16_t machine; /* EM_X86_64, EM_386, EM_AARCH64 */
	uint64_t addr;	  /* of the probe, as linked: what is relative to it is found so */
	/* Address of a symbol of the file as linked, or -ENOENT; NULL: none are known. */
	int (*symbol)(void *ctx, const char *name, size_t len, uint64_t *ret);
	void *ctx;
};

/* Takes "8@%rdi -4@$5 4@sym+8(%rip) …" apart. The number of arguments, at most SDTARGS_MAX. */
unsigned sdtargs_parse(const struct sdtargs_env *env, const char *text, struct sdtarg *ret);
#endif
