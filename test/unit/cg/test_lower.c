/* SPDX-License-Identifier: Apache-2.0 */
/* The lowering's results for a program: BPF programs, record formats, maps. Tests that run the code show that it
 * computes what it should (test/live, test/gen). */
#include "unit.h"
#include "base/cleanup.h"
#include "cg/gen/limits.h"
#include "lowerfix.h"

static void records_have_fixed_offsets(void **state)
{
	struct lowerfix f = { 0 };
	const struct recfmt *r;

	(void)state;
	lowerfix_run(&f, "BEGIN { trace(pid); printf(\"%s %d %d\", execname, (char)1, (long)2); exit(3); }");
	assert_non_null(f.img);
	assert_int_equal(f.img->nfmts, 1);
	r = f.img->fmts[0];
	assert_int_equal(r->epid, 1);
	assert_int_equal(r->nacts, 3);
	assert_true(r->has_exit);
	assert_int_equal(r->acts[0].kind, ACT_TRACE);
	assert_int_equal(r->acts[0].fields[0].off, sizeof(struct rec_hdr));
	assert_int_equal(r->acts[0].fields[0].size, 4);
	assert_int_equal(r->acts[1].kind, ACT_PRINTF);
	assert_int_equal(r->acts[1].nfields, 3);
	assert_int_equal(r->acts[1].fields[0].kind, FLD_STRING);
	assert_int_equal(r->acts[1].fields[0].size, 16); /* not strsize */
	assert_int_equal(r->acts[1].fields[0].off % 8, 0);
	assert_int_equal(r->acts[1].fields[1].size, 1);
	assert_int_equal(r->acts[1].fields[2].off % 8, 0);
	assert_int_equal(r->acts[2].kind, ACT_EXIT);
	assert_int_equal(r->acts[2].number, 3);
	assert_int_equal(r->size % 8, 0);
	assert_true(f.img->has_exit);
	lowerfix_close(&f);
}

static void clauses_without_data_write_no_records(void **state)
{
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, "BEGIN { x = 1; } END { @ = count(); } tick-1s { } tick-1s");
	assert_int_equal(f.img->fmts[0]->size, 0);
	assert_int_equal(f.img->fmts[1]->size, 0);
	lowerfix_close(&f);
}

static void an_empty_clause_writes_a_bare_record(void **state)
{
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, "tick-1s");
	assert_true(f.img->fmts[0]->is_default);
	assert_int_equal(f.img->fmts[0]->size, sizeof(struct rec_hdr));
	lowerfix_close(&f);
}

static void runs_between_branches_have_records_of_their_own(void **state)
{
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, "BEGIN { trace(1); if (pid) { trace(2); x = 1; trace(3); } trace(4); }"
			 "END { int a = 1; trace(a); { a = 2; } } tick-1s { int a = 1; trace(a); trace(2); }");
	assert_int_equal(f.img->nfmts, 3 + 4);
	assert_int_equal(f.img->fmts[0]->size, 0);
	assert_int_equal(f.img->fmts[1]->size, 0);
	assert_int_equal(f.img->fmts[2]->nacts, 2); /* no branches: one record */
	assert_int_equal(f.img->fmts[3]->nacts, 1);
	assert_int_equal(f.img->fmts[4]->nacts, 2);
	assert_int_equal(f.img->fmts[4]->acts[1].number, 5);
	assert_int_equal(f.img->fmts[5]->nacts, 1);
	assert_int_equal(f.img->fmts[6]->nacts, 1);
	for (uint32_t i = 0; i < f.img->nfmts; i++)
		assert_int_equal(f.img->fmts[i]->epid, i + 1);
	lowerfix_close(&f);
}

