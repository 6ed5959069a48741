/* SPDX-License-Identifier: Apache-2.0 */
/* Builds small BTF blobs in memory for the tests of src/types. */
#include "btfbuild.h"
#include <assert.h>
#include <string.h>

uint32_t bb_str(struct btfbuild *b, const char *s)
{
	uint32_t at;

	if (!*s)
		return 0;
	if (!b->str_len && !b->str_base)
		b->str_len = 1;
	at = b->str_len;
	assert(at + strlen(s) + 1 <= BB_MAX);
	strcpy(b->strs + at, s);
	b->str_len += (uint32_t)strlen(s) + 1;
	return at + b->str_base;
}

void bb_word(struct btfbuild *b, uint32_t w)
{
	assert(b->ntypes_words < BB_MAX / 4);
	b->types[b->ntypes_words++] = w;
}

void bb_type(struct btfbuild *b, const char *name, uint32_t kind, bool kflag, uint32_t vlen, uint32_t size_or_type)
{
	bb_word(b, bb_str(b, name));
	bb_word(b, (uint32_t)kflag << 31 | kind << 24 | vlen);
	bb_word(b, size_or_type);
}

const uint8_t *bb_finish(struct btfbuild *b, size_t *len)
{
	struct btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };

	if (!b->str_len && !b->str_base)
		b->str_len = 1;
	h.type_len = b->ntypes_words * 4;
	h.str_off = h.type_len;
	h.str_len = b->str_len;
	memcpy(b->out, &h, sizeof(h));
	memcpy(b->out + sizeof(h), b->types, h.type_len);
	memcpy(b->out + sizeof(h) + h.type_len, b->strs, h.str_len);
	*len = sizeof(h) + h.type_len + h.str_len;
	return b->out;
}
