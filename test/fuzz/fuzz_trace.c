/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of programs from elsewhere. An input that begins with the magic word is a whole file; of all others the
 * events are taken as they are, and get a head and checksums, so that the code after their checks is reached, too.
 * Reading ends, stays inside, and every group keeps its limits. */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "replay/trace/calls.h"
#include "replay/trace/group.h"
#include "replay/trace/int.h"

static int blob(void *ctx, uint64_t at, const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	unsigned *sum = ctx;

	if (at > ARENA_MAX || n > ARENA_MAX - at)
		abort();
	for (size_t i = 0; i < n; i++)
		*sum += b[i];
	return 0;
}

static void look(const struct group *g, unsigned *sum)
{
	if (g->mems.n > g->bytes.n + GROUP_MAX || g->maps.n > GROUP_MAPS_MAX || g->bytes.n > GROUP_MAX)
		abort();
	for (size_t i = 0; i < g->mems.n; i++) {
		if (g->mems.v[i].at + g->mems.v[i].size > g->bytes.n)
			abort();
		for (size_t k = 0; k < g->mems.v[i].size; k++)
			*sum += g->bytes.v[g->mems.v[i].at + k];
	}
	for (size_t i = 0; i < g->maps.n; i++)
		if (g->maps.v[i].start >= g->maps.v[i].end)
			abort();
	if (g->kind == EV_CALL && g->call.how >= HOW_KINDS)
		abort();
}

static void read_all(FILE *f)
{
	struct trace_in *t = NULL;
	struct group g = { 0 };
	unsigned sum = 0;

	if (!f || trace_open(f, &t) < 0)
		return;
	while (group_next(&g, t, blob, &sum).more)
		look(&g, &sum);
	if (sum == 0xffffffff) /* so that the reads are made */
		abort();
	trace_done(t);
	group_free(&g);
}

#if defined(__x86_64__)
static int on_call(void *ctx, const struct calls_event *e)
{
	struct calls *c = *(struct calls **)ctx;
	uint8_t buf[64];

	for (int i = 0; i < 6; i++)
		if (calls_read(c, e->args[i], buf, sizeof(buf)) > sizeof(buf))
			abort();
	if (e->name.comm[sizeof(e->name.comm) - 1])
		abort();
	return 0;
}

static void ask_all(FILE *f)
{
	struct calls *c = NULL;
	struct err e = { 0 };

	if (f && calls_open(f, &c, &e) == 0)
		calls_walk(c, on_call, &c, &e);
	calls_close(c);
	err_done(&e);
}
#else
static void ask_all(FILE *f)
{
	if (f)
		fclose(f);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_head h = { .magic = TRACE_MAGIC, .version = TRACE_VERSION };
	struct block_head b = { .mark = BLOCK_MARK, .raw = (uint32_t)size };
	uLongf packed = compressBound(size);
	uint8_t *file;

	if (size == 0 || size > TRACE_BLOCK_MAX)
		return 0;
	if (size >= sizeof(h.magic) && !memcmp(data, TRACE_MAGIC, sizeof(h.magic))) {
		read_all(fmemopen((void *)(uintptr_t)data, size, "r"));
		ask_all(fmemopen((void *)(uintptr_t)data, size, "r"));
		return 0;
	}
	file = malloc(sizeof(h) + sizeof(b) + packed);
	if (!file || compress2(file + sizeof(h) + sizeof(b), &packed, data, size, 1) != Z_OK)
		abort();
	h.crc = trace_crc(&h, offsetof(struct trace_head, crc));
	b.packed = (uint32_t)packed;
	b.crc = trace_crc(file + sizeof(h) + sizeof(b), packed);
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), &b, sizeof(b));
	read_all(fmemopen(file, sizeof(h) + sizeof(b) + packed, "r"));
	ask_all(fmemopen(file, sizeof(h) + sizeof(b) + packed, "r"));
	free(file);
	return 0;
}
