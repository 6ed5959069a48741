/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of V8: their types, strings, the names of scopes. */
#include <errno.h>
#include <string.h>
#include "runtime/v8/int.h"

#define WORD 8

/* Source: include/v8-internal.h, src/objects/instance-type.h; the binaries export the same. */
enum { KIND_MASK = 7, ONE_BYTE = 8, SEQ = 0, CONS = 1, EXTERNAL = 2, THIN = 5 };

int v8_bytes(const struct v8 *v, uint64_t object, int64_t at, void *buf, size_t n)
{
	return v->m->read(v->m->ctx, object - V8_TAG + (uint64_t)at, buf, n);
}

int v8_word(const struct v8 *v, uint64_t object, int64_t at, uint64_t *ret)
{
	return v8_bytes(v, object, at, ret, sizeof(*ret));
}

int v8_type(const struct v8 *v, uint64_t object)
{
	uint64_t map;
	uint16_t type;
	int r;

	if (!v8_is_object(object))
		return -EBADMSG;
	r = v8_word(v, object, 0, &map);
	if (r < 0)
		return r;
	if (!v8_is_object(map))
		return -EBADMSG;
	r = v8_bytes(v, map, v->l->map_type, &type, sizeof(type));
	return r < 0 ? r : type;
}

/* -- strings -- */

int v8_chars(const struct v8 *v, uint64_t string, struct v8_chars *ret)
{
	for (unsigned depth = 0; depth < V8_MAX_DEPTH; depth++) {
		const int type = v8_type(v, string);
		uint64_t second;
		uint32_t n;
		int r;

		if (type < 0)
			return type;
		if (type >= v->l->type_nonstring)
			return -EBADMSG;
		r = v8_bytes(v, string, v->l->string_length, &n, sizeof(n));
		if (r < 0)
			return r;
		*ret = (struct v8_chars){ 0, n, type & ONE_BYTE ? 1 : 2 };
		switch (type & KIND_MASK) {
		case SEQ: ret->at = string - V8_TAG + (uint64_t)v->l->string_chars; return 0;
		case EXTERNAL: return v8_word(v, string, v->l->string_data, &ret->at);
		case THIN: r = v8_word(v, string, v->l->string_actual, &string); break;
		case CONS: /* flat: all is in the first */
			r = v8_word(v, string, v->l->string_second, &second);
			if (r == 0)
				r = v8_bytes(v, second, v->l->string_length, &n, sizeof(n));
			if (r == 0 && n)
				return -EBADMSG;
			if (r == 0)
				r = v8_word(v, string, v->l->string_first, &string);
			break;
		default: return -EBADMSG;
		}
		if (r < 0)
			return r;
	}
	return -EBADMSG;
}

static int add_chars(const struct v8 *v, struct rt_text *t, const struct v8_chars *c, uint32_t max)
{
	uint8_t buf[2 * V8_MAX_FILE];
	const uint32_t n = c->n < max ? c->n : max;
	int r;

	if (max > V8_MAX_FILE)
		return -EBADMSG;
	r = v->m->read(v->m->ctx, c->at, buf, (size_t)n * c->size);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < n; i++) {
		uint16_t one = buf[i], next;
		uint32_t ch;

		if (c->size == 2)
			memcpy(&one, buf + 2 * i, sizeof(one));
		ch = one;
		if (c->size == 2 && (one & 0xfc00) == 0xd800 && i + 1 < n) { /* a character of two units */
			memcpy(&next, buf + 2 * (i + 1), sizeof(next));
			if ((next & 0xfc00) == 0xdc00) {
				ch = 0x10000 + ((uint32_t)(one & 0x3ff) << 10 | (next & 0x3ff));
				i++;
			}
		}
		rt_text_char(t, ch);
	}
	if (c->n > max)
		rt_text_add(t, "...");
	return 0;
}

