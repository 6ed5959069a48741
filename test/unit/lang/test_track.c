/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers: declarations, settings with units of time, clauses of their probes and where they go; mistakes. */
#include "../unit.h"
#include <errno.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "lang/errtag.h"
#include "langfix.h"

#define T "tracker t (int, string) { threshold = 10ms; }\n"
#define USED T "BEGIN { begin(t, 1, \"a\"); } END { end(t, 1, \"a\"); }\n"

static const struct {
	const char *tag, *text, *says;
} bad[] = {
	{ D_TRACKER_REDECL, T T "BEGIN { }", "tracker redeclared: t" },
	{ D_TRACKER_UNKNOWN, "BEGIN { begin(x); }", "begin( ) needs a tracker, and none is declared before it" },
	{ D_TRACKER_UNKNOWN, T "BEGIN { end(u, 1, \"\"); }", "there is no tracker u" },
	{ D_TRACKER_UNKNOWN, "tracker wakeup { } BEGIN { begin(wakep); }", "did you mean wakeup?" },
	{ D_TRACKER_UNKNOWN, T "BEGIN { end(1); }", "argument #1 must be the name of a tracker" },
	{ D_TRACKER_UNKNOWN, T "BEGIN { trace(pending()); }", "must be the name of a tracker" },
	{ D_TRACKER_KEYS, T "BEGIN { begin(t, 1); }", "tracker t has 2 keys (int, string), begin( ) is given 1" },
	{ D_TRACKER_KEYS, T "BEGIN { begin(t, 1, \"\", 2); }", "begin( ) is given 3" },
	{ D_TRACKER_KEYS, T "BEGIN { end(t, 1, \"\", 2, 3); }", "end( ) is given 4" },
	{ D_TRACKER_KEYS, T "BEGIN { begin(t, \"\", \"\"); }", "key #1 of tracker t has type int, this is string" },
	{ D_TRACKER_KEYS, T "BEGIN { end(t, 1, \"\", \"x\"); }", "the exit id of end( ) must be an integer" },
	{ D_TRACKER_KEYS, "tracker t { } BEGIN { trace(pending(t, 1)); }", "tracker t has 0 keys ()" },
	{ D_TRACKER_KEYS, T "BEGIN { trace(threshold(t, 1, \"\")); }",
	  "threshold( ) wants the name of tracker t only" },
	{ D_TRACKER_UNKNOWN, T "BEGIN { trace(threshold(u)); }", "there is no tracker u" },
	{ D_TRACKER_TYPE, "tracker t (int, float) { } BEGIN { }", "a key cannot have type float" },
	{ D_TRACKER_TYPE, "tracker t (struct nosuch) { } BEGIN { }", "a key cannot have type struct nosuch" },
	{ D_DECL_PROTO_VARARGS, "tracker t (int, ...) { } BEGIN { }", "may not have variable keys" },
	{ D_TRACKER_SETTING, "tracker t { treshold = 1ms; } BEGIN { }", "did you mean threshold?" },
	{ D_IDENT_UNDEF, "tracker t { threshold = x; } BEGIN { x = 1; }", NULL },
	{ D_TRACKER_SETTING, "tracker t { threshold = pid; } BEGIN { }", "must be an integer constant" },
	{ D_TRACKER_SETTING, "tracker t { threshold = \"1\"; } BEGIN { }", "must be an integer constant" },
	{ D_TRACKER_SETTING, "tracker t { size = 0; } BEGIN { }", "size must be between 1 and 1048576" },
	{ D_TRACKER_SETTING, "tracker t { threshold = -1; } BEGIN { }", "threshold must be between 0" },
	{ D_INT_OFLOW, "tracker t { threshold = 99999999999h; } BEGIN { }", "integer overflow" },
	{ D_SYNTAX, "tracker t { threshold = 10 parsecs; } BEGIN { }", NULL },
	{ D_SYNTAX, "tracker t { threshold = 10ms } BEGIN { }", NULL },
	{ D_SYNTAX, "BEGIN { trace(10ms); }", NULL },
	{ D_TRACKER_PLACE, USED "latency:t::slow { end(t, 1, \"a\"); }",
	  "may not be called in a clause of a latency probe" },
	{ D_TRACKER_PLACE, T "dtrace:::ERROR { begin(t, 1, \"a\"); }", "in a clause of dtrace:::ERROR" },
	{ D_TRACKER_PLACE, T "BEGIN { _scan(t); }", "is called by dwell itself only" },
	{ D_TRACKER_UNUSED, T "BEGIN { begin(t, 1, \"a\"); } latency:t::slow { }",
	  "cannot fire: no clause calls end(t, …)" },
	{ D_TRACKER_UNUSED, T "latency:t::slow { }", "no clause calls begin(t, …)" },
	{ D_PDESC_ZERO, USED "latency:t::slwo { }", "there is a probe name slow" },
	{ D_PDESC_ZERO, "latency:t::slow { }", NULL },
	{ D_TYPE_MEMBER, USED "latency:t::slow { trace(args[0]->dely); }", "did you mean delay?" },
	{ D_OP_SOU, USED "latency:t::slow { trace(args[0].delay); }", "operator . cannot be applied" },
	{ D_ARGS_IDX, USED "latency:t::slow { trace(args[3]); }", "index 3 is out of range" },
	{ D_CG_DYN, USED "latency:t::slow { x = args[0]; }", "use its members" },
	{ D_SLOW_PLACE, "BEGIN { slow(); }", "may only be called in clauses of latency probes" },
	{ D_SLOW_ARG, USED "latency:t::slow { slow(1, 2); }", "argument #1 must be the name of an attribute" },
	{ D_SLOW_ARG, USED "latency:t::slow { slow(\"a\", 1, \"\", 2); }", "argument #3 must be the name" },
	{ D_SLOW_ARG, USED "latency:t::slow { slow(\"a\"); }", "attribute \"a\" has no value" },
	{ D_SLOW_ARG, USED "latency:t::slow { slow(\"a\", *curthread); }",
	  "cannot record a value of type struct task_struct" },
	{ D_FLIGHT, "BEGIN { flight(\"a\", 1, 2, \"b\"); }", "-x flight=TIME tells how long it looks back" },
	{ D_FLIGHT, "BEGIN { flight(\"\", 1, 2, \"b\"); }", "argument #1 must be a name of 1 to 11 letters" },
	{ D_FLIGHT, "BEGIN { flight(\"twelve chars\", 1, 2, \"b\"); }", "argument #1 must be a name" },
	{ D_PROTO_ARG, "BEGIN { flight(execname, 1, 2, \"b\"); }", "string constant" },
	{ D_PROTO_ARG, "BEGIN { flight(\"a\", 1, 2, 3); }", "prototype: char *\n" },
	{ D_PROTO_LEN, "BEGIN { flight(\"a\", 1); }", NULL },
	{ D_CG_EXPR, USED "latency:t::slow { x = slow(); }", "may not be called from a D expression" },
	{ D_CG_EXPR, USED "latency:t::slow { x = args[0]->stack; }", "a stack may be recorded" },
};

