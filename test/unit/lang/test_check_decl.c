/* SPDX-License-Identifier: Apache-2.0 */
/* Provider blocks, stability attributes, versions of names. */
#include "../unit.h"
#include "base/cleanup.h"
#include "lang/attr.h"
#include "lang/errtag.h"
#include "lang/provdecl.h"
#include "langfix.h"

struct row {
	const char *tag;	    /* NULL: accepted */
	const char *option, *value; /* or NULL */
	const char *text;
	const char *says; /* part of the messages, or NULL */
};

#define MANY8 "int,int,int,int,int,int,int,int,"
#define MANY64 MANY8 MANY8 MANY8 MANY8 MANY8 MANY8 MANY8 MANY8
#define LONG16 "abcdefghijklmnop"
#define LONG64 LONG16 LONG16 LONG16 LONG16

static const struct row rows[] = {
	/* provider blocks */
	{ NULL, NULL, NULL, "provider app { probe a(int, string); probe b__c(void); }; BEGIN {}", NULL },
	{ NULL, NULL, NULL, "provider app { probe a(int x, char *s) : (char *s, int x); };", NULL },
	{ NULL, NULL, NULL,
	  "struct o { int n; }; translator struct o < int i > { n = i; };"
	  "provider app { probe a(int x) : (struct o *x); };",
	  NULL },
	{ D_PROV_BADNAME, NULL, NULL, "provider app1 { probe a(int); };", "may not end with a digit: app1" },
	{ D_PROV_BADNAME, NULL, NULL, "provider a`b { probe a(int); };", "may not contain scoping operator" },
	{ D_PROV_BADNAME, NULL, NULL, "provider " LONG64 " { probe a(int); };", "may not exceed 63 characters" },
	{ D_PROV_BADNAME, NULL, NULL, "provider app { probe a`b(int); };", "probe name may not contain" },
	{ D_PROV_BADNAME, NULL, NULL, "provider app { probe " LONG64 LONG64 "(int); };",
	  "probe name may not exceed 127 characters" },
	{ D_PROV_PRDUP, NULL, NULL, "provider app { probe a__b(int); probe a__b(int); };",
	  "probe redeclared: app:a-b" },
	{ D_PROV_INCOMPAT, NULL, NULL, "provider app { probe a(int); }; provider app { probe a(int); };", NULL },
	{ D_PROV_PRARGLEN, NULL, NULL, "provider app { probe a(" MANY64 MANY64 MANY64 MANY64 "int); };",
	  "probe a input prototype exceeds 255 parameters: 257 params used" },
	{ D_PROV_PRXLATOR, NULL, NULL, "struct o { int n; }; provider app { probe a(int x) : (struct o *x); };",
	  "translator for app:a output argument #1 from int to struct o * is not defined" },
	{ D_PROV_PRXLATOR, NULL, NULL, "provider app { probe a(int x) : (int x, int y); };",
	  "output argument #2 has no input argument" },
	{ NULL, NULL, NULL,
	  "provider app { probe q(int x, char *s) : (char *s); };"
	  "app99:::q { trace(copyinstr((uintptr_t)args[0])); }",
	  NULL },
	{ D_ARGS_IDX, NULL, NULL,
	  "provider app { probe q(int x, char *s) : (char *s); };"
	  "app99:::q { trace(args[1]); }",
	  NULL },
	{ NULL, NULL, NULL,
	  "struct o { int n; }; translator struct o < int i > { n = i + 1; };"
	  "provider app { probe q(int x) : (struct o *x); }; app99:::q { trace(args[0]->n); }",
	  NULL },
	/* attributes */
	{ NULL, NULL, NULL, "#pragma D attributes Evolving/Evolving/Common x\nint x; BEGIN {}", NULL },
	{ NULL, NULL, NULL, "#pragma D attributes Stable/Stable/ISA provider app args\nBEGIN {}", NULL },
	{ NULL, NULL, NULL, "#pragma D binding \"1.0\" x\ninline int x = 1; BEGIN {}", NULL },
	{ D_PRAGMA_INVAL, NULL, NULL, "#pragma D attributes Stable/Stable x\nint x; BEGIN {}", NULL },
	{ D_PRAGMA_INVAL, NULL, NULL, "#pragma D attributes Stable/Solid/Common x\nint x; BEGIN {}", NULL },
	{ D_PRAGMA_INVAL, NULL, NULL, "#pragma D attributes Stable/Stable/ISA provider app nose\nBEGIN {}",
	  "invalid component \"nose\"" },
	{ D_PRAGMA_SCOPE, NULL, NULL, "#pragma D attributes Stable/Stable/Common pid\nBEGIN {}",
	  "#pragma attributes cannot modify entity defined outside program scope" },
	{ D_PRAGMA_SCOPE, NULL, NULL, "#pragma D binding \"1.1\" execname\nBEGIN {}", "#pragma binding" },
	{ D_PRAGMA_UNUSED, NULL, NULL, "#pragma D attributes Stable/Stable/Common nosuch\nBEGIN {}",
	  "unused #pragma attributes" },
	{ D_PRAGMA_UNUSED, NULL, NULL, "#pragma D binding \"1.0\" nosuch\nBEGIN {}", "unused #pragma binding" },
	{ D_PRAGMA_DEPEND, NULL, NULL, "#pragma D depends_on module nosuch\nBEGIN {}",
	  "program requires module nosuch" },
	{ D_PRAGMA_DEPEND, NULL, NULL, "#pragma D depends_on probe sdt:::nosuch \"Linux 9.9\"\nBEGIN {}",
	  "program requires Linux 9.9: this kernel has no probe sdt:::nosuch" },
	{ NULL, NULL, NULL, "#pragma D depends_on probe sdt:sched::sched_switch\nBEGIN {}", NULL },
	{ D_PRAGMA_DEPEND, NULL, NULL, "#pragma D depends_on probe sdt:::nosuch,sdt:::none\nBEGIN {}",
	  "program requires probe sdt:::nosuch,sdt:::none" },
	{ NULL, NULL, NULL, "#pragma D depends_on probe sdt:::nosuch,sdt:sched::sched_switch\nBEGIN {}", NULL },
	{ NULL, NULL, NULL, "#pragma D depends_on module vmlinux\n#pragma D depends_on provider syscall\nBEGIN {}",
	  NULL },
	/* -x amin */
	{ NULL, "amin", "Evolving/Evolving/Common", "dtrace:::BEGIN { trace(pid); }", NULL },
	{ D_ATTR_MIN, "amin", "Evolving/Evolving/Common", "dtrace:::BEGIN { trace(curthread); }",
	  "attributes for scalar curthread (Stable/Private/Common) are less than predefined minimum" },
	{ D_ATTR_MIN, "amin", "Evolving/Evolving/Common", "dtrace:::BEGIN /`jiffies/ { trace(1); }",
	  "attributes for `jiffies (Private/Private/Unknown)" },
	{ D_ATTR_MIN, "amin", "Stable/Stable/Common", "dtrace:::BEGIN { trace(htonl(1)); }",
	  "attributes for htonl( ) (Evolving/Evolving/Common)" },
	{ D_ATTR_MIN, "amin", "Evolving/Evolving/Common", "dtrace:::BEGIN { trace((struct mm_struct *)arg0); }",
	  "attributes for type struct mm_struct *" },
	{ D_ATTR_MIN, "amin", "Evolving/Evolving/Common", "BEGIN { trace(1); }",
	  "attributes for clause (Unstable/Unstable/Common) are less than predefined minimum" },
	{ D_ATTR_MIN, "amin", "Evolving/Evolving/Common", "BEGIN { trace(curthread->nosuch); }",
	  "attributes for clause" },
	{ NULL, "amin", "Evolving/Evolving/Common",
	  "#pragma D attributes Stable/Stable/Common me\ninline int me = curthread->pid;"
	  "dtrace:::BEGIN { trace(me); }",
	  NULL },
	/* -x version */
	{ NULL, "version", "1.1", "BEGIN { trace(index(\"a\", \"b\")); }", NULL },
	{ D_FUNC_UNDEF, "version", "1.0", "BEGIN { trace(index(\"a\", \"b\")); }", "undefined function name: index" },
	{ D_IDENT_UNDEF, "version", "1.5", "BEGIN { trace(cpu); }", "failed to resolve cpu" },
	{ NULL, "version", "1.5", "BEGIN { cpu = 3; trace(cpu); }", NULL },
	{ NULL, "version", "1.6.3", "BEGIN { trace(cpu); }", NULL },
};

