/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines: order, overlap, tracks, pixels, sums and trees against hand-computed cases. */
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "unit.h"
#include "view/picture/keycolour.h"
#include "view/picture/timeline_int.h"

static tl_items items(const struct tl_item *v, size_t n)
{
	tl_items all = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(vec_try_push(&all, v[i]), 0);
	return all;
}

static void tidy(void **state)
{
	static const struct tl_item in[] = {
		{ .from = 30, .to = 40, .kind = TL_IO },
		{ .from = 0, .to = 10, .kind = TL_RUN },
		{ .from = 10, .to = 20, .kind = TL_RUN },
		{ .from = 15, .to = 25, .kind = TL_LOCK },
		{ .from = 35, .to = 38, .kind = TL_NET },
		{ .from = 50, .to = 50, .kind = TL_NET },
		{ .from = 40, .to = 45, .kind = TL_IO, .text = 1 },
	};
	tl_items v = items(in, ARRAY_SIZE(in));

	(void)state;
	tl_tidy(&v);
	assert_int_equal(v.n, 4);
	assert_true(v.v[0].from == 0 && v.v[0].to == 20 && v.v[0].kind == TL_RUN && !v.v[0].flags); /* two joined */
	assert_true(v.v[1].from == 20 && v.v[1].to == 25 && v.v[1].kind == TL_LOCK && v.v[1].flags == TL_CUT);
	assert_true(v.v[2].from == 30 && v.v[2].to == 40);  /* what was inside of it, and the empty one, are gone */
	assert_true(v.v[3].from == 40 && v.v[3].text == 1); /* another text is another interval */
	vec_free(&v);
	tl_tidy(&v); /* none */
	assert_int_equal(v.n, 0);
}

/* The end of the first thread's run was lost: it lasts only until another one ran there. */
static void one_per_cpu(void **state)
{
	static const struct tl_item first[] = { { .from = 0, .to = 10, .kind = TL_IO },
						{ .from = 10, .to = 90, .kind = TL_RUN, .cpu = 1 },
						{ .from = 90, .to = 95, .kind = TL_IO } };
	static const struct tl_item second[] = { { .from = 30, .to = 40, .kind = TL_RUN, .cpu = 1 },
						 { .from = 50, .to = 90, .kind = TL_RUN, .cpu = 2 } };
	static const struct tl_item third[] = { { .from = 40, .to = 60, .kind = TL_RUN, .cpu = 1 },
						{ .from = 60, .to = 99, .kind = TL_RUN } };
	struct timeline t = { 0 };
	tl_items *v;

	(void)state;
	assert_int_equal(vec_try_push(&t.rows, ((struct tl_row){ .items = items(first, ARRAY_SIZE(first)) })), 0);
	assert_int_equal(vec_try_push(&t.rows, ((struct tl_row){ .items = items(second, ARRAY_SIZE(second)) })), 0);
	assert_int_equal(vec_try_push(&t.rows, ((struct tl_row){ .items = items(third, ARRAY_SIZE(third)) })), 0);
	assert_int_equal(tl_one_per_cpu(&t), 0);
	for (size_t i = 0; i < t.rows.n; i++)
		tl_tidy(&t.rows.v[i].items);
	v = &t.rows.v[0].items;
	assert_int_equal(v->n, 4);
	assert_true(v->v[1].kind == TL_RUN && v->v[1].from == 10 && v->v[1].to == 30);
	assert_true(v->v[2].kind == TL_UNSEEN && v->v[2].from == 30 && v->v[2].to == 90);
	assert_int_equal(t.rows.v[1].items.n,
			 2); /* others are as they were: to the moment, on other CPUs, where it is not known */
	assert_int_equal(t.rows.v[2].items.n, 2);
	for (size_t i = 0; i < t.rows.n; i++)
		vec_free(&t.rows.v[i].items);
	vec_free(&t.rows);
}

