/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the events of a trace, one after another, and stops at the last whole one. */
#include <errno.h>
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "replay/trace/stub.h"
#include "replay/trace/int.h"

struct trace_in {
	FILE *f;
	struct trace_head head;
	enum trace_end end;
	uint8_t *raw, *packed;
	long block;   /* where raw is in f */
	size_t n, at; /* of raw */
	struct zstdlib z;
	ZSTD_DCtx *ctx; /* NULL: it has nothing packed by zstd */
};

static int begin_zstd(struct trace_in *t)
{
	if (zstdlib_load(&t->z, "the library for traces", NULL) < 0)
		return -ELIBACC;
	t->ctx = t->z.new_unpacker();
	return t->ctx ? 0 : -ENOMEM;
}

int trace_open(FILE *f, struct trace_in **ret)
{
	struct trace_in *t = calloc(1, sizeof(*t));
	size_t n;
	int r = 0;

	if (!t) {
		fclose(f);
		return -ENOMEM;
	}
	t->f = f;
	t->raw = malloc(TRACE_BLOCK_MAX);
	t->packed = malloc(PACKED_MAX);
	n = fread(&t->head, 1, sizeof(t->head), f);
	if (!t->raw || !t->packed)
		r = -ENOMEM;
	else if (n < sizeof(t->head.magic) || memcmp(t->head.magic, TRACE_MAGIC, sizeof(t->head.magic)) != 0)
		r = -EINVAL;
	else if (n >= offsetof(struct trace_head, cpu) &&
		 (t->head.version < TRACE_OLDEST || t->head.version > TRACE_VERSION))
		r = -EPROTO;
	else if (n < sizeof(t->head) || t->head.crc != trace_crc(&t->head, offsetof(struct trace_head, crc)))
		r = -EBADMSG;
	else if (t->head.version >= TRACE_ZSTD_SINCE)
		r = begin_zstd(t);
	if (r < 0) {
		trace_done(t);
		return r;
	}
	*ret = t;
	return 0;
}

const char *trace_words(int error)
{
	switch (error) {
	case -EINVAL: return "this is no recording of `dwell rec`";
	case -EPROTO: return "the recording is of another version of dwell; this one reads versions 1 to 6";
	case -EBADMSG: return "the head of the recording is damaged";
	case -ELIBACC: return "it is packed by zstd, whose library is missing: install Debian's package libzstd1";
	default: return strerror(-error);
	}
}

const struct trace_head *trace_head(const struct trace_in *t)
{
	return &t->head;
}

static bool is_head(const struct trace_in *t, const struct block_head *h)
{
	return (h->mark == BLOCK_MARK || h->mark == BLOCK_STORED || (h->mark == BLOCK_ZSTD && t->ctx)) && h->raw &&
	       h->raw <= TRACE_BLOCK_MAX && h->packed <= PACKED_MAX && (h->mark != BLOCK_STORED || h->packed == h->raw);
}

/* Bytes in raw then; 0: what is packed makes no sense. */
static size_t unpack(struct trace_in *t, const struct block_head *h)
{
	uLongf raw = TRACE_BLOCK_MAX;
	size_t n;

	if (h->mark == BLOCK_STORED)
		return h->raw;
	if (h->mark == BLOCK_MARK)
		return uncompress(t->raw, &raw, t->packed, h->packed) == Z_OK ? raw : 0;
	n = t->z.unpack(t->ctx, t->raw, TRACE_BLOCK_MAX, t->packed, h->packed);
	return t->z.is_error(n) ? 0 : n;
}

static enum trace_end read_block(struct trace_in *t)
{
	const long place = ftell(t->f);
	struct block_head h;
	size_t n = fread(&h, 1, sizeof(h), t->f);
	uint8_t *to;

	if (n == 0)
		return TRACE_ENDED;
	if (n < sizeof(h))
		return TRACE_CUT;
	if (!is_head(t, &h))
		return TRACE_DAMAGED;
	to = h.mark == BLOCK_STORED ? t->raw : t->packed;
	if (fread(to, 1, h.packed, t->f) != h.packed)
		return TRACE_CUT;
	if (h.crc != trace_crc(to, h.packed) || unpack(t, &h) != h.raw)
		return TRACE_DAMAGED;
	t->block = place;
	t->n = h.raw;
	t->at = 0;
	return TRACE_GOES_ON;
}

/* Bytes that an event of the kind has at least; more only if `open`. */
static const struct {
	uint32_t size;
	bool open;
} shapes[EV_KINDS] = {
	[EV_BLOB] = { sizeof(struct ev_blob), true },	   [EV_MAP] = { sizeof(struct ev_map), false },
	[EV_MEM] = { sizeof(struct ev_mem), true },	   [EV_CALL] = { sizeof(struct ev_call), false },
	[EV_STATE] = { sizeof(struct ev_state), true },	   [EV_EXEC] = { sizeof(struct ev_state), true },
	[EV_TSC] = { sizeof(struct ev_tsc), false },	   [EV_END] = { sizeof(struct ev_end), false },
	[EV_SWITCH] = { sizeof(struct ev_switch), false }, [EV_ENTER] = { sizeof(struct ev_call), false },
	[EV_LOG] = { sizeof(struct stub_call), true },	   [EV_FORK] = { sizeof(struct ev_fork), false },
	[EV_SPOT] = { sizeof(struct ev_spot), false },	   [EV_NAME] = { sizeof(struct ev_name), false },
	[EV_TEXT] = { sizeof(struct ev_mem), true },	   [EV_FILE] = { sizeof(struct ev_file), true },
	[EV_SUM] = { sizeof(struct ev_sum), false },
};

static bool fits(const struct event_head *h)
{
	if (h->kind < EV_BLOB || h->kind >= EV_KINDS || h->size > TRACE_EVENT_MAX)
		return false;
	return shapes[h->kind].open ? h->size >= shapes[h->kind].size : h->size == shapes[h->kind].size;
}

bool trace_next(struct trace_in *t, struct trace_event *ret)
{
	struct event_head h;

	if (t->end == TRACE_GOES_ON && t->at == t->n)
		t->end = read_block(t);
	if (t->end != TRACE_GOES_ON)
		return false;
	if (t->n - t->at >= sizeof(h)) {
		memcpy(&h, t->raw + t->at, sizeof(h));
		t->at += sizeof(h);
		if (fits(&h) && h.size <= t->n - t->at) {
			*ret = (struct trace_event){ (enum event_kind)h.kind, t->raw + t->at, h.size };
			t->at += h.size;
			return true;
		}
	}
	t->end = TRACE_DAMAGED;
	return false;
}

struct trace_place trace_tell(const struct trace_in *t)
{
	return (struct trace_place){ t->block, t->at };
}

int trace_seek(struct trace_in *t, const struct trace_place *p)
{
	if (fseek(t->f, p->block, SEEK_SET) < 0)
		return -errno;
	t->end = read_block(t);
	if (t->end != TRACE_GOES_ON || p->at > t->n)
		return -EBADMSG;
	t->at = p->at;
	return 0;
}

enum trace_end trace_ended_by(const struct trace_in *t)
{
	return t->end;
}

void trace_done(struct trace_in *t)
{
	if (!t)
		return;
	fclose(t->f);
	if (t->ctx)
		t->z.free_unpacker(t->ctx);
	free(t->raw);
	free(t->packed);
	free(t);
}
