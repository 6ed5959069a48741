/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and removes folders in $TMPDIR, which every user can write to. A folder is reached only by a descriptor
 * that was opened without following links. Before use it is checked: it belongs to this user, and has a name and
 * mode that tmpdir_make() gives. */
#include "run/session/tmpdir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "run/session/ctl.h"
#include "run/os/atend.h"

#define ATTEMPTS 10  /* to make one that nobody takes for a dead one before it is locked */
#define RANDOM_LEN 6 /* of mkdtemp() */
#define PREFIX "dwell-"

static const char *const kinds[] = { TMPDIR_LIVE, TMPDIR_SERVE };

/* Handlers have nothing but globals. */
static struct {
	volatile sig_atomic_t on;
	int fd;
	char path[4096];
} guarded;

/* -- removing; safe in a handler -- */

/* Files of the folder; its folders, when `deeper`, with their files. */
static void empty(int fd, bool deeper)
{
	char buf[4096] __attribute__((aligned(8)));
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return;
	while ((n = getdents64(fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(buf + at);
			int in;

			at += e->d_reclen;
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
				continue;
			if (unlinkat(fd, e->d_name, 0) == 0 || !deeper)
				continue;
			in = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (in < 0)
				continue;
			empty(in, false);
			close(in);
			unlinkat(fd, e->d_name, AT_REMOVEDIR);
		}
}

static void remove_guarded(void)
{
	if (!guarded.on)
		return;
	guarded.on = 0;
	empty(guarded.fd, true);
	rmdir(guarded.path);
}

static void guard(const struct tmpdir *t)
{
	if (strlen(t->path) >= sizeof(guarded.path))
		return;
	strcpy(guarded.path, t->path);
	guarded.fd = t->fd;
	guarded.on = 1;
	atend_add(remove_guarded);
}

static void unguard(void)
{
	guarded.on = 0;
	atend_drop(remove_guarded);
}

/* -- making -- */

static const char *top(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* -EAGAIN: it was taken for a dead one, and removed. */
static int make_one(const char *kind, mode_t mode, struct tmpdir *ret)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (asprintf(&path, "%s/" PREFIX "%s.XXXXXX", top(), kind) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	if (!mkdtemp(path))
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(fd, LOCK_EX) < 0 && errno != ENOTSUP && errno != ENOLCK) {
		rmdir(path);
		return -errno;
	}
	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return -EAGAIN;
	if (fchmod(fd, mode) < 0) {
		int e = -errno;

		rmdir(path);
		return e;
	}
	*ret = (struct tmpdir){ take_ptr(path), take_fd(fd) };
	return 0;
}

int tmpdir_make(const char *kind, mode_t mode, bool guarding, struct tmpdir *ret)
{
	sigset_t before;
	int r = -EAGAIN;

	tmpdir_clear_dead();
	atend_hold(&before);
	for (int i = 0; i < ATTEMPTS && r == -EAGAIN; i++)
		r = make_one(kind, mode, ret);
	if (r == 0 && guarding)
		guard(ret);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

void tmpdir_remove(struct tmpdir *t)
{
	bool guarding = t->path && guarded.on && !strcmp(t->path, guarded.path);
	sigset_t before;

	if (!t->path)
		return;
	atend_hold(&before);
	empty(t->fd, true);
	rmdir(t->path);
	if (guarding)
		unguard();
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(t->fd);
	free(t->path);
	*t = (struct tmpdir){ NULL, -1 };
}

/* -- the dead -- */

static bool is_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]), at = sizeof(PREFIX) - 1;

		if (!strncmp(name, PREFIX, at) && !strncmp(name + at, kinds[i], n) && name[at + n] == '.' &&
		    strlen(name + at + n + 1) == RANDOM_LEN)
			return true;
	}
	return false;
}

/* The lock is kept until the folder is gone: a process that has just made it waits for the lock, then makes another. */
static void clear_one(int parent, const char *name)
{
	_cleanup_close_ int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 066) ||
	    flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	empty(fd, true);
	unlinkat(parent, name, AT_REMOVEDIR);
}

void tmpdir_clear_dead(void)
{
	DIR *d = opendir(top());
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_name(e->d_name))
			clear_one(dirfd(d), e->d_name);
	if (d)
		closedir(d);
	ctl_clear_dead();
}
