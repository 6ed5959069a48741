/* SPDX-License-Identifier: Apache-2.0 */
/* BTF of an image: the kernel wants it for callbacks (func_info of bpf_loop's function) and for task
 * storage (key and value types). One object serves all programs:
 *   int, unsigned char, prototypes with 0 … 5 arguments of type `unsigned long`, one array per TLS map,
 *   one FUNC, static or global, per function of each program.
 * Source: Documentation/bpf/btf.rst. */
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/strb.h"
#include "load/load_int.h"

#define FUNC_MAX_ARGS 5

struct emit {
	struct strb types, strs;
	uint32_t ntypes; /* last id given out */
};

static void put_u32(struct emit *e, uint32_t v)
{
	strb_add(&e->types, &v, sizeof(v));
}

static uint32_t put_name(struct emit *e, const char *name)
{
	uint32_t off = (uint32_t)e->strs.n;

	strb_add(&e->strs, name, strlen(name) + 1);
	return off;
}

/* Common part of a type; returns its id. */
static uint32_t put_type(struct emit *e, uint32_t name, unsigned kind, unsigned vlen, uint32_t size_or_type)
{
	put_u32(e, name);
	put_u32(e, kind << 24 | vlen);
	put_u32(e, size_or_type);
	return ++e->ntypes;
}

static uint32_t put_int(struct emit *e, const char *name, uint32_t bytes, uint32_t encoding)
{
	uint32_t id = put_type(e, put_name(e, name), BTF_KIND_INT, 0, bytes);

	put_u32(e, encoding << 24 | bytes * 8);
	return id;
}

/* Function names in BTF are C identifiers. */
static uint32_t put_func_name(struct emit *e, const char *name)
{
	char buf[64];
	size_t n = 0;

	for (; name && name[n] && n < sizeof(buf) - 1; n++) {
		char c = name[n];
		int ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			 (n > 0 && c >= '0' && c <= '9');

		buf[n] = ok ? c : '_';
	}
	buf[n] = '\0';
	return put_name(e, n ? buf : "f");
}

static void put_values(struct emit *e, const struct image *img, uint32_t index_id, uint32_t byte_id, uint32_t *ids)
{
	for (uint32_t i = 0; i < img->nmaps; i++) {
		if (!img->maps[i].needs_btf)
			continue;
		ids[i] = put_type(e, 0, BTF_KIND_ARRAY, 0, 0);
		put_u32(e, byte_id);
		put_u32(e, index_id);
		put_u32(e, img->maps[i].value_size);
	}
}

static void put_funcs(struct emit *e, const struct image *img, uint32_t long_id, uint32_t *ids)
{
	uint32_t protos[FUNC_MAX_ARGS + 1], arg = put_name(e, "a");

	for (unsigned n = 0; n <= FUNC_MAX_ARGS; n++) {
		protos[n] = put_type(e, 0, BTF_KIND_FUNC_PROTO, n, long_id);
		for (unsigned i = 0; i < n; i++) {
			put_u32(e, arg);
			put_u32(e, long_id);
		}
	}
	for (uint32_t p = 0; p < img->nprogs; p++) {
		for (uint32_t i = 0; i < img->progs[p].nfuncs; i++) {
			const struct img_func *f = &img->progs[p].funcs[i];
			unsigned n = f->nargs < FUNC_MAX_ARGS ? f->nargs : FUNC_MAX_ARGS;

			*ids++ = put_type(e, put_func_name(e, f->name), BTF_KIND_FUNC,
					  f->global ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC, protos[n]);
		}
	}
}

static int finish(struct emit *e, struct load_btf *ret)
{
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = (uint32_t)e->types.n,
		.str_off = (uint32_t)e->types.n,
		.str_len = (uint32_t)e->strs.n,
	};
	struct strb out = { 0 };

	strb_add(&out, &h, sizeof(h));
	strb_add(&out, e->types.s, e->types.n);
	strb_add(&out, e->strs.s, e->strs.n);
	if (out.failed || e->types.failed || e->strs.failed) {
		strb_free(&out);
		return -ENOMEM;
	}
	ret->size = (uint32_t)out.n;
	ret->data = strb_take(&out);
	return 0;
}

int load_btf_emit(const struct image *img, struct load_btf *ret)
{
	struct emit e = { 0 };
	uint32_t nfuncs = 0, long_id, byte_id;
	bool needed = false;
	int r;

	memset(ret, 0, sizeof(*ret));
	for (uint32_t i = 0; i < img->nprogs; i++) {
		nfuncs += img->progs[i].nfuncs;
		needed |= img->progs[i].nfuncs > 1;
	}
	for (uint32_t i = 0; i < img->nmaps; i++)
		needed |= img->maps[i].needs_btf;
	if (!needed)
		return 0;
	ret->value_ids = calloc(img->nmaps + 1, sizeof(uint32_t));
	ret->func_ids = calloc(nfuncs + 1, sizeof(uint32_t));
	if (!ret->value_ids || !ret->func_ids)
		return -ENOMEM;
	put_name(&e, "");
	ret->int_id = put_int(&e, "int", 4, BTF_INT_SIGNED);
	byte_id = put_int(&e, "unsigned char", 1, 0);
	long_id = put_int(&e, "unsigned long", 8, 0);
	put_values(&e, img, ret->int_id, byte_id, ret->value_ids);
	put_funcs(&e, img, long_id, ret->func_ids);
	r = finish(&e, ret);
	strb_free(&e.types);
	strb_free(&e.strs);
	return r;
}

void load_btf_done(struct load_btf *b)
{
	free(b->data);
	free(b->value_ids);
	free(b->func_ids);
	memset(b, 0, sizeof(*b));
}
