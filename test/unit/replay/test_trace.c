/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a recording: what is written is read, and what is cut off or damaged ends it at a whole group. */
#include "replay/trace/trace.h"
#include <errno.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/trace/group.h"
#include "unit.h"

#define CALLS 3

struct file {
	uint8_t *v;
	size_t n;
};

static struct trace_out *create(char path[32])
{
	struct trace_head h = { .cpu = 3, .features = { 1, 2 }, .mono_ns = 5 };
	struct trace_out *t = NULL;
	int fd;

	strcpy(path, "/tmp/dwelltrace.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(trace_create(path, &h, &t), 0);
	return t;
}

static struct file load(char *path)
{
	FILE *f = fopen(path, "r");
	struct file ret = { malloc(1 << 23), 0 };

	assert_non_null(f);
	ret.n = fread(ret.v, 1, 1 << 23, f);
	fclose(f);
	unlink(path);
	return ret;
}

static void put_call(struct trace_out *t, uint64_t nr, int64_t ret)
{
	struct ev_call c = { .regs = { [R_NR] = nr }, .ret = ret, .arena = ARENA_NONE };
	struct ev_mem m = { 0x1000 * nr };

	assert_int_equal(trace_append(t, EV_MEM, &m, sizeof(m), "memory", 6), 0);
	assert_int_equal(trace_append(t, EV_CALL, &c, sizeof(c), NULL, 0), 0);
}

/* Calls 1, 2, 3, each in a block of its own. */
static struct file sample(void)
{
	char path[32];
	struct trace_out *t = create(path);