static void loops_use_may_goto_where_it_is(void **state)
{
	(void)state;
	for (int has = 0; has < 2; has++) {
		struct lowerfix f = { .may_goto = has };
		char *dump;

		lowerfix_run(&f, "BEGIN { int n = 0; for (int i = 0; i < 10; i++) n += i; trace(n); }");
		dump = lowerfix_dump(&f);
		assert_int_equal(strstr(dump, "may_goto") != NULL, has);
		assert_int_equal(strstr(dump, ">= 1000") != NULL, has);
		assert_int_equal(strstr(dump, ">= 128") != NULL, !has);
		free(dump);
		lowerfix_close(&f);
	}
}

static void equal_entries_share_a_program(void **state)
{
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, "syscall::read:entry { a = 1; } syscall:::return { b = 1; }"
			 "syscall:::entry { c = 1; } syscall::write:entry { d = 1; }");
	assert_int_equal(f.img->nprogs, 2);
	assert_string_equal(f.img->progs[0].entry.target, "sys_enter");
	assert_int_equal(f.img->progs[0].nprobes, 3);
	assert_int_equal(f.img->progs[0].probes[0]->id, 4); /* in id order */
	assert_int_equal(f.img->progs[0].probes[1]->id, 6);
	assert_int_equal(f.img->progs[0].probes[2]->id, 7);
	assert_int_equal(f.img->progs[0].first_epid, 1);
	assert_int_equal(f.img->progs[0].last_epid, 4);
	assert_string_equal(f.img->progs[1].entry.target, "sys_exit");
	assert_int_equal(f.img->progs[1].first_epid, 2);
	assert_int_equal(f.img->progs[1].last_epid, 2);
	lowerfix_close(&f);
}

