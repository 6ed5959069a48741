/* SPDX-License-Identifier: Apache-2.0 */
/* Provides the files of the D library: those of a folder, or those that were built into the binary. */
#ifndef DWELL_SHELF_SHELF_H
#define DWELL_SHELF_SHELF_H
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"

#define SHELF_INSIDE "dlib:" /* in front of the path of a file in the binary: "dlib:/tools/iotop.d" */

struct shelf_file {
	const char *path; /* "tools/iotop.d"; sorted */
	size_t size;
	const char *text; /* ends with NUL */
};
extern const struct shelf_file shelf_files[];
extern const size_t shelf_nfiles;
/* The manual pages (as scdoc source) and documents: "man/dwell-d.7.scd", "doc/faq.md". */
extern const struct shelf_file shelf_pages[];
extern const size_t shelf_npages;

/* The folder of the library: `dlib` next to the binary (of a build), the installed one if the binary stands where it
 * was installed, else SHELF_INSIDE. */
const char *shelf_dir(struct arena *a);
/* A file to be read; flags: more of open(2). An fd, or -errno. */
int shelf_open(const char *path, int flags);
/* Does a file or folder of that path exist? */
bool shelf_has(const char *path);
/* The names that end with .d of a folder, sorted, in the arena. Their number, or -errno. */
int shelf_list(struct arena *a, const char *folder, const char ***ret);
/* The nearest of these names to a misspelt one, without its ".d"; NULL: none is near. */
const char *shelf_near(struct arena *a, const char *folder, const char *name);
#endif
