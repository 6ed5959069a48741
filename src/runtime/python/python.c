/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects of CPython: their names, their file, and the lines of their instructions. */
#include "runtime/python/python.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/* The allocator uses the first word of freed memory: 0, or the address of the next free block. */
#define MAX_REFS UINT32_MAX
#define STATE_AT 32 /* PyASCIIObject.state */

int py_code_read(const struct rt_mem *m, uint64_t type, uint64_t code, struct py_code *ret)
{
	uint8_t all[PY_CODE_BYTES];
	uint64_t refs, found;
	int r = m->read(m->ctx, code, all, sizeof(all));

	if (r < 0)
		return r;
	memcpy(&refs, all, sizeof(refs));
	memcpy(&found, all + PY_OB_TYPE, sizeof(found));
	if (found != type || refs == 0 || refs > MAX_REFS)
		return -ENOENT;
	memcpy(ret->head, all + PY_OB_TYPE, sizeof(ret->head));
	return 0;
}

static uint64_t word_of(const struct py_code *c, unsigned at)
{
	uint64_t v;

	memcpy(&v, c->head + at - PY_OB_TYPE, sizeof(v));
	return v;
}

/* -- text -- */

/* A str of at most max characters. Source: Include/cpython/unicodeobject.h, PyASCIIObject. */
static int add_str(struct rt_text *t, const struct py_layout *l, const struct rt_mem *m, uint64_t str, uint64_t max)
{
	uint8_t head[STATE_AT + 4], chars[4 * PY_MAX_FILE];
	uint64_t n;
	uint32_t state, kind;
	int r = m->read(m->ctx, str, head, sizeof(head));

	if (r < 0)
		return r;
	memcpy(&n, head + PY_OB_SIZE, sizeof(n));
	memcpy(&state, head + STATE_AT, sizeof(state));
	kind = state >> 2 & 7;
	if (!(state >> 5 & 1) || (kind != 1 && kind != 2 && kind != 4) || max > PY_MAX_FILE)
		return -EBADMSG;
	const uint64_t shown = n < max ? n : max;

	r = m->read(m->ctx, str + (state >> 6 & 1 ? l->ascii : l->compact), chars, shown * kind);
	if (r < 0)
		return r;
	for (uint64_t i = 0; i < shown; i++) {
		uint32_t c = 0;

		memcpy(&c, chars + i * kind, kind); /* little-endian, as all machines that are walked */
		rt_text_char(t, c);
	}
	if (n > max)
		rt_text_add(t, "...");
	return 0;
}

int py_str_text(const struct py_layout *l, const struct rt_mem *m, uint64_t str, uint64_t max, char *buf, size_t size)
{
	struct rt_text t = rt_text_begin(buf, size);

	return add_str(&t, l, m, str, max);
}

/* -- lines -- */

struct bytes {
	const uint8_t *p, *end;
};

#define VARINT_MAX_SHIFT 30

/* Six bits in a byte, the lowest first; bit 6: more follow. */
static uint32_t varint(struct bytes *b)
{
	uint32_t v = 0;

	for (unsigned shift = 0; b->p < b->end; shift += 6) {
		uint8_t c = *b->p++;

		if (shift <= VARINT_MAX_SHIFT)
			v |= (uint32_t)(c & 63) << shift;
		if (!(c & 64))
			break;
	}
	return v;
}

static int64_t signed_varint(struct bytes *b)
{
	uint32_t v = varint(b);

	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* Source: Objects/locations.md of CPython 3.11. */
enum { LOC_ONE_LINE = 10, LOC_ONE_LINE_LAST = 12, LOC_NO_COLUMNS = 13, LOC_LONG = 14, LOC_NONE = 15 };

int64_t py_line(const uint8_t *table, size_t n, int32_t first, uint32_t index)
{
	struct bytes b = { table, table + n };
	int64_t line = first;
	uint64_t at = 0;

	if (index == PY_INDEX_MAX)
		return first;
	while (b.p < b.end) {
		uint8_t head = *b.p++;
		unsigned code = head >> 3 & 15;

		if (!(head & 128))
			return -1;
		if (code == LOC_NO_COLUMNS || code == LOC_LONG)
			line += signed_varint(&b);
		else if (code >= LOC_ONE_LINE && code <= LOC_ONE_LINE_LAST)
			line += code - LOC_ONE_LINE;
		at += (head & 7) + 1u;
		if (index < at)
			return code == LOC_NONE ? -1 : line;
		while (b.p < b.end && !(*b.p & 128))
			b.p++;
	}
	return -1;
}

static int64_t line_of(const struct py_layout *l, const struct rt_mem *m, const struct py_code *c, uint32_t index)
{
	_cleanup_free_ uint8_t *table = NULL;
	uint64_t lines = word_of(c, l->lines), n;
	int32_t first;

	memcpy(&first, c->head + l->first_line - PY_OB_TYPE, sizeof(first));
	if (m->read(m->ctx, lines + PY_OB_SIZE, &n, sizeof(n)) < 0 || n == 0 || n > PY_MAX_LINES)
		return -1;
	table = malloc(n);
	if (!table || m->read(m->ctx, lines + PY_BYTES_AT, table, n) < 0)
		return -1;
	return py_line(table, n, first, index);
}

int py_frame_text(const struct py_layout *l, const struct rt_mem *m, const struct py_code *c, uint32_t index, char *buf,
		  size_t size)
{
	struct rt_text t = rt_text_begin(buf, size);
	int64_t line;
	int r = add_str(&t, l, m, word_of(c, l->name), PY_MAX_NAME);

	if (r < 0)
		return r;
	rt_text_add(&t, " at ");
	r = add_str(&t, l, m, word_of(c, l->file), PY_MAX_FILE);
	if (r < 0)
		return r;
	line = line_of(l, m, c, index);
	if (line > 0)
		rt_text_add(&t, ":%" PRId64, line);
	return 0;
}
