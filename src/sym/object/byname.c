/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that a name stands for on this machine: reads the loader's cache for libraries, and searches PATH
 * for programs. Source: glibc, sysdeps/generic/dl-cache.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/readall.h"
#include "sym/elf/open.h"
#include "sym/object/uobj.h"

#define CACHE "/etc/ld.so.cache"
#define MAX_CACHE (16u << 20) /* bytes of it */
#define MAGIC "glibc-ld.so.cache1.1"

struct cache_head {
	char magic[20];
	uint32_t n, nstrings;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value; /* from the head on */
	uint32_t osversion;
	uint64_t hwcap;
};

struct finding {
	struct arena *a;
	const char *name;
	bool (*match)(const char *name, const struct uobj *o);
	struct uobj *v; /* UOBJ_MAX_LATER */
	size_t n;
};

static void add(struct finding *f, const char *path)
{
	struct uobj by_name = { .path = path, .name = basename(path) };

	if (f->n < UOBJ_MAX_LATER && by_name.name != path && f->match(f->name, &by_name) &&
	    uobj_of_path(f->a, path, &f->v[f->n]) == 0)
		f->n++;
}

/* The NUL-terminated text at an offset, or NULL. */
static const char *text_at(const char *buf, size_t size, uint32_t off)
{
	return off < size && memchr(buf + off, '\0', size - off) ? buf + off : NULL;
}

static void read_cache(struct finding *f, const char *buf, size_t size)
{
	struct cache_head h;
	struct cache_entry e;

	if (size < sizeof(h))
		return;
	memcpy(&h, buf, sizeof(h));
	for (size_t i = 0; i < h.n && size - sizeof(h) >= (i + 1) * sizeof(e); i++) {
		const char *path;

		memcpy(&e, buf + sizeof(h) + i * sizeof(e), sizeof(e));
		path = text_at(buf, size, e.value);
		if (path)
			add(f, path);
	}
}

static void search_cache(struct finding *f)
{
	_cleanup_free_ char *buf = malloc(MAX_CACHE);
	_cleanup_close_ int fd = open(CACHE, O_RDONLY | O_CLOEXEC);
	const char *head = NULL;
	size_t n;

	if (buf && fd >= 0 && read_all(fd, buf, MAX_CACHE, &n) == 0)
		head = memmem(buf, n, MAGIC, sizeof(MAGIC) - 1); /* an older form may precede */
	if (head)
		read_cache(f, head, (size_t)(buf + n - head));
}

static void search_path(struct finding *f)
{
	const char *dirs = getenv("PATH");
	size_t len;

	for (const char *s = dirs ? dirs : ""; *s; s += len + (s[len] == ':')) {
		len = strcspn(s, ":");
		if (s[0] == '/')
			add(f, arena_printf(f->a, "%.*s/%s", (int)len, s, f->name));
	}
}

size_t uobj_by_name(struct arena *a, const char *name, bool (*match)(const char *name, const struct uobj *o),
		    struct uobj **ret)
{
	struct finding f = { .a = a, .name = name, .match = match };

	f.v = arena_new_arr(a, struct uobj, UOBJ_MAX_LATER);
	search_cache(&f);
	if (!strstr(name, ".so") && !strpbrk(name, "/*?[\\"))
		search_path(&f);
	*ret = f.v;
	return f.n;
}
