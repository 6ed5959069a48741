/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a file of the D library, or writes the built-in one to a folder of the user. */
#include "lsp/libfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/writeall.h"
#include "shelf/shelf.h"

/* Makes the folders of a path, but for what is after its last slash. */
static bool make_folders(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return false;
	}
	return true;
}

/* A new file takes the place of an older one, so that no reader sees half of it. */
static bool write_copy(struct arena *a, const char *path, const char *text, size_t n)
{
	char *temp = arena_printf(a, "%s.XXXXXX", path);
	_cleanup_close_ int fd = mkostemp(temp, O_CLOEXEC);

	if (fd < 0)
		return false;
	if (write_all(fd, text, n) == 0 && fchmod(fd, 0400) == 0 && rename(temp, path) == 0)
		return true;
	unlink(temp);
	return false;
}

const char *libfile_path(struct arena *a, const char *name, const char *text, size_t n)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *path, *real;

	if (strncmp(name, SHELF_INSIDE, strlen(SHELF_INSIDE)) != 0) {
		real = name[0] == '(' ? NULL : realpath(name, NULL); /* "(this machine)" */
		path = real ? arena_strdup(a, real) : NULL;
		free(real);
		return path;
	}
	if (!(cache && cache[0] == '/') && !(home && home[0] == '/'))
		return NULL;
	path = cache && cache[0] == '/'
		       ? arena_printf(a, "%s/dwell/%s%s", cache, DWELL_VERSION, name + strlen(SHELF_INSIDE))
		       : arena_printf(a, "%s/.cache/dwell/%s%s", home, DWELL_VERSION, name + strlen(SHELF_INSIDE));
	return make_folders(path) && write_copy(a, path, text, n) ? path : NULL;
}