/* The two pieces of a string that is put together. -ENOENT: it is not. */
static int pieces(const struct v8 *v, uint64_t string, uint64_t ret[2])
{
	const int type = v8_type(v, string);
	int r;

	if (type < 0 || type >= v->l->type_nonstring || (type & KIND_MASK) != CONS)
		return -ENOENT;
	r = v8_word(v, string, v->l->string_first, &ret[0]);
	return r < 0 ? r : v8_word(v, string, v->l->string_second, &ret[1]);
}

int v8_add_string(const struct v8 *v, struct rt_text *t, uint64_t string, uint32_t max)
{
	uint64_t todo[V8_MAX_DEPTH], two[2];
	unsigned n = 0, left = V8_MAX_PIECES;
	struct v8_chars c;
	int r;

	todo[n++] = string;
	while (n && left--) {
		string = todo[--n];
		r = pieces(v, string, two);
		if (r == 0 && n + 2 <= V8_MAX_DEPTH) {
			todo[n++] = two[1];
			todo[n++] = two[0];
			continue;
		}
		r = r == -ENOENT ? v8_chars(v, string, &c) : r == 0 ? -EBADMSG : r;
		if (r == 0)
			r = add_chars(v, t, &c, max);
		if (r < 0)
			return r;
	}
	return n ? -EBADMSG : 0;
}

/* -- scopes -- */

/* Source: src/objects/scope-info.tq of these versions, ScopeFlags. */
#define SCOPE_TYPE(flags) ((flags)&15)
#define SCOPE_SAVED_CLASS(flags) ((flags) >> 10 & 1)
#define SCOPE_FUNCTION(flags) ((flags) >> 12 & 3)
#define SCOPE_INFERRED(flags) ((flags) >> 14 & 1)

/* The index of a word after the map. */
static int scope_word(const struct v8 *v, uint64_t scope, uint64_t i, uint64_t *ret)
{
	return v8_word(v, scope, (int64_t)((1 + i) * WORD), ret);
}

static int scope_flags(const struct v8 *v, uint64_t scope, uint32_t *ret)
{
	uint64_t w;
	int r = scope_word(v, scope, 0, &w);

	if (r < 0)
		return r;
	*ret = v->l->scope_flags_raw ? (uint32_t)w : (uint32_t)v8_smi(w);
	return 0;
}

static bool is_module(const struct v8 *v, uint32_t flags)
{
	/* Two more kinds come before it in later versions. */
	return SCOPE_TYPE(flags) == (v->l->scope_flags_raw ? 5 : 3);
}

int v8_scope_read(const struct v8 *v, uint64_t scope, struct v8_scope *ret)
{
	uint64_t nlocals, i, w;
	uint32_t flags;
	int r = scope_flags(v, scope, &flags);

	*ret = (struct v8_scope){ .start = -1 };
	if (r == 0)
		r = scope_word(v, scope, (uint64_t)v->l->scope_nlocals, &nlocals);
	if (r < 0)
		return r;
	nlocals = (uint32_t)v8_smi(nlocals);
	if (nlocals > V8_MAX_LOCALS)
		return -EBADMSG;
	i = (uint64_t)v->l->scope_locals + is_module(v, flags);
	i += nlocals < V8_INLINE_LOCALS ? nlocals : 1; /* names */
	i += nlocals + SCOPE_SAVED_CLASS(flags);
	if (SCOPE_FUNCTION(flags)) {
		r = scope_word(v, scope, i, &w);
		if (r < 0)
			return r;
		ret->name = v8_is_object(w) ? w : 0;
		i += 2;
	}
	if (SCOPE_INFERRED(flags)) {
		r = scope_word(v, scope, i++, &w);
		if (r < 0)
			return r;
		ret->inferred = v8_is_object(w) ? w : 0;
	}
	r = scope_word(v, scope, v->l->scope_start ? (uint64_t)v->l->scope_start - 1 : i, &w);
	if (r == 0 && v8_is_smi(w))
		ret->start = v8_smi(w);
	return 0;
}
