/* SPDX-License-Identifier: Apache-2.0 */
/* Implements a file system for SQLite that has one kind of file: an open descriptor. Source: sqlite.org/vfs.html. */
#include "store/file/fdfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"

#define PREFIX "/dev/fd/"
#define URI_MAX 64

struct fdfile {
	sqlite3_file base;
	int fd;
	bool writable;
};

bool fdfile_is(const char *path, int *ret)
{
	uint64_t n;

	if (strncmp(path, PREFIX, strlen(PREFIX)) != 0 || num_parse_u64(path + strlen(PREFIX), &n) < 0 || n > INT16_MAX)
		return false;
	*ret = (int)n;
	return true;
}

int fdfile_open(const char *path, int flags)
{
	int fd;

	return fdfile_is(path, &fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | flags);
}

static int on_close(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

/* Bytes after the end of the file read as zeros. */
static int on_read(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
	size_t want = n > 0 ? (size_t)n : 0, have = 0;

	while (have < want) {
		ssize_t k = pread(((struct fdfile *)f)->fd, (char *)buf + have, want - have, at + (sqlite3_int64)have);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return SQLITE_IOERR_READ;
		if (k == 0)
			break;
		have += (size_t)k;
	}
	memset((char *)buf + have, 0, want - have);
	return have < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int on_write(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at)
{
	const struct fdfile *d = (const struct fdfile *)f;
	size_t want = n > 0 ? (size_t)n : 0, done = 0;

	if (!d->writable)
		return SQLITE_READONLY;
	while (done < want) {
		ssize_t k = pwrite(d->fd, (const char *)buf + done, want - done, at + (sqlite3_int64)done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
		done += (size_t)k;
	}
	return SQLITE_OK;
}

static int on_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	const struct fdfile *d = (const struct fdfile *)f;

	if (!d->writable)
		return SQLITE_READONLY;
	return ftruncate(d->fd, n) < 0 ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int on_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	struct stat st;

	if (fstat(((struct fdfile *)f)->fd, &st) < 0)
		return SQLITE_IOERR_FSTAT;
	*ret = st.st_size;
	return SQLITE_OK;
}

/* sync, lock, unlock: nobody else changes it, and nobody counts on it before it is whole. */
static int nothing(sqlite3_file *f, int what)
{
	(void)f;
	(void)what;
	return SQLITE_OK;
}

static int on_reserved(sqlite3_file *f, int *ret)
{
	(void)f;
	*ret = 0;
	return SQLITE_OK;
}

static int on_control(sqlite3_file *f, int op, void *arg)
{
	(void)f;
	(void)op;
	(void)arg;
	return SQLITE_NOTFOUND;
}

static int on_sector(sqlite3_file *f)
{
	(void)f;
	return 0;
}

static int on_characteristics(sqlite3_file *f)
{
	return ((const struct fdfile *)f)->writable ? 0 : SQLITE_IOCAP_IMMUTABLE;
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
	static const sqlite3_io_methods methods = {
		.iVersion = 1,
		.xClose = on_close,
		.xRead = on_read,
		.xWrite = on_write,
		.xTruncate = on_truncate,
		.xSync = nothing,
		.xFileSize = on_size,
		.xLock = nothing,
		.xUnlock = nothing,
		.xCheckReservedLock = on_reserved,
		.xFileControl = on_control,
		.xSectorSize = on_sector,
		.xDeviceCharacteristics = on_characteristics,
	};
	int fd;

	(void)vfs;
	f->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB) || !name || !fdfile_is(name, &fd))
		return SQLITE_CANTOPEN;
	((struct fdfile *)f)->fd = fd;
	((struct fdfile *)f)->writable = flags & SQLITE_OPEN_READWRITE;
	f->pMethods = &methods;
	if (ret_flags)
		*ret_flags = flags & (SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY);
	return SQLITE_OK;
}

static int on_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	(void)name;
	(void)sync;
	return SQLITE_READONLY;
}

/* No other file exists: no journal, no log. */
static int on_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	(void)vfs;
	(void)name;
	(void)flags;
	*ret = 0;
	return SQLITE_OK;
}

static int on_full_path(sqlite3_vfs *vfs, const char *name, int n, char *ret)
{
	(void)vfs;
	sqlite3_snprintf(n, ret, "%s", name);
	return SQLITE_OK;
}

static sqlite3_vfs *own_vfs(void)
{
	static sqlite3_vfs vfs;

	if (!vfs.zName) {
		const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

		if (!usual)
			return NULL;
		vfs = *usual; /* time, random numbers */
		vfs.iVersion = 1;
		vfs.szOsFile = sizeof(struct fdfile);
		vfs.mxPathname = URI_MAX;
		vfs.pNext = NULL;
		vfs.zName = "dwell-fd";
		vfs.xOpen = on_open;
		vfs.xDelete = on_delete;
		vfs.xAccess = on_access;
		vfs.xFullPathname = on_full_path;
	}
	sqlite3_vfs_register(&vfs, 0);
	return &vfs;
}

static int open_fd(int fd, const char *query, int flags, sqlite3 **ret)
{
	const sqlite3_vfs *vfs = own_vfs();
	char uri[URI_MAX];

	if (!vfs)
		return SQLITE_ERROR;
	snprintf(uri, sizeof(uri), "file:" PREFIX "%d%s", fd, query);
	return sqlite3_open_v2(uri, ret, flags | SQLITE_OPEN_URI, vfs->zName);
}

int fdfile_db(int fd, sqlite3 **ret)
{
	return open_fd(fd, "?immutable=1", SQLITE_OPEN_READONLY, ret);
}

int fdfile_db_new(int fd, sqlite3 **ret)
{
	int rc = open_fd(fd, "", SQLITE_OPEN_READWRITE, ret);

	/* other files cannot exist */
	return rc == SQLITE_OK ? sqlite3_exec(*ret, "PRAGMA journal_mode = OFF", NULL, NULL, NULL) : rc;
}
