/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a target: segments of the core, then what the mapped files have. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/target/kernel.h"
#include "core/target/live.h"
#include "core/target/packed.h"
#include "core/range.h"
#include "core/target.h"

#define BLOCK 4096u
#define NBLOCKS 4096u /* 16 MiB */

struct core_block {
	uint64_t addr; /* 0: empty */
	uint8_t bytes[BLOCK];
};

static int by_seg(const void *a, const void *b)
{
	const struct core_seg *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_map(const void *a, const void *b)
{
	const struct core_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void core_sort(struct core *c)
{
	size_t n = 0;

	if (c->segs.n)
		qsort(c->segs.v, c->segs.n, sizeof(*c->segs.v), by_seg);
	for (size_t i = 0; i < c->segs.n; i++)
		if (c->segs.v[i].start < c->segs.v[i].end && (!n || c->segs.v[i].start >= c->segs.v[n - 1].end))
			c->segs.v[n++] = c->segs.v[i];
	c->segs.n = n;
	if (c->maps.n)
		qsort(c->maps.v, c->maps.n, sizeof(*c->maps.v), by_map);
	n = 0;
	for (size_t i = 0; i < c->maps.n; i++)
		if (!n || c->maps.v[i].start >= c->maps.v[n - 1].end)
			c->maps.v[n++] = c->maps.v[i];
	c->maps.n = n;
}

static int file_index(struct core *c, const char *path, uint32_t *ret)
{
	struct core_file f = { 0 };

	for (size_t i = c->files.n; i-- > 0;) { /* mostly the last one */
		if (!strcmp(c->files.v[i].path, path)) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	if (c->files.n == CORE_MAX_FILES)
		return -E2BIG;
	f.path = strdup(path);
	f.elf.src.fd = -1;
	if (!f.path || vec_try_push(&c->files, f) < 0) {
		free(f.path);
		return -ENOMEM;
	}
	*ret = (uint32_t)(c->files.n - 1);
	return 0;
}

int core_add_map(struct core *c, uint64_t start, uint64_t end, uint64_t off, const char *path)
{
	struct core_map m = { start, end, off, 0 };
	int r;

	if (start >= end)
		return 0;
	r = c->maps.n < CORE_MAX_SEGMENTS ? file_index(c, path, &m.file) : -E2BIG;
	if (r == -E2BIG) {
		c->left_out++;
		return 0;
	}
	if (r < 0)
		return r;
	if (!off && (!c->files.v[m.file].first || start < c->files.v[m.file].first))
		c->files.v[m.file].first = start;
	return vec_try_push(&c->maps, m);
}

const struct core_seg *core_seg_at(const struct core *c, uint64_t addr)
{
	return range_at(c->segs.v, c->segs.n, sizeof(*c->segs.v), addr);
}

const struct core_map *core_map_at(const struct core *c, uint64_t addr)
{
	return range_at(c->maps.v, c->maps.n, sizeof(*c->maps.v), addr);
}

const struct core_thread *core_thread(const struct core *c, pid_t tid)
{
	for (size_t i = 0; i < c->threads.n; i++)
		if (c->threads.v[i].tid == tid)
			return &c->threads.v[i];
	return NULL;
}

int core_read_file(const struct core *c, uint64_t off, void *buf, size_t n)
{
	return c->packed ? packed_read(c->packed, off, buf, n) : elf_read(&c->src, off, buf, n);
}

uint64_t core_data_from(const struct core *c, uint64_t addr, uint64_t end)
{
	const struct core_seg *s = core_seg_at(c, addr);
	off_t at, data;

	if (!s || c->packed || c->live || c->src.mem || addr - s->start >= s->bytes)
		return addr;
	at = (off_t)(s->off + (addr - s->start));
	data = lseek(c->src.fd, at, SEEK_DATA);
	if (data < 0)
		return errno == ENXIO ? end : addr; /* there is nothing more */
	return data <= at ? addr : (uint64_t)(data - at) < end - addr ? addr + (uint64_t)(data - at) : end;
}

/* Reads from the core a piece that begins at addr. *n: bytes, 0 for none. */
static int from_core(struct core *c, uint64_t addr, void *buf, size_t *n)
{
	const struct core_seg *s = core_seg_at(c, addr);
	uint64_t at;

	if (!s)
		return -EFAULT;
	at = addr - s->start;
	if (at >= s->bytes)
		return -ENODATA;
	if (*n > s->bytes - at)
		*n = (size_t)(s->bytes - at);
	return core_read_file(c, s->off + at, buf, *n);
}

/* Reads from a mapped file. Only segments that the process cannot write are taken from files. */
static int from_file(struct core *c, uint64_t addr, void *buf, size_t *n)
{
	const struct core_map *m = core_map_at(c, addr);
	const struct core_seg *s = core_seg_at(c, addr);
	const struct core_file *f;

	if (!m || (s && s->flags & PF_W))
		return -ENODATA;
	f = core_file(c, m->file);
	if (f->state != CORE_FILE_GOOD && f->state != CORE_FILE_GUESS)
		return -ENODATA;
	if (*n > m->end - addr)
		*n = (size_t)(m->end - addr);
	return elf_read(&f->elf.src, m->off + (addr - m->start), buf, *n);
}

static int from_process(const struct core *c, uint64_t addr, void *buf, size_t n)
{
	struct iovec to = { buf, n }, from = { (void *)(uintptr_t)addr, n }; /* NOLINT: an address of the other one */
	const ssize_t got = process_vm_readv(c->pid, &to, 1, &from, 1, 0);

	if (got < 0)
		return -errno;
	return (size_t)got == n ? 0 : -EFAULT;
}

static int read_piece(struct core *c, uint64_t addr, uint8_t *buf, size_t n)
{
	while (n) {
		size_t k = n;
		int r = c->kernel ? kernel_read(c, addr, buf, n)
			: c->live ? from_process(c, addr, buf, n)
				  : from_core(c, addr, buf, &k);

		if (r < 0 && !c->live) {
			int again;

			k = n;
			again = from_file(c, addr, buf, &k);
			r = again == 0 ? 0 : r;
		}
		if (r < 0)
			return r;
		buf += k;
		addr += k;
		n -= k;
	}
	return 0;
}

/* The block at addr, or NULL: it cannot be had whole. */
static const uint8_t *block_at(struct core *c, uint64_t addr)
{
	struct core_block **at, *b;

	if (!c->blocks)
		c->blocks = calloc(NBLOCKS, sizeof(struct core_block *));
	if (!c->blocks || !addr)
		return NULL;
	at = &c->blocks[addr / BLOCK % NBLOCKS];
	if (!*at)
		*at = calloc(1, sizeof(**at));
	b = *at;
	if (!b)
		return NULL;
	if (b->addr == addr)
		return b->bytes;
	b->addr = 0;
	if (read_piece(c, addr, b->bytes, BLOCK) < 0)
		return NULL;
	b->addr = addr;
	return b->bytes;
}

int core_read(struct core *c, uint64_t addr, void *buf, size_t n)
{
	uint8_t *to = buf;

	if (n > UINT64_MAX - addr)
		return -EFAULT;
	while (n) {
		const size_t in = (size_t)(addr % BLOCK), k = n < BLOCK - in ? n : BLOCK - in;
		const uint8_t *b = block_at(c, addr - in);
		int r = 0;

		if (b)
			memcpy(to, b + in, k);
		else
			r = read_piece(c, addr, to, k);
		if (r < 0)
			return r;
		to += k;
		addr += k;
		n -= k;
	}
	return 0;
}

int core_read_direct(struct core *c, uint64_t addr, void *buf, size_t n)
{
	return n > UINT64_MAX - addr ? -EFAULT : read_piece(c, addr, buf, n);
}

void core_forget(struct core *c)
{
	for (size_t i = 0; c->blocks && i < NBLOCKS; i++)
		free(c->blocks[i]);
	free(c->blocks);
	c->blocks = NULL;
}

void core_close(struct core *c)
{
	live_let_go(c);
	kernel_close(c);
	packed_close(c->packed);
	for (size_t i = 0; i < c->files.n; i++) {
		struct core_file *f = &c->files.v[i];
		const int fd = f->elf.src.fd;

		symtab_done(&f->names);
		ehtab_done(&f->rows);
		free(f->seg);
		elf_close(&f->elf);
		if (fd >= 0)
			close(fd);
		free(f->path);
		free(f->instead);
	}
	if (c->src.fd > 0)
		close(c->src.fd);
	if ((c->live || c->copied) && c->rootfd >= 0)
		close(c->rootfd);
	if ((c->live || c->copied) && c->mapfd >= 0)
		close(c->mapfd);
	vec_free(&c->segs);
	vec_free(&c->maps);
	vec_free(&c->files);
	vec_free(&c->threads);
	demangler_free(&c->demangler);
	strset_free(&c->names);
	core_forget(c);
	*c = (struct core){ 0 };
}
