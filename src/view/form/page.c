/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture as one HTML file with script, style and data, or its data alone as JSON. The page's
 * Content-Security-Policy forbids it to load anything. */
#include "view/form/page.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "view/form/deflate.h"
#include "view/form/xml.h"

/* Writes JSON inside of a <script> element. "<" is escaped: "</script>" in a string would end the element. */
static void put_json(FILE *out, const struct strb *json)
{
	for (size_t i = 0; i < json->n; i++)
		if (json->s[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(json->s[i], out);
}

int page_base64(void *ctx, const unsigned char *p, size_t n)
{
	FILE *out = ctx;
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0);
		char c[4] = { digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=',
			      i + 2 < n ? digits[v & 63] : '=' };

		if (fwrite(c, 1, 4, out) != 4)
			return errno ? -errno : -EIO;
	}
	return 0;
}

int page_write(FILE *out, const char *title, const char *css, size_t css_len, const char *js, size_t js_len,
	       const struct strb *meta, const struct page_part *parts, size_t nparts)
{
	struct strb text = { 0 };
	int e = 0;

	xml_add(&text, title);
	if (text.failed || meta->failed)
		e = -ENOMEM;
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
		"style-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>\n",
		strb_str(&text));
	fwrite(css, 1, css_len, out);
	fputs("</style>\n</head>\n<body>\n<main id=\"app\"><noscript>This page needs JavaScript: all of its data is in this "
	      "file.</noscript></main>\n<script type=\"application/json\" id=\"meta\">",
	      out);
	put_json(out, meta);
	fputs("</script>\n", out);
	for (size_t i = 0; i < nparts && e == 0; i++) {
		if (parts[i].bytes->failed)
			e = -ENOMEM;
		fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", parts[i].id);
		if (e == 0)
			e = deflate_bytes(parts[i].bytes->s, parts[i].bytes->n, DEFLATE_ZLIB, page_base64, out);
		fputs("</script>\n", out);
	}
	fputs("<script>\n", out);
	fwrite(js, 1, js_len, out);
	fputs("</script>\n</body>\n</html>\n", out);
	strb_free(&text);
	return e < 0 ? e : ferror(out) ? (errno ? -errno : -EIO) : 0;
}

/* The text so far goes to out, and the builder begins anew. 0 or -ENOMEM. */
static int flush_text(struct strb *text, FILE *out)
{
	if (text->failed)
		return -ENOMEM;
	fwrite(text->s, 1, text->n, out);
	strb_reset(text);
	return 0;
}

int page_json(FILE *out, const struct strb *meta, const struct page_part *parts, size_t nparts)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	struct jsonw w = jsonw_to(&text);
	int e = meta->failed || meta->n < 2 ? -ENOMEM : 0;

	jsonw_object(&w, NULL);
	if (e == 0)
		jsonw_members(&w, meta->s, meta->n);
	for (size_t i = 0; i < nparts && e == 0; i++) {
		const struct strb *bytes = parts[i].bytes;

		jsonw_begin_str(&w, parts[i].id);
		e = bytes->failed ? -ENOMEM : flush_text(&text, out);
		if (e == 0)
			e = deflate_bytes(bytes->s, bytes->n, DEFLATE_ZLIB, page_base64, out);
		jsonw_end_str(&w);
	}
	jsonw_end_object(&w);
	jsonw_line(&w);
	if (e == 0)
		e = flush_text(&text, out);
	return e < 0 ? e : ferror(out) ? (errno ? -errno : -EIO) : 0;
}
