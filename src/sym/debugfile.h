/* SPDX-License-Identifier: Apache-2.0 */
/* Separate files with the symbols that were stripped from a program. */
#ifndef DWELL_SYM_DEBUGFILE_H
#define DWELL_SYM_DEBUGFILE_H
#include <stdint.h>
#include "sym/elf.h"

/* Larger files are not checksummed, thus not used, when there is no build id to compare. */
#define DEBUGFILE_MAX_CRC (512u << 20)

struct debugfile {
	struct elf elf;
	int fd;
};

/* Finds the debug file of e, which is known as path: by build id under debug_dir, then by the name
 * in .gnu_debuglink beside the file, in .debug beside it, and under debug_dir; first in our own
 * root directory, then in that of process tgid (0: none). It is accepted when its build id is the
 * same, or, without build ids, its checksum is. 0 or -ENOENT; the caller calls debugfile_close().
 */
int debugfile_open(const struct elf *e, const char *path, const char *debug_dir, uint32_t tgid,
		   struct debugfile *ret);
void debugfile_close(struct debugfile *d);
#endif
