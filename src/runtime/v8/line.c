/* SPDX-License-Identifier: Apache-2.0 */
/* Turns places in the source into lines and columns. V8 makes a script's table of lines when it first needs one, for a
 * stack of its own; before, the source is read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "runtime/v8/int.h"

#define CHUNK 65536u

struct script {
	uint64_t object, source;
	struct v8_chars chars;
	int32_t line, column; /* where the source begins in its file */
	int32_t *ends;	      /* places of the ends of lines; the last line has none */
	size_t n, cap;
	uint64_t used;
};

struct v8_lines {
	struct script v[V8_MAX_SCRIPTS];
	size_t n;
	uint64_t clock;
};

struct v8_lines *v8_lines_new(void)
{
	return calloc(1, sizeof(struct v8_lines));
}

void v8_lines_free(struct v8_lines *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i].ends);
	free(k);
}

static int add_end(struct script *s, int64_t at)
{
	if (s->n == V8_MAX_ENDS)
		return -E2BIG;
	if (s->n == s->cap) {
		const size_t cap = s->cap ? 2 * s->cap : 256;
		int32_t *p = realloc(s->ends, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->ends = p;
		s->cap = cap;
	}
	s->ends[s->n++] = (int32_t)at;
	return 0;
}

/* Source: IsLineTerminatorSequence(), src/strings/char-predicates-inl.h. */
static bool ends_line(uint32_t c, uint32_t next)
{
	return c == '\n' || (c == '\r' && next != '\n') || c == 0x2028 || c == 0x2029;
}

static int scan(const struct v8 *v, struct script *s)
{
	const struct v8_chars *c = &s->chars;
	_cleanup_free_ uint8_t *buf = malloc(CHUNK);
	const uint64_t bytes = (uint64_t)c->n * c->size;
	uint32_t last = 0;

	if (!buf)
		return -ENOMEM;
	if (bytes > V8_MAX_SOURCE)
		return -E2BIG;
	for (uint64_t at = 0; at < bytes; at += CHUNK) {
		const size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
		int r = v->m->read(v->m->ctx, c->at + at, buf, n);

		for (size_t i = 0; r == 0 && i < n; i += c->size) {
			uint32_t ch = c->size == 1 ? buf[i] : buf[i] | (uint32_t)buf[i + 1] << 8;
			const uint64_t place = (at + i) / c->size;

			if (place && ends_line(last, ch))
				r = add_end(s, (int64_t)place - 1);
			last = ch;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* The table that V8 has made. -ENOENT: none. */
static int take_ends(const struct v8 *v, struct script *s, uint64_t array)
{
	_cleanup_free_ uint64_t *words = NULL;
	uint64_t n;
	int r;

	if (v8_type(v, array) != v->l->type_array || v8_word(v, array, v->l->array_length, &n) < 0 || !v8_is_smi(n) ||
	    v8_smi(n) <= 0)
		return -ENOENT;
	n = (uint64_t)v8_smi(n);
	if (n > V8_MAX_ENDS)
		return -E2BIG;
	words = malloc(n * sizeof(*words));
	if (!words)
		return -ENOMEM;
	r = v8_bytes(v, array, v->l->array_data, words, n * sizeof(*words));
	for (uint64_t i = 0; r == 0 && i + 1 < n; i++)
		r = !v8_is_smi(words[i]) || (i && words[i] <= words[i - 1]) ? -ENOENT : add_end(s, v8_smi(words[i]));
	if (r < 0)
		s->n = 0;
	return r;
}

static int read_script(const struct v8 *v, struct script *s)
{
	uint64_t ends, line = 0, column = 0;
	int r = v8_word(v, s->object, v->l->script_ends, &ends);

	if (r == 0)
		r = v8_word(v, s->object, v->l->script_line, &line);
	if (r == 0)
		r = v8_word(v, s->object, v->l->script_column, &column);
	if (r < 0)
		return r;
	s->line = v8_is_smi(line) ? v8_smi(line) : 0;
	s->column = v8_is_smi(column) ? v8_smi(column) : 0;
	r = take_ends(v, s, ends);
	return r == -ENOENT ? scan(v, s) : r;
}

/* The one that was not used for longest makes room. */
static struct script *room(struct v8_lines *k)
{
	struct script *s = &k->v[0];

	if (k->n < V8_MAX_SCRIPTS)
		return &k->v[k->n++];
	for (size_t i = 1; i < k->n; i++)
		if (k->v[i].used < s->used)
			s = &k->v[i];
	free(s->ends);
	return s;
}

static int find_script(const struct v8 *v, struct v8_lines *k, uint64_t object, struct script **ret)
{
	struct script now = { .object = object, .used = ++k->clock }, *s;
	int r = v8_word(v, object, v->l->script_source, &now.source);

	if (r == 0)
		r = v8_chars(v, now.source, &now.chars);
	if (r < 0)
		return r;
	for (size_t i = 0; i < k->n; i++) {
		s = &k->v[i];
		if (s->object == object && s->source == now.source && s->chars.at == now.chars.at &&
		    s->chars.n == now.chars.n) {
			s->used = now.used;
			*ret = s;
			return 0;
		}
	}
	r = read_script(v, &now);
	if (r < 0) {
		free(now.ends);
		return r;
	}
	s = room(k);
	*s = now;
	*ret = s;
	return 0;
}

int v8_line(const struct v8 *v, struct v8_lines *k, uint64_t script, int64_t position, int64_t *ret_line,
	    int64_t *ret_column)
{
	struct script *s;
	size_t lo = 0, n;
	int r = find_script(v, k, script, &s);

	if (r < 0)
		return r;
	if (position < 0 || position > (int64_t)s->chars.n)
		return -EBADMSG;
	for (n = s->n; n;) { /* the first end at or after the place */
		const size_t half = n / 2;

		if (s->ends[lo + half] < position) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	*ret_column = position - (lo ? s->ends[lo - 1] + 1 : 0) + 1;
	if (!lo)
		*ret_column += s->column;
	*ret_line = (int64_t)lo + s->line + 1;
	return 0;
}
