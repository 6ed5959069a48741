/* SPDX-License-Identifier: Apache-2.0 */
/* Writes packed files: a frame of zstd for each PACKED_FRAME bytes, then the table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/writeall.h"
#include "core/target/packed.h"

#define LEVEL 1
#define ROOM (PACKED_FRAME + PACKED_FRAME / 128 + 1024) /* more than any frame needs. Source: ZSTD_compressBound() */
#define SKIPPED 0x184d2a5eu
#define TABLE_END 0x8f92eab1u

int packer_begin(struct packer *p, int fd, struct err *err)
{
	int r;

	*p = (struct packer){ .fd = fd };
	r = zstdlib_load(&p->z, PACKED_LIBRARY, err);
	if (r < 0)
		return r;
	p->ctx = p->z.new_packer();
	p->in = malloc(PACKED_FRAME);
	p->out = malloc(ROOM);
	return p->ctx && p->in && p->out ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int write_frame(struct packer *p)
{
	size_t n = p->z.pack(p->ctx, p->out, ROOM, p->in, p->n, LEVEL);
	int r = p->z.is_error(n) ? -EIO : p->table.n / 2 == PACKED_MAX_FRAMES ? -EFBIG : write_all(p->fd, p->out, n);

	if (r == 0)
		r = vec_try_push(&p->table, (uint32_t)n);
	if (r == 0)
		r = vec_try_push(&p->table, (uint32_t)p->n);
	p->bytes += n;
	p->n = 0;
	return r;
}

int packer_add(struct packer *p, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;
	int r = 0;

	p->taken += n;
	while (n && r == 0) {
		const size_t k = n < PACKED_FRAME - p->n ? n : PACKED_FRAME - p->n;

		memcpy(p->in + p->n, from, k);
		p->n += k;
		from += k;
		n -= k;
		if (p->n == PACKED_FRAME)
			r = write_frame(p);
	}
	return r;
}

int packer_end(struct packer *p)
{
	uint32_t head[2] = { SKIPPED }, frames;
	uint8_t foot[9] = { 0 };
	int r = p->n ? write_frame(p) : 0;

	frames = (uint32_t)(p->table.n / 2);
	head[1] = (uint32_t)(p->table.n * sizeof(*p->table.v) + sizeof(foot));
	memcpy(foot, &frames, sizeof(frames));
	memcpy(foot + 5, &(uint32_t){ TABLE_END }, sizeof(uint32_t));
	if (r == 0)
		r = write_all(p->fd, head, sizeof(head));
	if (r == 0 && frames)
		r = write_all(p->fd, p->table.v, p->table.n * sizeof(*p->table.v));
	p->bytes += sizeof(head) + head[1];
	return r < 0 ? r : write_all(p->fd, foot, sizeof(foot));
}

void packer_done(struct packer *p)
{
	if (p->ctx)
		p->z.free_packer(p->ctx);
	free(p->in);
	free(p->out);
	vec_free(&p->table);
}
