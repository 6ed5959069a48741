/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files that exist as open descriptors only: a process without privileges gets descriptors of what it could
 * not open itself. Their paths are "/dev/fd/N". */
#ifndef DWELL_STORE_FDFILE_H
#define DWELL_STORE_FDFILE_H
#include <sqlite3.h>
#include <stdbool.h>

/* Whether path is one; *ret is its descriptor. */
bool fdfile_is(const char *path, int *ret);
/* open(path, O_RDONLY | flags), or for "/dev/fd/N" a duplicate of N, which asks nobody's permission. */
int fdfile_open(const char *path, int flags);
/* Opens the database of a descriptor (its owner keeps it open), for reading only: nobody else may be writing
 * to it, a log beside it is not seen. SQLite's result codes. */
int fdfile_db(int fd, sqlite3 **ret);
/* Makes a database of the empty file of a descriptor, without journal. It is of use when all has been written. *ret is
 * to be closed after errors, too. SQLite's result codes. */
int fdfile_db_new(int fd, sqlite3 **ret);
#endif
