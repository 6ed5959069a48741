/* SPDX-License-Identifier: Apache-2.0 */
/* Saves what a process has written to its memory, and the heads of its files, which tell their build ids. The rest is
 * in these files. /proc/PID/pagemap tells which pages were written. The memory is copied first where there is room, so
 * that the process goes on before anything is packed. */
#include "core/target/save.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/readall.h"
#include "core/target/live.h"
#include "core/target/packed.h"
#include "core/target/savenotes.h"

#define X86_64_ONLY "cores are saved on x86-64 only"
#define PAGE 4096u
#define CHUNK (256u << 10)		    /* bytes that are read at once */
#define GAP (16u << 20)			    /* bytes that nobody touched: larger ones are left out */
#define FILE_GAP (16u * PAGE)		    /* the same where a file has them */
#define MAX_DATA (16u << 20)		    /* of a file that can be written: larger ones may be shared */
#define ROOM (64 * PAGE / sizeof(uint64_t)) /* pages that are looked at at once */
/* Bits of an entry in pagemap. Source: Documentation/admin-guide/mm/pagemap.rst */
#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)
#define OF_FILE (UINT64_C(1) << 61)

/* The notes have the registers of x86-64, and nothing here reads others. */
#if defined(__x86_64__)
#define IS_X86_64 true
#else
#define IS_X86_64 false
#endif

struct piece {
	uint64_t start, end, bytes;
	uint32_t flags;
};

struct saving {
	struct core c;
	int pagemap;
	VEC(struct piece) pieces;
	uint64_t total;
	uint8_t *copy; /* of all pieces' bytes, or NULL */
	uint64_t copied;
	uint8_t *buf; /* of CHUNK bytes, without a copy */
	uint64_t began;
	struct save_said *said;
	struct save_filter *filter; /* or NULL */
	struct packer to;
};

/* -- which memory -- */

static int add_piece(struct saving *s, const struct core_seg *g, uint64_t from, uint64_t to, bool has)
{
	if (from >= to)
		return 0;
	s->total += has ? to - from : 0;
	return vec_try_push(&s->pieces, ((struct piece){ from, to, has ? to - from : 0, g->flags }));
}

/* The piece of a segment that is being collected: a run of pages that were touched. */
struct run {
	uint64_t from, to, done;
};

static int touch(struct saving *s, const struct core_seg *g, struct run *k, uint64_t page, uint64_t gap)
{
	int r = 0;

	if (k->to && page - k->to >= gap) {
		r = add_piece(s, g, k->from, k->to, true);
		k->done = k->to;
		k->to = 0;
	}
	if (!k->to) {
		r = r < 0 ? r : add_piece(s, g, k->done, page, false);
		k->from = page;
	}
	k->to = page + PAGE;
	return r;
}

/* A page that only this process has: it wrote to it. */
static bool own(uint64_t entry)
{
	return entry & (PRESENT | SWAPPED) && !(entry & OF_FILE);
}

static int take_segment(struct saving *s, const struct core_seg *g)
{
	const struct core_map *m = core_map_at(&s->c, g->start);
	const bool data = m && g->flags & PF_W && g->end - g->start <= MAX_DATA, head = m && !m->off;
	const uint64_t gap = m && !(g->flags & PF_W) ? FILE_GAP : GAP;
	_cleanup_free_ uint64_t *map = malloc(ROOM * sizeof(*map));
	struct run k = { .done = g->start };
	int r = map ? 0 : -ENOMEM;

	for (uint64_t at = g->start; at < g->end && r == 0 && g->flags & PF_R;) {
		const uint64_t left = (g->end - at) / PAGE, n = left < ROOM ? left : ROOM;
		const ssize_t got = pread(s->pagemap, map, n * sizeof(*map), (off_t)(at / PAGE * sizeof(*map)));

		if (got <= 0)
			break;
		for (uint64_t i = 0; i < (uint64_t)got / sizeof(*map) && r == 0; i++, at += PAGE)
			if (data || own(map[i]) || (head && at == g->start))
				r = touch(s, g, &k, at, gap);
	}
	if (r == 0 && k.to) {
		r = add_piece(s, g, k.from, k.to, true);
		k.done = k.to;
	}
	return r < 0 ? r : add_piece(s, g, k.done, g->end, false);
}

