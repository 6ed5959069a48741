/* SPDX-License-Identifier: Apache-2.0 */
/* Changes between stretches of a recording in words and as JSON: what is shown, and what could have been found. */
#include "../unit.h"
#include "../store/recsample.h"
#include "view/summary/diffprint.h"

#define SECONDS 40

static char *text;
static size_t len;

/* Half of the seconds have delays of about `first` ns, the others of about `then` ns. */
static void make(int64_t first, int64_t then)
{
	struct recfile *f = sample_make(0, 0, 0);

	for (uint64_t s = 1; s <= SECONDS; s++)
		sample_hist(f, SAMPLE_TRACKER, s * SEC, 0, (s <= SECONDS / 2 ? first : then) + (int64_t)(s % 5), 100);
	assert_int_equal(recfile_close(f, NULL), 0);
}

/* Compares the second half with the first, and prints that. */
static void print(struct diff_print o)
{
	struct diff d = { .keys = 50, .opts = CMP_DEFAULT, .rest = true };
	struct err err = { 0 };

	for (int i = 0; i < 2; i++)
		d.side[i].path = sample_path;
	d.side[1].asked = (struct latency_range){ .from = "20s" };
	assert_int_equal(diff_run(&d, NULL, &err), 0);
	free(text);
	text = NULL;
	o.out = open_memstream(&text, &len);
	assert_int_equal(diffprint(&d, &o), 0);
	fclose(o.out);
	diff_done(&d);
}

static void a_change_is_a_line_and_a_sentence(void **state)
{
	(void)state;
	make(1000, 1000000);
	print((struct diff_print){ 0 });
	assert_int_equal(
		strncmp(text, "source         p50     p90     p99   p99.9    W1    AUC    rate  key\nblock", 73), 0);
	assert_non_null(strstr(text, "*"));
	assert_non_null(strstr(text, " larger: "));
	assert_non_null(strstr(text, "\n1 of 1 changed ("));
}

static void what_did_not_change_is_shown_when_asked(void **state)
{
	(void)state;
	make(1000, 1000);
	print((struct diff_print){ 0 });
	assert_int_equal(strncmp(text, "0 of 1 changed (", 16), 0);
	assert_non_null(strstr(text, "nothing differs: changes below "));
	print((struct diff_print){ .all = true });
	assert_non_null(strstr(text, "\n  no change found; one of less than "));
}

static void json_has_the_pairs_and_a_summary(void **state)
{
	(void)state;
	make(1000, 1000000);
	print((struct diff_print){ .json = true });
	assert_int_equal(strncmp(text, "{\"type\":\"diff\",\"source\":\"block\",\"kind\":\"tracker\",\"key\":", 55), 0);
	assert_non_null(strstr(text, "\"in\":\"both\",\"changed\":true,"));
	assert_non_null(strstr(text, "\"not_judged\":null,"));
	assert_non_null(strstr(text, "\n{\"type\":\"diff-summary\",\"seconds_a\":"));
	assert_non_null(strstr(text, "\"compared\":1,\"judged\":1,\"changed\":1,"));
}

static void a_full_disk_is_an_error(void **state)
{
	struct diff d = { 0 };
	struct diff_print o = { .out = fopen("/dev/full", "w"), .json = true };

	(void)state;
	assert_non_null(o.out);
	setvbuf(o.out, NULL, _IONBF, 0);
	d.opts = (struct cmp_opts)CMP_DEFAULT;
	assert_true(diffprint(&d, &o) < 0);
	fclose(o.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_a_line_and_a_sentence),
		cmocka_unit_test(what_did_not_change_is_shown_when_asked),
		cmocka_unit_test(json_has_the_pairs_and_a_summary),
		cmocka_unit_test(a_full_disk_is_an_error),
	};
	int r = cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);

	free(text);
	return r;
}
