/* SPDX-License-Identifier: Apache-2.0 */
/* Finds shipped files in a folder or in the binary. */
#include "shelf/shelf.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/near.h"

const char *shelf_dir(struct arena *a)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *dir;
	char *slash;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return SHELF_INSIDE;
	*slash = '\0';
	dir = arena_printf(a, "%s/dlib", path);
	if (access(dir, X_OK) == 0)
		return dir;
	slash = strrchr(path, '/');
	if (!slash)
		return SHELF_INSIDE;
	*slash = '\0';
	dir = arena_printf(a, "%s/share/dwell/dlib", path);
	return !strcmp(dir, DWELL_DLIBDIR) && access(dir, X_OK) == 0 ? dir : SHELF_INSIDE;
}

/* The part of a path after "dlib:/", without a slash at its end; NULL: the path is one of the disk. */
static const char *inside(const char *path)
{
	size_t n = sizeof(SHELF_INSIDE) - 1;

	if (strncmp(path, SHELF_INSIDE, n) != 0)
		return NULL;
	return path + n + strspn(path + n, "/");
}

static const struct shelf_file *find(const char *name)
{
	for (size_t i = 0; i < shelf_nfiles; i++)
		if (!strcmp(shelf_files[i].path, name))
			return &shelf_files[i];
	return NULL;
}

/* The name of a file that stands in the folder itself: what is after the folder's name. */
static const char *name_in(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n && (strncmp(path, folder, n) != 0 || path[n] != '/'))
		return NULL;
	path += n + (n > 0);
	return strchr(path, '/') ? NULL : path;
}

int shelf_open(const char *path, int flags)
{
	const char *name = inside(path);
	const struct shelf_file *f;
	_cleanup_close_ int fd = -1;

	if (!name) {
		fd = open(path, O_RDONLY | O_CLOEXEC | flags);
		return fd < 0 ? -errno : take_fd(fd);
	}
	f = find(name);
	if (!f)
		return -ENOENT;
	fd = memfd_create("dlib", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, f->text, f->size) != (ssize_t)f->size || lseek(fd, 0, SEEK_SET) < 0)
		return -EIO;
	return take_fd(fd);
}

bool shelf_has(const char *path)
{
	const char *name = inside(path);

	if (!name)
		return access(path, F_OK) == 0;
	for (size_t i = 0; i < shelf_nfiles; i++)
		if (!strcmp(shelf_files[i].path, name) || name_in(shelf_files[i].path, name))
			return true;
	return false;
}

static bool is_program(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && name[0] != '.' && !strcmp(name + n - 2, ".d");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *d)
{
	return is_program(d->d_name);
}

static int list_inside(struct arena *a, const char *folder, const char ***ret)
{
	const char **v = arena_new_arr(a, const char *, shelf_nfiles + 1);
	int n = 0;

	for (size_t i = 0; i < shelf_nfiles; i++) {
		const char *name = name_in(shelf_files[i].path, folder);

		if (name && is_program(name))
			v[n++] = name;
	}
	*ret = v;
	return n ? n : -ENOENT;
}

int shelf_list(struct arena *a, const char *folder, const char ***ret)
{
	const char *name = inside(folder);
	struct dirent **entries;
	int n;

	if (name)
		return list_inside(a, name, ret);
	n = scandir(folder, &entries, is_entry, by_name);
	if (n < 0)
		return -errno;
	*ret = arena_new_arr(a, const char *, (size_t)n + 1);
	for (int i = 0; i < n; i++) {
		(*ret)[i] = arena_strdup(a, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return n;
}

const char *shelf_near(struct arena *a, const char *folder, const char *name)
{
	const char **names;
	int n = shelf_list(a, folder, &names);
	struct near near;

	near_init(&near, name);
	for (int i = 0; i < n; i++)
		near_try(&near, arena_strndup(a, names[i], strlen(names[i]) - strlen(".d")));
	return near.best;
}