static int take_all(struct saving *s, struct err *err)
{
	char path[64];
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)s->c.pid);
	s->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	if (s->pagemap < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < s->c.segs.n && r == 0; i++)
		r = take_segment(s, &s->c.segs.v[i]);
	return r < 0 ? err_set(err, r, "%s", strerror(-r)) : 0;
}

/* -- the memory itself -- */

static void read_chunk(struct saving *s, uint64_t addr, uint8_t *buf, size_t n)
{
	const bool whole = core_read_direct(&s->c, addr, buf, n) == 0;

	for (size_t at = 0; at < n && !whole; at += PAGE) {
		if (core_read_direct(&s->c, addr + at, buf + at, PAGE) == 0)
			continue;
		memset(buf + at, 0, PAGE);
		s->said->unreadable += PAGE;
	}
	if (s->filter)
		s->filter->apply(s->filter, addr, buf, n);
}

static void go_on(struct saving *s)
{
	if (s->c.stopped)
		s->said->stopped_ns = clock_ns(CLOCK_MONOTONIC) - s->began;
	live_let_go(&s->c);
}

static int each_chunk(struct saving *s, int (*fn)(struct saving *s, uint64_t addr, size_t n))
{
	int r = 0;

	for (size_t i = 0; i < s->pieces.n && r == 0; i++) {
		const struct piece *q = &s->pieces.v[i];

		for (uint64_t at = 0; at < q->bytes && r == 0; at += CHUNK)
			r = fn(s, q->start + at, q->bytes - at < CHUNK ? (size_t)(q->bytes - at) : CHUNK);
	}
	return r;
}

static int copy_chunk(struct saving *s, uint64_t addr, size_t n)
{
	read_chunk(s, addr, s->copy + s->copied, n);
	s->copied += n;
	return 0;
}

static int pack_chunk(struct saving *s, uint64_t addr, size_t n)
{
	read_chunk(s, addr, s->buf, n);
	return packer_add(&s->to, s->buf, n);
}

/* Copies it all, if there is room: at most half of the memory that nobody uses. */
static void copy_all(struct saving *s)
{
	const uint64_t room = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * PAGE / 2;
	void *p = s->total && s->total <= room
			  ? mmap(NULL, s->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			  : MAP_FAILED;

	if (p == MAP_FAILED)
		return;
	s->copy = p;
	each_chunk(s, copy_chunk);
	go_on(s);
}

static int write_pieces(struct saving *s)
{
	int r;

	if (s->copy)
		return packer_add(&s->to, s->copy, s->total);
	s->buf = malloc(CHUNK);
	r = s->buf ? each_chunk(s, pack_chunk) : -ENOMEM;
	free(s->buf);
	return r;
}

/* The head, a header for the notes and for each piece, the notes; then the pieces from a whole page on. */
static int write_heads(struct saving *s, const struct strb *notes)
{
	const uint64_t n = s->pieces.n + 1, at = sizeof(Elf64_Ehdr) + n * sizeof(Elf64_Phdr) + sizeof(Elf64_Shdr);
	const uint64_t data = ROUND_UP(at + notes->n, PAGE);
	const bool many = n >= PN_XNUM;
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			 .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(h),
			 .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = many ? PN_XNUM : (uint16_t)n };
	Elf64_Phdr p = { .p_type = PT_NOTE, .p_offset = at, .p_filesz = notes->n };
	Elf64_Shdr sh = { .sh_info = (uint32_t)n };
	static const uint8_t zero[PAGE];
	uint64_t off = data;
	int r;

	if (many) {
		h.e_shoff = at - sizeof(sh);
		h.e_shentsize = sizeof(sh);
		h.e_shnum = 1;
	}
	r = packer_add(&s->to, &h, sizeof(h));
	if (r == 0)
		r = packer_add(&s->to, &p, sizeof(p));
	for (size_t i = 0; i < s->pieces.n && r == 0; i++) {
		const struct piece *q = &s->pieces.v[i];

		p = (Elf64_Phdr){ PT_LOAD, q->flags, off, q->start, 0, q->bytes, q->end - q->start, PAGE };
		off += q->bytes;
		r = packer_add(&s->to, &p, sizeof(p));
	}
	if (r == 0)
		r = packer_add(&s->to, &sh, sizeof(sh));
	if (r == 0)
		r = packer_add(&s->to, notes->s, notes->n);
	return r < 0 ? r : packer_add(&s->to, zero, (size_t)(data - at - notes->n));
}

/* -- the file -- */

