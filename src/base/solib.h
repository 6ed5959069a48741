/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are opened when they are needed. The static build (target dwell-static) opens none: it links
 * solib_static.c in place of solib.c. */
#ifndef DWELL_BASE_SOLIB_H
#define DWELL_BASE_SOLIB_H
#include <stddef.h>
#include "base/err.h"

/* Opens the library with this soname. Returns a handle for solib_sym(), which solib_close() gives back, or NULL.
 * Source: dlopen(3). */
void *solib_open(const char *soname);

/* Tells what helps where a library cannot be opened: @install, or that the static build opens none. */
const char *solib_advice(const char *install);

/* The address of a function of an opened library, or NULL. Source: dlsym(3). */
void *solib_sym(void *lib, const char *name);

/* A function of a library, and where its address goes. */
struct solib_func {
	const char *name;
	size_t offset;
};
/* Opens the library and fills a struct of pointers to functions, which begins at ret. what: it in a message ("the HTTP
 * library"); install: as of solib_advice(). It stays open. 0, or -ENOENT with *err. */
int solib_load(const char *soname, const char *what, const char *install, const struct solib_func *funcs, size_t n,
	       void *ret, struct err *err);

/* Closes a library; its functions cannot be called after that. NULL is allowed. */
void solib_close(void *lib);

#endif
