/* SPDX-License-Identifier: Apache-2.0 */
/* A flame graph as one HTML file that needs nothing else: the page's script and style, and all stacks as deflated bytes
 * in base64 (read by web/src/tree.ts). Numbers are LEB128, texts their length and bytes. In this order:
 *   - modules: number, then texts
 *   - frames by name: number, then kind, module, name
 *   - nodes in the order of drawing: number, then how many levels further down than the one before its parent is,
 *     frame, own weights
 *   - sources: number, then paths; of each frame, in their order, 0, or one more than the number of its path, and the
 *     line in which it begins (0: unknown) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "view/form/assets.h"
#include "view/picture/flame.h"
#include "view/form/leb128.h"
#include "view/form/page.h"

static void put_text(struct strb *b, const char *s)
{
	leb128_add(b, strlen(s));
	strb_adds(b, s);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Modules are few: sorted, then looked up. */
static int put_frames(struct strb *b, const struct stacktree *t, const struct stackorder *o)
{
	size_t n = stacktree_nframes(t), nm = 0;
	_cleanup_free_ const char **modules = malloc((n + 1) * sizeof(*modules));

	if (!modules)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		modules[i] = stacktree_get_frame(t, (uint32_t)i).module;
	qsort(modules, n, sizeof(*modules), by_text);
	for (size_t i = 0; i < n; i++)
		if (!nm || strcmp(modules[nm - 1], modules[i]) != 0)
			modules[nm++] = modules[i];
	leb128_add(b, nm);
	for (size_t i = 0; i < nm; i++)
		put_text(b, modules[i]);
	leb128_add(b, n);
	for (size_t i = 0; i < n; i++) {
		struct stack_frame f = stacktree_get_frame(t, o->by_name[i]);
		const char **m = bsearch(&f.module, modules, nm, sizeof(*modules), by_text);

		leb128_add(b, f.kind);
		leb128_add(b, (uint64_t)(m - modules));
		put_text(b, f.name);
	}
	return 0;
}

static int put_nodes(struct strb *b, const struct stacktree *t, const struct stackorder *o, unsigned weights)
{
	_cleanup_free_ uint32_t *rank = malloc((stacktree_nframes(t) + 1) * sizeof(*rank));
	uint32_t node = o->first[STACKTREE_ROOT];
	unsigned up = 0;

	if (!rank)
		return -ENOMEM;
	for (size_t i = 0; i < stacktree_nframes(t); i++)
		rank[o->by_name[i]] = (uint32_t)i;
	leb128_add(b, stacktree_nnodes(t) - 1);
	while (node) {
		leb128_add(b, up);
		leb128_add(b, rank[stacktree_node_frame(t, node)]);
		for (unsigned w = 0; w < weights; w++)
			leb128_add(b, stacktree_self(t, node, w));
		up = 0;
		if (o->first[node]) {
			node = o->first[node];
			continue;
		}
		for (up = 1; node && !o->next[node]; up++)
			node = stacktree_parent(t, node);
		node = node ? o->next[node] : 0;
	}
	return b->failed ? -ENOMEM : 0;
}

/* Paths are few, too. A frame without a path is left out: its source is not known. */
static int put_sources(struct strb *b, const struct stacktree *t, const struct stackorder *o)
{
	size_t n = stacktree_nframes(t), np = 0, k = 0;
	_cleanup_free_ const char **paths = malloc((n + 1) * sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct stack_frame f = stacktree_get_frame(t, (uint32_t)i);

		if (f.source.file[0])
			paths[np++] = f.source.file;
	}
	qsort(paths, np, sizeof(*paths), by_text);
	for (size_t i = 0; i < np; i++)
		if (!k || strcmp(paths[k - 1], paths[i]) != 0)
			paths[k++] = paths[i];
	leb128_add(b, k);
	for (size_t i = 0; i < k; i++)
		put_text(b, paths[i]);
	for (size_t i = 0; k && i < n; i++) {
		struct stack_frame f = stacktree_get_frame(t, o->by_name[i]);
		const char **p = bsearch(&f.source.file, paths, k, sizeof(*paths), by_text);

		leb128_add(b, p ? (uint64_t)(p - paths) + 1 : 0);
		leb128_add(b, f.source.def_line);
	}
	return b->failed ? -ENOMEM : 0;
}

void flame_kinds(struct jsonw *w)
{
	jsonw_i64(w, "unknown", FRAME_UNKNOWN);
	jsonw_array(w, "kinds");
	for (unsigned k = 0; k < FRAME_NKINDS; k++) {
		const struct frame_kind_info *i = &frame_kinds[k];

		jsonw_object(w, NULL);
		jsonw_str(w, "name", i->name);
		jsonw_str(w, "text", i->text);
		jsonw_i64(w, "hue", i->hue);
		jsonw_i64(w, "saturation", i->saturation);
		jsonw_i64(w, "lightness", i->lightness);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void put_meta(struct strb *b, const struct flame_opts *o)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_bool(&w, "diff", o->diff);
	jsonw_bool(&w, "significance", o->significance);
	jsonw_bool(&w, "inverted", o->inverted);
	flame_kinds(&w);
	jsonw_str(&w, "title", o->title);
	jsonw_str(&w, "unit", o->unit);
	jsonw_str(&w, "notes", o->notes);
	jsonw_str(&w, "before", o->before);
	jsonw_str(&w, "after", o->after);
	jsonw_end_object(&w);
}

static int put_all(const struct stacktree *t, const struct flame_opts *opts, FILE *out, bool page)
{
	struct page_part part = { .id = "stacks" };
	struct strb bytes = { 0 }, meta = { 0 };
	struct stackorder o = { 0 };
	int e = stackorder_make(t, &o);

	if (e == 0)
		e = put_frames(&bytes, t, &o);
	if (e == 0)
		e = put_nodes(&bytes, t, &o, opts->diff ? 2 : 1);
	if (e == 0)
		e = put_sources(&bytes, t, &o);
	put_meta(&meta, opts);
	part.bytes = &bytes;
	if (e == 0 && page)
		e = page_write(out, opts->title, asset_flamepage_css, asset_flamepage_css_size, asset_flamepage_js,
			       asset_flamepage_js_size, &meta, &part, 1);
	else if (e == 0)
		e = page_json(out, &meta, &part, 1);
	strb_free(&bytes);
	strb_free(&meta);
	stackorder_done(&o);
	return e;
}

int flame_html(const struct stacktree *t, const struct flame_opts *opts, FILE *out)
{
	return put_all(t, opts, out, true);
}

int flame_json(const struct stacktree *t, const struct flame_opts *opts, FILE *out)
{
	return put_all(t, opts, out, false);
}

bool flame_has_html(void)
{
	return asset_flamepage_js_size > 0;
}