static int new_file(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* A file without a name, which nobody sees while it is written. */
static int begin_file(const char *path, struct err *err)
{
	_cleanup_free_ char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;
	int fd;

	if (!dir)
		return err_set(err, -ENOMEM, "out of memory");
	if (access(path, F_OK) == 0)
		return err_set(err, -EEXIST, "%s exists; it is not overwritten", path);
	if (slash)
		slash[slash == dir] = '\0';
	fd = new_file(slash ? dir : ".");
	return fd < 0 ? err_set(err, fd, "cannot create %s: %s", path, strerror(-fd)) : fd;
}

/* Without a path it stays without a name. */
static int end_file(struct packer *p, const char *path, int r, struct save_said *said, struct err *err)
{
	char self[64];

	if (r == 0)
		r = packer_end(p);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", p->fd);
	if (r == 0 && path && linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		r = -errno;
	said->memory = p->taken;
	said->bytes = p->bytes;
	return r < 0 && !(err && err->msg[0]) ? err_set(err, r, "cannot write %s: %s; the file was removed",
							path ? path : "a copy", strerror(-r))
					      : r;
}

static int save(struct saving *s, const char *path, struct err *err)
{
	struct strb notes = { 0 };
	int r = take_all(s, err);

	if (r == 0 && s->filter)
		r = s->filter->plan(s->filter, &s->c, err);
	if (r < 0)
		return r;
	savenotes_add(&s->c, &notes);
	if (notes.failed)
		return err_set(err, -ENOMEM, "out of memory");
	copy_all(s);
	r = write_heads(s, &notes);
	if (r == 0)
		r = write_pieces(s);
	go_on(s);
	strb_free(&notes);
	return end_file(&s->to, path, r, s->said, err);
}

/* Into a new file, which may get a name. */
static int save_process(pid_t pid, int fd, const char *path, struct save_filter *filter, struct save_said *ret,
			struct err *err)
{
	struct saving s = { .pagemap = -1, .said = ret, .filter = filter };
	int r = packer_begin(&s.to, fd, err);

	*ret = (struct save_said){ 0 };
	s.began = clock_ns(CLOCK_MONOTONIC);
	if (r == 0)
		r = core_attach(pid, true, &s.c, err);
	if (r == 0) {
		r = save(&s, path, err);
		core_close(&s.c);
	}
	if (s.copy)
		munmap(s.copy, s.total);
	if (s.pagemap >= 0)
		close(s.pagemap);
	vec_free(&s.pieces);
	packer_done(&s.to);
	return r;
}

int core_save_process(pid_t pid, const char *path, struct save_filter *filter, struct save_said *ret, struct err *err)
{
	_cleanup_close_ int fd = IS_X86_64 ? begin_file(path, err) : err_set(err, -ENOTSUP, X86_64_ONLY);

	return fd < 0 ? fd : save_process(pid, fd, path, filter, ret, err);
}

int core_save_nameless(pid_t pid, struct save_said *ret, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd, r;

	if (!IS_X86_64)
		return err_set(err, -ENOTSUP, X86_64_ONLY);
	dir = dir && dir[0] ? dir : "/tmp";
	fd = new_file(dir);
	if (fd < 0)
		return err_set(err, fd, "cannot create a file in %s: %s", dir, strerror(-fd));
	r = save_process(pid, fd, NULL, NULL, ret, err);
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int core_save_pipe(int from, const char *path, struct save_said *ret, struct err *err)
{
	struct packer p = { 0 };
	_cleanup_close_ int fd = begin_file(path, err);
	_cleanup_free_ uint8_t *buf = malloc(CHUNK);
	int r = fd < 0 ? fd : packer_begin(&p, fd, err);
	Elf64_Ehdr h = { 0 };
	size_t n = 0;

	*ret = (struct save_said){ 0 };
	if (r == 0 && !buf)
		r = err_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = read_all(from, buf, CHUNK, &n);
	if (n >= sizeof(h))
		memcpy(&h, buf, sizeof(h));
	if (r == 0 && (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_type != ET_CORE))
		r = err_set(err, -ENOEXEC, "standard input is no core file");
	while (r == 0 && n > 0) {
		r = packer_add(&p, buf, n);
		if (r == 0)
			r = read_all(from, buf, CHUNK, &n);
	}
	if (fd >= 0 && p.in)
		r = end_file(&p, path, r, ret, err);
	packer_done(&p);
	return r;
}
