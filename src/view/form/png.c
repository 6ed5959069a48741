/* SPDX-License-Identifier: Apache-2.0 */
/* PNG: signature, and chunks with their check sums. */
#include "view/form/png.h"
#include <errno.h>
#include <string.h>
#include <zlib.h>
#include "view/form/deflate.h"

static void put_u32(struct strb *b, uint32_t v)
{
	const char c[4] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };

	strb_add(b, c, 4);
}

static void chunk(struct strb *b, const char type[5], const void *p, size_t n)
{
	uLong crc = crc32(crc32(0, (const Bytef *)type, 4), p, (uInt)n);

	put_u32(b, (uint32_t)n);
	strb_add(b, type, 4);
	strb_add(b, p, n);
	put_u32(b, (uint32_t)crc);
}

static int to_strb(void *ctx, const unsigned char *p, size_t n)
{
	struct strb *b = ctx;

	strb_add(b, p, n);
	return b->failed ? -ENOMEM : 0;
}

/* palette: NULL: pixels are red, green, blue, opacity. */
static int add(struct strb *b, const uint8_t *pixels, uint32_t width, uint32_t height, const uint8_t *palette)
{
	struct strb raw = { 0 }, packed = { 0 }, head = { 0 };
	size_t line = (size_t)width * (palette ? 1 : 4);
	int e;

	put_u32(&head, width);
	put_u32(&head, height);
	strb_add(&head, palette ? "\x08\x03\0\0\0" : "\x08\x06\0\0\0", 5); /* 8 bits, a palette; RGBA */
	for (uint32_t y = 0; y < height; y++) {
		strb_addc(&raw, 0); /* no filter */
		strb_add(&raw, pixels + y * line, line);
	}
	e = raw.failed || head.failed ? -ENOMEM : deflate_bytes(raw.s, raw.n, DEFLATE_ZLIB, to_strb, &packed);
	if (e == 0) {
		strb_add(b, "\x89PNG\r\n\x1a\n", 8);
		chunk(b, "IHDR", head.s, head.n);
		if (palette) {
			chunk(b, "PLTE", palette, 768);
			chunk(b, "tRNS", "", 1);
		}
		chunk(b, "IDAT", packed.s, packed.n);
		chunk(b, "IEND", "", 0);
		e = b->failed ? -ENOMEM : 0;
	}
	strb_free(&raw);
	strb_free(&packed);
	strb_free(&head);
	return e;
}

int png_add(struct strb *b, const uint8_t *pixels, uint32_t width, uint32_t height, const uint8_t palette[768])
{
	return add(b, pixels, width, height, palette);
}

int png_add_rgba(struct strb *b, const uint8_t *pixels, uint32_t width, uint32_t height)
{
	return add(b, pixels, width, height, NULL);
}