	for (uint64_t i = 1; i <= CALLS; i++) {
		put_call(t, i, (int64_t)i * 10);
		assert_int_equal(trace_flush(t), 0);
	}
	assert_int_equal(trace_close(t), 0);
	return load(path);
}

static int no_blob(void *ctx, uint64_t at, const void *bytes, size_t n)
{
	(void)ctx;
	(void)at;
	(void)bytes;
	(void)n;
	return 0;
}

/* How many groups there are; checks each. -errno: it is not opened, or makes no sense. */
static int count(const uint8_t *v, size_t n, enum trace_end *end)
{
	struct trace_in *t = NULL;
	struct group g = { 0 };
	FILE *f = fmemopen((void *)(uintptr_t)v, n ? n : 1, "r");
	struct step s;
	int r, calls = 0;

	assert_non_null(f);
	r = trace_open(f, &t);
	if (r < 0)
		return r;
	while ((s = group_next(&g, t, no_blob, NULL)).more && g.kind == EV_CALL) {
		calls++;
		assert_int_equal(g.call.regs[R_NR], calls);
		assert_int_equal(g.call.ret, calls * 10);
		assert_int_equal(g.mems.n, 1);
		assert_int_equal(g.mems.v[0].addr, 0x1000 * calls);
		assert_memory_equal(g.bytes.v, "memory", 6);
	}
	*end = trace_ended_by(t);
	trace_done(t);
	group_free(&g);
	return s.error ? s.error : calls;
}

static void what_is_written_is_read(void **state)
{
	struct file f = sample();
	enum trace_end end;

	(void)state;
	assert_int_equal(count(f.v, f.n, &end), CALLS);
	assert_int_equal(end, TRACE_ENDED);
	free(f.v);
}

static void a_cut_one_ends_at_its_last_whole_block(void **state)
{
	struct file f = sample();
	int before = 0;

	(void)state;
	for (size_t n = sizeof(struct trace_head); n < f.n; n++) {
		enum trace_end end = TRACE_GOES_ON;
		int calls = count(f.v, n, &end);

		assert_true(calls == before || calls == before + 1);
		assert_true(calls < CALLS);
		/* Between two blocks it ends as if it were whole: there is no event of the program's end. */
		assert_true(end == TRACE_CUT || end == TRACE_ENDED);
		assert_true(end == TRACE_CUT || calls == before + 1 || n == sizeof(struct trace_head));
		before = calls;
	}
	assert_int_equal(before, CALLS - 1);
	free(f.v);
}

static void a_damaged_one_ends_before_the_damage(void **state)
{
	struct file f = sample();

	(void)state;
	for (size_t i = sizeof(struct trace_head); i < f.n; i++) {
		enum trace_end end = TRACE_GOES_ON;
		int calls;

		f.v[i] ^= 0x40;
		calls = count(f.v, f.n, &end);
		assert_true(calls >= 0 && calls < CALLS);
		assert_true(end == TRACE_DAMAGED || end == TRACE_CUT);
		f.v[i] ^= 0x40;
	}
	free(f.v);
}

static void what_is_no_trace_is_refused(void **state)
{
	struct file f = sample();
	enum trace_end end;

	(void)state;
	assert_int_equal(count((const uint8_t *)"", 0, &end), -EINVAL);
	assert_int_equal(count((const uint8_t *)"#!/bin/sh\nexit 0\n", 17, &end), -EINVAL);
	assert_int_equal(count(f.v, 4, &end), -EINVAL);
	assert_int_equal(count(f.v, sizeof(struct trace_head) - 1, &end), -EBADMSG);
	f.v[8] = TRACE_VERSION + 1;
	assert_int_equal(count(f.v, f.n, &end), -EPROTO);
	f.v[8] = TRACE_VERSION;
	f.v[12] ^= 1; /* the CPU */
	assert_int_equal(count(f.v, f.n, &end), -EBADMSG);
	free(f.v);
}

static void pack_one(uint32_t version, size_t *before_n, size_t *after_n)
{
	char path[32], packed[] = "/tmp/dwellpacked.XXXXXX";
	struct trace_head h = { .version = version, .cpu = 7 };
	struct trace_out *t = create(path);
	struct file before, after;
	struct ev_blob b = { 0 };
	enum trace_end end;
	struct err e = { 0 };
	char zeros[65536] = { 0 };

	trace_close(t);
	assert_int_equal(trace_create(path, &h, &t), 0);
	assert_int_equal(trace_append(t, EV_BLOB, &b, sizeof(b), zeros, sizeof(zeros)), 0);
	put_call(t, 1, 10);
	assert_int_equal(trace_close(t), 0);
	close(mkstemp(packed));
	assert_int_equal(trace_pack(fopen(path, "r"), path, &e), -EINVAL); /* itself */
	err_done(&e);
	assert_int_equal(trace_pack(fopen(path, "r"), packed, &e), 0);
	before = load(path);
	after = load(packed);
	assert_int_equal(memcmp(before.v, after.v, sizeof(h)), 0);
	assert_int_equal(count(before.v, before.n, &end), count(after.v, after.n, &end));
	assert_int_equal(end, TRACE_ENDED);
	*before_n = before.n;
	*after_n = after.n;
	free(before.v);
	free(after.v);
}

static void a_packed_one_is_smaller_and_of_the_same_version(void **state)
{
	size_t before, after;

	(void)state;
	pack_one(0, &before, &after);
	assert_true(after < before / 100);
	pack_one(TRACE_OLDEST, &before, &after);
	assert_true(after <= before);
}

/* A block of contents of files, and one call. */
static struct file with_blob(uint32_t version)
{
	struct trace_head h = { .version = version };
	struct ev_blob b = { 0 };
	char path[32], zeros[65536] = { 0 };
	struct trace_out *t = create(path);

