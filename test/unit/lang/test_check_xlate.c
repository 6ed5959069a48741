/* SPDX-License-Identifier: Apache-2.0 */
/* Inline arrays, translators and translated arguments: what they become, and what is refused. */
#include "../unit.h"
#include "base/cleanup.h"
#include "lang/errtag.h"
#include "langfix.h"

#define INFO \
	"struct tinfo { int n; string name; char comm[16]; struct tinfo *up; struct mm_struct *mm; };" \
	"typedef struct tinfo tinfo_t;"
#define XLATE \
	INFO "translator tinfo_t < struct task_struct *t > { n = t->pid; name = t->comm;" \
	     "comm = t->comm; up = xlate <tinfo_t *> (t->parent); mm = t->mm; };"

struct row {
	const char *tag;  /* NULL: accepted */
	const char *text; /* program */
	const char *want; /* part of the dump or of the messages */
};

static const struct row rows[] = {
	/* inline arrays: arguments are converted, and evaluated once */
	{ NULL, "inline int f[int i] = i * i; BEGIN { trace(f[3]); }", "9:int)" },
	{ NULL, "inline int f[int i] = i + i; BEGIN { trace(f[pid]); }", "(+:int pid:pid_t pid:pid_t)" },
	{ NULL, "inline int f[int i] = i + i; BEGIN { trace(f[x++]); }", "(temporary 1)" },
	{ NULL, "inline int f[int i] = i; inline int g[int i] = f[i + 1]; BEGIN { trace(g[2]); }", "3:int)" },
	{ NULL, "inline int i = 7; inline int f[int j] = i + j; BEGIN { trace(f[1]); }", "8:int)" },
	{ NULL, "inline int f[int i, string s] = strlen(s) == i; BEGIN { trace(f[1, execname]); }", "strlen" },
	{ NULL, "inline int f[uint8_t *p] = *p; BEGIN { trace(f[(uint8_t *)arg0]); }", "arg0" },
	{ D_PROTO_LEN, "inline int f[int i] = i; BEGIN { trace(f[1, 2]); }",
	  "f[ ] prototype mismatch: 2 args passed, 1 expected" },
	{ D_PROTO_ARG, "inline int f[int i] = i; BEGIN { trace(f[execname]); }",
	  "f[ ] argument #1 is incompatible with prototype:\n\tprototype: int\n\t argument: string" },
	{ D_IDENT_BADREF, "inline int f[int i] = i; BEGIN { trace(f); }",
	  "associative array 'f' may not be referenced as scalar" },
	{ D_OP_LVAL, "inline int f[int i] = i; BEGIN { f[1] = 2; }", NULL },
	{ D_VAR_UNDEF, "inline int f[int i] = f[i]; BEGIN { trace(1); }", NULL },
	{ D_OP_INCOMPAT, "inline int f[int i] = \"x\"; BEGIN { trace(1); }", NULL },
	{ D_DECL_PROTO_FORM, "inline int f[int i, int i] = i; BEGIN { trace(1); }", NULL },
	{ D_DECL_PROTO_FORM, "inline int f[int] = 1; BEGIN { trace(1); }", "has no name" },
	/* translators */
	{ NULL, XLATE "BEGIN { trace(xlate <tinfo_t *> (curthread)->n); }", "curthread" },
	{ NULL, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread).n); }", "->pid" },
	{ NULL, XLATE "BEGIN { trace(xlate <struct tinfo *> (curthread)->name); }", "(tostr:string<17>" },
	{ NULL, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread).up->up->n); }", "->parent" },
	{ NULL, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread).mm->start_stack); }", "start_stack" },
	{ NULL, XLATE "BEGIN { trace(xlate <tinfo_t> (arg0 ? curthread : curthread->parent).n); }", "(temporary 1)" },
	{ NULL, XLATE "inline tinfo_t *me = xlate <tinfo_t *> (curthread); BEGIN { trace(me->n); }", "->pid" },
	{ NULL, INFO "translator tinfo_t < int i > { n = i; }; BEGIN { trace(xlate <tinfo_t> (3).n); }", "3:int)" },
	{ NULL,
	  INFO "translator tinfo_t < int i > { n = i; }; translator tinfo_t < struct mm_struct *m > "
	       "{ n = 5; }; BEGIN { trace(xlate <tinfo_t> (curthread->mm).n); }",
	  "5:int)" },
	{ D_XLATE_REDECL,
	  XLATE "translator tinfo_t < struct task_struct *o > { n = 1; };"
		"BEGIN { trace(1); }",
	  "translator from struct task_struct * to tinfo_t has already been declared" },
	{ D_XLATE_NOCONV,
	  INFO "translator tinfo_t < int i > { n = i; };"
	       "BEGIN { trace(xlate <tinfo_t> (3).name); }",
	  "translator does not define conversion for member: name" },
	{ D_XLATE_NOCONV, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread).nmae); }", "hint: did you mean name?" },
	{ D_XLATE_NONE, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread->mm).n); }",
	  "cannot translate from \"struct mm_struct *\" to \"tinfo_t\"" },
	{ D_XLATE_NONE, XLATE "BEGIN { trace(xlate <int> (3)); }", NULL },
	{ D_XLATE_SOU, "translator int < int i > { n = i; }; BEGIN { trace(1); }",
	  "translator output type must be a struct or union" },
	{ D_XLATE_SOU, "translator struct opaque < int i > { n = i; }; BEGIN { trace(1); }",
	  "incomplete struct/union/enum struct opaque" },
	{ D_XLATE_INCOMPAT, INFO "translator tinfo_t < int i > { n = \"x\"; }; BEGIN { trace(1); }",
	  "translator member n definition uses incompatible types: \"int\" = \"string\"" },
	{ D_XLATE_MEMB, INFO "translator tinfo_t < int i > { m = 1; }; BEGIN { trace(1); }",
	  "translator member m is not a member of tinfo_t" },
	{ D_IDENT_UNDEF, INFO "translator tinfo_t < int i > { n = j; }; BEGIN { trace(1); }", NULL },
	{ D_LIMIT, INFO "translator tinfo_t < int i > { n = xlate <tinfo_t> (i + 1).n; }; BEGIN { trace(1); }",
	  "nested too deep" },
	{ D_OP_PTR, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread)->n); }", NULL },
	{ D_OP_SOU, XLATE "BEGIN { trace(xlate <tinfo_t *> (curthread).n); }", NULL },
	/* a translated value is nothing but its members */
	{ D_CG_DYN, XLATE "BEGIN { x = xlate <tinfo_t *> (curthread); }",
	  "expression cannot evaluate to result of dynamic type" },
	{ D_TRACE_DYN, XLATE "BEGIN { trace(xlate <tinfo_t *> (curthread)); }", "hint: a translated value" },
	{ D_TRACE_DYN, XLATE "BEGIN { trace(xlate <tinfo_t> (curthread).up); }",
	  "trace( ) may not be applied to a dynamic expression" },
	{ NULL, INFO "translator tinfo_t < int i > { n = i; }; BEGIN { trace((*xlate <tinfo_t *> (7)).n); }",
	  "7:int)" },
	{ NULL, INFO "translator tinfo_t < int i > { n = i; }; BEGIN { trace(*xlate <tinfo_t *> (7)); }",
	  "(temporary 1)" },
	{ D_CG_DYN, XLATE "BEGIN /xlate <tinfo_t *> (curthread) != 0/ { trace(1); }", NULL },
	{ D_CAST_INVAL, XLATE "BEGIN { trace((uintptr_t)xlate <tinfo_t *> (curthread)); }",
	  "invalid cast expression: \"pointer to translated data\" to \"uintptr_t\"" },
	{ D_OP_INCOMPAT, XLATE "inline struct mm_struct *m = xlate <tinfo_t> (curthread); BEGIN { trace(1); }",
	  "\"struct mm_struct *\" = \"translated data\"" },
	/* but a whole struct can be assigned */
	{ NULL,
	  INFO "translator tinfo_t < int i > { n = i; }; struct tinfo x;"
	       "BEGIN { x = xlate <tinfo_t> (pid); trace(x.n); }",
	  "(=:tinfo_t" },
	{ D_CG_DYN, XLATE "BEGIN { x = xlate <tinfo_t> (curthread); }", NULL }, /* up is a pointer */
	/* arguments of probes */
	{ NULL, XLATE "proc:::create { trace(args[0]->n); }", "->pid" },
	{ NULL, XLATE "proc::: { trace(args[0]->name); }", "(tostr:string<17>" },
	{ NULL, XLATE "proc:::create { trace(args[1]); }", "(conv:long ([]:_Bool args 0))" },
	{ NULL, XLATE "proc:::create { trace(args[2]->pid); }", "args" },
	{ NULL, XLATE "proc:::create { trace(arg1); }", "arg1" },
	{ D_CG_DYN, XLATE "proc:::create { self->p = args[0]; }", NULL },
	{ D_ARGS_XLATOR, XLATE "proc:::create { trace(args[3]->next); }",
	  "translator for args[3] from struct task_struct * to struct list_head * is not defined" },
	{ D_ARGS_TYPE, XLATE "proc:::create { trace(args[4]->n); }", "failed to resolve translated type for args[4]" },
	{ D_ARGS_IDX, XLATE "proc:::exit { trace(args[1]); }", NULL },
	{ D_ARGS_MULTI, XLATE "proc::: { trace(args[1]); }", NULL },
	/* strings in structs */
	{ NULL, INFO "struct tinfo g; BEGIN { g.name = execname; g.n = 1; trace(g.name); }", "(.name@" },
};

static void rows_hold(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct langfix f;

		langfix_open(&f, true);
		bad += !langfix_expect(&f, rows[i].text, rows[i].tag, rows[i].want);
	}
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
