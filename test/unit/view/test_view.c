/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of views and their driver: names are unique, forms are chosen as documented, headings say what was read, a
 * file is written whole or not at all, and errors are values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../store/recsample.h"
#include "base/cleanup.h"
#include "latency/cause/causes.h"
#include "unit.h"
#include "view/picture/heat.h"
#include "view/picture/hist.h"
#include "view/view.h"

static const struct view *const views[] = {
#define VIEW(name) &view_##name,
#include "view/view.def"
#undef VIEW
};

static char output[256], noted[256];

static void on_note(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(noted, sizeof(noted), "%s", text);
}

static struct causes *no_rules;

static struct causes *rules(void *unused)
{
	(void)unused;
	return no_rules;
}

static const struct view_env env = { .note = on_note, .causes = rules, .columns = 80 };

static void make_recording(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	for (uint64_t i = 1; i < 5; i++)
		sample_hist(f, SAMPLE_TRACKER, i * SEC, 0, 1000, 3);
	assert_int_equal(recfile_close(f, NULL), 0);
	snprintf(output, sizeof(output), "%s/output", sample_dir);
	unlink(output);
}

/* All of the output; to be freed. */
static char *written(void)
{
	_cleanup_fclose_ FILE *f = fopen(output, "re");
	char *text = NULL;
	size_t n = 0;

	if (f && getdelim(&text, &n, '\0', f) < 0)
		free(take_ptr(text));
	return text;
}

/* --by, as a command line would set it. */
static void set_by(const struct view *v, void *state, const char *value)
{
	for (size_t i = 0; i < v->noptions; i++)
		if (v->options[i].name && !strcmp(v->options[i].name, "by") && v->options[i].kind == OPT_TEXT)
			*(const char **)((char *)state + v->options[i].at) = value;
}

/* Shows the sample by `form` (NULL: none is asked for). */
static int show(const struct view *v, const char *form, const char *path, struct view_job *job, struct err *err)
{
	_cleanup_free_ char *state = malloc(v->size);
	int e;

	*err = (struct err){ 0 };
	view_init(v, state);
	if (v != &view_latency) /* there it is a kind of groups */
		set_by(v, state, "block");
	job->source[0].path = path;
	job->nsources = v->several ? 0 : 1;
	job->words = v->several ? (char *[]){ (char *)(uintptr_t)path } : NULL;
	job->nwords = v->several ? 1 : 0;
	job->output = output;
	job->env = &env;
	job->form = form ? view_form(v, form) : NULL;
	e = view_choose(v, job, VIEW_TO_FILE, err);
	if (e == 0 && v->check)
		e = v->check(state, job, err);
	if (e == 0)
		e = view_show(v, state, job, err);
	view_done(v, state, job);
	return e;
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		const struct view *v = views[i];

		assert_true(v->size > 0 && v->max_sources <= VIEW_MAX_SOURCES);
		assert_int_equal(v->max_sources == 0, v->several);
		assert_non_null(v->words[0]);
		assert_non_null(view_form(v, v->plain ? v->plain : "svg"));
		if (v->at_reader)
			assert_non_null(view_form(v, v->at_reader));
		for (const struct view_form *f = v->forms; f->name; f++) {
			assert_ptr_equal(view_form(v, f->name), f);
			assert_true(!f->served == !f->type);
			assert_non_null(f->draw);
		}
		for (size_t k = 0; k < v->noptions; k++)
			assert_true(v->options[k].name || v->options[k].letter);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(views[k]->name, v->name);
	}
}

/* A name that the page asks for means one form of one view. */
static void served_names_are_unique(void **state)
{
	const char *seen[64];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		for (const struct view_form *f = views[i]->forms; f->name; f++) {
			for (size_t k = 0; f->served && k < n; k++)
				assert_string_not_equal(seen[k], f->served);
			if (f->served)
				seen[n++] = f->served;
			assert_true(n < ARRAY_SIZE(seen));
		}
}

