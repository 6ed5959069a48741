/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the folder of the server, and lists its recordings. */
#include "launcher/servedir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"

static const char *const tails[] = { "", "-wal", "-shm", "-journal" };

/* -- the command line -- */

static bool is_recording(int fd)
{
	char head[16];

	return pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       !memcmp(head, "SQLite format 3", sizeof(head));
}

/* -ENOTSUP: something else. */
static int add_file(struct arena *a, struct servedir *d, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *base = strrchr(path, '/');
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !is_recording(fd))
		return -ENOTSUP;
	if (d->nfiles == SERVEDIR_FILES_MAX)
		return -E2BIG;
	d->paths[d->nfiles] = arena_strdup(a, path);
	d->files[d->nfiles++] = (struct serve_recording){ .name = arena_strdup(a, base ? base + 1 : path),
							  .bytes = (uint64_t)st.st_size };
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct arena *a, struct servedir *d, const char *path, struct err *err)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, by_name), e = 0;

	if (n < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.' && e == 0 &&
		    add_file(a, d, arena_printf(a, "%s/%s", path, list[i]->d_name)) == -E2BIG)
			e = err_set(err, -E2BIG, "%s: more than %d recordings", path, SERVEDIR_FILES_MAX);
		free(list[i]);
	}
	free(list);
	return e;
}

int servedir_find(struct arena *a, char *const *words, size_t n, struct servedir *d, struct err *err)
{
	int e = 0;

	*d = (struct servedir){ 0 };
	d->files = arena_alloc(a, SERVEDIR_FILES_MAX * sizeof(*d->files));
	d->paths = arena_alloc(a, SERVEDIR_FILES_MAX * sizeof(*d->paths));
	for (size_t i = 0; i < n && e == 0; i++) {
		struct stat st;

		if (stat(words[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			e = add_folder(a, d, words[i], err);
			continue;
		}
		e = add_file(a, d, words[i]);
		if (e < 0)
			e = err_set(err, e, "%s: %s", words[i],
				    e == -ENOTSUP
					    ? "no recording of dwell, no core of Node, and no folder of recordings"
				    : e == -E2BIG ? "more recordings than can be shown"
						  : strerror(-e));
	}
	return e;
}

/* -- the folder of this run -- */

int servedir_make(struct arena *a, struct servedir *d, unsigned user)
{
	/* others find nothing in it that they could open */
	int e = tmpdir_make(TMPDIR_SERVE, 0711, false, &d->dir);

	if (e < 0)
		return e;
	d->live = arena_printf(a, "%s/live", d->dir.path);
	d->uploads = arena_printf(a, "%s/sent", d->dir.path);
	if (mkdir(d->uploads, 0700) < 0 || (geteuid() == 0 && chown(d->uploads, user, user) < 0)) {
		e = -errno;
		servedir_remove(d);
		return e;
	}
	return 0;
}

void servedir_forget_live(const struct servedir *d)
{
	char path[4096];

	for (size_t i = 0; d->live && i < ARRAY_SIZE(tails); i++) {
		snprintf(path, sizeof(path), "%s%s", d->live, tails[i]);
		unlink(path);
	}
}

void servedir_remove(struct servedir *d)
{
	tmpdir_remove(&d->dir);
	d->live = d->uploads = NULL;
}

/* The recording of the live view may be read without privileges; it is still being written, so its log has to be
 * read as well. */
static void share_live(const struct servedir *d, unsigned user)
{
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		snprintf(path, sizeof(path), "%s%s", d->live, tails[i]);
		if (chown(path, (uid_t)-1, user) == 0)
			chmod(path, 0640);
	}
}

int servedir_open(const struct servedir *d, const char *source, unsigned user, char *ret_path, size_t size)
{
	uint64_t n;
	int fd;

	if (!strcmp(source, "live") && d->live) {
		if (geteuid() == 0)
			share_live(d, user);
		snprintf(ret_path, size, "%s", d->live);
		return 0;
	}
	if (source[0] == 'u' && d->uploads && num_parse_u64(source + 1, &n) == 0) {
		snprintf(ret_path, size, "%s/%llu", d->uploads, (unsigned long long)n);
		return 0;
	}
	if (source[0] != 'r' || num_parse_u64(source + 1, &n) < 0 || n < 1 || n > d->nfiles)
		return -ENOENT;
	fd = open(d->paths[n - 1], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	ret_path[0] = '\0';
	return fd;
}
