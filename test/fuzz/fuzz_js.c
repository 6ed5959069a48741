/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile heap of V8: the input is its memory, a page of it; what is alive is marked, an object is printed. */
#include "../unit/core/madejs.h"
#include "base/jsonw.h"
#include "core/jsheap/heap.h"
#include "fuzz.h"

#define OBJECT 0x1200 /* its place, after the head of the page */

static int see(void *ctx, const struct js_object *o)
{
	(void)ctx;
	return o->size == 0 || o->size % 8 ? -1 : 0;
}

static void find(const struct js *js)
{
	struct js_heap *h;

	if (js_heap_open(js, &h, NULL) < 0)
		return;
	if (js_heap_each(h, see, NULL) < 0)
		abort();
	js_heap_close(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct js_print how = { 3, 8, 50, true, true };
	uint8_t *bytes = malloc(size + MADEJS_HEAD);
	struct strb text = { 0 }, json = { 0 };
	struct jsonw w = jsonw_to(&json);
	struct core c;
	struct js js;

	if (bytes && size) {
		madejs_core(bytes, data, size);
		if (core_open_memory(bytes, size + MADEJS_HEAD, &c, NULL) == 0) {
			if (madejs_open(&js, &c) < 0)
				abort();
			find(&js);
			js_print(&js, MADEJS_BASE + OBJECT + V8_TAG, &how, &text);
			js_json(&js, MADEJS_BASE + OBJECT + V8_TAG, &how, &w, NULL);
			if (w.depth || (json.n && json.failed))
				abort();
			core_close(&c);
		}
	}
	strb_free(&text);
	strb_free(&json);
	free(bytes);
	return 0;
}