static unsigned count_in(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void a_value_is_asked_for_once(void **state)
{
	static const struct {
		const char *text, *what;
		unsigned n;
	} cases[] = {
		{ "tick-1s /pid == 1 && tid == 2/ { trace(pid); trace(tid); }", "get_current_pid_tgid", 1 },
		{ "tick-1s { x = timestamp; trace(timestamp); }", "ktime_get_ns", 1 },
		{ "tick-1s /execname == \"a\"/ { @[execname] = count(); }", "get_current_comm", 1 },
		{ "self int a; tick-1s { self->a = self->a + 1; self->b = self->a; }", "task_storage_get",
		  3 }, /* one read; each assignment may create */
		/* of two clauses, where the first asks unconditionally */
		{ "tick-1s /pid == 1/ { x = 1; } tick-1s /pid == 2/ { y = 1; }", "get_current_pid_tgid", 1 },
		/* ... but not where it may not have come to it */
		{ "tick-1s /pid && uid == 1/ { x = 1; } tick-1s /uid == 2/ { y = 1; }", "get_current_uid_gid", 2 },
		{ "tick-1s { x = pid ? uid : 0; y = uid; }", "get_current_uid_gid", 2 },
		/* what a false predicate does not need is not read */
		{ "tick-1s /0/ { trace(execname); }", "get_current_comm", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lowerfix f = { 0 };
		char *dump;

		lowerfix_run(&f, cases[i].text);
		dump = lowerfix_dump(&f);
		if (count_in(dump, cases[i].what) != cases[i].n)
			fail_msg("%s: %u times %s, expected %u", cases[i].text, count_in(dump, cases[i].what),
				 cases[i].what, cases[i].n);
		free(dump);
		lowerfix_close(&f);
	}
}

/* Kernels without task storage: a hash by thread. */
static void thread_locals_can_be_in_a_hash(void **state)
{
	struct lowerfix f = { .old = true }, small = { .old = true };
	const struct img_map *m;
	uint32_t n;
	char *dump;

	(void)state;
	lowerfix_run(
		&f,
		"self int a; self string s; tick-1s /self->a/ { self->a = 0; } tick-1s { self->a = 1; self->s = execname; }");
	m = lowerfix_map(&f, IMG_MAP_TLS);
	assert_non_null(m);
	assert_int_equal(m->type, BPF_MAP_TYPE_LRU_HASH);
	assert_int_equal(m->key_size, 16);
	assert_false(m->needs_btf);
	n = m->max_entries;
	assert_in_range(n, 1000, 1u << 18);
	dump = lowerfix_dump(&f);
	assert_int_equal(count_in(dump, "task_storage_get"), 0);
	assert_true(count_in(dump, "map_update_elem") > 0);
	free(dump);
	lowerfix_close(&f);
	lowerfix_run(&small, "#pragma D option dynvarsize=1m\nself string s; tick-1s { self->s = execname; }");
	m = lowerfix_map(&small, IMG_MAP_TLS);
	assert_true(m->max_entries * 10 < n);
	lowerfix_close(&small);
}

static void a_short_string_is_compared_in_words(void **state)
{
	struct lowerfix f = { 0 };

	(void)state;
	lowerfix_run(&f, "sdt:::sched_switch /execname == \"postgres\"/ { x = 1; }");
	assert_true(f.img->progs[0].ninsns < 20);
	assert_int_equal(f.img->progs[0].nfuncs, 1); /* no run-time piece */
	lowerfix_close(&f);
}

static void aggregations_have_two_sets(void **state)
{
	struct lowerfix f = { 0 };
	const struct aggdesc *d;
	unsigned n[2] = { 0 };

	(void)state;
	lowerfix_run(
		&f, "syscall:::entry { @a[execname, probefunc] = quantize(arg0); @b = count(); @c[pid] = sum(arg1); }");
	d = f.img->aggs[0];
	assert_string_equal(d->name, "a");
	assert_int_equal(d->func, AGG_QUANTIZE);
	assert_int_equal(d->nkeys, 2);
	assert_int_equal(d->keys[0].size, 16);
	assert_true(d->keys[1].size < 16); /* the longest name, not strsize */
	assert_int_equal(d->key_size % 8, 0);
	assert_int_equal(d->value_size, 8 * (1 + AGG_QUANT_NBUCKETS));
	for (uint32_t i = 0; i < f.img->nmaps; i++) {
		const struct img_map *m = &f.img->maps[i];

		if (m->role != IMG_MAP_AGG)
			continue;
		n[m->set]++;
		/* large values: an entry per key and CPU in a plain hash */
		assert_int_equal(m->type, m->agg == 0	? BPF_MAP_TYPE_HASH
					  : m->agg == 1 ? BPF_MAP_TYPE_PERCPU_ARRAY
							: BPF_MAP_TYPE_PERCPU_HASH);
		if (m->agg == 0)
			assert_int_equal(m->key_size, d->key_size + IMG_AGG_CPU_KEY);
	}
	assert_int_equal(n[0], 3);
	assert_int_equal(n[1], 3);
	lowerfix_close(&f);
}

static void error_clauses_are_a_subprogram(void **state)
{
	struct lowerfix f = { 0 };
	bool found = false;

	(void)state;
	lowerfix_run(&f, "int x; BEGIN { trace(1 / x); x = 1; } ERROR { printf(\"%d\", arg4); }");
	assert_int_equal(f.img->nprogs, 1);
	for (uint32_t i = 0; i < f.img->progs[0].nfuncs; i++)
		found |= !strcmp(f.img->progs[0].funcs[i].name, "fault");
	assert_true(found);
	assert_int_equal(f.img->nfmts, 2);
	assert_true(f.img->fmts[1]->size > 0);
	lowerfix_close(&f);
}

static void the_same_text_gives_the_same_image(void **state)
{
	static const char *const text =
		"string s; int a[int, string]; self int t; this int l;"
		"syscall:::entry { self->t = timestamp; a[pid, execname]++; this->l = 1; s = execname; }"
		"syscall:::return /self->t/ { @[probefunc, stack()] = quantize(timestamp - self->t); }"
		"tick-1s { printf(\"%s %d\", s, a[1, \"x\"]); } ERROR { trace(arg1); } END { printa(@); }";
	struct lowerfix f = { 0 }, h = { 0 };
	char *a, *b;

	(void)state;
	lowerfix_run(&f, text);
	lowerfix_run(&h, text);
	a = lowerfix_dump(&f);
	b = lowerfix_dump(&h);
	assert_string_equal(a, b);
	free(a);
	free(b);
	lowerfix_close(&f);
	lowerfix_close(&h);
}

static void maps_appear_when_needed(void **state)
{
	struct lowerfix f = { 0 };
	const struct img_map *m;

	(void)state;
	lowerfix_run(&f, "tick-1s { self->s = \"x\"; a[1, \"k\"] = 2; trace(self->s); }");
	m = lowerfix_map(&f, IMG_MAP_TLS);
	assert_non_null(m);
	assert_true(m->needs_btf);
	assert_true(m->value_size > 256); /* the text and a byte after it */
	m = lowerfix_map(&f, IMG_MAP_ASSOC);
	assert_non_null(m);
	assert_int_equal(m->value_size, 8);
	m = lowerfix_map(&f, IMG_MAP_RINGS);
	assert_non_null(m);
	assert_int_equal(m->max_entries, 4);
	assert_int_equal(m->inner_size, 4u << 20);
	assert_null(lowerfix_map(&f, IMG_MAP_AGG));
	m = lowerfix_map(&f, IMG_MAP_COUNTERS);
	assert_int_equal(m->max_entries, f.img->nprogs);
	lowerfix_close(&f);
}

static bool uses_ustack(const char *text)
{
	struct lowerfix f = { 0 };
	bool r;

	lowerfix_run(&f, text);
	r = f.img->uses_ustack;
	lowerfix_close(&f);
	return r;
}

/* Processes are kept only for programs with stacks or addresses of users. */
static void user_addresses_are_known(void **state)
{
	(void)state;
	assert_true(uses_ustack("tick-1s { trace(ustack()); }"));
	assert_true(uses_ustack("tick-1s { usym(arg1); }"));
	assert_true(uses_ustack("tick-1s { uaddr(arg1); }"));
	assert_true(uses_ustack("tick-1s { @[umod(arg1)] = count(); }"));
	assert_false(uses_ustack("tick-1s { stack(); sym(arg0); trace(why(stack())); @[stack()] = count(); }"));
	assert_false(uses_ustack("tick-1s { @[why(stack())] = count(); }"));
}

/* The number of arrays that have a map. */
static unsigned arrays(const char *text)
{
	struct lowerfix f = { 0 };
	unsigned n = 0;

	lowerfix_run(&f, text);
	for (uint32_t i = 0; i < f.img->nmaps; i++)
		n += f.img->maps[i].role == IMG_MAP_ASSOC;
	lowerfix_close(&f);
	return n;
}

static void arrays_that_only_cpu_indexes_are_places(void **state)
{
	char *text = NULL;

	(void)state;
	assert_int_equal(arrays("int64_t b[int]; tick-1s { a[cpu] = 1; b[cpu] += timestamp; a[cpu]++; }"), 0);
	assert_int_equal(arrays("int a[int64_t]; tick-1s { a[cpu] = 1; }"), 0);
	assert_int_equal(arrays("tick-1s { a[cpu] = 1; } BEGIN { a[0] = 1; }"), 1);
	assert_int_equal(arrays("tick-1s { a[cpu + 1] = 1; }"), 1);
	assert_int_equal(arrays("char a[char]; tick-1s { a[cpu] = 1; }"), 1); /* of 256 CPUs two would be one */
	assert_int_equal(arrays("tick-1s { a[cpu, 1] = 1; }"), 1);
	assert_int_equal(arrays("tick-1s { self->a[cpu] = 1; }"), 1);
	assert_int_equal(arrays("tick-1s { a[cpu] = execname; }"), 1); /* changes as a whole */
	/* as many as there is room for */
	for (unsigned n = CG_MAX_CPU_VARS / 8; n <= CG_MAX_CPU_VARS / 8 + 1; n++) {
		struct strb b = { 0 };

		for (unsigned i = 0; i < n; i++)
			strb_printf(&b, "tick-1s { a%u[cpu] = timestamp; }", i);
		text = strb_take(&b);
		assert_int_equal(arrays(text), n - CG_MAX_CPU_VARS / 8);
		free(text);
	}
}

/* Up to eight CPUs all have their own; of more those that are online. */
static void cpus_that_come_later_share_histograms(void **state)
{
	static const struct {
		unsigned cpus, online_ids, places;
	} rows[] = { { 4, 0, 4 },   { 4, 1, 4 }, { 4, 3, 4 },	{ 6, 2, 6 },   { 8, 1, 8 },
		     { 240, 2, 8 }, { 9, 2, 8 }, { 16, 9, 16 }, { 24, 9, 16 }, { 240, 0, 240 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lowerfix f = { .cpus = rows[i].cpus, .online_ids = rows[i].online_ids };
		char *dump;

		lowerfix_run(&f, "tracker t { } syscall::read:entry { begin(t); } syscall::read:return { end(t); }");
		dump = lowerfix_dump(&f);
		assert_int_equal(lowerfix_map(&f, IMG_MAP_TRACKHIST)->max_entries, rows[i].places);
		/* then two may add to one place at the same time: the sum and the bucket */
		assert_int_equal(count_in(dump, "lock *(u64 *)(r0 +16)"), rows[i].places < rows[i].cpus);
		free(dump);
		lowerfix_close(&f);
	}
}

/* On a CPU without a ring: counted, and only where there may be one. */
static void cpus_that_come_later_may_be_without_a_flight_recorder(void **state)
{
	static const unsigned cpus[] = { 8, 240 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct lowerfix f = { .cpus = cpus[i], .online_ids = 2 };
		char *dump;

		lowerfix_run(&f, "#pragma D option flight=10ms\ntick-1s { flight(\"switch\", 1, 2, execname); }");
		dump = lowerfix_dump(&f);
		assert_int_equal(lowerfix_map(&f, IMG_MAP_FLIGHT)->max_entries, 8);
		assert_int_equal(count_in(dump, "missed++"), cpus[i] > 8);
		free(dump);
		lowerfix_close(&f);
	}
}

static void noself_leaves_dwell_out(void **state)
{
	struct lowerfix f = { 0 };
	char *dump;

	(void)state;
	lowerfix_run(&f, "#pragma D option noself\nBEGIN { trace(1); } tick-1s { x = 1; }");
	dump = lowerfix_dump(&f);
	assert_int_equal(count_in(dump, "4711"), 1); /* BEGIN runs in dwell itself */
	free(dump);
	lowerfix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_have_fixed_offsets),
		cmocka_unit_test(clauses_without_data_write_no_records),
		cmocka_unit_test(an_empty_clause_writes_a_bare_record),
		cmocka_unit_test(runs_between_branches_have_records_of_their_own),
		cmocka_unit_test(loops_use_may_goto_where_it_is),
		cmocka_unit_test(equal_entries_share_a_program),
		cmocka_unit_test(a_value_is_asked_for_once),
		cmocka_unit_test(thread_locals_can_be_in_a_hash),
		cmocka_unit_test(a_short_string_is_compared_in_words),
		cmocka_unit_test(aggregations_have_two_sets),
		cmocka_unit_test(error_clauses_are_a_subprogram),
		cmocka_unit_test(the_same_text_gives_the_same_image),
		cmocka_unit_test(maps_appear_when_needed),
		cmocka_unit_test(noself_leaves_dwell_out),
		cmocka_unit_test(cpus_that_come_later_share_histograms),
		cmocka_unit_test(cpus_that_come_later_may_be_without_a_flight_recorder),
		cmocka_unit_test(user_addresses_are_known),
		cmocka_unit_test(arrays_that_only_cpu_indexes_are_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