static void mistakes(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct langfix f;

		langfix_open(&f, true);
		wrong += !langfix_expect(&f, bad[i].text, bad[i].tag, bad[i].says);
	}
	assert_int_equal(wrong, 0);
}

static void settings_are_read(void **state)
{
	const struct dtracker *t;
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f, "tracker a { threshold = 10ms; timeout = 2 * 3s; size = 5; }\n"
					 "tracker b (struct task_struct *) { threshold = 7; gc = 1m; }\n"
					 "tracker c (void) { threshold = 250us + 500ns; };\n"
					 "tracker d (char, string) { threshold = 1h; gc = 2d; worst = 1; } BEGIN { }"),
			 0);
	t = f.prog->trackers;
	assert_int_equal(f.prog->ntrackers, 4);
	assert_string_equal(t->name, "a");
	assert_int_equal(t->store, TRACK_THREAD);
	assert_int_equal(t->settings[TS_THRESHOLD], 10000000);
	assert_int_equal(t->settings[TS_TIMEOUT], 6000000000);
	assert_int_equal(t->settings[TS_SIZE], 5);
	t = t->next;
	assert_int_equal(t->store, TRACK_TASK);
	assert_int_equal(t->settings[TS_THRESHOLD], 7);
	assert_int_equal(t->settings[TS_GC], 60000000000);
	t = t->next;
	assert_int_equal(t->store, TRACK_THREAD);
	assert_int_equal(t->settings[TS_THRESHOLD], 250500);
	assert_int_equal(t->next->store, TRACK_KEYED);
	assert_int_equal(t->next->nkeys, 2);
	assert_int_equal(t->next->settings[TS_GC], 172800000000000);
	langfix_close(&f);
}

