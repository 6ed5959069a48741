/* SPDX-License-Identifier: Apache-2.0 */
/* Readable names of C++ and Rust symbols, and names made to explode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "sym/elf/demangle.h"

static void names(void **state)
{
	static const struct {
		const char *raw, *shown;
	} cases[] = {
		{ "main", "main" },
		{ "", "" },
		{ "_start", "_start" },
		{ "_Zero", "_Zero" },
		{ "_Z", "_Z" },
		{ "_R", "_R" },
		{ "_ZN3zoo4Lion4roarEi", "zoo::Lion::roar" },
		{ "_ZN3zoo4LionC2Ev", "zoo::Lion::Lion" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZNKSt4lessIiEclERKiS2_", "std::less<int>::operator()" },
		{ "_ZTV4Lion", "vtable for Lion" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_Z3fooi.cold", "foo" },
		/* Rust, legacy: the hash is dropped. */
		{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str" },
		{ "_ZN47_$LT$alloc..string..String$u20$as$u20$Debug$GT$3fmt17h0123456789abcdefE",
		  "<alloc::string::String as Debug>::fmt" },
		/* Rust v0. */
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>" },
		{ "_RNvMs_C7mycrateNtB4_4Lion4roar", "<mycrate::Lion>::roar" },
	};
	struct demangler d = { 0 };
	struct strset ss = { 0 };

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			assert_string_equal(demangle(&d, &ss, cases[i].raw), cases[i].shown);
	}
	demangler_free(&d);
	strset_free(&ss);
}

static void reference(struct strb *b, unsigned i)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (i == 0)
		strb_adds(b, "S_");
	else
		strb_printf(b, "S%c_", digits[i - 1]);
}

/* f<b<b<…>, b<…>, b<…>>> where each level names the level below it three times. */
static char *bomb(unsigned levels)
{
	struct strb b = { 0 };

	strb_adds(&b, "_Z1fI1a1bIS_S_S_E"); /* S_: a, S0_: b, S1_: b<a,a,a> */
	for (unsigned i = 0; i < levels; i++) {
		strb_adds(&b, "S0_I");
		for (int j = 0; j < 3; j++)
			reference(&b, i + 2);
		strb_addc(&b, 'E');
	}
	strb_adds(&b, "EvvE");
	return strb_take(&b);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void names_made_to_explode(void **state)
{
	struct demangler d = { 0 };
	struct strset ss = { 0 };
	double begun = seconds();

	(void)state;
	for (unsigned levels = 1; levels < 30; levels++) {
		_cleanup_free_ char *raw = bomb(levels);
		const char *shown = demangle(&d, &ss, raw);

		assert_non_null(shown);
		assert_true(strlen(shown) <= DEMANGLE_MAX_OUT);
		if (levels > 12)
			assert_string_equal(shown, raw);
	}
	assert_true(d.spent < DEMANGLE_BUDGET);
	assert_true(seconds() - begun < 5);
	demangler_free(&d);
	strset_free(&ss);
}

/* When the budget is spent, only names that cannot grow much are touched. */
static void budget(void **state)
{
	struct demangler d = { .spent = DEMANGLE_BUDGET };
	struct strset ss = { 0 };
	char raw[] = "_ZN1aI1b1cIS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_E1dEvE";

	(void)state;
	assert_true(demangle_growth(raw) > DEMANGLE_TIGHT_GROWTH);
	assert_string_equal(demangle(&d, &ss, raw), raw);
	assert_string_equal(demangle(&d, &ss, "_ZN3zoo4Lion4roarEi"), "zoo::Lion::roar");
	demangler_free(&d);
	strset_free(&ss);
}

static void deep_nesting(void **state)
{
	struct demangler d = { 0 };
	struct strset ss = { 0 };
	_cleanup_free_ char *raw = malloc(8000);

	(void)state;
	/* Pointers to pointers to …; negated expressions; nested crates. */
	static const char *const heads[] = { "_Z1fP", "_Z1fIXng", "_RNvN", "_ZN1aI" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		size_t n = strlen(heads[i]);

		strcpy(raw, heads[i]);
		for (size_t j = n; j < 7999; j++)
			raw[j] = heads[i][n - 1 - (i == 1 ? (j - n) % 2 : 0)];
		raw[7999] = '\0';
		assert_non_null(demangle(&d, &ss, raw));
	}
	demangler_free(&d);
	strset_free(&ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_made_to_explode),
		cmocka_unit_test(budget),
		cmocka_unit_test(deep_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