static bool row_holds(const struct row *r)
{
	struct langfix f;

	langfix_open(&f, true);
	if (r->option)
		assert_int_equal(dopts_set(&f.opts, r->option, r->value, NULL), 0);
	return langfix_expect(&f, r->text, r->tag, r->says);
}

static void rows_hold(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		bad += !row_holds(&rows[i]);
	assert_int_equal(bad, 0);
}

static void provider_blocks_are_kept(void **state)
{
	const struct dprovprobe *p;
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f, "provider app { probe q__done(int x, char *s) : (char *s, int x);"
					 " probe none(); }; BEGIN {}"),
			 0);
	p = provdecl_find(f.prog, "app123", "q-done");
	assert_non_null(p);
	assert_int_equal(p->nargs, 2);
	assert_int_equal(p->nxargs, 2);
	assert_int_equal(p->map[0], 1);
	assert_int_equal(p->map[1], 0);
	assert_string_equal(dtype_name(f.prog->types, p->xargs[0]), "char *");
	p = provdecl_find(f.prog, "app", "none");
	assert_non_null(p);
	assert_int_equal(p->nargs, 0);
	assert_null(provdecl_find(f.prog, "ap", "none"));
	assert_null(provdecl_find(f.prog, "app", "some"));
	langfix_close(&f);
}

static void attributes_are_read(void **state)
{
	struct dattr a, b;

	(void)state;
	assert_int_equal(attr_parse("Stable/Private/Common", &a), 0);
	assert_int_equal(a.name, STAB_STABLE);
	assert_int_equal(a.data, STAB_PRIVATE);
	assert_int_equal(a.class, CLASS_COMMON);
	assert_int_equal(attr_parse("evolving/standard/isa", &b), 0);
	assert_true(attr_less(a, b));
	assert_true(attr_less(b, a)); /* each is less in some part */
	a = attr_min(a, b);
	assert_int_equal(a.name, STAB_EVOLVING);
	assert_int_equal(a.data, STAB_PRIVATE);
	assert_int_equal(a.class, CLASS_ISA);
	assert_true(attr_parse("", &a) < 0);
	assert_true(attr_parse("Stable", &a) < 0);
	assert_true(attr_parse("Stable/Stable/Common/More", &a) < 0);
	assert_true(attr_parse("Stable//Common", &a) < 0);
	assert_int_equal(attr_provider(NULL, "pid1234").part[PART_NAME].class, CLASS_ISA);
	assert_int_equal(attr_provider(NULL, "pidgin").part[PART_NAME].name, STAB_UNSTABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold),
		cmocka_unit_test(provider_blocks_are_kept),
		cmocka_unit_test(attributes_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
