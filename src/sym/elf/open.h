/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that other users chose, as root, without blocking and without side effects. */
#ifndef DWELL_SYM_ELF_OPEN_H
#define DWELL_SYM_ELF_OPEN_H
#include <stdbool.h>
#include <sys/stat.h>

/* Opens a regular file for reading. The file is looked at through O_PATH first, so that FIFOs,
 * terminals and devices are never opened. dirfd as for openat(). Gives the descriptor (caller
 * closes) and what fstat() says; -EMEDIUMTYPE for other kinds of files, else -errno. */
int open_regular(int dirfd, const char *path, bool follow, struct stat *st);
/* The same for a path seen from another root directory (an O_PATH descriptor). Symbolic links are resolved inside it
 * and never reach out. follow is about the last component only, here too. */
int open_regular_in_root(int rootfd, const char *path, bool follow, struct stat *st);
/* Descriptor of the magic link or path only (O_PATH), regular files only. */
int open_path_regular(int dirfd, const char *path, struct stat *st);
/* Turns an O_PATH descriptor of a regular file into a readable one; the old one stays open. */
int open_reopen(int pathfd);
#endif