static void forms_are_chosen(void **state)
{
	struct view_job job = { .output = "a.html" };
	struct err err = { 0 };

	(void)state;
	if (view_choose(&view_hist, &job, VIEW_TO_TERMINAL, &err) == 0)
		assert_string_equal(job.form->name, "html");
	job = (struct view_job){ .output = "a.svg" };
	assert_int_equal(view_choose(&view_hist, &job, VIEW_TO_TERMINAL, &err), 0);
	assert_string_equal(job.form->name, "svg");
	job = (struct view_job){ .output = ".svg" }; /* that is all of the name */
	assert_int_equal(view_choose(&view_hist, &job, VIEW_TO_TERMINAL, &err), 0);
	assert_string_equal(job.form->name, "text");
	job = (struct view_job){ 0 };
	assert_int_equal(view_choose(&view_timeline, &job, VIEW_TO_TERMINAL, &err), 0);
	assert_string_equal(job.form->name, "text");
	job = (struct view_job){ 0 };
	assert_int_equal(view_choose(&view_timeline, &job, VIEW_TO_FILE, &err), 0);
	assert_string_equal(job.form->name, "svg");
	job = (struct view_job){ 0 };
	assert_int_equal(view_choose(&view_timeline, &job, VIEW_TO_PIPE, &err), 0);
	assert_string_equal(job.form->name, "text");
	job = (struct view_job){ .output = "threads" };
	assert_int_equal(view_choose(&view_timeline, &job, VIEW_TO_PIPE, &err), 0);
	assert_string_equal(job.form->name, "svg");
	job = (struct view_job){ 0 };
	assert_int_equal(view_choose(&view_heat, &job, VIEW_TO_TERMINAL, &err), -EINVAL);
	assert_string_equal(err.msg, "the picture would go to the terminal: give -o FILE.svg");
}

static void headings(void **state)
{
	struct view_job job = { 0 };
	struct err err;
	char *text;

	(void)state;
	make_recording();
	assert_int_equal(show(&view_hist, "json", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, " · "));
	assert_non_null(strstr(text, strrchr(sample_path, '/') + 1));
	free(text);
	job = (struct view_job){ .source[0].called = "a \"name\"" };
	assert_int_equal(show(&view_hist, "json", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, " · a \\\"name\\\"\""));
	free(text);
	job = (struct view_job){ .title = "Mine" };
	assert_int_equal(show(&view_heat, "json", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, "\"Mine\""));
	free(text);
}

