/* SPDX-License-Identifier: Apache-2.0 */
/* Ring contents from a hostile or broken kernel: the input is the data area of two rings. For any bytes, the reader
 * stays inside, every decoded row lies within its record, and draining ends. Input: two bytes for each ring's fill (in
 * 8 bytes), one byte for the horizon, then the rings' bytes. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "run/consume/decode.h"
#include "run/consume/order.h"

enum { RING = 1024, NRINGS = 2, HEAD = 2 * NRINGS + 1 };

static const struct recfield fields[] = {
	{ .kind = FLD_INT, .off = 16, .size = 8 },
	{ .kind = FLD_USTACK, .off = 24, .size = 48, .nframes = 4 },
	{ .kind = FLD_UADDR, .off = 72, .size = 24 },
	{ .kind = FLD_USYM, .off = 4096, .size = 24 }, /* outside: must never be read */
};
static const struct recact acts[] = { { .kind = ACT_PRINTF, .fields = fields, .nfields = 4 } };
static const struct recfmt small = { .epid = 1, .size = 24 },
			   stacks = { .epid = 2, .size = 96, .acts = acts, .nacts = 1 }, none = { .epid = 3 };
static const struct recfmt *const fmts[] = { &small, &stacks, &none };
static const struct rec_probe probes[] = { { 1, "p", "m", "f", "n" }, { 7, "q", "", "", "" } };
static const struct rec_schema schema = { .fmts = fmts, .nfmts = 3, .probes = probes, .nprobes = 2, .ncpus = NRINGS };

struct state {
	struct decoder d;
	unsigned sum; /* of all bytes seen, so that reads are not optimised away */
};

static void on_proc(void *ctx, uint32_t tgid, uint64_t start, size_t nframes, const uint64_t *frames)
{
	struct state *s = ctx;

	s->sum += tgid + (unsigned)start;
	for (size_t i = 0; i < nframes; i++)
		s->sum += (unsigned)frames[i];
}

static void on_early(void *ctx, const void *data, uint32_t len)
{
	struct state *s = ctx;

	decode_record_procs(&s->d, data, len, on_proc, s);
}

static int on_record(void *ctx, unsigned cpu, const void *data, uint32_t len)
{
	struct state *s = ctx;
	struct row row;

	/* A copy of the exact size, so that the sanitizer sees every read after its end. */
	void *copy = malloc(len ? len : 1);

	if (!copy)
		return -1;
	memcpy(copy, data, len);
	if (decode_record(&s->d, cpu, copy, len, &row) == 0) {
		if (row.len > len || row.data != copy || row.id == 0 || row.id > schema.nfmts ||
		    !rec_schema_probe(&schema, row.probe))
			abort();
		for (size_t i = 0; i < row.len; i++)
			s->sum += ((const uint8_t *)row.data)[i];
		decode_record_procs(&s->d, copy, len, on_proc, s);
	}
	free(copy);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct order_sink sink = { on_early, on_record, NULL, NULL };
	struct state s = { .d = { .schema = &schema } };
	struct order_sink my = sink;
	uint64_t consumer[NRINGS] = { 0 }, producer[NRINGS];
	struct ring rings[NRINGS];
	uint8_t *mem = calloc(NRINGS, 2 * RING);
	struct order *o = NULL;

	if (!mem || size < HEAD) {
		free(mem);
		return 0;
	}
	my.ctx = &s;
	for (int i = 0; i < NRINGS; i++) {
		uint8_t *ring = mem + i * 2 * RING;
		size_t off = HEAD + (size_t)i * RING;
		size_t n = off < size ? size - off : 0;

		memcpy(ring, data + (n ? off : 0), n > RING ? RING : n);
		memcpy(ring + RING, ring, RING);
		producer[i] = (uint64_t)(data[2 * i] | data[2 * i + 1] << 8) * 8 % (RING + 8);
		rings[i] = (struct ring){ &consumer[i], &producer[i], ring, RING, 4096, 2 * RING, -1, 2 * RING, 0 };
	}
	if (order_new(rings, NRINGS, &o) == 0) {
		order_drain(o, 1, data[HEAD - 1], &my);
		if (order_drain(o, 2, UINT64_MAX, &my) == 0)
			order_pending(o);
		order_free(o);
	}
	free(mem);
	*(volatile unsigned *)&s.sum = s.sum;
	return 0;
}
