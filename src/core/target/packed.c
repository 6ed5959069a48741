/* SPDX-License-Identifier: Apache-2.0 */
/* Reads packed files: finds the frame of a place, unpacks it, and keeps those that were used last. A strange file's
 * claims of size cost no memory: the table is as large as the file has it, a frame has a limit. */
#include "core/target/packed.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define MAGIC 0xfd2fb528u     /* of a frame */
#define SKIPPED 0x184d2a5eu   /* of the table, which is a frame that is no data */
#define TABLE_END 0x8f92eab1u /* last word of it */
#define FOOT 9u		      /* bytes: frames, flags, TABLE_END */
#define HAS_SUMS 0x80u	      /* flag: a row has a checksum, too */
#define RESERVED 0x7cu	      /* flags that must be 0 */
#define KEPT 32u	      /* frames */

struct frame {
	uint64_t off, at; /* in the file, in what is unpacked */
};

struct kept {
	uint64_t used; /* 0: empty */
	size_t frame;
	uint8_t *bytes;
};

struct packed {
	struct elf_src src;
	struct zstdlib z;
	ZSTD_DCtx *ctx;
	struct frame *frames; /* n + 1: the last one is the end */
	size_t n;
	uint8_t *buf; /* a packed frame */
	size_t nbuf;
	struct kept kept[KEPT];
	uint64_t clock;
};

bool packed_is(const struct elf_src *src)
{
	uint32_t magic;

	return elf_read(src, 0, &magic, sizeof(magic)) == 0 && magic == MAGIC;
}

static uint32_t half(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The rows of the table: each tells how large its frame is. `data`: bytes before the table. */
static int take_rows(struct packed *p, const uint8_t *rows, size_t row, uint64_t data)
{
	struct frame f = { 0 };

	p->frames = calloc(p->n + 1, sizeof(*p->frames));
	if (!p->frames)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++) {
		const uint32_t packed = half(rows + i * row), size = half(rows + i * row + 4);

		if (size > PACKED_MAX_FRAME || size / PACKED_MAX_RATIO > packed || packed > data - f.off ||
		    packed > 2 * PACKED_MAX_FRAME)
			return -EBADMSG;
		p->frames[i] = f;
		f.off += packed;
		f.at += size;
		if (packed > p->nbuf)
			p->nbuf = packed;
	}
	p->frames[p->n] = f;
	return 0;
}

static int read_table(struct packed *p)
{
	_cleanup_free_ uint8_t *rows = NULL;
	uint8_t foot[FOOT], head[8];
	size_t row;
	uint64_t all;
	int r;

	if (p->src.size < FOOT + sizeof(head) || elf_read(&p->src, p->src.size - FOOT, foot, FOOT) < 0 ||
	    half(foot + 5) != TABLE_END || foot[4] & RESERVED || half(foot) > PACKED_MAX_FRAMES)
		return -EBADMSG;
	p->n = half(foot);
	row = foot[4] & HAS_SUMS ? 12 : 8;
	all = p->n * row + FOOT;
	if (all > p->src.size - sizeof(head))
		return -EBADMSG;
	rows = malloc(p->n * row + 1);
	if (!rows)
		return -ENOMEM;
	r = elf_read(&p->src, p->src.size - all - sizeof(head), head, sizeof(head));
	if (r == 0)
		r = elf_read(&p->src, p->src.size - all, rows, p->n * row);
	if (r == 0 && (half(head) != SKIPPED || half(head + 4) != all))
		r = -EBADMSG;
	return r < 0 ? r : take_rows(p, rows, row, p->src.size - all - sizeof(head));
}

int packed_open(const struct elf_src *src, struct packed **ret, uint64_t *size, struct err *err)
{
	struct packed *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->src = *src;
	r = zstdlib_load(&p->z, PACKED_LIBRARY, err);
	if (r == 0) {
		r = read_table(p);
		if (r < 0)
			err_set(err, r,
				"it is packed by zstd, but has no table of its frames at its end: it is cut, or packed "
				"in another way (zstd -d unpacks that)");
	}
	if (r == 0) {
		p->ctx = p->z.new_unpacker();
		p->buf = malloc(p->nbuf + 1);
		if (!p->ctx || !p->buf)
			r = err_set(err, -ENOMEM, "out of memory");
	}
	if (r < 0) {
		packed_close(p);
		return r;
	}
	*size = p->frames[p->n].at;
	*ret = p;
	return 0;
}

void packed_close(struct packed *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free(p->kept[i].bytes);
	if (p->ctx)
		p->z.free_unpacker(p->ctx);
	free(p->frames);
	free(p->buf);
	free(p);
}

/* The frame that has a place before the end. */
static size_t frame_at(const struct packed *p, uint64_t off)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) { /* the first one that ends above off */
		const size_t mid = lo + (hi - lo) / 2;

		if (p->frames[mid + 1].at <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int unpack(struct packed *p, size_t i, struct kept *k)
{
	const size_t n = (size_t)(p->frames[i + 1].off - p->frames[i].off);
	const size_t size = (size_t)(p->frames[i + 1].at - p->frames[i].at);
	int r = elf_read(&p->src, p->frames[i].off, p->buf, n);

	free(k->bytes);
	*k = (struct kept){ 0 };
	if (r < 0)
		return r;
	k->bytes = malloc(size + 1);
	if (!k->bytes)
		return -ENOMEM;
	if (p->z.unpack(p->ctx, k->bytes, size, p->buf, n) != size) /* an error is a number above any size */
		return -EBADMSG;
	k->frame = i;
	k->used = ++p->clock;
	return 0;
}

/* A frame's bytes; those of the one that was not used for longest make room. */
static int get(struct packed *p, size_t i, const uint8_t **ret)
{
	struct kept *k = &p->kept[0];
	int r = 0;

	for (size_t at = 0; at < KEPT; at++) {
		if (p->kept[at].used && p->kept[at].frame == i) {
			k = &p->kept[at];
			k->used = ++p->clock;
			*ret = k->bytes;
			return 0;
		}
		if (p->kept[at].used < k->used)
			k = &p->kept[at];
	}
	r = unpack(p, i, k);
	*ret = k->bytes;
	return r;
}

int packed_read(struct packed *p, uint64_t off, void *buf, size_t n)
{
	const uint64_t end = p->frames[p->n].at;
	uint8_t *to = buf;

	if (off > end || n > end - off)
		return -ENODATA;
	while (n) {
		const size_t i = frame_at(p, off);
		const uint64_t in = off - p->frames[i].at, left = p->frames[i + 1].at - off;
		const size_t k = n < left ? n : (size_t)left;
		const uint8_t *bytes = NULL;
		int r = get(p, i, &bytes);

		if (r < 0)
			return r;
		memcpy(to, bytes + in, k);
		to += k;
		off += k;
		n -= k;
	}
	return 0;
}