static void errors_are_values(void **state)
{
	struct view_job job = { 0 };
	struct err err;
	char *text;

	(void)state;
	make_recording();
	assert_int_equal(show(&view_heat, "svg", "/nonexistent", &job, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent"));
	assert_int_equal(access(output, F_OK), -1);
	job = (struct view_job){ 0 };
	assert_int_equal(show(&view_heat, "svg", sample_path, &job, &err), 0);
	text = written();
	job = (struct view_job){ 0 };
	assert_true(show(&view_timeline, "svg", sample_path, &job, &err) < 0); /* nothing of the kind */
	assert_memory_equal(err.msg, sample_path, strlen(sample_path));
	free(text);
	text = written(); /* what was there is still there */
	assert_non_null(strstr(text, "<svg"));
	free(text);
}

/* Only what a view understands may be asked for from a page. */
static void asked_options(void **state)
{
	(void)state;
	assert_non_null(view_asked(&view_heat, "step"));
	assert_null(view_asked(&view_heat, "isolate"));
	assert_null(view_asked(&view_heat, "o"));
	assert_non_null(view_asked(&view_flame, "from"));
	assert_null(view_asked(&view_timeline, "processes"));
}

/* How often an option can be given, with this value. */
static unsigned taken(const struct view *v, const char *name, const char *value, struct err *err)
{
	_cleanup_free_ char *state = malloc(v->size);
	const struct optrow *o = v->options;
	unsigned n = 0;

	view_init(v, state);
	*err = (struct err){ 0 };
	while (!o->name || strcmp(o->name, name) != 0)
		o++;
	while (n < 1000 && o->take(state + o->at, o, value, err) == 0)
		n++;
	view_done(v, state, &(struct view_job){ 0 });
	return n;
}

static void options_that_repeat_have_limits(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(taken(&view_heat, "isolate", "a", &err), HEAT_MAX_KEYS);
	assert_string_equal(err.msg, "--isolate: these are more than 24 keys");
	assert_int_equal(taken(&view_hist, "range", "1s-2s", &err), HIST_MAX_SERIES);
	assert_string_equal(err.msg, "--range: '1s-2s' is no stretch like 10s-20s, or one of more than 8");
	assert_int_equal(taken(&view_hist, "name", "a", &err), HIST_MAX_SERIES);
	assert_string_equal(err.msg, "--name a: 8 recordings are the most that can be compared");
}

/* The views of waits show a recording without waits, and write a second form beside the first. */
static void waits_of_recordings(void **state)
{
	char page[300];
	struct view_job job = { .beside = view_form(&view_check, "html"), .beside_output = page };
	struct err err;
	char *text;

	(void)state;
	make_recording();
	snprintf(page, sizeof(page), "%s/page", sample_dir);
	assert_int_equal(show(&view_check, "json", sample_path, &job, &err), 0);
	text = written();
	assert_int_equal(text[0], '{');
	free(text);
	assert_int_equal(unlink(page), 0);
	job = (struct view_job){ 0 };
	assert_int_equal(show(&view_why, "json", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, "{\"type\":\"latency-why\""));
	assert_non_null(strstr(text, "\"causes\":[]"));
	free(text);
	job = (struct view_job){ 0 };
	assert_int_equal(show(&view_stuck, "text", sample_path, &job, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "-x record=FILE"));
	err_done(&err);
}

static void slow_events_of_recordings(void **state)
{
	struct view_job job = { 0 };
	struct recfile *f;
	struct err err = { 0 };
	char *text;

	(void)state;
	make_recording();
	f = sample_make(0, 0, 0);
	sample_slow(f, SAMPLE_TRACKER, SEC, 2000000, SLOW_NORMAL, "one");
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(show(&view_latency, "json", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, "{\"type\":\"latency-slow\""));
	free(text);
	job = (struct view_job){ 0 };
	assert_int_equal(show(&view_latency, "text", sample_path, &job, &err), 0);
	text = written();
	assert_non_null(strstr(text, "one"));
	free(text);
}

/* A row with begin() shows a run by the same forms. */
static void waits_of_a_run(void **state)
{
	static const struct view *const live[] = { &view_why, &view_stuck, &view_check };
	static const struct rec_schema schema = { .nfmts = 0 };
	const struct view_run run = { .schema = &schema, .causes = no_rules, .out = stdout };
	const struct row drops = { .kind = ROW_DROPS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(live); i++) {
		_cleanup_free_ char *view_state = malloc(live[i]->size), *text = NULL;
		struct view_job job = { .form = view_form(live[i], "json"), .env = &env };
		struct err err = { 0 };
		bool shown = false;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		view_init(live[i], view_state);
		assert_int_equal(live[i]->begin(view_state, &job, &run, &err), 0);
		assert_int_equal(live[i]->row(view_state, &drops, &shown), 0);
		assert_int_equal(job.form->draw(view_state, &job, out, &err), 0);
		fclose(out);
		assert_int_equal(text[0], live[i] == &view_stuck ? '\0' : '{'); /* a line for each thread */
		live[i]->done(view_state);
	}
}

static int set_up(void **state)
{
	return causes_new(&no_rules) < 0 ? -1 : sample_set_up(state);
}

static int tear_down(void **state)
{
	unlink(output);
	causes_free(no_rules);
	return sample_tear_down(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(served_names_are_unique),
		cmocka_unit_test(forms_are_chosen),
		cmocka_unit_test(headings),
		cmocka_unit_test(errors_are_values),
		cmocka_unit_test(asked_options),
		cmocka_unit_test(options_that_repeat_have_limits),
		cmocka_unit_test(waits_of_recordings),
		cmocka_unit_test(slow_events_of_recordings),
		cmocka_unit_test(waits_of_a_run),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
