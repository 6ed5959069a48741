/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a core: taken again it is the heap that it was made of; damaged it is refused. */
#include "unit.h"
#include "core/jsheap/index.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"
#include "core/madejs.h"

#define KEY 77
#define ROOM 65536

static uint8_t memory[MADEJS_HEAP], core[MADEJS_HEAP + MADEJS_HEAD], file[ROOM];
static struct core c;
static struct js js;
static size_t size;

/* An index of the heap that madejs.h makes, in file[]. */
static void make(void)
{
	struct err err = { 0 };
	struct js_heap *h;
	FILE *f;

	memset(memory, 0, sizeof(memory));
	madejs_heap(memory);
	madejs_core(core, memory, MADEJS_HEAP);
	assert_int_equal(core_open_memory(core, sizeof(core), &c, NULL), 0);
	assert_int_equal(madejs_open(&js, &c), 0);
	assert_int_equal(js_heap_open(&js, &h, &err), 0);
	f = fmemopen(file, sizeof(file), "w");
	assert_int_equal(js_index_write(f, KEY, h), 0);
	fclose(f);
	js_heap_close(h);
}

/* The end of the file, by the checksum. */
static void find_end(void)
{
	struct js_index_head head;

	memcpy(&head, file, sizeof(head));
	for (size = sizeof(head); js_index_sum(&head, file + sizeof(head), size - sizeof(head)) != head.sum; size += 8)
		assert_true(size < sizeof(file));
}

static int take(uint64_t key, struct js_heap **ret)
{
	struct err err = { 0 };
	FILE *f = fmemopen(file, size, "r");
	int r;

	assert_int_equal(js_heap_begin(&js, ret, &err), 0);
	r = js_index_read(f, key, *ret);
	fclose(f);
	return r;
}

static int see(void *ctx, const struct js_object *o)
{
	uint64_t *sum = ctx;

	*sum = *sum * 31 + o->object + o->size;
	return 0;
}

static void what_was_kept_is_the_same_heap(void **state)
{
	uint64_t one = 0, two = 0, holders = 0;
	struct js_heap *h, *kept;
	struct err err = { 0 };

	(void)state;
	make();
	find_end();
	assert_int_equal(js_heap_open(&js, &h, &err), 0);
	assert_int_equal(take(KEY, &kept), 0);
	assert_int_equal(kept->objects, 5);
	assert_int_equal(kept->objects, h->objects);
	assert_int_equal(kept->bytes, h->bytes);
	assert_int_equal(kept->near->n, h->near->n);
	assert_int_equal(js_heap_each(h, see, &one), 0);
	assert_int_equal(js_heap_each(kept, see, &two), 0);
	assert_int_equal(one, two);
	assert_true(js_heap_rooted(kept, MADEJS_BASE + MADEJS_AT + V8_TAG));
	assert_int_equal(js_near_holders(kept, MADEJS_BASE + MADEJS_AT + 0x40 + V8_TAG, see, &holders), 0);
	assert_int_not_equal(holders, 0);
	js_heap_close(kept);
	js_heap_close(h);
	core_close(&c);
}

static void what_was_damaged_is_refused(void **state)
{
	struct js_heap *h;

	(void)state;
	make();
	find_end();
	for (size_t i = 0; i < size; i++) { /* each byte matters */
		file[i] ^= 0x10;
		assert_int_equal(take(KEY, &h), -EBADMSG);
		js_heap_close(h);
		file[i] ^= 0x10;
	}
	assert_int_equal(take(KEY + 1, &h), -EBADMSG);
	js_heap_close(h);
	size -= 8;
	assert_int_equal(take(KEY, &h), -EBADMSG);
	js_heap_close(h);
	size += 16;
	assert_int_equal(take(KEY, &h), -EBADMSG);
	js_heap_close(h);
	core_close(&c);
}

static void the_key_is_of_notes_and_memory(void **state)
{
	const uint64_t before = (make(), js_index_key(&js));

	(void)state;
	assert_int_equal(js_index_key(&js), before);
	c.segs.v[0].end += 8;
	assert_int_not_equal(js_index_key(&js), before);
	c.segs.v[0].end -= 8;
	js.patch++;
	assert_int_not_equal(js_index_key(&js), before);
	core_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_kept_is_the_same_heap),
		cmocka_unit_test(what_was_damaged_is_refused),
		cmocka_unit_test(the_key_is_of_notes_and_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
