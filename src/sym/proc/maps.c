/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and updates the mappings of a process. */
#include "sym/proc/maps.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "sym/elf/open.h"
#include "sym/proc/int.h"

#define MAPS_READ (16u << 10)
/* How far apart the mappings of one file may be, counted in mappings. */
#define MAPS_NEAR 8u

static const char deleted[] = " (deleted)";

/* Undoes the kernel's "\012" for a newline. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (strncmp(s, "\\012", 4) == 0) {
			*to++ = '\n';
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

bool maps_parse_line(char *line, struct maps_line *ret)
{
	unsigned maj, min;
	char perms[5];
	int at = 0;

	*ret = (struct maps_line){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &ret->start, &ret->end, perms,
		   &ret->off, &maj, &min, &ret->ino, &at) != 7 ||
	    ret->start >= ret->end || strlen(perms) != 4)
		return false;
	ret->dev = makedev(maj, min);
	ret->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
		    (perms[2] == 'x' ? PROT_EXEC : 0);
	ret->path = line + at + strspn(line + at, " ");
	size_t n = strlen(ret->path), cut = strlen(deleted);

	if (n > cut && strcmp(ret->path + n - cut, deleted) == 0)
		ret->path[n - cut] = '\0';
	unescape(ret->path);
	return true;
}

/* A line while all of a process are read. */
struct entry {
	struct umap m;
	uint64_t dev, ino;
	const char *path; /* in sym.names; NULL: no file */
	bool copied;	  /* of a replay */
};

struct reading {
	struct sym *s;
	int procfd;
	VEC(struct entry) v;
};

bool maps_is_anon(const char *path)
{
	static const char zero[] = "/dev/zero"; /* so the kernel names what is shared: "/dev/zero (deleted)" */

	return path[0] == '\0' || strncmp(path, "//anon", 6) == 0 || strncmp(path, "[anon", 5) == 0 ||
	       (strncmp(path, zero, strlen(zero)) == 0 && (path[strlen(zero)] == '\0' || path[strlen(zero)] == ' '));
}

static const char *module_of(struct sym *s, const char *path)
{
	const char *base = strrchr(path, '/');

	if (maps_is_anon(path))
		return "[anon]";
	return strset_add(&s->names, base && base[1] ? base + 1 : path);
}

/* A replay has a program's own data, as its start left it, in a file of its own. */
static bool is_replayed(const char *path)
{
	return strcmp(path, "/memfd:dwell-replay") == 0;
}

static int add_line(struct reading *rd, char *line)
{
	struct maps_line l;
	struct entry *last = rd->v.n ? &rd->v.v[rd->v.n - 1] : NULL;

	if (!maps_parse_line(line, &l) || rd->v.n >= MAPS_MAX)
		return 0;
	bool is_file = l.path[0] == '/' && l.ino != 0 && !maps_is_anon(l.path);
	/* A file's zeroed data follows its last mapping as anonymous memory. Code made at run time may do so, too. */
	const bool data = !(l.prot & PROT_EXEC) && last && last->m.end == l.start,
		   copied = data && is_replayed(l.path) && (last->path || last->copied);
	bool bss = (!is_file && data && l.path[0] == '\0' && last->path) || copied;

	if (!is_file && !(l.prot & PROT_EXEC) && !bss && l.path[0] != '[')
		return 0;
	if (bss && last->copied) {
		last->m.end = l.end;
		return 0;
	}
	struct entry e = {
		.m = { .start = l.start, .end = l.end, .off = l.off, .exec = l.prot & PROT_EXEC, .bss = bss },
		.dev = bss ? last->dev : l.dev,
		.ino = bss ? last->ino : l.ino,
		.path = is_file && !copied ? strset_add(&rd->s->names, l.path) : NULL,
		.copied = copied,
	};
	if (bss) {
		e.m.off = last->m.off + (last->m.end - last->m.start);
		if (copied) { /* the page that the file has at its end may be another one's */
			e.m.off = last->m.off + 1;
			e.m.gap = last->m.end - last->m.start - 1;
		}
		e.m.name = last->m.name;
	} else {
		e.m.name = module_of(rd->s, l.path);
	}
	if (!e.m.name)
		return -ENOMEM;
	return vec_try_push(&rd->v, e);
}

