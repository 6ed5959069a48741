/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of the lowering, each just inside and just outside, and how programs are split. */
#include "unit.h"
#include "base/strb.h"
#include "lowerfix.h"

/* "PRE" then n times "EACH" with the number, then "POST". */
static char *repeat(const char *pre, const char *each, unsigned n, const char *post)
{
	struct strb b = { 0 };

	strb_adds(&b, pre);
	for (unsigned i = 0; i < n; i++) {
		const char *at = each;

		for (const char *p; (p = strchr(at, '#')); at = p + 1) {
			strb_add(&b, at, (size_t)(p - at));
			strb_printf(&b, "%u", i);
		}
		strb_adds(&b, at);
	}
	strb_adds(&b, post);
	return strb_take(&b);
}

static void check(char *text, const char *want)
{
	struct lowerfix f = { 0 };

	lowerfix_run(&f, text);
	if (!want && !f.img)
		fail_msg("%.80s…: %s", text, f.messages);
	if (want && (f.img || !strstr(f.messages, want)))
		fail_msg("%.80s…: expected \"%s\", got \"%s\"", text, want, f.messages);
	free(text);
	lowerfix_close(&f);
}

static void keys_have_a_limit(void **state)
{
	/* strings count with strsize, 256 */
	unsigned fit = CG_MAX_KEY_SIZE / 256;

	(void)state;
	check(repeat("string s; tick-1s { @[s", ", s", fit - 1, "] = count(); }"), NULL);
	check(repeat("string s; tick-1s { @[s", ", s", fit, "] = count(); }"), "key of @ is too large");
	check(repeat("string s; tick-1s { a[s", ", s", fit - 1, "] = 1; }"), NULL);
	check(repeat("string s; tick-1s { a[s", ", s", fit, "] = 1; }"), "key of a is too large");
}

static void records_have_a_limit(void **state)
{
	unsigned fit = (CG_MAX_RECORD_SIZE - sizeof(struct rec_hdr)) / 256;

	(void)state;
	check(repeat("string s; tick-1s {", "trace(s);", fit, "}"), NULL);
	check(repeat("string s; tick-1s {", "trace(s);", fit + 1, "}"), "writes records of");
}

static void values_have_a_limit(void **state)
{
	(void)state;
	check(repeat("tick-1s { @ = lquantize(1, 0, 65535); @k[1] = lquantize(1, 0, 65535); }", "", 0, ""), NULL);
	check(repeat("tick-1s { @ = llquantize(1, 2, 14, 14, 32768); }", "", 0, ""), NULL);
	check(repeat("tick-1s { @ = llquantize(1, 2, 14, 15, 32768); }", "", 0, ""),
	      "would need 524320 bytes, limit 524304");
}

static void variables_have_limits(void **state)
{
	(void)state;
	check(repeat("self int x[4000]; tick-1s { self->x[1] = 1; }", "", 0, ""), NULL);
	check(repeat("self int x[5000]; tick-1s { self->x[1] = 1; }", "", 0, ""), "thread-local variables");
	check(repeat("this int x[8000]; tick-1s { this->x[1] = 1; }", "", 0, ""), NULL);
	check(repeat("this int x[9000]; tick-1s { this->x[1] = 1; }", "", 0, ""), "clause-local variables");
	check(repeat("int x[5000000]; tick-1s { x[1] = 1; }", "", 0, ""), "global variables");
	check(repeat("#pragma D option scratchsize=32k\ntick-1s { this->p = alloca(32000); }", "", 0, ""), NULL);
	check(repeat("#pragma D option scratchsize=32k\ntick-1s { this->p = alloca(32000); this->q = alloca(800); }",
		     "", 0, ""),
	      "for temporary strings and data");
}

/* Expects `want` maps of maps. */
static void check_shapes(char *text, unsigned want)
{
	struct lowerfix f = { 0 };
	unsigned n = 0;

	lowerfix_run(&f, text);
	assert_non_null(f.img);
	for (uint32_t i = 0; i < f.img->nmaps; i++)
		n += f.img->maps[i].role == IMG_MAP_SHAPE;
	assert_int_equal(n, want);
	free(text);
	lowerfix_close(&f);
}

