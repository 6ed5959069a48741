/* SPDX-License-Identifier: Apache-2.0 */
/* Names, lists and removes the recordings of a daemon's folder, and locks it. */
#include "store/file/statedir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "store/file/recfile.h"
#include "store/file/recquery.h"

#define UNMADE_BYTES 16384	 /* what is no recording yet has no more, with its log */
#define EMPTY_BYTES (512u << 10) /* the size of a file in which nothing was recorded */

static const char *const beside[] = { "-wal", "-shm", "-journal" }; /* SQLite's, while it is open or after a kill */

static pid_t read_pid(int fd)
{
	char text[24] = "";
	long pid = pread(fd, text, sizeof(text) - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;

	return pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

int statedir_lock(const char *dir, int *ret_fd, pid_t *ret_pid)
{
	_cleanup_close_ int fd = -1;
	char path[STATEDIR_PATH_LEN], text[24];
	struct stat st;
	int n;

	*ret_pid = 0;
	if (snprintf(path, sizeof(path), "%s/" STATEDIR_LOCK, dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (stat(dir, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode) && (st.st_uid != geteuid() || (st.st_mode & 022)))
		return -EPERM;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return -errno;
		*ret_pid = read_pid(fd);
		return -EBUSY;
	}
	n = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) != n)
		return errno ? -errno : -EIO;
	*ret_fd = take_fd(fd);
	return 0;
}

pid_t statedir_owner(const char *dir)
{
	_cleanup_close_ int fd = -1;
	char path[STATEDIR_PATH_LEN];

	if (snprintf(path, sizeof(path), "%s/" STATEDIR_LOCK, dir) >= (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0)
		return 0;
	return read_pid(fd);
}

/* -- recordings -- */

static uint64_t size_of(const char *path)
{
	char other[STATEDIR_PATH_LEN + 8];
	uint64_t bytes = 0;
	struct stat st;

	if (lstat(path, &st) == 0)
		bytes = (uint64_t)st.st_size;
	snprintf(other, sizeof(other), "%s-wal", path);
	return lstat(other, &st) == 0 ? bytes + (uint64_t)st.st_size : bytes;
}

static bool is_recording(const char *name)
{
	size_t n = strlen(name), end = sizeof(STATEDIR_SUFFIX) - 1;

	return !strncmp(name, STATEDIR_PREFIX, sizeof(STATEDIR_PREFIX) - 1) && n > end &&
	       !strcmp(name + n - end, STATEDIR_SUFFIX);
}

static int by_name(const void *a, const void *b)
{
	const struct statedir_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int add(struct statedir_list *l, const char *dir, const char *name)
{
	struct statedir_file f = { 0 };

	if (asprintf(&f.path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	f.bytes = size_of(f.path);
	if (strlen(f.path) >= STATEDIR_PATH_LEN || vec_try_push(&l->v, f) < 0) {
		free(f.path);
		return -ENOMEM;
	}
	l->bytes += f.bytes;
	return 0;
}

int statedir_list(const char *dir, struct statedir_list *ret)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = d ? 0 : -errno;

	*ret = (struct statedir_list){ 0 };
	while (r == 0 && (e = readdir(d)) && ret->v.n < STATEDIR_FILES_MAX)
		if (is_recording(e->d_name))
			r = add(ret, dir, e->d_name);
	if (d)
		closedir(d);
	if (ret->v.n)
		qsort(ret->v.v, ret->v.n, sizeof(*ret->v.v), by_name);
	return r;
}

void statedir_list_free(struct statedir_list *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.v[i].path);
	vec_free(&l->v);
}

static void remove_file(const char *path)
{
	char other[STATEDIR_PATH_LEN + 8];

	unlink(path);
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		snprintf(other, sizeof(other), "%s%s", path, beside[i]);
		unlink(other);
	}
}

/* Was the daemon of this file killed before it had begun to measure? Empty files would push real recordings out. Others
 * that cannot be read stay. */
static bool is_empty(const struct statedir_file *f)
{
	struct recread *r = NULL;
	struct rec_range range;
	bool empty;

	if (f->bytes > EMPTY_BYTES)
		return false;
	if (recread_open(f->path, &r, NULL) < 0)
		return f->bytes <= UNMADE_BYTES;
	empty = !recread_extent(r, &range);
	recread_close(r);
	return empty;
}

unsigned statedir_recover(const char *dir)
{
	struct statedir_list l;
	unsigned n = 0;

	statedir_list(dir, &l);
	for (size_t i = 0; i < l.v.n; i++) {
		char log[STATEDIR_PATH_LEN + 8];
		int r;

		snprintf(log, sizeof(log), "%s-wal", l.v.v[i].path);
		r = access(log, F_OK) == 0 ? recfile_recover(l.v.v[i].path, NULL) : -ENOENT;
		if (is_empty(&l.v.v[i]))
			remove_file(l.v.v[i].path);
		else
			n += r == 0;
	}
	statedir_list_free(&l);
	return n;
}

int statedir_name(const char *dir, char path[STATEDIR_PATH_LEN])
{
	struct timespec now;
	struct tm tm;
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	do {
		unsigned ms = (unsigned)(now.tv_nsec / 1000000);

		gmtime_r(&now.tv_sec, &tm);
		n = snprintf(path, STATEDIR_PATH_LEN,
			     "%s/" STATEDIR_PREFIX "%04d%02d%02dT%02d%02d%02d.%03uZ" STATEDIR_SUFFIX, dir,
			     tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
		if (n < 0 || n >= STATEDIR_PATH_LEN)
			return -ENAMETOOLONG;
		now.tv_nsec += 1000000;
		if (now.tv_nsec >= 1000000000) {
			now.tv_nsec -= 1000000000;
			now.tv_sec++;
		}
	} while (access(path, F_OK) == 0);
	return 0;
}

unsigned statedir_retire(const char *dir, const char *keep, uint64_t files, uint64_t bytes)
{
	struct statedir_list l;
	unsigned gone = 0;

	statedir_list(dir, &l);
	for (size_t i = 0; i < l.v.n && (l.v.n - gone > files || l.bytes > bytes); i++) {
		if (keep && !strcmp(l.v.v[i].path, keep))
			continue;
		remove_file(l.v.v[i].path);
		l.bytes -= l.v.v[i].bytes;
		gone++;
	}
	statedir_list_free(&l);
	return gone;
}