	trace_close(t);
	assert_int_equal(trace_create(path, &h, &t), 0);
	assert_int_equal(trace_append(t, EV_BLOB, &b, sizeof(b), zeros, sizeof(zeros)), 0);
	put_call(t, 1, 10);
	assert_int_equal(trace_close(t), 0);
	return load(path);
}

static void contents_of_files_are_stored_as_they_are(void **state)
{
	struct file stored = with_blob(0), old = with_blob(4);
	enum trace_end end;
	uint32_t size;

	(void)state;
	assert_true(stored.n > 65536);
	assert_true(old.n < 65536); /* an older dwell reads it */
	assert_int_equal(count(stored.v, stored.n, &end), 1);
	assert_int_equal(end, TRACE_ENDED);
	assert_int_equal(count(old.v, old.n, &end), 1);
	assert_int_equal(end, TRACE_ENDED);
	for (size_t at = sizeof(struct trace_head); at < sizeof(struct trace_head) + 16; at++) {
		stored.v[at] ^= 1;
		assert_int_equal(count(stored.v, stored.n, &end), 0);
		assert_true(end == TRACE_DAMAGED || end == TRACE_CUT);
		stored.v[at] ^= 1;
	}
	memcpy(&size, stored.v + sizeof(struct trace_head) + 4, sizeof(size));
	for (size_t cut = sizeof(struct trace_head) + 1; cut < sizeof(struct trace_head) + size; cut += 1001) {
		assert_int_equal(count(stored.v, cut, &end), 0);
		assert_int_equal(end, TRACE_CUT);
	}
	free(stored.v);
	free(old.v);
}

static void the_longest_event_is_whole_and_a_longer_one_is_refused(void **state)
{
	char path[32], *bytes = calloc(1, TRACE_EVENT_MAX);
	struct trace_out *t = create(path);
	struct ev_mem m = { 1 };
	struct trace_in *in = NULL;
	struct trace_event e;
	struct file f;

	(void)state;
	assert_int_equal(trace_append(t, EV_MEM, &m, sizeof(m), bytes, TRACE_EVENT_MAX - sizeof(m)), 0);
	assert_int_equal(trace_append(t, EV_MEM, &m, sizeof(m), bytes, TRACE_EVENT_MAX - sizeof(m) + 1), -E2BIG);
	assert_int_equal(trace_close(t), -E2BIG);
	f = load(path);
	assert_int_equal(trace_open(fmemopen(f.v, f.n, "r"), &in), 0);
	assert_true(trace_next(in, &e));
	assert_int_equal(e.kind, EV_MEM);
	assert_int_equal(e.size, TRACE_EVENT_MAX);
	assert_false(trace_next(in, &e));
	trace_done(in);
	free(f.v);
	free(bytes);
}

/* Opens a trace with these events, and reads its first group. */
static int group_of(const struct ev_map *maps, size_t n, uint64_t blob)
{
	char path[32];
	struct trace_out *t = create(path);
	struct ev_blob b = { blob };
	struct ev_call c = { .arena = ARENA_NONE };
	struct trace_in *in = NULL;
	struct group g = { 0 };
	struct file f;
	struct step s;

	assert_int_equal(trace_append(t, EV_BLOB, &b, sizeof(b), "x", 1), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_append(t, EV_MAP, maps, sizeof(*maps), NULL, 0), 0);
	assert_int_equal(trace_append(t, EV_CALL, &c, sizeof(c), NULL, 0), 0);
	assert_int_equal(trace_close(t), 0);
	f = load(path);
	assert_int_equal(trace_open(fmemopen(f.v, f.n, "r"), &in), 0);
	s = group_next(&g, in, no_blob, NULL);
	trace_done(in);
	group_free(&g);
	free(f.v);
	assert_true(s.more || s.error);
	return s.error;
}

static void groups_have_limits(void **state)
{
	struct ev_map good = { 0x1000, 0x2000, ARENA_NONE, 7, 0 }, m;

	(void)state;
	assert_int_equal(group_of(&good, GROUP_MAPS_MAX, 0), 0);
	assert_int_equal(group_of(&good, GROUP_MAPS_MAX + 1, 0), -EBADMSG);
	assert_int_equal(group_of(&good, 1, ARENA_MAX - 1), 0);
	assert_int_equal(group_of(&good, 1, ARENA_MAX), -EBADMSG);
	m = good;
	m.end = m.start;
	assert_int_equal(group_of(&m, 1, 0), -EBADMSG);
	m = good;
	m.start++;
	assert_int_equal(group_of(&m, 1, 0), -EBADMSG);
	m = good;
	m.prot = 8;
	assert_int_equal(group_of(&m, 1, 0), -EBADMSG);
	m = good;
	m.arena = 1;
	assert_int_equal(group_of(&m, 1, 0), -EBADMSG);
}

static void a_full_disk_is_an_error_that_stays(void **state)
{
	struct trace_head h = { .cpu = 0 };
	struct trace_out *t = NULL;

	(void)state;
	assert_int_equal(trace_create("/dev/full", &h, &t), -ENOSPC);
	assert_int_equal(trace_create("/nowhere/x", &h, &t), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_cut_one_ends_at_its_last_whole_block),
		cmocka_unit_test(contents_of_files_are_stored_as_they_are),
		cmocka_unit_test(a_damaged_one_ends_before_the_damage),
		cmocka_unit_test(what_is_no_trace_is_refused),
		cmocka_unit_test(a_packed_one_is_smaller_and_of_the_same_version),
		cmocka_unit_test(the_longest_event_is_whole_and_a_longer_one_is_refused),
		cmocka_unit_test(groups_have_limits),
		cmocka_unit_test(a_full_disk_is_an_error_that_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
