/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the separate file that holds the symbols which were stripped from a program. */
#ifndef DWELL_SYM_ELF_DEBUGFILE_H
#define DWELL_SYM_ELF_DEBUGFILE_H
#include <limits.h>
#include <stdint.h>
#include "sym/elf/elf.h"

/* Larger files are not checksummed, thus not used, when there is no build id to compare. */
#define DEBUGFILE_MAX_CRC (512u << 20)

#define DEBUGFILE_DIR "/usr/lib/debug" /* where the debug files of packages are */

struct debugfile {
	struct elf elf;
	int fd;
	char path[PATH_MAX]; /* in our root directory or that of the process */
};

/* Finds the debug file of e, which is known as path. It is looked for by build id under debug_dir, then by the name
 * in .gnu_debuglink: beside the file, in .debug beside it, and under debug_dir. All of that is done in our own root
 * directory, then in that of process tgid (0: none). Servers come last (debuginfod.h). It is accepted when its build
 * id is the same, or, without build ids, its checksum is. 0 or -ENOENT; the caller calls debugfile_close(). */
int debugfile_open(const struct elf *e, const char *path, const char *debug_dir, uint32_t tgid, struct debugfile *ret);
/* The file to which dwz has moved what e has in common with others. .gnu_debugaltlink has its path (relative to that of
 * e) and its build id. If another file has that path by now, the build id is looked for under debug_dir. Otherwise as
 * debugfile_open(). */
int debugfile_open_alt(const struct elf *e, const char *path, const char *debug_dir, uint32_t tgid,
		       struct debugfile *ret);

/* Where a program or its debug file is, for files that its debug information names. */
struct debugplace {
	const char *path;
	uint32_t tgid; /* as above */
};
/* Finds files with split debug information (.dwo). One is called name in the folder dir (either may be absolute), or
 * lies beside the program. The package of all of a program is "PROGRAM.dwp". 0 or -ENOENT. Whether they belong to the
 * program is not checked here. */
int debugfile_open_split(const struct debugplace *p, const char *dir, const char *name, struct debugfile *ret);
int debugfile_open_package(const struct debugplace *p, struct debugfile *ret);
void debugfile_close(struct debugfile *d);
#endif