static int read_lines(struct reading *rd, int fd)
{
	_cleanup_free_ char *buf = malloc(MAPS_READ + 1);
	size_t have = 0;
	bool any = false;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read(fd, buf + have, MAPS_READ - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return any ? 0 : -ESRCH;
		any = true;
		have += (size_t)got;
		char *s = buf, *nl;

		while ((nl = memchr(s, '\n', have - (size_t)(s - buf)))) {
			*nl = '\0';
			int r = add_line(rd, s);

			if (r < 0)
				return r;
			s = nl + 1;
		}
		have -= (size_t)(s - buf);
		if (have == MAPS_READ)
			have = 0; /* no line is that long */
		memmove(buf, s, have);
	}
}

/* For a process that exits while its mappings are read: what is at the path for us, if it is that file. */
static struct ufile *file_of_path(struct reading *rd, const struct entry *e)
{
	struct stat st;
	_cleanup_close_ int fd = open_path_regular(AT_FDCWD, e->path, &st);

	return fd >= 0 && st.st_ino == e->ino && st.st_dev == e->dev ? ufile_get(rd->s, fd, &st, e->path) : NULL;
}

/* The mapped file itself, even if its path leads to another one now. Without the privilege for that, the file at the
 * path in the process's root, if it has the right inode number. */
static struct ufile *file_of_mapping(struct reading *rd, const struct entry *e)
{
	char link[64];
	struct stat st;

	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64, e->m.start, e->m.end);
	_cleanup_close_ int fd = open_path_regular(rd->procfd, link, &st);

	if (fd >= 0)
		return ufile_get(rd->s, fd, &st, e->path);
	char path[PATH_MAX + 8];

	if (snprintf(path, sizeof(path), "root%s", e->path) >= (int)sizeof(path))
		return NULL;
	_cleanup_close_ int rooted = open_path_regular(rd->procfd, path, &st);

	if (rooted < 0)
		return file_of_path(rd, e);
	return st.st_ino == e->ino ? ufile_get(rd->s, rooted, &st, e->path) : NULL;
}

static struct ufile *vdso_of(struct reading *rd, const struct umap *m)
{
	size_t own = 0, size = m->end - m->start;
	struct ufile *f = ufile_get_vdso(rd->s, &own);

