/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libraries by name before a process loads them, where its dynamic linker is likely to find them; also files
 * that no process has mapped. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/elf/open.h"
#include "sym/object/uobj.h"

#define MAX_ENVIRON (2u << 20) /* bytes of a process's environment that are looked at */

struct finding {
	struct arena *a;
	int pid;
	const char *glob;
	struct uobj *v; /* UOBJ_MAX_LATER */
	size_t n;
};

static int of_path(struct arena *a, const char *attach, const char *path, struct uobj *ret)
{
	struct stat st;
	int fd = path[0] == '/' ? open_path_regular(AT_FDCWD, attach, &st) : -ENOENT;

	if (fd < 0)
		return fd;
	close(fd);
	*ret = (struct uobj){
		.path = arena_strdup(a, path),
		.name = arena_strdup(a, strrchr(path, '/') + 1),
		.attach = arena_strdup(a, attach),
		.dev = st.st_dev,
		.st_dev = st.st_dev,
		.ino = st.st_ino,
	};
	return 0;
}

int uobj_of_path(struct arena *a, const char *path, struct uobj *ret)
{
	return of_path(a, path, path, ret);
}

static bool known(const struct finding *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->v[i].name, name))
			return true;
	return false;
}

static void try_file(struct finding *f, const char *dir, size_t len, const char *name)
{
	const char *path = arena_printf(f->a, "%.*s/%s", (int)len, dir, name);

	if (f->n < UOBJ_MAX_LATER && !known(f, name) &&
	    of_path(f->a, arena_printf(f->a, "/proc/%d/root%s", f->pid, path), path, &f->v[f->n]) == 0)
		f->n++;
}

static void try_dir(struct finding *f, const char *dir, size_t len)
{
	struct dirent *e;
	DIR *d;

	if (!strpbrk(f->glob, "*?[\\")) {
		try_file(f, dir, len, f->glob);
		return;
	}
	d = opendir(arena_printf(f->a, "/proc/%d/root%.*s", f->pid, (int)len, dir));
	while (d && (e = readdir(d)))
		if (fnmatch(f->glob, e->d_name, 0) == 0 && strstr(e->d_name, ".so"))
			try_file(f, dir, len, e->d_name);
	if (d)
		closedir(d);
}

/* A file in the folders below one, as a runtime's own library is that its launcher loads: Java's lib/server/libjvm.so.
 */
static void try_below(struct finding *f, const char *dir, size_t len)
{
	DIR *d = opendir(arena_printf(f->a, "/proc/%d/root%.*s", f->pid, (int)len, dir));
	struct dirent *e;

	while (d && !f->n && (e = readdir(d)))
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			try_file(f, arena_printf(f->a, "%.*s/%s", (int)len, dir, e->d_name),
				 len + 1 + strlen(e->d_name), f->glob);
	if (d)
		closedir(d);
}

/* The directories in LD_LIBRARY_PATH. */
static void try_environ(struct finding *f)
{
	static const char var[] = "LD_LIBRARY_PATH=";
	_cleanup_free_ char *env = malloc(MAX_ENVIRON + 1);
	_cleanup_fclose_ FILE *in = NULL;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", f->pid);
	in = fopen(path, "re");
	if (!in || !env)
		return;
	n = fread(env, 1, MAX_ENVIRON, in);
	env[n] = '\0';
	for (char *s = env; s < env + n; s += strlen(s) + 1) {
		if (strncmp(s, var, sizeof(var) - 1) != 0)
			continue;
		for (char *d = s + sizeof(var) - 1; *d;) {
			size_t len = strcspn(d, ":;");

			if (len)
				try_dir(f, d, len);
			d += len + (d[len] != '\0');
		}
	}
}

static size_t dir_len(const struct uobj *o)
{
	return (size_t)(strrchr(o->path, '/') - o->path);
}

/* Another file before it is in the same directory. */
static bool is_repeated(const struct uobj *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (dir_len(&v[k]) == dir_len(&v[i]) && !memcmp(v[k].path, v[i].path, dir_len(&v[i])))
			return true;
	return false;
}

size_t uobj_find(struct arena *a, int pid, const struct uobj *v, size_t n, const char *glob, struct uobj **ret)
{
	struct finding f = { .a = a, .pid = pid, .glob = glob };

	*ret = NULL;
	if (strchr(glob, '/') || !strstr(glob, ".so"))
		return 0;
	f.v = arena_new_arr(a, struct uobj, UOBJ_MAX_LATER);
	try_environ(&f);
	for (size_t i = 0; i < n; i++)
		if (!is_repeated(v, i))
			try_dir(&f, v[i].path, dir_len(&v[i]));
	for (size_t i = 0; i < n && !f.n && !strpbrk(glob, "*?[\\"); i++)
		if (!v[i].is_exe && !is_repeated(v, i))
			try_below(&f, v[i].path, dir_len(&v[i]));
	*ret = f.v;
	return f.n;
}
