/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads frames. */
#include "hosts/wire.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put_u32(struct strb *b, uint64_t v)
{
	for (unsigned i = 0; i < 4; i++)
		strb_addc(b, (char)(v >> 8 * i));
}

static uint32_t u32_at(const char *p)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++)
		v |= (uint32_t)(uint8_t)p[i] << 8 * i;
	return v;
}

void wire_put(struct strb *b, enum wire_kind kind, const void *p, size_t n)
{
	strb_addc(b, (char)kind);
	put_u32(b, n);
	if (n)
		strb_add(b, p, n);
}

struct step wire_next(const struct strb *b, size_t *at, size_t max, struct wire_frame *ret)
{
	size_t have = b->n - *at;
	uint32_t n;

	if (have < WIRE_HEAD)
		return step_end();
	n = u32_at(b->s + *at + 1);
	if (n > max)
		return step_failed(-EPROTO);
	if (have - WIRE_HEAD < n)
		return step_end();
	*ret = (struct wire_frame){ (uint8_t)b->s[*at], b->s + *at + WIRE_HEAD, n };
	*at += WIRE_HEAD + n;
	return step_more();
}

void wire_drop(struct strb *b, size_t n)
{
	if (!n)
		return;
	memmove(b->s, b->s + n, b->n - n);
	b->n -= n;
}

enum { FLAG_MERGE = 1, FLAG_RECORD = 2, FLAG_FORGET = 4 };
#define FIXED 16 /* bytes: patience, flags, words, texts */

static void put_text(struct strb *b, const char *p, size_t n)
{
	put_u32(b, n);
	strb_add(b, p, n);
	strb_addc(b, '\0');
}

void wire_put_request(struct strb *b, const struct wire_request *r)
{
	put_u32(b, r->patience_ms);
	put_u32(b, (uint64_t)(r->merge * FLAG_MERGE + r->record * FLAG_RECORD + r->forget * FLAG_FORGET));
	put_u32(b, r->nwords);
	put_u32(b, r->ntexts);
	for (size_t i = 0; i < r->nwords; i++)
		put_text(b, r->words[i], strlen(r->words[i]));
	for (size_t i = 0; i < r->ntexts; i++)
		put_text(b, r->texts[i], r->sizes[i]);
}

/* A text at *at: its length, itself, a NUL. */
static int take_text(char *p, size_t n, size_t *at, char **ret, size_t *ret_n)
{
	uint32_t len;

	if (n - *at < 4)
		return -EPROTO;
	len = u32_at(p + *at);
	*at += 4;
	if (n - *at <= len || p[*at + len])
		return -EPROTO;
	*ret = p + *at;
	*ret_n = len;
	*at += (size_t)len + 1;
	return 0;
}

int wire_take_request(char *p, size_t n, struct wire_request *ret)
{
	size_t at = FIXED, len;
	uint32_t flags;
	int r = 0;

	*ret = (struct wire_request){ 0 };
	if (n < FIXED || u32_at(p + 8) > WIRE_WORDS_MAX || u32_at(p + 12) > WIRE_WORDS_MAX)
		return -EPROTO;
	flags = u32_at(p + 4);
	ret->patience_ms = u32_at(p);
	ret->merge = flags & FLAG_MERGE;
	ret->record = flags & FLAG_RECORD;
	ret->forget = flags & FLAG_FORGET;
	ret->nwords = u32_at(p + 8);
	ret->ntexts = u32_at(p + 12);
	ret->words = calloc(ret->nwords + 1, sizeof(*ret->words));
	ret->texts = calloc(ret->ntexts + 1, sizeof(*ret->texts));
	ret->sizes = calloc(ret->ntexts + 1, sizeof(*ret->sizes));
	if (!ret->words || !ret->texts || !ret->sizes)
		r = -ENOMEM;
	for (size_t i = 0; i < ret->nwords && r == 0; i++) {
		r = take_text(p, n, &at, &ret->words[i], &len);
		if (r == 0 && strlen(ret->words[i]) != len)
			r = -EPROTO;
	}
	for (size_t i = 0; i < ret->ntexts && r == 0; i++)
		r = take_text(p, n, &at, &ret->texts[i], &ret->sizes[i]);
	if (r == 0 && at != n)
		r = -EPROTO;
	if (r < 0)
		wire_free_request(ret);
	return r;
}

void wire_free_request(struct wire_request *r)
{
	free(r->words);
	free(r->texts);
	free(r->sizes);
	*r = (struct wire_request){ 0 };
}
