/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records of the ring buffers into rows. */
#include "run/consume/decode.h"
#include <errno.h>
#include <string.h>
#include "base/rtfmt.h"

static const struct rec_probe *find_probe(struct decoder *d, uint32_t id)
{
	const struct rec_schema *s = d->schema;
	const struct rec_probe *p;

	if (d->last_probe < s->nprobes && s->probes[d->last_probe].id == id)
		return &s->probes[d->last_probe];
	p = rec_schema_probe(s, id);
	if (p)
		d->last_probe = (size_t)(p - s->probes);
	return p;
}

static int decode_fault(const struct decoder *d, const void *data, size_t len, struct row *ret)
{
	struct rec_fault f;

	if (len < sizeof(f))
		return -EBADMSG;
	memcpy(&f, data, sizeof(f));
	if (f.epid == 0 || f.epid > d->schema->nfmts || f.code > FAULT_LOOPMAX)
		return -EBADMSG;
	ret->kind = ROW_FAULT;
	ret->id = f.epid;
	ret->len = sizeof(f);
	return 0;
}

int decode_record(struct decoder *d, unsigned cpu, const void *data, size_t len, struct row *ret)
{
	struct rec_hdr h;
	const struct recfmt *f;

	if (len < sizeof(h))
		return -EBADMSG;
	memcpy(&h, data, sizeof(h));
	if (!find_probe(d, h.probe))
		return -EBADMSG;
	memset(ret, 0, sizeof(*ret));
	ret->ts = h.ts;
	ret->cpu = cpu;
	ret->probe = h.probe;
	ret->data = data;
	if (h.fmt == REC_FMT_FAULT)
		return decode_fault(d, data, len, ret);
	if (h.fmt > d->schema->nfmts)
		return -EBADMSG;
	f = d->schema->fmts[h.fmt - 1];
	if (f->size < sizeof(h) || len < f->size)
		return -EBADMSG;
	ret->kind = ROW_EVENT;
	ret->id = h.fmt;
	ret->len = f->size;
	return 0;
}

/* The frames of a stack that may be those of a language runtime. */
static size_t runtime_frames(const struct recfield *f, const void *base, size_t len, uint64_t *ret)
{
	const size_t head = f->off + sizeof(struct rec_ustack_hdr);
	size_t n = 0;

	if (f->kind != FLD_USTACK || !f->strframes || len < head + 8 * (size_t)f->nframes)
		return 0;
	for (uint32_t i = 0; i < f->nframes && n < DECODE_MAX_FRAMES; i++) {
		memcpy(&ret[n], (const char *)base + head + 8 * (size_t)i, 8);
		if (!ret[n])
			break;
		n += rt_is_frame(ret[n]);
	}
	return n;
}

void decode_field_procs(const struct recfield *fields, size_t n, const void *base, size_t len, decode_proc_fn fn,
			void *ctx)
{
	for (size_t i = 0; i < n; i++) {
		const struct recfield *f = &fields[i];
		/* struct rec_uaddr begins like it. */
		struct rec_ustack_hdr h;
		uint64_t frames[DECODE_MAX_FRAMES];

		if (f->kind != FLD_USTACK && (f->kind < FLD_USYM || f->kind > FLD_UADDR))
			continue;
		if (f->size < sizeof(h) || len < sizeof(h) || f->off > len - sizeof(h))
			continue;
		memcpy(&h, (const char *)base + f->off, sizeof(h));
		if (!(h.flags & REC_USTACK_NONE) && h.tgid)
			fn(ctx, h.tgid, h.start, runtime_frames(f, base, len, frames), frames);
	}
}

void decode_record_procs(const struct decoder *d, const void *data, size_t len, decode_proc_fn fn, void *ctx)
{
	const struct recfmt *f;
	struct rec_hdr h;

	if (len < sizeof(h))
		return;
	memcpy(&h, data, sizeof(h));
	if (h.fmt == REC_FMT_FAULT || h.fmt > d->schema->nfmts)
		return;
	f = d->schema->fmts[h.fmt - 1];
	for (size_t i = 0; i < f->nacts; i++)
		decode_field_procs(f->acts[i].fields, f->acts[i].nfields, data, len, fn, ctx);
}
