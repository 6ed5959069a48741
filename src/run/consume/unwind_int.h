/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the unwinding tables in maps of programs, which unwind.c and unwind_libs.c fill. */
#ifndef DWELL_RUN_CONSUME_UNWIND_INT_H
#define DWELL_RUN_CONSUME_UNWIND_INT_H

#define UNWIND_MAX_LIBS 1024u /* lines of the dynamic linker that are read */

/* Gives the paths of the libraries that a program (a path) is linked with. */
void unwind_list_libs(const char *exe, void (*fn)(void *ctx, const char *path), void *ctx);
#endif
