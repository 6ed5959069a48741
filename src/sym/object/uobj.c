/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files with code of a process. Source: proc(5), "/proc/pid/maps", "/proc/pid/map_files". */
#include "sym/object/uobj.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/proc/maps.h"
#include "sym/elf/open.h"

#define DELETED " (deleted)" /* after the path of a file that has none */
#define LINE_MAX_BYTES 8192  /* a path of 4096 bytes may be escaped */

struct listing {
	struct arena *a;
	int pid;
	VEC(struct uobj) v;
	struct stat exe;
	bool have_exe;
};

/* A name for the file that works here. The link of the mapping is best, but only the initial user
 * namespace's administrator may follow it. */
static const char *attach_path(struct listing *ls, const struct maps_line *l, struct stat *st)
{
	const char *link = arena_printf(ls->a, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, ls->pid, l->start, l->end);
	int fd = open_path_regular(AT_FDCWD, link, st);

	if (fd < 0) {
		link = arena_printf(ls->a, "/proc/%d/root%s", ls->pid, l->path);
		fd = open_path_regular(AT_FDCWD, link, st);
		if (fd >= 0 && st->st_ino != l->ino) {
			close(fd);
			return NULL;
		}
	}
	if (fd < 0)
		return NULL;
	close(fd);
	return link;
}

static int add(struct listing *ls, const struct maps_line *l)
{
	const char *slash = strrchr(l->path, '/');
	struct uobj o = { .dev = l->dev, .ino = l->ino, .start = l->start, .off = l->off };
	struct stat st;

	if (!(l->prot & PROT_EXEC) || l->path[0] != '/' || l->ino == 0 || ls->v.n >= UOBJ_MAX)
		return 0;
	for (size_t i = 0; i < ls->v.n; i++)
		if (ls->v.v[i].ino == l->ino && ls->v.v[i].dev == l->dev)
			return 0;
	o.attach = attach_path(ls, l, &st);
	if (!o.attach)
		return 0;
	o.st_dev = st.st_dev;
	o.path = arena_strdup(ls->a, l->path);
	o.name = arena_strdup(ls->a, slash + 1);
	/* Device numbers of maps and stat differ on some file systems: the inode decides. */
	o.is_exe = ls->have_exe && ls->exe.st_ino == l->ino;
	if (vec_try_push(&ls->v, o) < 0)
		return -ENOMEM;
	return 0;
}

static int read_maps(struct listing *ls)
{
	char path[64], line[LINE_MAX_BYTES];
	_cleanup_fclose_ FILE *f = NULL;
	struct maps_line l;
	bool any = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", ls->pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		any = true;
		if (maps_parse_line(line, &l) && add(ls, &l) < 0)
			return -ENOMEM;
	}
	if (ferror(f))
		return errno == EACCES || errno == EPERM ? -EACCES : -ESRCH;
	return any ? 0 : -ESRCH; /* zombies and kernel threads have none */
}

int uobj_list(struct arena *a, int pid, struct uobj **ret, size_t *ret_n, struct err *err)
{
	struct listing ls = { .a = a, .pid = pid };
	char path[64];
	size_t at = 0;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ls.have_exe = stat(path, &ls.exe) == 0;
	r = read_maps(&ls);
	if (r < 0) {
		vec_free(&ls.v);
		return err_set(err, r, "failed to grab process %d: %s", pid, strerror(-r));
	}
	while (at < ls.v.n && !ls.v.v[at].is_exe)
		at++;
	*ret = arena_new_arr(a, struct uobj, ls.v.n + 1);
	*ret_n = 0;
	if (at < ls.v.n)
		(*ret)[(*ret_n)++] = ls.v.v[at];
	for (size_t i = 0; i < ls.v.n; i++)
		if (i != at)
			(*ret)[(*ret_n)++] = ls.v.v[i];
	vec_free(&ls.v);
	return 0;
}

int uobj_of_mapping(struct arena *a, const struct uobj_mapping *m, struct uobj *ret)
{
	struct maps_line l = { .start = m->start,
			       .end = m->end,
			       .off = m->off,
			       .dev = m->dev,
			       .ino = m->ino,
			       .prot = PROT_EXEC,
			       .path = arena_strdup(a, m->path) };
	struct listing ls = { .a = a, .pid = m->pid };
	size_t n = strlen(l.path), cut = sizeof(DELETED) - 1;
	char path[64];
	int r;

	if (n > cut && !strcmp(l.path + n - cut, DELETED))
		l.path[n - cut] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/exe", m->pid);
	ls.have_exe = stat(path, &ls.exe) == 0;
	r = add(&ls, &l);
	if (r == 0 && ls.v.n)
		*ret = ls.v.v[0];
	else if (r == 0 && l.path[0] == '/')
		r = uobj_of_path(a, l.path, ret);
	else
		r = r < 0 ? r : -ENOENT;
	if (r == 0 && !ls.v.n && (ret->ino != m->ino || ret->st_dev != m->dev))
		r = -ENOENT;
	vec_free(&ls.v);
	return r;
}

/* Reading through /proc faults the page in, and its neighbours where they are in the page cache. */
static void touch_range(int mem, uint64_t start, uint64_t end, uint64_t *left)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char c;

	for (uint64_t at = start; at < end && *left >= page; at += page) {
		if (pread(mem, &c, 1, (off_t)at) != 1)
			return;
		*left -= page;
	}
}

void uobj_touch(const struct uobj *o, int pid)
{
	char path[64], line[LINE_MAX_BYTES];
	uint64_t left = UOBJ_MAX_TOUCH;
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_close_ int mem = -1;
	struct maps_line l;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (mem >= 0 && f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (maps_parse_line(line, &l) && l.prot == PROT_READ && l.ino == o->ino && l.dev == o->dev)
			touch_range(mem, l.start, l.end, &left);
	}
}

int uobj_open(const struct uobj *o, struct uobj_file *ret)
{
	struct stat st;
	int r;

	ret->fd = open_regular(AT_FDCWD, o->attach, true, &st);
	if (ret->fd < 0)
		return ret->fd;
	r = elf_open(&ret->elf, (struct elf_src){ .fd = ret->fd, .size = (uint64_t)st.st_size });
	if (r < 0)
		closep(&ret->fd);
	return r;
}

void uobj_close(struct uobj_file *f)
{
	elf_close(&f->elf);
	closep(&f->fd);
	f->fd = -1;
}
