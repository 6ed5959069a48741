/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses the files of the page and gives each its ETag. */
#include "launcher/page.h"
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "view/form/assets.h"

#define GZIP_BITS (15 + 16) /* window; "+ 16" asks zlib for gzip's framing */

static const char html[] =
	"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>dwell</title>\n"
	"<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/app.css\">\n"
	"<div id=\"app\"><noscript>This page needs JavaScript.</noscript></div>\n"
	"<script src=\"/app.js\"></script>\n";

/* FNV-1a: changes with the content. */
static const char *etag_of(struct arena *a, const char *data, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
	return arena_printf(a, "\"%016llx\"", (unsigned long long)h);
}

static bool compress_asset(struct arena *a, const char *data, size_t n, struct serve_asset *ret)
{
	z_stream z = { 0 };
	uLong room;
	uint8_t *out;
	bool ok;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_BITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	room = deflateBound(&z, n);
	out = arena_alloc(a, room);
	z.next_in = (Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
	ret->data = out;
	ret->n = z.total_out;
	ret->gzip = true;
	ret->etag = etag_of(a, data, n);
	deflateEnd(&z);
	return ok;
}

/* How many; 0: there are none, or no memory. */
static size_t make_assets(struct arena *a, enum page_kind kind, const struct serve_asset **ret)
{
	const struct {
		const char *js, *css;
		size_t njs, ncss;
	} page[] = {
		[PAGE_MACHINE] = { asset_app_js, asset_app_css, asset_app_js_size, asset_app_css_size },
		[PAGE_FLEET] = { asset_fleetpage_js, asset_fleetpage_css, asset_fleetpage_js_size,
				 asset_fleetpage_css_size },
		[PAGE_CORE] = { asset_corepage_js, asset_corepage_css, asset_corepage_js_size,
				asset_corepage_css_size },
	};
	const struct {
		const char *path, *type, *data;
		size_t n;
	} files[] = {
		{ "/", "text/html; charset=utf-8", html, sizeof(html) - 1 },
		{ "/app.js", "text/javascript; charset=utf-8", page[kind].js, page[kind].njs },
		{ "/app.css", "text/css; charset=utf-8", page[kind].css, page[kind].ncss },
	};
	struct serve_asset *v = arena_alloc(a, sizeof(*v) * ARRAY_SIZE(files));

	*ret = v;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		v[i] = (struct serve_asset){ .path = files[i].path, .type = files[i].type };
		if (!files[i].n || !compress_asset(a, files[i].data, files[i].n, &v[i]))
			return 0;
	}
	return ARRAY_SIZE(files);
}

size_t page_assets(struct arena *a, enum page_kind kind, const struct serve_asset **ret, const struct listener *to)
{
	size_t n = make_assets(a, kind, ret);

	if (!n)
		listener_msg(to, "built without the page (it needs esbuild to be built): only the API is there");
	return n;
}
