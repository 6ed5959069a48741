/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a frame of V8: the name of its function, and the place in the source. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/v8/int.h"

/* The map of all maps is its own: what does not lead there is no heap of V8, or of another version. */
static int check_map(const struct v8 *v, uint64_t map)
{
	uint64_t meta, again;
	int r = v8_word(v, map, 0, &meta), type;

	if (r == 0 && !v8_is_object(meta))
		return -EBADMSG;
	if (r == 0)
		r = v8_word(v, meta, 0, &again);
	if (r < 0)
		return r;
	type = v8_type(v, meta);
	if (type < 0)
		return type;
	return meta == again && type == v->l->type_map ? 0 : -EBADMSG;
}

int v8_head_read(const struct v8_layout *l, const struct rt_mem *m, uint64_t frame, struct v8_head *ret)
{
	const struct v8 v = { l, m };
	struct v8_head h = { .shared = V8_FRAME_OBJECT(frame) };
	int r = v8_word(&v, h.shared, 0, &h.map), type;

	if (r < 0)
		return r;
	type = v8_type(&v, h.shared);
	if (type < 0)
		return type == -EBADMSG ? -ENOENT : type;
	if (type != l->type_shared)
		return -ENOENT;
	r = check_map(&v, h.map);
	if (r == 0)
		r = v8_word(&v, h.shared, l->shared_name, &h.name);
	if (r == 0)
		r = v8_word(&v, h.shared, l->shared_script, &h.script);
	if (r == 0)
		*ret = h;
	return r;
}

/* -- positions -- */

struct bytes {
	const uint8_t *p, *end;
};

#define VLQ_MAX_SHIFT 57

/* Seven bits in a byte, the lowest first; bit 7: more follow. The lowest bit of all is the sign. */
static int64_t vlq(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; b->p < b->end; shift += 7) {
		const uint8_t c = *b->p++;

		if (shift < VLQ_MAX_SHIFT)
			v |= (uint64_t)(c & 127) << shift;
		if (!(c & 128))
			break;
	}
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* What an entry says of the source: 30 bits, from 1, behind a bit that says whether it is in an external file. Source:
 * src/codegen/source-position.h */
static int64_t place_of(uint64_t position)
{
	return (int64_t)(position >> 1 & 0x3fffffff) - 1;
}

/* Source: SourcePositionTableIterator, src/codegen/source-position-table.cc. */
int64_t v8_position(const uint8_t *table, size_t n, uint64_t at)
{
	struct bytes b = { table, table + n };
	uint64_t offset = 0, position = 0;
	int64_t found = -1;

	while (b.p < b.end) {
		const int64_t by = vlq(&b); /* negative: no statement */

		offset += (uint64_t)(by >= 0 ? by : -(by + 1));
		if (offset > at)
			break;
		position += (uint64_t)vlq(&b);
		found = place_of(position);
	}
	return found;
}

#define MAX_HOLDERS 2 /* baseline code, then the interpreter's data */

/* The bytecode of a function, also when there is code for it meanwhile. -ENOENT: it is thrown away, or there is none.
 */
static int bytecode_of(const struct v8 *v, uint64_t data, uint64_t *ret)
{
	for (unsigned i = 0; i <= MAX_HOLDERS; i++) {
		const int type = v8_type(v, data);
		int r;

		if (type < 0)
			return type;
		if (type == v->l->type_bytecode) {
			*ret = data;
			return 0;
		}
		if (type != v->l->type_code && type != v->l->type_interpreter)
			return -ENOENT;
		r = v8_word(v, data, type == v->l->type_code ? v->l->code_bytecode : v->l->interpreter_bytecode, &data);
		if (r < 0)
			return r;
	}
	return -ENOENT;
}

static int read_table(const struct v8 *v, uint64_t table, uint64_t at, int64_t *ret)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	uint64_t n;
	int r;

	if (v8_type(v, table) < 0 || v8_type(v, table) == v->l->type_oddball)
		return -ENOENT; /* V8 has not made it yet */
	r = v8_word(v, table, v->l->array_length, &n);
	if (r < 0 || !v8_is_smi(n) || v8_smi(n) <= 0 || (uint32_t)v8_smi(n) > V8_MAX_POSITIONS)
		return -ENOENT;
	n = (uint64_t)v8_smi(n);
	bytes = malloc(n);
	if (!bytes)
		return -ENOMEM;
	r = v8_bytes(v, table, v->l->array_data, bytes, n);
	if (r == 0)
		*ret = v8_position(bytes, n, at);
	return r;
}

