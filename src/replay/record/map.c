/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that change mappings, and the contents of the files that are mapped. The contents are copied into the
 * trace, so that it does not matter what becomes of the files. */
#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "replay/record/int.h"

#define PAGE 4096ull
#define PIECE (TRACE_EVENT_MAX - sizeof(struct ev_blob))
#define SETTLED 2 /* seconds: a file changed less than that before the start may change once more unseen */

static uint8_t piece[PIECE];

static bool is_file(const struct rec *r)
{
	return !(r->k->call.regs[R_A3] & MAP_ANONYMOUS);
}

/* How the program has opened fd, as of fcntl(2); -1: it has not. */
static int open_flags(const struct rec *r, int fd)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[128];
	unsigned flags;

	snprintf(line, sizeof(line), "/proc/%d/fdinfo/%d", (int)r->k->t.pid, fd);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			return (int)flags;
	return -1;
}

static int check_file(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	int fd = (int)a[4], flags = open_flags(r, fd);
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)r->k->t.pid, fd);
	if (flags < 0 || stat(path, &st) < 0)
		return 0; /* the call fails */
	if (!S_ISREG(st.st_mode))
		return rec_stop(r, "mmap of what is no regular file (descriptor %d) cannot be recorded", fd);
	if ((a[3] & MAP_TYPE) != MAP_PRIVATE && (flags & O_ACCMODE) != O_RDONLY)
		return rec_stop(
			r,
			"a shared mapping of a file that is open for writing (descriptor %d) cannot be recorded: "
			"others may change it at any time",
			fd);
	if (a[1] > REC_FILE_MAX)
		return rec_stop(r, "mmap of %llu bytes of a file cannot be recorded: at most %llu",
				(unsigned long long)a[1], REC_FILE_MAX);
	return 0;
}

static bool hits(const struct span *s, uint64_t start, uint64_t size)
{
	return s->addr < start + size && start < s->addr + s->size;
}

static int check_mremap(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];

	if (a[3] & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED))
		return rec_stop(r, "mremap with flags 0x%llx cannot be recorded", (unsigned long long)a[3]);
	for (size_t i = 0; i < r->k->space->mapped.n; i++)
		if (hits(&r->k->space->mapped.v[i], a[0], a[1]))
			return rec_stop(r, "mremap of a mapped file cannot be recorded");
	return 0;
}

int rec_map_entry(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];

	switch (r->k->call.regs[R_NR]) {
	case __NR_mmap: return is_file(r) ? check_file(r) : 0;
	case __NR_mremap: return check_mremap(r);
	case __NR_madvise:
		if (a[2] == MADV_REMOVE)
			return rec_stop(r, "madvise with MADV_REMOVE cannot be recorded");
		if (a[2] == MADV_FREE) /* the kernel would take pages when it likes: as before Linux 4.5 */
			r->k->deny = -EINVAL;
		return 0;
	default: return 0;
	}
}

static int put_blob(struct rec *r, const void *bytes, size_t n, uint64_t at)
{
	const struct ev_blob b = { at };

	return rec_event(r, EV_BLOB, &b, sizeof(b), bytes, n);
}

/* Room in the arena. */
static int take_arena(struct rec *r, uint64_t size, uint64_t *at)
{
	if (size > ARENA_MAX - r->arena)
		return rec_stop(r, "more than %llu bytes of files are mapped", ARENA_MAX);
	*at = r->arena;
	r->arena += ROUND_UP(size, PAGE);
	return 0;
}

int rec_blob_memory(struct rec *r, uint64_t addr, uint64_t size, uint64_t *at)
{
	int e = take_arena(r, size, at);

	for (uint64_t done = 0, n; done < size && e == 0; done += n) {
		n = size - done < PIECE ? size - done : PIECE;
		n = tracee_read(&r->k->t, addr + done, piece, n);
		if (n == 0)
			break; /* after the end of a file */
		e = put_blob(r, piece, n, *at + done);
	}
	return e;
}

static bool same(const struct rec_file *f, const struct stat *st)
{
	return f->dev == st->st_dev && f->ino == st->st_ino && f->changed.tv_sec == st->st_ctim.tv_sec &&
	       f->changed.tv_nsec == st->st_ctim.tv_nsec;
}

/* A change of the file after that time would show. */
static bool is_settled(const struct rec *r, const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec + SETTLED < r->head.real_ns / NSEC_PER_SEC;
}

/* Notes the file of these contents, for questions about the recording. */
static int put_file(struct rec *r, const char *path, const struct rec_file *f)
{
	const struct ev_file e = { f->at, f->to - f->from, f->from };

	return path[0] == '/' ? rec_event(r, EV_FILE, &e, sizeof(e), path, strlen(path) + 1) : 0;
}

