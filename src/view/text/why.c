/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks as what they waited for. The words come from the rules of dlib/causes, by a function of the command. This file
 * keeps them by stack, so that a stack is looked at once. It keeps them by words, too, so that all stacks of one cause
 * are one key of an aggregation. */
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "view/text/int.h"

#define MAX_STACKS 65536 /* known ones; then all are forgotten and asked again */

struct why_stack {
	UT_hash_handle hh;
	const struct why_words *words;
	uint8_t frames[];
};

static void forget_stacks(struct text_view *v)
{
	struct why_stack *s, *next;

	HASH_ITER (hh, v->why_stacks, s, next) {
		HASH_DEL(v->why_stacks, s);
		free(s);
	}
}

void text_why_free(struct text_view *v)
{
	forget_stacks(v);
	for (struct why_words *w = v->why_words, *next; w; w = next) {
		next = w->next;
		free(w);
	}
}

static const char *ask(struct text_view *v, const struct recfield *f, const uint8_t *p, const char **class)
{
	size_t first, n = text_frames(v, f, p, &first);
	_cleanup_free_ const char **names = calloc(n + 1, sizeof(*names));
	const char *words = NULL;

	for (size_t i = first; names && i < n; i++) {
		struct symbol s = { 0 };
		uint64_t pc;

		memcpy(&pc, p + 8 * i, sizeof(pc));
		names[i - first] = v->sym && sym_kernel(v->sym, pc, &s) ? s.name : NULL;
	}
	if (names && v->opts.why)
		words = v->opts.why(v->opts.why_arg, names, n - first, 0, class);
	if (!words)
		*class = "unknown";
	return words ? words : "unknown";
}

/* The entry of these words, made if need be. */
static const struct why_words *find_words(struct text_view *v, const char *words, const char *class, const uint8_t *p,
					  uint32_t size)
{
	static const struct why_words lost = { NULL, "unknown", "unknown", 0 };
	struct why_words *w = v->why_words;

	for (; w; w = w->next)
		if (w->size == size && (w->words == words || !strcmp(w->words, words)))
			return w;
	w = malloc(sizeof(*w) + size);
	if (!w)
		return &lost;
	*w = (struct why_words){ v->why_words, words, class, size };
	memcpy(w->frames, p, size);
	v->why_words = w;
	return w;
}

const struct why_words *text_why(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	uint32_t size = f->nframes * 8;
	struct why_stack *s = NULL;
	const struct why_words *w;
	const char *words, *class;

	HASH_FIND(hh, v->why_stacks, p, size, s);
	if (s)
		return s->words;
	words = ask(v, f, p, &class);
	w = find_words(v, words, class, p, size);
	if (HASH_COUNT(v->why_stacks) >= MAX_STACKS)
		forget_stacks(v);
	s = malloc(sizeof(*s) + size);
	if (!s)
		return w;
	s->words = w;
	memcpy(s->frames, p, size);
	HASH_ADD_KEYPTR(hh, v->why_stacks, s->frames, size, s);
	if (!s->hh.tbl)
		free(s);
	return w;
}
