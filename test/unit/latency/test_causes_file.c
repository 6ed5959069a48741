/* SPDX-License-Identifier: Apache-2.0 */
/* dlib/causes itself: every rule fits a kernel, and stacks of known waits get their words. */
#include "unit.h"
#include "base/cleanup.h"
#include "latency/cause/causes.h"

#define LINE 4096

static struct causes *causes;

static FILE *open_text(const char *name)
{
	char path[LINE];
	FILE *f;

	snprintf(path, sizeof(path), "%s/unit/latency/%s", getenv("DWELL_TEST_DIR"), name);
	f = fopen(path, "re");
	if (!f)
		fail_msg("cannot open %s", path);
	return f;
}

static int setup(void **state)
{
	char path[LINE];
	struct err err = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/../dlib/causes", getenv("DWELL_TEST_DIR"));
	if (causes_new(&causes) < 0)
		return -1;
	if (causes_add_file(causes, path, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	causes_free(causes);
	return 0;
}

static void count_unmatched(void *arg, const struct cause_rule_info *r)
{
	unsigned *n = arg;

	if (r->nmatched)
		return;
	print_error(
		"%s:%u: no kernel of kernel-symbols.txt has a function of %s \"%s\": if the name is right, add it there\n",
		r->file, r->line, r->kind, r->words);
	(*n)++;
}

static void every_rule_fits_a_kernel(void **state)
{
	FILE *f = open_text("kernel-symbols.txt");
	unsigned unmatched = 0, symbols = 0;
	char line[LINE];

	(void)state;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \n")] = '\0';
		if (line[0] == '#' || !line[0])
			continue;
		assert_int_equal(causes_seen(causes, line), 0);
		symbols++;
	}
	fclose(f);
	assert_true(symbols > 1000);
	causes_rules(causes, count_unmatched, &unmatched);
	assert_int_equal(unmatched, 0);
}

/* stacks.txt: words, then the functions of the stack on lines that begin with white space. */
static void known_waits_get_their_words(void **state)
{
	FILE *f = open_text("stacks.txt");
	char line[LINE], words[LINE] = "";
	unsigned stacks = 0, wrong = 0;

	(void)state;
	while (fgets(line, sizeof(line), f)) {
		const char *names[CAUSES_MAX_DEPTH];
		char *save = NULL;
		struct cause w;
		size_t n = 0;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || !line[0])
			continue;
		if (line[0] != '\t') {
			strcpy(words, line);
			continue;
		}
		for (char *p = strtok_r(line, " \t", &save); p; p = strtok_r(NULL, " \t", &save))
			names[n++] = p;
		assert_int_equal(causes_classify(causes, names, n, 0, &w), 0);
		stacks++;
		if (strcmp(w.words, words)) {
			print_error("'%s' should be '%s': %s %s %s …\n", w.words, words, names[0],
				    n > 1 ? names[1] : "", n > 2 ? names[2] : "");
			wrong++;
		}
	}
	fclose(f);
	assert_true(stacks > 90);
	assert_int_equal(wrong, 0);
}

/* The kind of lock (rwsem) is known besides. Where the stack lacks the lock's frames, the lock is preferred to what the
 * caller could wait for. */
static void which_lock_goes_before_what_kind(void **state)
{
	const char *whole[] = { "schedule", "rwsem_down_write_slowpath", "down_write_killable", "vm_mmap_pgoff",
				"ksys_mmap_pgoff" };
	const char *cut[] = { "anon_pipe_write", "vfs_write", "ksys_write" };
	struct cause w;

	(void)state;
	assert_int_equal(causes_classify(causes, whole, ARRAY_SIZE(whole), CAUSE_FACT_RWSEM, &w), 0);
	assert_string_equal(w.words, "mmap: mmap lock");
	assert_int_equal(causes_classify(causes, cut, ARRAY_SIZE(cut), CAUSE_FACT_MUTEX, &w), 0);
	assert_string_equal(w.words, "write: mutex");
}

static void facts_have_words(void **state)
{
	const char *lock[] = { "__schedule", "schedule", "schedule_preempt_disabled", "foo" };
	struct cause w;

	(void)state;
	for (unsigned i = 0; i < CAUSE_NFACTS; i++) {
		const uint32_t futexes = CAUSE_FACT_CONDITION | CAUSE_FACT_TIMEOUT | CAUSE_FACT_WORK |
					 CAUSE_FACT_USER_LOCK | CAUSE_FACT_COLLECTOR | CAUSE_FACT_COLLECTED |
					 CAUSE_FACT_SAFEPOINT | CAUSE_FACT_PARKED |
					 CAUSE_FACT_CLASSINIT; /* which count there only */

		const bool event = 1u << i == CAUSE_FACT_EVENT_LOCK; /* made of user_lock */

		lock[3] = 1u << i & futexes ? "futex_do_wait" : event ? "ep_poll" : "foo";
		assert_int_equal(
			causes_classify(causes, lock, ARRAY_SIZE(lock), event ? CAUSE_FACT_USER_LOCK : 1u << i, &w), 0);
		assert_true(!event || w.class == CAUSE_LOCK);
		if (w.class == CAUSE_UNKNOWN)
			fail_msg("%s: %s", cause_fact_name((enum cause_fact_index)i), w.words);
		assert_true((1u << i != CAUSE_FACT_CONDITION) || w.class == CAUSE_IPC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_fits_a_kernel),
		cmocka_unit_test(known_waits_get_their_words),
		cmocka_unit_test(which_lock_goes_before_what_kind),
		cmocka_unit_test(facts_have_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
