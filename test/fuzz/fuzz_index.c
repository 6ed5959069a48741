/* SPDX-License-Identifier: Apache-2.0 */
/* An index beside a core that somebody changed: the input is a list of places and what is changed there. The checksum
 * fits afterwards, so that all other checks are reached. */
#include "../unit/core/madejs.h"
#include "core/jsheap/graph.h"
#include "core/jsheap/index.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"
#include "fuzz.h"

#define KEY 77
#define ROOM 65536

static uint8_t memory[MADEJS_HEAP], core[MADEJS_HEAP + MADEJS_HEAD], good[ROOM], file[ROOM];

static int see(void *ctx, const struct js_object *o)
{
	(void)ctx;
	return o->size == 0 || o->size % 8 ? -1 : 0;
}

static int see_root(void *ctx, uint64_t addr)
{
	(void)ctx;
	(void)addr;
	return 0;
}

/* The index of the heap, in file[]: always the same. Its bytes. */
static size_t make(const struct js *js)
{
	struct js_index_head head;
	static size_t n;
	struct js_heap *h;
	FILE *f;

	if (n) {
		memcpy(file, good, sizeof(file));
		return n;
	}
	f = fmemopen(file, sizeof(file), "w");
	if (!f || js_heap_open(js, &h, NULL) < 0 || js_index_write(f, KEY, h) < 0)
		abort();
	fclose(f);
	js_heap_close(h);
	memcpy(&head, file, sizeof(head));
	for (n = sizeof(head); js_index_sum(&head, file + sizeof(head), n - sizeof(head)) != head.sum;)
		n += 8;
	memcpy(good, file, sizeof(file));
	return n;
}

static void use(struct js_heap *h)
{
	struct js_graph *g;

	if (js_heap_each(h, see, NULL) < 0 || js_near_holders(h, MADEJS_BASE + MADEJS_AT + V8_TAG, see, NULL) < 0 ||
	    js_heap_roots(h, MADEJS_BASE + MADEJS_AT + V8_TAG, see_root, NULL) < 0)
		abort();
	if (js_graph_open(h, &g) < 0)
		return;
	js_graph_dominate(g);
	for (uint32_t i = 1; i < g->n; i++)
		if (js_graph_number(g, js_graph_object(g, i)) != i)
			abort();
	js_graph_close(g);
}

static void run(const struct js *js, const uint8_t *data, size_t size)
{
	size_t n = make(js);
	struct js_index_head *head = (void *)file;
	struct js_heap *h;
	FILE *f;

	for (; size >= 3; data += 3, size -= 3)
		file[((size_t)data[0] << 8 | data[1]) % n] ^= data[2];
	n -= size == 2 ? data[0] % 64 : 0; /* and cut */
	head->magic = JSINDEX_MAGIC;
	head->version = JSINDEX_VERSION;
	head->key = KEY;
	head->sum = js_index_sum(head, file + sizeof(*head), n - sizeof(*head));
	f = fmemopen(file, n, "r");
	if (!f || js_heap_begin(js, &h, NULL) < 0)
		abort();
	if (js_index_read(f, KEY, h) == 0)
		use(h);
	js_heap_close(h);
	fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct core c;
	struct js js;

	memset(memory, 0, sizeof(memory));
	madejs_heap(memory);
	madejs_core(core, memory, MADEJS_HEAP);
	if (core_open_memory(core, sizeof(core), &c, NULL) < 0 || madejs_open(&js, &c) < 0)
		abort();
	run(&js, data, size);
	core_close(&c);
	return 0;
}
