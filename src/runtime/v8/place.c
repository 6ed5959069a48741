/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the place in the source of a V8 frame. It looks its program counter up in the tables of positions that V8 keeps
 * for bytecode and for compiled code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/v8/int.h"

struct bytes {
	const uint8_t *p, *end;
};

#define VLQ_MAX_SHIFT 57

/* Seven bits in a byte, the lowest first; bit 7: more follow. The lowest bit of a signed number is its sign. */
static uint64_t vlq(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; b->p < b->end; shift += 7) {
		const uint8_t c = *b->p++;

		if (shift < VLQ_MAX_SHIFT)
			v |= (uint64_t)(c & 127) << shift;
		if (!(c & 128))
			break;
	}
	return v;
}

static int64_t vlq_signed(struct bytes *b)
{
	const uint64_t v = vlq(b);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* The place in the source that an entry has: 30 bits, from 1, after a bit that tells whether it is in an external file.
 * Source: src/codegen/source-position.h */
static int64_t place_of(uint64_t position)
{
	return (int64_t)(position >> 1 & 0x3fffffff) - 1;
}

/* Source: SourcePositionTableIterator, src/codegen/source-position-table.cc. */
static bool raw_position(const uint8_t *table, size_t n, uint64_t at, uint64_t *ret)
{
	struct bytes b = { table, table + n };
	uint64_t offset = (uint64_t)-1, position = 0; /* the first entry may be about what comes before all code */
	bool found = false;

	while (b.p < b.end) {
		const int64_t by = vlq_signed(&b); /* negative: no statement */

		offset += (uint64_t)(by >= 0 ? by : -(by + 1));
		if ((int64_t)offset > (int64_t)at)
			break;
		position += (uint64_t)vlq_signed(&b);
		*ret = position;
		found = true;
	}
	return found;
}

int64_t v8_position(const uint8_t *table, size_t n, uint64_t at)
{
	uint64_t position;

	return raw_position(table, n, at, &position) ? place_of(position) : -1;
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

/* The bytes of an array, of max at most, for the caller to free. -ENOENT: it is none. */
static int read_bytes(const struct v8 *v, uint64_t array, int64_t at, size_t max, uint8_t **ret, size_t *ret_n)
{
	uint8_t *bytes;
	uint64_t n;
	int r;

	if (v8_type(v, array) < 0 || v8_type(v, array) == v->l->type_oddball)
		return -ENOENT; /* V8 has not made it yet */
	r = v8_word(v, array, v->l->array_length, &n);
	if (r < 0 || !v8_is_smi(n) || v8_smi(n) <= 0 || (uint32_t)v8_smi(n) > max)
		return -ENOENT;
	*ret_n = (size_t)v8_smi(n);
	bytes = malloc(*ret_n);
	if (!bytes)
		return -ENOMEM;
	r = v8_bytes(v, array, at, bytes, *ret_n);
	if (r < 0)
		free(bytes);
	else
		*ret = bytes;
	return r;
}

/* Looks a place in the code up in a table of positions. -ENOENT: the table does not have it. */
static int read_position(const struct v8 *v, uint64_t table, uint64_t at, uint64_t *ret)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t n;
	int r = read_bytes(v, table, v->l->array_data, V8_MAX_POSITIONS, &bytes, &n);

	return r < 0 ? r : raw_position(bytes, n, at, ret) ? 0 : -ENOENT;
}

/* -- baseline code -- */

/* The bytecode whose baseline code has pc. Source: BytecodeOffsetIterator,
 * src/baseline/bytecode-offset-iterator.cc: the table has the bytes of code before the first bytecode, then of each. */
static uint64_t bytecode_at(const struct v8_layout *l, struct bytes offsets, const uint8_t *code, size_t n, uint64_t pc)
{
	uint64_t end = vlq(&offsets), at = 0, next = 0;

	while (end < pc && next < n && offsets.p < offsets.end) {
		unsigned scale = 0;

		at = next;
		/* Source: Bytecode::kWide, kExtraWide and those for breakpoints, src/interpreter/bytecodes.h. */
		if (code[next] < V8_PREFIXES) {
			scale = 1 + code[next] % 2;
			next++;
		}
		if (next >= n || code[next] >= l->nbytecodes)
			return V8_AT_MAX;
		next += l->bytecode_sizes[scale][code[next]];
		end += vlq(&offsets);
	}
	return at;
}

/* The offset of the bytecode that code of the baseline compiler is at. */
static int baseline_offset(const struct v8 *v, uint64_t code, uint64_t array, uint64_t pc, uint64_t *ret)
{
	_cleanup_free_ uint8_t *offsets = NULL, *bytecode = NULL;
	size_t noffsets, n;
	uint64_t table;
	int r;

	if (!v->l->nbytecodes || v8_type(v, code) != v->l->type_code)
		return -ENOENT;
	r = v8_word(v, code, v->l->code_positions, &table);
	if (r == 0)
		r = read_bytes(v, table, v->l->array_data, V8_MAX_POSITIONS, &offsets, &noffsets);
	if (r == 0)
		r = read_bytes(v, array, v->l->bytecode_data, V8_MAX_POSITIONS, &bytecode, &n);
	if (r == 0)
		*ret = bytecode_at(v->l, (struct bytes){ offsets, offsets + noffsets }, bytecode, n, pc);
	return r;
}

int64_t v8_function_place(const struct v8 *v, uint64_t data, uint64_t frame)
{
	const int64_t head = v->l->bytecode_data -
			     V8_TAG; /* an interpreted frame's offset is from the tagged pointer */
	uint64_t array, table, position, at = V8_FRAME_AT(frame);

	if (at == V8_AT_MAX || bytecode_of(v, data, &array) < 0)
		return -1;
	if (!(frame & V8_COMPILED)) {
		if ((int64_t)at < head)
			return -1;
		at -= (uint64_t)head;
	} else if (baseline_offset(v, data, array, at, &at) < 0 || at == V8_AT_MAX) {
		return -1;
	}
	if (v8_word(v, array, v->l->bytecode_positions, &table) < 0 || read_position(v, table, at, &position) < 0)
		return -1;
	return place_of(position);
}

/* -- optimised code -- */

/* Source: InliningIdField, src/codegen/source-position.h; struct InliningPosition, the same. */
#define INLINING_ID(position) ((uint32_t)((position) >> 31 & 0xffff))
struct inlining {
	uint64_t position; /* of the call */
	int32_t function;  /* an index of the literals; -1: the outer function itself */
	uint32_t unused;
};

static int element(const struct v8 *v, uint64_t array, int64_t i, uint64_t *ret)
{
	uint64_t n;
	int r = v8_word(v, array, v->l->array_length, &n);

	if (r < 0)
		return r;
	if (!v8_is_smi(n) || i < 0 || i >= v8_smi(n))
		return -EBADMSG;
	return v8_word(v, array, v->l->array_data + 8 * i, ret);
}

/* The function of optimised code. */
static int outer_function(const struct v8 *v, uint64_t deopt, uint64_t *ret)
{
	int r;

	if (!v->l->deopt_wrapped)
		return element(v, deopt, v->l->deopt_shared, ret);
	r = element(v, deopt, v->l->deopt_wrapped, ret);
	return r < 0 ? r : v8_word(v, *ret, 8, ret);
}

/* The function that was inlined as number id, and where it was called. */
static int inlined_function(const struct v8 *v, uint64_t deopt, uint32_t id, struct v8_call *call)
{
	uint64_t array, n;
	struct inlining in;
	int r = element(v, deopt, v->l->deopt_inlining, &array);

	if (r == 0)
		r = v8_word(v, array, v->l->array_length, &n);
	if (r < 0)
		return r;
	if (!v8_is_smi(n) || v8_smi(n) < 0 || (uint64_t)v8_smi(n) / sizeof(in) <= id)
		return -EBADMSG;
	r = v8_bytes(v, array, v->l->array_data + (int64_t)(id * sizeof(in)), &in, sizeof(in));
	if (r < 0)
		return r;
	call->position = in.position;
	if (in.function == -1)
		return outer_function(v, deopt, &call->shared);
	r = element(v, deopt, v->l->deopt_literals, &array);
	if (r == 0)
		r = element(v, array, in.function, &call->shared);
	call->shared = (call->shared & ~(uint64_t)V8_TAG_MASK) | V8_TAG; /* the reference may be a weak one */
	return r;
}

int v8_code_functions(const struct v8 *v, uint64_t code, uint64_t frame, struct v8_call *ret, size_t max)
{
	uint64_t deopt, table, position = 0, at = V8_FRAME_AT(frame);
	size_t n = 0;
	int r = v8_word(v, code, v->l->code_deopt, &deopt);

	if (r == 0)
		r = v8_word(v, code, v->l->code_positions, &table);
	if (r < 0)
		return r;
	/* A return address is after the call. */
	if (at == V8_AT_MAX || !at || read_position(v, table, at - 1, &position) < 0)
		position = 0;
	while (INLINING_ID(position) && n + 1 < max) {
		const int64_t place = place_of(position);

		r = inlined_function(v, deopt, INLINING_ID(position) - 1, &ret[n]);
		if (r < 0)
			return r;
		position = ret[n].position;
		ret[n++].place = place;
	}
	if (INLINING_ID(position))
		return -EBADMSG;
	ret[n].place = place_of(position);
	r = outer_function(v, deopt, &ret[n].shared);
	return r < 0 ? r : (int)n + 1;
}
