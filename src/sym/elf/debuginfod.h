/* SPDX-License-Identifier: Apache-2.0 */
/* Debug files of servers that keep them by build id (debuginfod), for files whose debug file is not on this machine.
 * No server is asked before the user has consented: a server learns which programs are looked at. */
#ifndef DWELL_SYM_ELF_DEBUGINFOD_H
#define DWELL_SYM_ELF_DEBUGINFOD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUGINFOD_MAX_FILES 64u	       /* that a run of dwell asks for; further ones are not found */
#define DEBUGINFOD_MAX_NS (60 * 1000000000ull) /* that all of them may take together */
#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"

/* The consent of this process, from now on. The servers are those of the variable DEBUGINFOD_URLS. */
void debuginfod_allow(void);
/* The same by the value of a variable: "1", "yes". NULL, and other ones, are no consent. */
void debuginfod_consent(const char *value);
/* The debug file of a build id. A descriptor of the file in the library's cache, which the caller closes; *path, its
 * path, is freed by the caller. -ENOENT: no consent, no library, no server that has it, or the limits are reached. The
 * file is not trusted: it is for the caller to check its build id. Source: debuginfod_find_debuginfo(3). */
int debuginfod_fetch(const uint8_t *id, size_t n, char **path);
#endif
