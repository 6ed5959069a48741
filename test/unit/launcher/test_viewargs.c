/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of views, made of what a page asks for: from the views' own rows, and of nothing that is not in them.
 */
#include "launcher/viewargs.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "engine/views.h"
#include "unit.h"

static char path[] = "/dev/fd/3", other_path[] = "/dev/fd/4";

/* The words of the command line, a blank between them; or "refused". */
static void expect(const char *question, const char *want)
{
	_cleanup_(strb_free) struct strb got = { 0 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct viewargs v;
	int e = viewargs_make(a, arena_strdup(a, question), path, other_path, &v);

	if (e == -EINVAL)
		strb_adds(&got, "refused");
	else
		for (size_t i = 0; v.argv[i]; i++)
			strb_printf(&got, "%s%s", i ? " " : "", v.argv[i]);
	assert_string_equal(strb_str(&got), want);
	arena_free(a);
}

static void command_lines(void **state)
{
	(void)state;
	expect("r1\nheat.json\nby=@a b\nfrom=1s\n", "dwell heat --json --by=@a b --from=1s /dev/fd/3");
	expect("r1\nprocesses.svg\npid=7\n", "dwell timeline --processes --svg --pid=7 /dev/fd/3");
	expect("u1\nslow.json\nover=1ms\nlongest=5\n",
	       "dwell report --table slow --json --over=1ms --longest=5 /dev/fd/3");
	expect("r1\nreport.txt\n", "dwell report /dev/fd/3");
	expect("r1\ncontents.json\n", "dwell report -l --json /dev/fd/3");
	expect("r1\nstacks.pb.gz\nby=x\n", "dwell export --format=pprof --by=x /dev/fd/3");
	expect("r1\nflame.html\ntitle=--svg\n", "dwell flame --html --title=--svg /dev/fd/3");
}

static void comparisons(void **state)
{
	(void)state;
	expect("r1\nflame.json\nfrom=1s\nother=r2\nbefore_to=2s\nname=one\nother_name=two\n",
	       "dwell flame --json --differential --to=2s /dev/fd/4 --from=1s /dev/fd/3");
	expect("r1\nflame.json\nbefore_from=2s\n", "dwell flame --json --differential --from=2s /dev/fd/3 /dev/fd/3");
	expect("r1\nhist.json\nother=r2\nname=one\nother_name=two\n",
	       "dwell hist --json --name=two --name=one /dev/fd/4 /dev/fd/3");
	expect("r1\ndiff.json\nfrom=1s\nto=2s\n", "dwell latency diff --json --from=1s --to=2s /dev/fd/3");
}

static void refusals(void **state)
{
	(void)state;
	expect("r1\nno.json\n", "refused");
	expect("r1\n", "refused");
	expect("r1\nheat.json\nisolate=x\n", "refused"); /* an option, but not of the page */
	expect("r1\nheat.json\no=/tmp/x\n", "refused");
	expect("r1\nheat.json\nother=r2\n", "refused");
	expect("r1\nhist.json\nbefore_from=1s\n", "refused");
	expect("r1\nlosses.json\nover=1s\n", "refused");
	expect("r1\nslow.json\ntitle=x\n", "refused"); /* it has no heading */
	expect("r1\nvalues.csv\nfrom=1s\n", "refused");
	expect("r1\nheat.json\nby\n", "refused");
}

/* Every view that the server offers has a command line. */
static void all_forms(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct view *const *v = all_views; *v; v++)
		for (const struct view_form *f = (*v)->forms; f->name; f++) {
			struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
			struct viewargs args;

			if (f->served) {
				char *question = arena_printf(a, "r1\n%s\n", f->served);

				assert_int_equal(viewargs_make(a, question, path, other_path, &args), 0);
				assert_string_equal(args.argv[1], (*v)->words[0]);
				assert_int_equal(args.file, !strcmp(f->served, VIEW_FILE));
				n++;
			}
			arena_free(a);
		}
	assert_true(n > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(refusals),
		cmocka_unit_test(all_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