static int64_t position_of(const struct v8 *v, uint64_t data, uint64_t frame)
{
	/* The binaries name the byte behind the first bytecode; a frame's offset is from the tagged pointer. */
	const int64_t head = v->l->bytecode_data - 1 - V8_TAG;
	uint64_t array, table, at = V8_FRAME_AT(frame);
	int64_t place = -1;

	if (at == V8_AT_MAX || (frame & V8_COMPILED) || (int64_t)at < head)
		return -1;
	if (bytecode_of(v, data, &array) < 0 || v8_word(v, array, v->l->bytecode_positions, &table) < 0 ||
	    read_table(v, table, at - (uint64_t)head, &place) < 0)
		return -1;
	return place;
}

/* -- text -- */

/* Adds a string that is not empty; what is none is left out. */
static int add_if_string(const struct v8 *v, struct rt_text *t, uint64_t string)
{
	const int type = v8_is_object(string) ? v8_type(v, string) : v->l->type_nonstring;

	if (type < 0)
		return type;
	return type < v->l->type_nonstring ? v8_add_string(v, t, string, V8_MAX_NAME) : 0;
}

/* The name of a function, else the one that V8 has inferred from where it is assigned; *start: where it begins in the
 * source, or -1. */
static int add_name(const struct v8 *v, struct rt_text *t, const struct v8_head *h, int64_t *start)
{
	const size_t before = t->n;
	struct v8_scope scope = { .name = h->name, .start = -1 };
	int r = 0;

	if (v8_is_object(h->name) && v8_type(v, h->name) == v->l->type_scope)
		r = v8_scope_read(v, h->name, &scope);
	*start = scope.start;
	if (r == 0)
		r = add_if_string(v, t, scope.name);
	if (r == 0 && t->n == before)
		r = add_if_string(v, t, scope.inferred);
	if (r == 0 && t->n == before)
		rt_text_add(t, "(anonymous)");
	return r;
}

/* The name of a script, or of none that it is. */
static int add_file(const struct v8 *v, struct rt_text *t, uint64_t script)
{
	uint64_t name;
	int type, r = v8_word(v, script, v->l->script_name, &name);
	uint8_t kind = 0;

	if (r < 0)
		return r;
	type = v8_type(v, name);
	if (type >= 0 && type < v->l->type_nonstring)
		return v8_add_string(v, t, name, V8_MAX_FILE);
	if (type != v->l->type_oddball || v8_bytes(v, name, v->l->oddball_kind + 4, &kind, 1) < 0 ||
	    kind != (uint8_t)v->l->undefined)
		return -EBADMSG;
	rt_text_add(t, "<anonymous>");
	return 0;
}

int v8_frame_text(const struct v8_layout *l, const struct rt_mem *m, struct v8_lines *k, const struct v8_head *h,
		  uint64_t frame, char *buf, size_t size)
{
	const struct v8 v = { l, m };
	struct rt_text t = rt_text_begin(buf, size);
	int64_t start, place, line, column;
	uint64_t data;
	int r = add_name(&v, &t, h, &start);

	if (r == 0)
		r = v8_word(&v, h->shared, l->shared_data, &data);
	if (r < 0)
		return r;
	if (v8_is_smi(data)) {
		rt_text_add(&t, " [builtin]");
		return 0;
	}
	if (v8_type(&v, h->script) != l->type_script) {
		rt_text_add(&t, " [no script]");
		return 0;
	}
	rt_text_add(&t, " at ");
	r = add_file(&v, &t, h->script);
	if (r < 0)
		return r;
	place = position_of(&v, data, frame);
	if (place < 0 && start < 0)
		return 0;
	r = v8_line(&v, k, h->script, place >= 0 ? place : start, &line, &column);
	if (r < 0)
		return r != -E2BIG; /* the collector may be at it */
	rt_text_add(&t, ":%" PRId64, line);
	if (place >= 0)
		rt_text_add(&t, ":%" PRId64, column);
	return 0;
}