static void a_clause_has_a_number_of_maps(void **state)
{
	/* two maps each, beside state and counters; more are found in one map for each shape */
	check_shapes(repeat("tick-1s {", "@a# = count();", CG_MAX_MAPS / 2 - 1, "}"), 0);
	check_shapes(repeat("tick-1s {", "@a# = count();", CG_MAX_MAPS / 2, "}"), 1);
	check_shapes(repeat("tick-1s {", "@a# = count(); @b#[#] = sum(#); x#[#] = 1;", 300, "}"), 3);
	(void)state;
	check(repeat("tick-1s {", "@a# = lquantize(1, 0, 1 + #);", CG_MAX_MAPS - 2, "}"), NULL);
	check(repeat("tick-1s {", "@a# = lquantize(1, 0, 1 + #);", CG_MAX_MAPS - 1, "}"),
	      "uses too many aggregations and arrays of different shapes");
	/* in clauses of their own they go to several programs */
	check(repeat("", "tick-1s { @a# = count(); }", 2 * CG_MAX_MAPS, ""), NULL);
}

static void a_clause_has_a_size(void **state)
{
	(void)state;
	check(repeat("int x, y, z; tick-1s {", "x = y * # + z / (y + #);", 4000, "}"), NULL); /* jumps reach less */
	check(repeat("int x, y, z; tick-1s {", "x = y * # + z / (y + #);", 60000, "}"),
	      "more than 1000000 instructions");
}

/* All clauses, in order, once each. */
static void check_split(struct lowerfix *f, unsigned nclauses)
{
	uint32_t next = 1;

	assert_non_null(f->img);
	for (uint32_t i = 0; i < f->img->nprogs; i++) {
		const struct img_prog *p = &f->img->progs[i];

		assert_int_equal(p->first_epid, next);
		assert_int_equal(p->index, i);
		assert_true(p->ninsns <= CG_MAX_INSNS_PER_PROG);
		next = p->last_epid + 1;
	}
	assert_int_equal(next, nclauses + 1);
}

static void many_clauses_are_split(void **state)
{
	char *text = repeat("int x;", "BEGIN /x != #/ { trace(#); }", 10000, "");
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, text);
	check_split(&f, 10000);
	assert_true(f.img->nprogs > 1);
	assert_int_equal(lowerfix_map(&f, IMG_MAP_COUNTERS)->max_entries, f.img->nprogs);
	free(text);
	lowerfix_close(&f);
}

static void a_shared_this_is_not_cut(void **state)
{
	/* fewer clauses stay in one program … */
	char *text = repeat("this int l;", "tick-1s { this->l += #; trace(this->l); }", 200, "");
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, text);
	assert_non_null(f.img);
	assert_int_equal(f.img->nprogs, 1);
	free(text);
	lowerfix_close(&f);
	/* … also those that would be split otherwise; and when they do not fit, there is a message */
	text = repeat("this int l;", "tick-1s { this->l += #; trace(this->l); }", 5000, "");
	f = (struct lowerfix){ 0 };
	lowerfix_run(&f, text);
	assert_non_null(f.img);
	assert_int_equal(f.img->nprogs, 1);
	assert_true(f.img->progs[0].ninsns > CG_MAX_INSNS_PER_PROG);
	free(text);
	lowerfix_close(&f);
	check(repeat("this int l;", "tick-1s { this->l += #; trace(this->l); }", 30000, ""),
	      "do not fit into one BPF program");
	/* each clause for itself: no matter */
	check(repeat("", "tick-1s { this->l# = #; trace(this->l#); }", 1000, ""), NULL);
}

static void what_cannot_be_entered_is_said(void **state)
{
	struct lowerfix f = { .env.ctx = (void *)"tick-1s" };

	(void)state;
	lowerfix_run(&f, "tick-1s { trace(1); }");
	assert_null(f.img);
	assert_non_null(strstr(f.messages, "profile:::tick-1s cannot be enabled: not on this kernel"));
	lowerfix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_a_limit),
		cmocka_unit_test(records_have_a_limit),
		cmocka_unit_test(values_have_a_limit),
		cmocka_unit_test(variables_have_limits),
		cmocka_unit_test(a_clause_has_a_number_of_maps),
		cmocka_unit_test(a_clause_has_a_size),
		cmocka_unit_test(many_clauses_are_split),
		cmocka_unit_test(a_shared_this_is_not_cut),
		cmocka_unit_test(what_cannot_be_entered_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
