/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding: whatever a record says is checked against the formats. */
#include "../unit.h"
#include <errno.h>
#include "base/pyfmt.h"
#include "run/consume/decode.h"

static const struct recfield ustack_fields[] = {
	{ .kind = FLD_INT, .off = 16, .size = 8 },
	{ .kind = FLD_USTACK, .off = 24, .size = 32 },
	{ .kind = FLD_UADDR, .off = 56, .size = 24 },
};
static const struct recact acts[] = { { .kind = ACT_PRINTF, .fields = ustack_fields, .nfields = 3 } };
static const struct recfmt plain = { .epid = 1, .size = 24 };
static const struct recfmt stacks = { .epid = 2, .size = 80, .acts = acts, .nacts = 1 };
static const struct recfmt silent = { .epid = 3, .size = 0 };
static const struct recfmt *const fmts[] = { &plain, &stacks, &silent };
static const struct rec_probe probes[] = { { 5, "a", "", "", "x" }, { 9, "b", "", "", "y" } };
static const struct rec_schema schema = { .fmts = fmts, .nfmts = 3, .probes = probes, .nprobes = 2, .ncpus = 1 };

static int decode(uint32_t fmt, uint32_t probe, size_t len, struct row *row)
{
	static uint64_t buf[16];
	struct rec_hdr h = { .ts = 77, .fmt = fmt, .probe = probe };
	struct decoder d = { &schema, 0 };

	memcpy(buf, &h, sizeof(h));
	return decode_record(&d, 3, buf, len, row);
}

static void records_are_checked(void **state)
{
	static const struct {
		uint32_t fmt, probe;
		size_t len;
		int code;
	} cases[] = {
		{ 1, 5, 24, 0 },	{ 1, 9, 32, 0 },
		{ 2, 9, 80, 0 },	{ 1, 5, 23, -EBADMSG },
		{ 1, 5, 15, -EBADMSG }, { 1, 5, 0, -EBADMSG },
		{ 2, 5, 79, -EBADMSG }, { 3, 5, 24, -EBADMSG },
		{ 4, 5, 24, -EBADMSG }, { UINT32_MAX, 5, 80, -EBADMSG },
		{ 1, 6, 24, -EBADMSG }, { 1, 0, 24, -EBADMSG },
		{ 0, 5, 16, -EBADMSG },
	};
	struct row row;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(decode(cases[i].fmt, cases[i].probe, cases[i].len, &row), cases[i].code);
	assert_int_equal(decode(1, 9, 32, &row), 0);
	assert_int_equal(row.kind, ROW_EVENT);
	assert_int_equal(row.len, 24); /* cut to the format */
	assert_int_equal(row.ts, 77);
	assert_int_equal(row.cpu, 3);
	assert_int_equal(row.probe, 9);
	assert_int_equal(row.id, 1);
}

static void faults_are_checked(void **state)
{
	static const struct {
		uint32_t epid, code;
		size_t len;
		int want;
	} cases[] = {
		{ 1, FAULT_DIVZERO, sizeof(struct rec_fault), 0 },
		{ 3, FAULT_NOTRESIDENT, sizeof(struct rec_fault), 0 },
		{ 0, FAULT_DIVZERO, sizeof(struct rec_fault), -EBADMSG },
		{ 4, FAULT_DIVZERO, sizeof(struct rec_fault), -EBADMSG },
		{ 1, FAULT_LOOPMAX + 1, sizeof(struct rec_fault), -EBADMSG },
		{ 1, FAULT_DIVZERO, sizeof(struct rec_fault) - 1, -EBADMSG },
	};
	struct decoder d = { &schema, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rec_fault f = { .hdr = { .fmt = REC_FMT_FAULT, .probe = 5 },
				       .epid = cases[i].epid,
				       .code = cases[i].code };
		struct row row;

		assert_int_equal(decode_record(&d, 0, &f, cases[i].len, &row), cases[i].want);
		if (cases[i].want == 0)
			assert_int_equal(row.kind, ROW_FAULT);
	}
}

static struct {
	uint32_t tgid[4];
	unsigned n;
	size_t nframes;
	uint64_t frame;
} seen;

static void see(void *ctx, uint32_t tgid, uint64_t start, size_t nframes, const uint64_t *frames)
{
	(void)ctx;
	assert_int_equal(start, tgid * 1000);
	seen.nframes = nframes;
	seen.frame = nframes ? frames[0] : 0;
	seen.tgid[seen.n++] = tgid;
}

static void processes_of_stacks_are_found(void **state)
{
	struct {
		struct rec_hdr hdr;
		uint64_t n;
		struct rec_ustack_hdr stack;
		uint64_t frames[2];
		struct rec_uaddr addr;
	} rec = { .hdr = { .fmt = 2, .probe = 5 }, .stack = { 11, 0, 11000 }, .addr = { 12, 0, 12000, 1 } };
	struct decoder d = { &schema, 0 };

	(void)state;
	seen.n = 0;
	decode_record_procs(&d, &rec, sizeof(rec), see, NULL);
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.tgid[0], 11);
	assert_int_equal(seen.tgid[1], 12);
	seen.n = 0;
	decode_record_procs(&d, &rec, 50, see, NULL); /* cut in the second */
	assert_int_equal(seen.n, 1);
	seen.n = 0;
	rec.stack.flags = REC_USTACK_NONE;
	rec.hdr.fmt = 2;
	decode_record_procs(&d, &rec, sizeof(rec), see, NULL);
	assert_int_equal(seen.n, 1);
	seen.n = 0;
	rec.hdr.fmt = 99;
	decode_record_procs(&d, &rec, sizeof(rec), see, NULL);
	decode_record_procs(&d, &rec, 3, see, NULL);
	assert_int_equal(seen.n, 0);
}

static void frames_of_python_are_found(void **state)
{
	struct {
		struct rec_ustack_hdr stack;
		uint64_t frames[3];
	} key = { { 11, 0, 11000 }, { 0x401000, PY_FRAME(0x7f0000001000, 7), 0 } };
	struct recfield f = { .kind = FLD_USTACK, .size = sizeof(key), .nframes = 3, .strframes = 512 };

	(void)state;
	seen.n = 0;
	decode_field_procs(&f, 1, &key, sizeof(key), see, NULL);
	assert_int_equal(seen.nframes, 1);
	assert_true(seen.frame == PY_FRAME(0x7f0000001000, 7));
	decode_field_procs(&f, 1, &key, sizeof(key) - 1, see, NULL);
	assert_int_equal(seen.nframes, 0);
	f.strframes = 0; /* ustack() */
	decode_field_procs(&f, 1, &key, sizeof(key), see, NULL);
	assert_int_equal(seen.nframes, 0);
	assert_int_equal(seen.n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_checked),
		cmocka_unit_test(faults_are_checked),
		cmocka_unit_test(processes_of_stacks_are_found),
		cmocka_unit_test(frames_of_python_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