int rec_blob_file(struct rec *r, int fd, const char *path, uint64_t from, uint64_t to, uint64_t *at)
{
	struct rec_file f = { .from = from, .to = to };
	struct stat st;
	int e;

	if (fstat(fd, &st) < 0)
		return rec_stop(r, "cannot read a file that is mapped: %s", strerror(errno));
	f.dev = st.st_dev;
	f.ino = st.st_ino;
	f.changed = st.st_ctim;
	for (size_t i = 0; i < r->files.n; i++)
		if (same(&r->files.v[i], &st) && r->files.v[i].from <= from && to <= r->files.v[i].to) {
			*at = r->files.v[i].at + (from - r->files.v[i].from);
			return 0;
		}
	e = take_arena(r, to - from, &f.at);
	if (e == 0)
		e = put_file(r, path, &f);
	*at = f.at;
	for (uint64_t done = 0; from + done < to && e == 0;) {
		size_t n = to - from - done < PIECE ? to - from - done : PIECE;
		ssize_t k = pread(fd, piece, n, (off_t)(from + done));

		if (k < 0)
			return rec_stop(r, "cannot read a file that is mapped: %s", strerror(errno));
		if (k == 0)
			break;
		e = put_blob(r, piece, (size_t)k, f.at + done);
		done += (uint64_t)k;
	}
	if (e == 0 && r->files.n < REC_FILES_MAX && is_settled(r, &st))
		e = vec_try_push(&r->files, f);
	return e;
}

static int make_fault(struct rec *r, const struct span *s)
{
	static const uint8_t ud2[2] = { 0x0f, 0x0b };
	const struct ev_mem m = { s->addr };
	int e = tracee_write(&r->k->t, s->addr, ud2, sizeof(ud2));

	if (e == 0)
		e = vec_try_push(&r->k->space->tsc, *s);
	return e < 0 ? rec_broken(r, e) : rec_event(r, EV_MEM, &m, sizeof(m), ud2, sizeof(ud2));
}

/* Takes what has been found as that of the file, for the next process that maps it. */
static int keep_tsc(struct rec *r, const struct stat *st, uint64_t start, uint64_t end, uint64_t off,
		    const struct spans *found)
{
	struct rec_tsc k = { st->st_dev, st->st_ino, st->st_ctim, off, end - start, { 0 } };
	int e = 0;

	for (size_t i = 0; i < found->v.n && e == 0; i++)
		e = vec_try_push(&k.sites, ((struct span){ found->v.v[i].addr - start, found->v.v[i].size }));
	if (e == 0)
		e = vec_try_push(&r->tsc, k);
	if (e < 0)
		vec_free(&k.sites);
	return e;
}

static const struct rec_tsc *find_tsc(const struct rec *r, const struct stat *st, uint64_t size, uint64_t off)
{
	for (size_t i = 0; i < r->tsc.n; i++) {
		const struct rec_tsc *k = &r->tsc.v[i];

		if (k->dev == st->st_dev && k->ino == st->st_ino && k->off == off && k->size == size &&
		    k->changed.tv_sec == st->st_ctim.tv_sec && k->changed.tv_nsec == st->st_ctim.tv_nsec)
			return k;
	}
	return NULL;
}

int rec_tsc_code(struct rec *r, const char *path, uint64_t start, uint64_t end, uint64_t off)
{
	const struct rec_tsc *known;
	struct spans s = { 0 };
	struct stat st = { 0 };
	int e = 0;

	if (!r->tsc_by_code)
		return 0;
	known = stat(path, &st) == 0 ? find_tsc(r, &st, end - start, off) : NULL;
	for (size_t i = 0; known && i < known->sites.n && e == 0; i++)
		e = make_fault(r, &(struct span){ start + known->sites.v[i].addr, known->sites.v[i].size });
	if (known)
		return e;
	e = tsc_sites(&r->k->t, path, start, end, off, &s);
	if (e == 0 && st.st_ino && is_settled(r, &st))
		e = keep_tsc(r, &st, start, end, off, &s);
	e = e < 0 ? rec_broken(r, e) : 0;
	for (size_t i = 0; i < s.v.n && e == 0; i++)
		e = make_fault(r, &s.v.v[i]);
	vec_free(&s.v);
	return e;
}

void rec_tsc_done(struct rec *r)
{
	for (size_t i = 0; i < r->tsc.n; i++)
		vec_free(&r->tsc.v[i].sites);
	vec_free(&r->tsc);
}

