/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the events of a trace into its blocks, compressed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "replay/trace/int.h"

#define ZSTD_FAST 1   /* level */
#define ZSTD_SMALL 15 /* the same where it may take long */

struct trace_out {
	int fd, error;
	uint8_t *raw, *packed;
	size_t n; /* bytes in raw */
	struct zstdlib z;
	ZSTD_CCtx *ctx; /* NULL: zlib packs */
	uint64_t written;
	bool all;   /* everything is packed, as small as it can be, or for readers that know no other blocks */
	bool files; /* raw has contents of files: they are stored as they are, since packing them takes longer than most
		     * programs run */
};

static int put_all(struct trace_out *t, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n && !t->error) {
		ssize_t r = write(t->fd, b, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			t->error = r < 0 ? -errno : -EIO;
			break;
		}
		b += r;
		n -= (size_t)r;
		t->written += (uint64_t)r;
	}
	return t->error;
}

/* By zstd, if the trace may have it and its library is there. The version of the trace. */
static uint32_t choose(struct trace_out *t, uint32_t wanted)
{
	if (wanted && wanted < TRACE_ZSTD_SINCE)
		return wanted;
	if (zstdlib_load(&t->z, "the library for traces", NULL) == 0)
		t->ctx = t->z.new_packer();
	return t->ctx ? TRACE_VERSION : TRACE_ZSTD_SINCE - 1;
}

int trace_create(const char *path, const struct trace_head *head, struct trace_out **ret)
{
	struct trace_out *t = calloc(1, sizeof(*t));
	struct trace_head h = *head;
	int r;

	if (!t)
		return -ENOMEM;
	t->raw = malloc(TRACE_BLOCK_MAX);
	t->packed = malloc(PACKED_MAX);
	t->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
	if (t->fd < 0)
		t->error = -errno;
	if (!t->raw || !t->packed)
		t->error = -ENOMEM;
	memcpy(h.magic, TRACE_MAGIC, sizeof(h.magic));
	h.version = choose(t, head->version);
	t->all = h.version < TRACE_STORED_SINCE;
	h.spare = 0;
	h.crc = trace_crc(&h, offsetof(struct trace_head, crc));
	r = put_all(t, &h, sizeof(h));
	if (r < 0) {
		trace_close(t);
		return r;
	}
	*ret = t;
	return 0;
}

/* Packs raw: bytes in packed; 0: no memory. */
static size_t pack(struct trace_out *t)
{
	uLongf n = PACKED_MAX;
	size_t x;

	if (t->ctx) {
		x = t->z.pack(t->ctx, t->packed, PACKED_MAX, t->raw, t->n, t->all ? ZSTD_SMALL : ZSTD_FAST);
		return t->z.is_error(x) ? 0 : x;
	}
	return compress2(t->packed, &n, t->raw, t->n, t->all ? Z_BEST_COMPRESSION : Z_BEST_SPEED) == Z_OK ? n : 0;
}

int trace_flush(struct trace_out *t)
{
	const bool stored = t->files && !t->all;
	const uint8_t *from = stored ? t->raw : t->packed;
	struct block_head h = { .mark = stored ? BLOCK_STORED : t->ctx ? BLOCK_ZSTD : BLOCK_MARK };
	size_t n;

	if (!t->n || t->error)
		return t->error;
	n = stored ? t->n : pack(t);
	if (!n)
		return t->error = -ENOMEM;
	h.raw = (uint32_t)t->n;
	h.packed = (uint32_t)n;
	h.crc = trace_crc(from, n);
	t->n = 0;
	put_all(t, &h, sizeof(h));
	return put_all(t, from, n);
}

int trace_append(struct trace_out *t, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest,
		 size_t nrest)
{
	struct event_head h = { .size = (uint32_t)(nfixed + nrest), .kind = (uint32_t)kind };

	if (t->error)
		return t->error;
	if (nfixed > TRACE_EVENT_MAX || nrest > TRACE_EVENT_MAX - nfixed)
		return t->error = -E2BIG;
	if ((kind == EV_BLOB) != t->files && trace_flush(t) < 0)
		return t->error;
	t->files = kind == EV_BLOB;
	memcpy(t->raw + t->n, &h, sizeof(h));
	t->n += sizeof(h);
	memcpy(t->raw + t->n, fixed, nfixed);
	t->n += nfixed;
	if (nrest)
		memcpy(t->raw + t->n, rest, nrest);
	t->n += nrest;
	return t->n >= TRACE_BLOCK_RAW ? trace_flush(t) : 0;
}

void trace_pack_all(struct trace_out *t)
{
	t->all = true;
}

uint64_t trace_size(const struct trace_out *t)
{
	return t->written;
}

int trace_close(struct trace_out *t)
{
	int r;

	if (!t)
		return 0;
	r = trace_flush(t);
	if (t->fd >= 0 && close(t->fd) < 0 && r == 0)
		r = -errno;
	if (t->ctx)
		t->z.free_packer(t->ctx);
	free(t->raw);
	free(t->packed);
	free(t);
	return r;
}
