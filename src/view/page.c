/* SPDX-License-Identifier: Apache-2.0 */
/* Single HTML files. Nothing in them can load anything from elsewhere: the policy in the head forbids it. */
#include "view/page.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "view/xml.h"

#define CHUNK (3u << 14) /* bytes that are put into base64 at once: a multiple of 3 */

/* JSON within an element: no "<" may end it. */
static void put_json(FILE *out, const struct strb *json)
{
	for (size_t i = 0; i < json->n; i++)
		if (json->s[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(json->s[i], out);
}

static void put_base64(FILE *out, const unsigned char *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
		char c[4] = { digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=',
			      i + 2 < n ? digits[v & 63] : '=' };

		fwrite(c, 1, 4, out);
	}
}

static int put_deflated(FILE *out, const struct strb *bytes)
{
	_cleanup_free_ unsigned char *buf = malloc(CHUNK);
	z_stream z = { 0 };
	int rc;

	if (!buf || deflateInit(&z, 3) != Z_OK) /* 3: half the time of 6 for a tenth more bytes */
		return -ENOMEM;
	z.next_in = (unsigned char *)bytes->s;
	z.avail_in = (unsigned)bytes->n;
	do {
		z.next_out = buf;
		z.avail_out = CHUNK;
		rc = deflate(&z, Z_FINISH);
		put_base64(out, buf, CHUNK - z.avail_out);
	} while (rc == Z_OK || (rc == Z_BUF_ERROR && z.avail_out == 0));
	deflateEnd(&z);
	return rc == Z_STREAM_END ? 0 : -EIO;
}

int page_write(FILE *out, const char *title, const char *css, size_t css_len, const char *js, size_t js_len,
	       const struct strb *meta, const struct page_part *parts, size_t nparts)
{
	struct strb text = { 0 };
	int e = 0;

	xml_add(&text, title);
	if (text.failed || meta->failed)
		e = -ENOMEM;
	fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
		     "style-src 'unsafe-inline'\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>\n",
		strb_str(&text));
	fwrite(css, 1, css_len, out);
	fputs("</style>\n</head>\n<body>\n<main id=\"app\"><noscript>This page needs JavaScript: all of its data is in this "
	      "file.</noscript></main>\n<script type=\"application/json\" id=\"meta\">", out);
	put_json(out, meta);
	fputs("</script>\n", out);
	for (size_t i = 0; i < nparts && e == 0; i++) {
		if (parts[i].bytes->failed || parts[i].bytes->n > UINT32_MAX)
			e = parts[i].bytes->failed ? -ENOMEM : -EFBIG;
		fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", parts[i].id);
		if (e == 0)
			e = put_deflated(out, parts[i].bytes);
		fputs("</script>\n", out);
	}
	fputs("<script>\n", out);
	fwrite(js, 1, js_len, out);
	fputs("</script>\n</body>\n</html>\n", out);
	strb_free(&text);
	return e < 0 ? e : ferror(out) ? -EIO : 0;
}
