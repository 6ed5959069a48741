/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a recording that may still be written. One read transaction sees one state of it, log included; the
 * recorder goes on appending to its log meanwhile. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/file/fdfile.h"
#include "store/file/read_int.h"

/* "File format write version" and "read version": 1: there is no log, 2: there may be one. Source:
 * sqlite.org/fileformat2.html, section 1.3. */
#define FORMAT_AT 18
static const unsigned char no_log[2] = { 1, 1 };

static int fail(sqlite3 *to, struct err *err)
{
	return recfile_error(to, "the copy cannot be written", err);
}

static int copy_pages(sqlite3 *from, sqlite3 *to, struct err *err)
{
	sqlite3_backup *b = sqlite3_backup_init(to, "main", from, "main");
	int rc;

	if (!b)
		return fail(to, err);
	rc = sqlite3_backup_step(b, -1); /* all in one transaction */
	sqlite3_backup_finish(b);
	if (rc == SQLITE_DONE)
		return 0;
	return sqlite3_errcode(to) == SQLITE_OK
		       ? err_set(err, -EIO, "the recording cannot be copied: %s", sqlite3_errstr(rc))
		       : fail(to, err);
}

int recread_copy(struct recread *r, int fd, struct err *err)
{
	sqlite3 *to = NULL;
	struct stat st;
	int e;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != 0)
		return err_set(err, -EINVAL, "a copy is wanted in an empty file, not in a pipe or device");
	e = fdfile_db_new(fd, &to) == SQLITE_OK ? copy_pages(r->db, to, err) : fail(to, err);
	if (sqlite3_close(to) != SQLITE_OK && e == 0)
		e = err_set(err, -EIO, "the copy cannot be written");
	/* else readers in folders that they cannot write would look for a log in vain */
	if (e == 0 && pwrite(fd, no_log, sizeof(no_log), FORMAT_AT) != (ssize_t)sizeof(no_log))
		e = err_set(err, -errno, "the copy cannot be written: %s", strerror(errno));
	return e;
}