static void tracks(void **state)
{
	static const struct tl_item in[] = { { .from = 0, .to = 10 },
					     { .from = 2, .to = 4 },
					     { .from = 3, .to = 12 },
					     { .from = 4, .to = 6 },
					     { .from = 11, .to = 20 } };
	struct tl_item deep[TL_MAX_TRACKS + 1];
	uint8_t track[TL_MAX_TRACKS + 1];
	tl_items v = items(in, ARRAY_SIZE(in));

	(void)state;
	assert_int_equal(tl_tracks(&v, track), 3);
	assert_int_equal(track[0], 0);
	assert_int_equal(track[1], 1);
	assert_int_equal(track[2], 2);
	assert_int_equal(track[3], 1); /* free again */
	assert_int_equal(track[4], 0);
	vec_free(&v);
	for (size_t i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = (struct tl_item){ .from = i, .to = 100 };
	v = items(deep, ARRAY_SIZE(deep));
	assert_int_equal(tl_tracks(&v, track), TL_MAX_TRACKS); /* one more than the limit: in the last */
	assert_int_equal(track[TL_MAX_TRACKS], TL_MAX_TRACKS - 1);
	vec_free(&v);
}

static void pixels(void **state)
{
	static const struct tl_item in[] = {
		{ .from = 100, .to = 130, .kind = TL_RUN },  { .from = 130, .to = 132, .kind = TL_IO },
		{ .from = 132, .to = 140, .kind = TL_RUN },  { .from = 160, .to = 161, .kind = TL_LOCK },
		{ .from = 170, .to = 300, .kind = TL_IDLE },
	};
	tl_items v = items(in, ARRAY_SIZE(in));
	int16_t px[10];

	(void)state;
	tl_pixels(&v, 100, 200, 10, px);
	/* 130 … 140: 2 of I/O weigh 16 each, 8 of running 4 each: 32 and 32; the first with as much stays */
	assert_int_equal(px[0], TL_RUN);
	assert_int_equal(px[2], TL_RUN);
	assert_int_equal(px[3], TL_IO);
	assert_int_equal(px[4], -1);
	assert_int_equal(px[5], -1);
	assert_int_equal(px[6], TL_LOCK); /* short, but alone */
	assert_int_equal(px[7], TL_IDLE);
	assert_int_equal(px[9], TL_IDLE);
	tl_pixels(&v, 250, 350, 10, px);
	assert_int_equal(px[0], TL_IDLE);
	assert_int_equal(px[4], TL_IDLE);
	assert_int_equal(px[5], -1);
	vec_free(&v);
}

static void sums(void **state)
{
	static const struct tl_item in[] = { { .from = 0, .to = 100, .kind = TL_RUN },
					     { .from = 100, .to = 150, .kind = TL_IO },
					     { .from = 150, .to = 400, .kind = TL_IDLE } };
	struct tl_row r = { .items = items(in, ARRAY_SIZE(in)) };

	(void)state;
	tl_sum_up(&r, 90, 200);
	assert_true(r.sum[TL_RUN] == 10 && r.sum[TL_IO] == 50 && r.sum[TL_IDLE] == 50);
	assert_true(r.longest == 50); /* being idle is no wait that counts */
	vec_free(&r.items);
}

static void tree(void **state)
{
	/* a makes b and, while b lives, c, d, e: three times "x" one after another, the second overlaps the third */
	struct tl_proc p[] = {
		{ UINT32_MAX, 0, 100, "a", 0, 0 }, { 0, 10, 50, "b", 0, 0 }, { 0, 20, 30, "x", 0, 0 },
		{ 0, 30, 40, "x", 0, 0 },	   { 0, 35, 45, "x", 0, 0 }, { 1, 12, 14, "y", 0, 0 },
		{ UINT32_MAX, 5, 6, "z", 0, 0 },
	};

	(void)state;
	assert_int_equal(tl_tree(p, ARRAY_SIZE(p)), 6);
	assert_int_equal(p[0].order, 0);
	assert_int_equal(p[1].order, 1);
	assert_int_equal(p[5].order, 2);
	assert_int_equal(p[5].depth, 2);
	assert_int_equal(p[2].order, 3);
	assert_int_equal(p[3].order, 3); /* after the other of its name */
	assert_int_equal(p[4].order, 4); /* while that lives */
	assert_int_equal(p[6].order, 5);
	assert_int_equal(p[6].depth, 0);
	assert_int_equal(tl_tree(NULL, 0), 0);
}

/* CPU time of laying out one process with n children: all alive at once, or one after another. */
static double time_of_children(size_t n, bool alive, long *rows)
{
	struct tl_proc *p = calloc(n + 1, sizeof(*p));
	struct timespec from, to;
	double best = 1e9;

	assert_non_null(p);
	for (int again = 0; again < 3; again++) {
		double took;

		p[0] = (struct tl_proc){ .parent = UINT32_MAX, .to = UINT64_MAX, .name = "sh" };
		for (size_t i = 1; i <= n; i++)
			p[i] = (struct tl_proc){ .parent = 0,
						 .from = 10 * i,
						 .to = alive ? UINT64_MAX - i : 10 * i + 15,
						 .name = i % 2 ? "a" : "b" };
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		*rows = tl_tree(p, n + 1);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
		best = took < best ? took : best;
	}
	for (size_t i = 3; i <= n; i++) /* siblings of a row follow each other */
		assert_true(alive ? p[i].order == p[i - 1].order + 1 : p[i].order == p[i - 2].order);
	free(p);
	return best;
}

/* Ten times as many children take about ten times as long, not a hundred times. */
static void many_children(void **state)
{
	long rows;

	(void)state;
	for (int alive = 0; alive < 2; alive++) {
		double few = time_of_children(5000, alive, &rows), many = time_of_children(50000, alive, &rows);

		assert_int_equal(rows, alive ? 50001 : 3);
		if (many > 40 * few)
			fail_msg("5,000 children: %g s, 50,000: %g s", few, many);
	}
}

/* At each limit, and one beyond: what does not fit is counted, once. */
static void limits(void **state)
{
	struct timeline *t = calloc(1, sizeof(*t));
	struct tl_reader r = { .t = t, .range = REC_ALL_TIME };
	struct tl_item x = { .from = 1, .to = 2 };
	struct tl_row *row;
	char key[16];

	(void)state;
	for (unsigned i = 0; i < TL_MAX_ROWS; i++) {
		snprintf(key, sizeof(key), "%u", i);
		assert_non_null(tl_row_of(&r, key, TL_GROUP_THREADS));
	}
	assert_int_equal(t->left_out_rows, 0);
	for (int again = 0; again < 3; again++) {
		assert_null(tl_row_of(&r, "one too many", TL_GROUP_THREADS));
		assert_int_equal(t->left_out_rows, 1);
	}
	assert_null(tl_row_of(&r, "two too many", TL_GROUP_THREADS));
	assert_int_equal(t->left_out_rows, 2);
	assert_int_equal(t->rows.n, TL_MAX_ROWS);
	row = tl_row_of(&r, key, TL_GROUP_THREADS);
	assert_ptr_equal(row, &t->rows.v[TL_MAX_ROWS - 1]);
	tl_add_item(&r, NULL, x); /* of a row that is left out */

	t->nitems = TL_MAX_ITEMS - 1;
	tl_add_item(&r, row, x);
	assert_true(row->items.n == 1 && t->nitems == TL_MAX_ITEMS && t->left_out == 0);
	tl_add_item(&r, row, x);
	assert_true(row->items.n == 1 && t->nitems == TL_MAX_ITEMS && t->left_out == 1);

	for (unsigned i = 0; i < TL_MAX_TEXTS; i++) {
		snprintf(key, sizeof(key), "%u", i);
		assert_int_equal(tl_add_text(&r, key, "words", NULL), i);
	}
	assert_int_equal(tl_add_text(&r, "one too many", "words", NULL), 0);
	assert_int_equal(t->texts.n, TL_MAX_TEXTS);
	assert_int_equal(r.error, 0);
	tl_reader_done(&r);
	timeline_free(t);
}

/* Two threads take turns on CPU 1, one is on CPU 0; and one CPU more than there may be rows. */
static void cpus(void **state)
{
	static const struct tl_item in[][3] = {
		{ { .from = 0, .to = 10, .kind = TL_RUN, .cpu = 2 },
		  { .from = 10, .to = 20, .kind = TL_IO },
		  { .from = 20, .to = 30, .kind = TL_RUN, .cpu = 2 } },
		{ { .from = 10, .to = 20, .kind = TL_RUN, .cpu = 2 },
		  { .from = 20, .to = 25, .kind = TL_RUN, .cpu = 1 },
		  { .from = 25, .to = 40, .kind = TL_RUN } },
	};
	struct timeline *t = calloc(1, sizeof(*t));
	struct tl_reader r = { .t = t, .range = REC_ALL_TIME };
	const struct tl_row *row;

	(void)state;
	tl_add_text(&r, "", "", NULL);
	for (unsigned i = 0; i < 2; i++) {
		struct tl_row *thread = tl_row_of(&r, i ? "t1" : "t0", TL_GROUP_THREADS);

		tl_label(&r, thread, "thread %u", i);
		for (unsigned k = 0; k < 3; k++)
			tl_add_item(&r, thread, in[i][k]);
	}
	assert_int_equal(tl_add_cpus(&r), 0);
	assert_int_equal(t->rows.n, 4);
	row = &t->rows.v[2];
	assert_true(row->group == TL_GROUP_CPUS && !strcmp(row->label, "CPU 0") && row->items.n == 1 &&
		    row->items.v[0].from == 20 && row->items.v[0].to == 25);
	row = &t->rows.v[3];
	assert_true(!strcmp(row->label, "CPU 1") && row->tid == 1 &&
		    row->items.n == 3); /* what ran nowhere that is known is in none */
	for (unsigned i = 0; i < 3; i++) {
		assert_true(row->items.v[i].from == 10 * i && row->items.v[i].to == 10 * i + 10 &&
			    row->items.v[i].kind == TL_TASK);
		assert_string_equal(t->texts.v[row->items.v[i].text].words, i == 1 ? "thread 1" : "thread 0");
	}
	for (unsigned i = 0; i < TL_MAX_CPUS - 1; i++) /* with CPU 1 of above as many as may be */
		tl_add_item(&r, &t->rows.v[0],
			    (struct tl_item){ .from = 100, .to = 101, .kind = TL_RUN, .cpu = (uint16_t)(3 + i) });
	t->rows.n = 2;
	vec_free(&t->rows.v[2].items);
	vec_free(&t->rows.v[3].items);
	free(t->rows.v[2].label);
	free(t->rows.v[3].label);
	tl_reader_done(&r);
	r.texts = r.rows = NULL;
	assert_int_equal(tl_add_cpus(&r), 0);
	assert_int_equal(t->rows.n, 2 + TL_MAX_CPUS);
	assert_int_equal(t->left_out_rows, 1);
	tl_reader_done(&r);
	timeline_free(t);
}

/* Waits of 1 ns, between which it runs for 2: as many as make the rows move while they grow. */
static void filled(void **state)
{
	enum { N = 20000 };
	struct timeline *t = calloc(1, sizeof(*t));
	struct tl_reader r = { .t = t, .range = REC_ALL_TIME };
	struct tl_row *row = tl_row_of(&r, "t", TL_GROUP_THREADS);

	(void)state;
	for (unsigned i = 0; i < N; i++)
		tl_add_item(&r, row,
			    (struct tl_item){
				    .from = 3 * i, .to = 3 * i + 1, .kind = TL_IO, .cpu = (uint16_t)(1 + i % 7) });
	r.last = 3 * N;
	assert_int_equal(tl_fill_thread(&r, row, 3 * N, true), 0);
	assert_int_equal(row->items.n, 2 * N);
	for (unsigned i = 0; i < N; i++) {
		const struct tl_item *x = &row->items.v[2 * i];

		assert_true(x[0].kind == TL_IO && x[0].from == 3 * i && x[1].kind == TL_RUN && x[1].from == 3 * i + 1 &&
			    x[1].cpu == 1 + i % 7);
	}
	tl_reader_done(&r);
	timeline_free(t);
}

/* A name other than those of two others that wants the colour `slot`. */
static void name_for(unsigned slot, const char *not_this, const char *nor_this, char name[16])
{
	for (unsigned i = 0;; i++) {
		snprintf(name, 16, "key %u", i);
		if (keycolour_slot(name) == slot && strcmp(name, not_this) != 0 && strcmp(name, nor_this) != 0)
			return;
	}
}

/* As web/src/keycolour.ts: what wants the same gets the next that is free, and does not push aside who wants that one.
 */
static void key_colours(void **state)
{
	unsigned wants = keycolour_slot("postgres"), next = (wants + 1) % KEY_SLOTS;
	char rival[16], third[16], neighbour[16], other[16];
	struct keycolours k = { 0 }, one = { 0 };

	(void)state;
	name_for(wants, "postgres", "", rival);
	name_for(wants, "postgres", rival, third);
	name_for(next, "", "", neighbour);
	keycolour_claim(&k, "postgres");
	keycolour_claim(&k, rival);
	keycolour_claim(&k, neighbour);
	assert_int_equal(keycolour_of(&k, rival), (wants + 2) % KEY_SLOTS);
	assert_int_equal(keycolour_of(&k, neighbour), next);
	assert_int_equal(keycolour_of(&k, "postgres"), wants);
	assert_int_equal(keycolour_of(&k, third), (wants + 3) % KEY_SLOTS);
	assert_int_equal(keycolour_of(&k, rival), (wants + 2) % KEY_SLOTS); /* again the same */
	assert_int_equal(keycolour_of(&one, rival), wants);		    /* without the others */
	for (unsigned i = 4; i < KEY_SLOTS; i++) {
		name_for((wants + i) % KEY_SLOTS, "", "", other);
		assert_int_equal(keycolour_of(&k, other), (wants + i) % KEY_SLOTS);
	}
	assert_int_equal(keycolour_of(&k, "one more"), keycolour_slot("one more")); /* all are taken */
	assert_int_equal(keycolour(0), 0xe69f00);
	assert_int_equal(keycolour(KEY_HUES), 0xf1ca73);     /* 45 % towards white */
	assert_int_equal(keycolour(2 * KEY_HUES), 0x966700); /* 35 % towards black */
	assert_int_equal(keycolour_row(KEY_HUES), 0x787878);
}

/* A kind with names of its own has shades of its own in a pixel. */
static void shades(void **state)
{
	static const struct tl_item in[] = { { .from = 0, .to = 4, .kind = TL_TASK, .hue = 3 },
					     { .from = 4, .to = 10, .kind = TL_TASK, .hue = 5 },
					     { .from = 10, .to = 20, .kind = TL_TASK, .hue = KEY_SLOTS - 1 } };
	tl_items v = items(in, ARRAY_SIZE(in));
	int16_t px[2];

	(void)state;
	tl_pixels(&v, 0, 20, 2, px);
	assert_int_equal(px[0], TL_TASK + TL_NKINDS * 5);
	assert_int_equal(px[1], TL_TASK + TL_NKINDS * (KEY_SLOTS - 1));
	vec_free(&v);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(tl_kind_of("io"), TL_IO);
	assert_int_equal(tl_kind_of("no such"), TL_UNKNOWN);
	for (int k = 0; k < TL_NKINDS; k++)
		assert_int_equal(tl_kind_of(tl_kind_info((enum tl_kind)k)->name), k);
}

/* Pieces of one name have one colour: that of the name; other kinds have none. */
static void hues(void **state)
{
	static const char *const words[] = { "", "ls, process 1", "ls, process 2, exit 1", "futex" };
	static const struct tl_item in[] = { { .from = 0, .to = 4, .kind = TL_LIFE, .text = 1 },
					     { .from = 4, .to = 10, .kind = TL_LIFE, .text = 2 },
					     { .from = 10, .to = 20, .kind = TL_LOCK, .text = 3 } };
	struct timeline *t = calloc(1, sizeof(*t));
	struct tl_row row = { .items = items(in, ARRAY_SIZE(in)) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(vec_try_push(&t->texts, ((struct tl_text){ strdup(words[i]), strdup(""), 0 })), 0);
	assert_int_equal(vec_try_push(&t->rows, row), 0);
	assert_int_equal(tl_add_hues(t), 0);
	row = t->rows.v[0];
	assert_int_equal(row.items.v[0].hue, keycolour_slot("ls"));
	assert_int_equal(row.items.v[1].hue, keycolour_slot("ls"));
	assert_int_equal(row.items.v[2].hue, 0);
	timeline_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tidy),		 cmocka_unit_test(one_per_cpu), cmocka_unit_test(tracks),
		cmocka_unit_test(pixels),	 cmocka_unit_test(sums),	cmocka_unit_test(tree),
		cmocka_unit_test(many_children), cmocka_unit_test(limits),	cmocka_unit_test(cpus),
		cmocka_unit_test(key_colours),	 cmocka_unit_test(hues),	cmocka_unit_test(filled),
		cmocka_unit_test(shades),	 cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
