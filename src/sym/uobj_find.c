/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a library by name before a process loads it, where its dynamic linker is likely to find it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/open.h"
#include "sym/uobj.h"

#define MAX_ENVIRON (2u << 20) /* bytes of a process's environment that are looked at */

static int try_path(struct arena *a, int pid, const char *path, struct uobj *ret)
{
	const char *attach = arena_printf(a, "/proc/%d/root%s", pid, path);
	struct stat st;
	int fd = path[0] == '/' ? open_path_regular(AT_FDCWD, attach, &st) : -ENOENT;

	if (fd < 0)
		return fd;
	close(fd);
	*ret = (struct uobj){
		.path = arena_strdup(a, path),
		.name = arena_strdup(a, strrchr(path, '/') + 1),
		.attach = attach,
		.dev = st.st_dev,
		.ino = st.st_ino,
	};
	return 0;
}

static int try_dir(struct arena *a, int pid, const char *dir, size_t len, const char *name, struct uobj *ret)
{
	return try_path(a, pid, arena_printf(a, "%.*s/%s", (int)len, dir, name), ret);
}

/* The directories in LD_LIBRARY_PATH. */
static int try_environ(struct arena *a, int pid, const char *name, struct uobj *ret)
{
	static const char var[] = "LD_LIBRARY_PATH=";
	_cleanup_free_ char *env = malloc(MAX_ENVIRON + 1);
	_cleanup_fclose_ FILE *f = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	if (!f || !env)
		return -ENOENT;
	n = fread(env, 1, MAX_ENVIRON, f);
	env[n] = '\0';
	for (char *s = env; s < env + n; s += strlen(s) + 1) {
		if (strncmp(s, var, sizeof(var) - 1) != 0)
			continue;
		for (char *d = s + sizeof(var) - 1; *d;) {
			size_t len = strcspn(d, ":;");

			if (len && try_dir(a, pid, d, len, name, ret) == 0)
				return 0;
			d += len + (d[len] != '\0');
		}
	}
	return -ENOENT;
}

int uobj_find(struct arena *a, int pid, const struct uobj *v, size_t n, const char *name, struct uobj *ret)
{
	if (strchr(name, '/') || !strstr(name, ".so"))
		return -ENOENT;
	if (try_environ(a, pid, name, ret) == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (try_dir(a, pid, v[i].path, (size_t)(strrchr(v[i].path, '/') - v[i].path), name, ret) == 0)
			return 0;
	return -ENOENT;
}
