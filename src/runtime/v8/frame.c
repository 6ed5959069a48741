/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a frame of V8: the name of its function, and the place in the source. */
#include <errno.h>
#include <inttypes.h>
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

static int read_shared(const struct v8 *v, uint64_t shared, struct v8_head *ret)
{
	struct v8_head h = { .shared = shared };
	int r = v8_word(v, h.shared, 0, &h.map), type;

	if (r < 0)
		return r;
	type = v8_type(v, h.shared);
	if (type < 0)
		return type == -EBADMSG ? -ENOENT : type;
	if (type != v->l->type_shared && type != v->l->type_code)
		return -ENOENT;
	h.kind = type;
	r = check_map(v, h.map);
	if (r == 0)
		r = v8_word(v, h.shared, type == v->l->type_code ? v->l->code_begin : v->l->shared_name, &h.name);
	if (r == 0)
		r = v8_word(v, h.shared, type == v->l->type_code ? v->l->code_deopt : v->l->shared_script, &h.script);
	if (r == 0)
		*ret = h;
	return r;
}

int v8_head_read(const struct v8_layout *l, const struct rt_mem *m, uint64_t frame, struct v8_head *ret)
{
	const struct v8 v = { l, m };
	int r = read_shared(&v, V8_FRAME_OBJECT(frame), ret);

	return r == 0 && ret->kind == l->type_code && !(frame & V8_COMPILED) ? -ENOENT : r;
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

/* "function at file:line:column"; place: -1: where the function begins, without column. 0; 1: the place could not be
 * read now; or -errno. */
static int add_function(const struct v8 *v, struct v8_lines *k, struct rt_text *t, const struct v8_head *h,
			uint64_t data, int64_t place)
{
	int64_t start, line, column;
	int r = add_name(v, t, h, &start);

	if (r < 0)
		return r;
	if (v8_is_smi(data)) {
		rt_text_add(t, " [builtin]");
		return 0;
	}
	if (v8_type(v, h->script) != v->l->type_script) {
		rt_text_add(t, " [no script]");
		return 0;
	}
	rt_text_add(t, " at ");
	r = add_file(v, t, h->script);
	if (r < 0)
		return r;
	if (place < 0 && start < 0)
		return 0;
	r = v8_line(v, k, h->script, place >= 0 ? place : start, &line, &column);
	if (r < 0)
		return r != -E2BIG; /* the collector may be at it */
	rt_text_add(t, ":%" PRId64, line);
	if (place >= 0)
		rt_text_add(t, ":%" PRId64, column);
	return 0;
}

/* The functions of optimised code, the innermost inlined one first. */
static int add_code(const struct v8 *v, struct v8_lines *k, struct rt_text *t, uint64_t code, uint64_t frame)
{
	struct v8_call calls[V8_MAX_INLINED + 1];
	const int n = v8_code_functions(v, code, frame, calls, V8_MAX_INLINED + 1);
	int part = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		struct v8_head h;
		uint64_t data;
		int r = read_shared(v, calls[i].shared, &h);

		if (r == 0 && h.kind != v->l->type_shared)
			r = -EBADMSG;
		if (r == 0)
			r = v8_word(v, h.shared, v->l->shared_data, &data);
		if (r < 0)
			return r;
		if (i)
			rt_text_add(t, RT_INLINED_INTO);
		r = add_function(v, k, t, &h, data, calls[i].place);
		if (r < 0)
			return r;
		part |= r;
	}
	return part;
}

int v8_frame_text(const struct v8_layout *l, const struct rt_mem *m, struct v8_lines *k, const struct v8_head *h,
		  uint64_t frame, char *buf, size_t size)
{
	const struct v8 v = { l, m };
	struct rt_text t = rt_text_begin(buf, size);
	uint64_t data;
	int r;

	if (h->kind == l->type_code)
		return add_code(&v, k, &t, h->shared, frame);
	r = v8_word(&v, h->shared, l->shared_data, &data);
	return r < 0 ? r : add_function(&v, k, &t, h, data, v8_function_place(&v, data, frame));
}

enum v8_tier v8_frame_tier(const struct v8_layout *l, const struct rt_mem *m, const struct v8_head *h, uint64_t frame)
{
	const struct v8 v = { l, m };
	uint32_t flags;

	if (!(frame & V8_COMPILED))
		return V8_INTERPRETED;
	if (h->kind != l->type_code || v8_bytes(&v, h->shared, l->code_flags, &flags, sizeof(flags)) < 0)
		return V8_BASELINE;
	/* Source: CODE_KIND_LIST, src/objects/code-kind.h: baseline code, Maglev's, TurboFan's. */
	return (int32_t)(flags & (uint32_t)l->kind_mask) == l->kind_baseline + 1 ? V8_MAGLEV : V8_TURBOFAN;
}
