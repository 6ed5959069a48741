/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the editor a path where it can open a file of the D library, also if that file is inside the binary. */
#ifndef DWELL_LSP_LIBFILE_H
#define DWELL_LSP_LIBFILE_H
#include "base/arena.h"

/* The absolute path of a file of the library. One that is inside the binary is copied to a folder of the user's,
 * $XDG_CACHE_HOME/dwell/VERSION or ~/.cache/dwell/VERSION, read-only. NULL: there is none, or it cannot be copied. */
const char *libfile_path(struct arena *a, const char *name, const char *text, size_t n);
#endif