/* Each clause that opens or closes gets the clauses of the tracker's probes, wherever they stand. */
static void clauses_go_where_they_fire(void **state)
{
	const struct clause_instance *s, *e;
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f,
				     T "latency:t::slow { n = args[0]->delay; }\n"
				       "BEGIN { begin(t, 1, \"a\"); }\n"
				       "END { end(t, 1, \"a\", 3); }\n"
				       "latency:t::slow, latency:t::all /n/ { trace(args[1] + strlen(args[2])); }\n"),
			 0);
	s = f.prog->instances;
	assert_string_equal(s->desc_text, ":::BEGIN");
	for (int i = 0; i < 2; i++, s = s->next) {
		e = s->events;
		assert_true(e && e->event_probe == TRACK_SLOW && e->event == f.prog->trackers);
		assert_string_equal(e->probes.v[0]->name, "slow");
		e = e->enext;
		assert_true(e && e->event_probe == TRACK_SLOW && e->pred);
		e = e->enext;
		assert_true(e && e->event_probe == TRACK_ALL && !e->enext);
		assert_string_equal(e->probes.v[0]->name, "all");
	}
	assert_int_equal(f.prog->ninstances, 2 + 2 * 3);
	assert_int_equal(f.prog->trackers->uses, 1u << TF_DELAY);
	assert_int_equal(f.prog->trackers->key_uses, 3);
	langfix_close(&f);
}

/* Where no tracker is declared the words are names as any other. */
static void words_are_the_programs(void **state)
{
	static const char *const texts[] = {
		"int tracker; BEGIN { tracker = 1; begin = 2; end = begin; pending = end; trace(pending); threshold = pending; trace(threshold); }",
		"typedef int tracker; tracker f(int x) { return x; } BEGIN { trace(f(1)); }",
		"int begin(int x) { return x; } BEGIN { trace(begin(1)); }",
		"inline int end = 3; BEGIN { trace(end); this->pending = 1; self->begin = 2; }",
		"int slow; BEGIN { slow = 1; trace(slow); }",
		"tracker t { } int f() { return 1; } BEGIN { begin(t); end(t); x = 10; trace(pending(t)); trace(threshold(t)); }",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct langfix f;

		if (langfix_run(&f, texts[i]))
			fail_msg("%s:\n%s", texts[i], langfix_messages(&f));
		langfix_close(&f);
	}
}

static void attributes(struct strb *b, int n)
{
	strb_adds(b, USED "latency:t::slow { slow(\"a\", 0");
	for (int i = 1; i < n; i++)
		strb_printf(b, ", \"a%d\", stack()", i);
	strb_adds(b, "); }");
}

static void limits(void **state)
{
	struct strb b = { 0 };
	struct langfix f;

	(void)state;
	for (int n = REC_SLOW_ATTRS; n <= REC_SLOW_ATTRS + 1; n++) {
		attributes(&b, n);
		assert_int_equal(langfix_run(&f, strb_str(&b)), n == REC_SLOW_ATTRS ? 0 : -EINVAL);
		langfix_close(&f);
		strb_free(&b);
	}
	for (int i = 0; i < TRACK_MAX; i++)
		strb_printf(&b, "tracker t%d { }\n", i);
	strb_adds(&b, "BEGIN { }");
	assert_int_equal(langfix_run(&f, strb_str(&b)), 0);
	langfix_close(&f);
	strb_adds(&b, "tracker more { }");
	assert_int_equal(langfix_run(&f, strb_str(&b)), -EINVAL);
	assert_non_null(strstr(f.diags.first->msg, "more than 256 trackers"));
	langfix_close(&f);
	strb_free(&b);
	assert_int_equal(langfix_run(&f, "tracker t (int, int, int, int, int, int, int, int) { } BEGIN { }"), 0);
	langfix_close(&f);
	assert_int_equal(langfix_run(&f, "tracker t (int, int, int, int, int, int, int, int, int) { } BEGIN { }"),
			 -EINVAL);
	assert_non_null(strstr(f.diags.first->msg, "more than 8 keys"));
	langfix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(clauses_go_where_they_fire),
		cmocka_unit_test(words_are_the_programs),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