void rec_unmapped(struct rec *r, uint64_t start, uint64_t size)
{
	size_t n = r->k->space->mapped.n;

	for (size_t i = 0; i < n; i++) {
		struct span s = r->k->space->mapped.v[i];

		if (!hits(&s, start, size))
			continue;
		r->k->space->mapped.v[i].size = start > s.addr ? start - s.addr : 0;
		if (s.addr + s.size > start + size)
			vec_push(&r->k->space->mapped,
				 ((struct span){ start + size, s.addr + s.size - (start + size) }));
	}
}

/* Pages after the end of the file: an access is SIGBUS. */
static int put_nothing(struct rec *r, uint64_t there)
{
	const uint64_t *a = &r->k->call.regs[R_A0], at = (uint64_t)r->k->call.ret;
	const struct ev_map m = { at + there, at + ROUND_UP(a[1], PAGE), ARENA_NOTHING,
				  (uint32_t)a[2] & (PROT_READ | PROT_WRITE | PROT_EXEC), 0 };

	return m.start < m.end ? rec_event(r, EV_MAP, &m, sizeof(m), NULL, 0) : 0;
}

static int mapped_file(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	_cleanup_close_ int fd = -1;
	char path[64], name[PATH_MAX] = "";
	uint64_t end;
	struct stat st;
	ssize_t n;
	int e;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)r->k->t.pid, (int)a[4]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return rec_stop(r, "cannot read a file that is mapped: %s", strerror(errno));
	n = readlink(path, name, sizeof(name) - 1);
	name[n < 0 ? 0 : n] = 0;
	vec_push(&r->k->space->mapped, ((struct span){ (uint64_t)r->k->call.ret, ROUND_UP(a[1], PAGE) }));
	end = a[5] + ROUND_UP(a[1], PAGE);
	if (end > (uint64_t)st.st_size)
		end = (uint64_t)st.st_size;
	e = end > a[5] ? rec_blob_file(r, fd, name, a[5], end, &r->k->call.arena)
		       : take_arena(r, a[1], &r->k->call.arena);
	if (e == 0)
		e = put_nothing(r, end > a[5] ? ROUND_UP(end, PAGE) - a[5] : 0);
	if (e == 0 && end > a[5] && (a[2] & PROT_EXEC))
		e = rec_tsc_code(r, path, (uint64_t)r->k->call.ret, (uint64_t)r->k->call.ret + (end - a[5]), a[5]);
	return e;
}

static int mmap_exit(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	const struct span s = { (uint64_t)r->k->call.ret, a[1] };

	if (hits(&s, SCRATCH, STUB_END - SCRATCH))
		return rec_stop(r, "a mapping at 0x%llx cannot be recorded: the replay needs that place", SCRATCH);
	rec_unmapped(r, s.addr, ROUND_UP(s.size, PAGE));
	return is_file(r) ? mapped_file(r) : 0;
}

/* Advice that shows in memory, now or in a copy of it. */
static bool changes_memory(uint64_t advice)
{
	return advice == MADV_DONTNEED || advice == MADV_DONTNEED_LOCKED || advice == MADV_DONTFORK ||
	       advice == MADV_DOFORK || advice == MADV_WIPEONFORK || advice == MADV_KEEPONFORK;
}

/* Advice that failed took effect up to the first mapping that it is not for, such as a locked one. The replay has no
 * locked memory, so the pages as they are now are recorded. */
static int put_pages(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0], start = a[0], end = start + ROUND_UP(a[1], PAGE);
	int e = 0;

	if (end - start > GROUP_MAX)
		return rec_stop(r, "madvise that fails on more than %u bytes cannot be recorded", GROUP_MAX);
	for (uint64_t at = start; at < end && e == 0; at += PAGE)
		e = rec_put_mem(r, &(struct span){ at, PAGE });
	return e;
}

int rec_map_exit(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	uint64_t nr = r->k->call.regs[R_NR];
	bool failed = r->k->call.ret < 0 && r->k->call.ret > -(int64_t)PAGE;

	/* A call about several mappings may have changed some of them when it fails. */
	if (failed && nr == __NR_madvise && (a[2] == MADV_DONTNEED || a[2] == MADV_DONTNEED_LOCKED) &&
	    r->k->call.ret == -EINVAL && a[0] % PAGE == 0 && a[1] <= UINT64_MAX - a[0] - PAGE)
		return put_pages(r);
	if (r->k->deny || (failed && !((nr == __NR_mprotect || nr == __NR_madvise) && r->k->call.ret == -ENOMEM)))
		return 0;
	if (nr == __NR_madvise && !changes_memory(a[2]))
		return 0;
	r->k->call.how = HOW_MAP;
	if (nr == __NR_mmap)
		return mmap_exit(r);
	if (nr == __NR_munmap)
		rec_unmapped(r, a[0], ROUND_UP(a[1], PAGE));
	return 0;
}