	if (f && own == size && m->start > UINT32_MAX)
		return f;
	ufile_put(rd->s, f);
	if (size > UFILE_MAX_VDSO)
		return NULL;
	_cleanup_close_ int mem = openat(rd->procfd, "mem", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ uint8_t *buf = malloc(size);

	if (mem < 0 || !buf || pread(mem, buf, size, (off_t)m->start) != (ssize_t)size)
		return NULL;
	return ufile_get_image(rd->s, buf, size, "[vdso]");
}

static bool same_file(const struct entry *a, const struct entry *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

/* Files are opened for mappings with code; data of the same file lies next to them. */
static void find_files(struct reading *rd)
{
	size_t n = rd->v.n;

	for (size_t i = 0; i < n; i++) {
		struct entry *e = &rd->v.v[i];

		if (e->m.exec && e->path)
			e->m.f = file_of_mapping(rd, e);
		else if (e->m.exec && strcmp(e->m.name, "[vdso]") == 0)
			e->m.f = vdso_of(rd, &e->m);
	}
	for (size_t i = 0; i < n; i++) {
		struct entry *e = &rd->v.v[i];
		size_t lo = i > MAPS_NEAR ? i - MAPS_NEAR : 0;
		size_t hi = n - i > MAPS_NEAR ? i + MAPS_NEAR : n;

		for (size_t j = lo; j < hi && !e->m.f && !e->m.exec && e->ino; j++) {
			const struct entry *o = &rd->v.v[j];

			if (o->m.exec && o->m.f && same_file(o, e)) {
				e->m.f = o->m.f;
				ufile_ref(rd->s, e->m.f);
			}
		}
	}
}

int maps_read(struct sym *s, int procfd, struct umaps *ret)
{
	_cleanup_close_ int fd = openat(procfd, "maps", O_RDONLY | O_CLOEXEC);
	struct reading rd = { .s = s, .procfd = procfd };

	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	int r = read_lines(&rd, fd);

	if (r == 0) {
		*ret = (struct umaps){ 0 };
		r = vec_reserve_raw((void **)&ret->v, &ret->cap, rd.v.n + 1, sizeof(*ret->v));
	}
	if (r == 0) {
		find_files(&rd);
		for (size_t i = 0; i < rd.v.n; i++)
			ret->v[ret->n++] = rd.v.v[i].m;
	}
	vec_free(&rd.v);
	return r;
}

/* Whether [start, end) is free in m, whose first mapping that ends after start is searched. */
static size_t first_ending_after(const struct umaps *m, uint64_t start)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[mid].end <= start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int by_start(const void *a, const void *b)
{
	const struct umap *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void maps_merge(struct sym *s, struct umaps *m, struct umaps *fresh)
{
	size_t nfresh = fresh->n, nstale = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct umap *o = &m->v[i];
		struct umaps head = { .v = fresh->v, .n = nfresh };
		size_t at = first_ending_after(&head, o->start);
		bool free_place = at == nfresh || head.v[at].start >= o->end;

		if (free_place && o->f && o->exec && nstale < MAPS_MAX_STALE &&
		    vec_reserve_raw((void **)&fresh->v, &fresh->cap, fresh->n + 1, sizeof(*fresh->v)) == 0) {
			o->stale = true;
			fresh->v[fresh->n++] = *o;
			nstale++;
		} else {
			ufile_put(s, o->f);
		}
	}
	if (nstale)
		qsort(fresh->v, fresh->n, sizeof(*fresh->v), by_start);
	free(m->v);
	*m = *fresh;
	*fresh = (struct umaps){ 0 };
}

/* Cuts [start, end) out of the mappings; at is the first that may be concerned. */
static size_t cut_out(struct sym *s, struct umaps *m, size_t at, uint64_t start, uint64_t end)
{
	size_t to = at;

	if (at < m->n && m->v[at].start < start && m->v[at].end > end) {
		struct umap tail = m->v[at]; /* split: room for it was made by the caller */

		tail.off += end - tail.start;
		tail.start = end;
		ufile_ref(s, tail.f);
		memmove(&m->v[at + 2], &m->v[at + 1], (m->n - at - 1) * sizeof(*m->v));
		m->v[at].end = start;
		m->v[at + 1] = tail;
		m->n++;
		return at + 1;
	}
	if (at < m->n && m->v[at].start < start) {
		m->v[at].end = start;
		to = ++at;
	}
	for (; at < m->n && m->v[at].end <= end; at++)
		ufile_put(s, m->v[at].f);
	if (at < m->n && m->v[at].start < end) {
		m->v[at].off += end - m->v[at].start;
		m->v[at].start = end;
	}
	memmove(&m->v[to], &m->v[at], (m->n - at) * sizeof(*m->v));
	m->n -= at - to;
	return to;
}

int maps_insert(struct sym *s, struct umaps *m, struct umap map)
{
	if (m->n >= MAPS_MAX || vec_reserve_raw((void **)&m->v, &m->cap, m->n + 2, sizeof(*m->v)) < 0) {
		ufile_put(s, map.f);
		return -ENOMEM;
	}
	size_t at = cut_out(s, m, first_ending_after(m, map.start), map.start, map.end);

	memmove(&m->v[at + 1], &m->v[at], (m->n - at) * sizeof(*m->v));
	m->v[at] = map;
	m->n++;
	return 0;
}

const struct umap *maps_at(const struct umaps *m, uint64_t addr)
{
	size_t i = first_ending_after(m, addr);

	return i < m->n && m->v[i].start <= addr ? &m->v[i] : NULL;
}

void maps_free(struct sym *s, struct umaps *m)
{
	for (size_t i = 0; i < m->n; i++)
		ufile_put(s, m->v[i].f);
	free(m->v);
	*m = (struct umaps){ 0 };
}
