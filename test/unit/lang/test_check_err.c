/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that the checker refuses: at least one per tag, the message in DTrace's words, and hints.
 */
#include "../unit.h"
#include "base/cleanup.h"
#include "lang/errtag.h"
#include "langfix.h"
#include <errno.h>

struct row {
	const char *tag;  /* of the first error */
	const char *text; /* program; without probe description: the body of BEGIN */
	const char *says; /* part of the messages, or NULL */
};

static const struct row rows[] = {
	/* names */
	{ D_IDENT_UNDEF, "trace(nosuch);", "failed to resolve nosuch: Unknown variable name" },
	{ D_IDENT_UNDEF, "trace(execnam);", "hint: did you mean execname?" },
	{ D_IDENT_UNDEF, "self->ts = 1; trace(ts);", "hint: there is a thread-local variable self->ts" },
	{ D_IDENT_UNDEF, "this->ts = 1; trace(ts);", "hint: there is a clause-local variable this->ts" },
	{ D_IDENT_UNDEF, "trace(`nosuch);", "failed to resolve `nosuch" },
	{ D_IDENT_BADREF, "x[1] = 1; trace(x);", "associative array 'x' may not be referenced as scalar" },
	{ D_IDENT_BADREF, "trace(printf);", "tracing function 'printf' may not be referenced" },
	{ D_IDENT_BADREF, "trace(args);", "associative array 'args'" },
	{ D_IDENT_AMBIG, "int TASK_DEAD; BEGIN { trace(curthread->state == TASK_DEAD); }",
	  "TASK_DEAD is both a enum task_state enum tag" },
	{ D_VAR_UNDEF, "trace(self->x);", "self->x has not yet been declared or assigned" },
	{ D_VAR_UNDEF, "self->start = 1; trace(self->stat);", "hint: did you mean self->start?" },
	{ D_VAR_UNDEF, "trace(this->x);", "this->x has not yet" },
	{ D_VAR_UNDEF, "trace(x[1]);", "x has not yet" },
	{ D_VAR_UNDEF, "self->x += 1;", NULL },
	{ D_VAR_UNDEF, "BEGIN /y++/ { trace(x); x = y; }", "x has not yet been" },
	{ D_VAR_UNDEF, "BEGIN /self->x/ { trace(1); }", NULL },
	{ D_UNSUP, "trace(curcpu);", NULL },
	{ D_IDENT_BADREF, "trace(uregs);", NULL },
	{ D_PROTO_LEN, "trace(uregs[0, 1]);", NULL },
	{ D_PROTO_ARG, "trace(uregs[\"pc\"]);", NULL },
	{ D_UNSUP, "trace(curcpu);", "curcpu is not yet supported" },
	{ D_PROTO_ARG, "print(1);", "print( ) argument #1 is incompatible with prototype" },
	{ D_PROTO_ARG, "@a = count(); print(@a);", "argument: aggregation" },
	{ D_PROTO_LEN, "print();", NULL },
	{ D_PROTO_ARG, "printf(pid);", "argument #1 is incompatible with prototype:\n\tprototype: string\n" },
	{ D_PROTO_ARG, "copyinto(arg0, 8, 3);", "argument #3 is incompatible with prototype:\n\tprototype: void *\n" },
	{ D_PROTO_ARG, "#pragma D option destructive\nBEGIN { copyout(\"to\", \"from\", 1); }",
	  "argument #2 is incompatible with prototype:\n\tprototype: uintptr_t\n" },
	{ D_PROTO_ARG, "#pragma D option destructive\nBEGIN { copyout(5, arg0, 1); }", "prototype: void *\n" },
	{ D_PROTO_ARG, "trace(inet_ntoa6(execname));", "prototype: struct in6_addr *\n" },
	{ D_PROTO_ARG, "this->p = (int *)alloca(16); trace(inet_ntoa6(this->p));", "prototype: struct in6_addr *\n" },
	{ D_PROTO_ARG, "this->n = 1; trace(inet_ntoa6(alloca(16), this->n));", "prototype: integer constant\n" },
	{ D_PROTO_ARG, "ustack(1, execname);", "argument #2 is incompatible with prototype:\n\tprototype: uint32_t\n" },
	{ D_PROTO_LEN, "stack(1, 2);", "stack( ) prototype mismatch: 2 args passed, at most 1 expected" },
	{ D_PROTO_LEN, "ustack(1, 2, 3);", "ustack( ) prototype mismatch: 3 args passed, at most 2 expected" },
	{ D_ALLOCA_SIZE, "this->p = alloca(0xfffffffffffffff0);", "alloca(18446744073709551600) size larger" },
	{ D_FREOPEN_INVALID, "#pragma D option destructive\nBEGIN { freopen(\".\"); }",
	  "freopen( ) argument #1 cannot be \".\"" },
	{ D_UNSUP, "#pragma D option destructive\nBEGIN { panic(); }", "panic( ) is not supported on Linux" },
	{ D_PROTO_LEN, "BEGIN { panic(1); }", "panic( ) prototype mismatch: 1 arg passed, 0 expected" },
	{ D_PRINT_SIZE, "print((void *)arg0);", "reference has type 'void' with size 0; cannot print( ) it." },
	/* local variables, if, loops */
	{ D_DECL_IDRED, "BEGIN { int a; int a; }", "local variable redeclared: a" },
	{ D_DECL_IDRED, "BEGIN { int a; { int a; } }", "local variable redeclared: a" },
	{ D_DECL_IDRED, "BEGIN { int a; for (int a = 0; a < 2; a++) ; }", "local variable redeclared: a" },
	{ D_DECL_IDRED, "BEGIN { int pid = 3; }", "built-in identifier redeclared: pid" },
	{ D_DECL_LOCASSC, "BEGIN { int a[int]; }", "associative arrays may not be declared as local" },
	{ D_DECL_VOIDOBJ, "BEGIN { void a; }", "cannot have void object: a" },
	{ D_VAR_UNDEF, "BEGIN { int a = a + 1; }", "a has not yet been declared or assigned" },
	{ D_IDENT_UNDEF, "BEGIN { if (1) { int a = 1; } trace(a); }", "failed to resolve a" },
	{ D_IDENT_UNDEF, "BEGIN { for (int i = 0; i < 2; i++) ; trace(i); }", "failed to resolve i" },
	{ D_OP_INCOMPAT, "BEGIN { int a = \"x\"; }", "operands have incompatible types: \"int\" = \"string\"" },
	{ D_OP_SCALAR, "BEGIN { if (execname) trace(1); }", "condition of if must be of scalar type" },
	{ D_OP_SCALAR, "BEGIN { while (execname) trace(1); }", "condition of a loop must be of scalar type" },
	{ D_SPEC_SPEC, "BEGIN { while (1) speculate(1); }", NULL },
	/* functions */
	{ D_FUNC_RECUR, "int f(int a) { return f(a); }", "function f( ) calls itself\n" },
	{ D_FUNC_RECUR, "int f() { return g(); } int g() { return f(); } BEGIN { trace(g()); }",
	  "function g( ) calls itself: f( ) calls it" },
	{ D_DECL_IDRED, "int f() { return 1; } int f() { return 1; }", "function redefined: f" },
	{ D_DECL_IDRED, "int printf(int a) { return 1; }", "function redefined: printf" },
	{ D_DECL_IDRED, "int f() { return 1; } int f;", "identifier redeclared: f" },
	{ D_DECL_IDRED, "int f; int f() { return 1; }", "identifier redeclared: f" },
	{ D_DECL_PROTO_TYPE, "struct list_head f() { }", "result of function f( ) must be an integer" },
	{ D_DECL_PROTO_TYPE, "int f(struct list_head a) { }", "parameter of function f( ) must be" },
	{ D_DECL_PROTO_NAME, "int f(int) { }", "parameter #1 of f( ) needs a name" },
	{ D_DECL_PROTO_TYPE, "int f(int by[int]);",
	  "function prototype may not use parameter of type dynamic variable: by, parameter #1" },
	{ D_DECL_PROTO_VARARGS, "int v[...];", "array prototype may not use a variable-length argument list" },
	{ D_UNKNOWN, "enum order { FIRST, SECOND, FIRST };",
	  "failed to define enumerator 'FIRST': Duplicate member or variable name" },
	{ D_DECL_IDRED, "enum a { ONLY }; enum b { ONLY };", "identifier redeclared: ONLY" },
	{ D_DECL_PROTO_VARARGS, "int f(int a, ...) { }", "function may not have variable arguments" },
	{ D_PROTO_LEN, "int f(int a) { return a; } BEGIN { trace(f()); }",
	  "f( ) prototype mismatch: 0 args passed, 1 expected" },
	{ D_PROTO_ARG, "int f(int a) { return a; } BEGIN { trace(f(\"x\")); }",
	  "f( ) argument #1 is incompatible with prototype:\n\tprototype: int" },
	{ D_CG_EXPR, "int f() { trace(1); return 1; } BEGIN /f()/ { }", "may not be called in a predicate" },
	{ D_SPEC_DREC, "void f(int a) { trace(a); } BEGIN { f(1); speculate(1); }", NULL },
	{ D_SPEC_SPEC, "void f(int a) { speculate(a); } BEGIN { while (pid) f(1); }", NULL },
	{ D_DREC_COMM, "void f(int a) { commit(a); } BEGIN { f(1); trace(1); }", NULL },
	{ D_IDENT_UNDEF, "int f() { return nosuch; }", "failed to resolve nosuch" },
	{ D_IDENT_UNDEF, "int f() { return x; } BEGIN { int x = 1; trace(f()); }", "failed to resolve x" },
	{ D_OP_INCOMPAT, "void f() { return 3; }", "return with a value in function f( )" },
	{ D_OP_INCOMPAT, "int f() { return; }", "return without a value in function f( )" },
	{ D_OP_INCOMPAT, "int f() { return \"x\"; }", "f( ) returns incompatible types: \"int\" = \"string\"" },
	{ D_COMM_DREC, "BEGIN { if (pid) trace(1); commit(1); }", NULL },
	{ D_DREC_COMM, "BEGIN { if (pid) commit(1); else trace(1); trace(2); }", NULL },
	/* symbols */
	{ D_SYM_NOTYPES, "trace(`untyped);", "no symbolic type information is available" },
	/* operators */
	{ D_OP_INT, "trace(~curthread);", "operator ~ requires an operand of integral type" },
	{ D_OP_INT, "trace(1 & execname);", "operator & requires operands of integral type" },
	{ D_OP_INT, "trace(1 << curthread);", NULL },
	{ D_OP_INT, "trace(execname % 2);", NULL },
	{ D_OP_INT, "x = 1; x |= execname;", "operator |= requires" },
	{ D_OP_ARITH, "trace(-execname);", "operator - requires an operand of arithmetic type" },
	{ D_OP_ARITH, "trace(execname * 2);", NULL },
	{ D_OP_ARITH, "x = 1; x *= execname;", NULL },
	{ D_OP_SCALAR, "trace(!execname);", NULL },
	{ D_OP_SCALAR, "trace(execname && 1);", "hint: compare strings" },
	{ D_OP_SCALAR, "trace(execname ? 1 : 2);", NULL },
	{ D_OP_SCALAR, "x = execname; x++;", NULL },
	{ D_OP_LVAL, "1 = 2;", "operator = requires modifiable lvalue as an operand" },
	{ D_OP_LVAL, "++3;", NULL },
	{ D_OP_WRITE, "pid = 3;", "operator = can only be applied to a writable variable" },
	{ D_OP_WRITE, "curthread->pid = 3;", NULL },
	{ D_OP_WRITE, "probename[0] = 'x';", NULL },
	{ D_OP_WRITE, "curthread->pid++;", NULL },
	{ D_OP_WRITE, "curthread->pid += 1;", NULL },
	{ D_OP_INCOMPAT, "trace(execname == 1);", "operands have incompatible types: \"string\" == \"int\"" },
	{ D_OP_INCOMPAT, "trace(curthread == arg0);", "hint: a cast makes both" },
	{ D_OP_INCOMPAT, "trace(curthread == curthread->mm);", NULL },
	{ D_OP_INCOMPAT, "trace(curthread + curthread);", NULL },
	{ D_OP_INCOMPAT, "trace(1 - curthread);", NULL },
	{ D_OP_INCOMPAT, "trace(execname - 1);", NULL },
	{ D_OP_INCOMPAT, "x = execname; x += \"a\";", "hint: strjoin() joins strings" },
	{ D_OP_INCOMPAT, "x = execname; x = 1;", NULL },
	{ D_OP_INCOMPAT, "x = 1; x = execname;", NULL },
	{ D_OP_INCOMPAT, "x = curthread; x = curthread->mm;", NULL },
	{ D_OP_INCOMPAT, "x = curthread->name; x = curthread->ubuf;", "\"const char *\" = \"userland char *\"" },
	{ D_OP_INCOMPAT, "x = curthread; x += execname;", NULL },
	{ D_OP_INCOMPAT, "x = curthread; x -= curthread;", NULL },
	{ D_OP_INCOMPAT, "trace(pid ? execname : 2);", "operator ?: operands must have compatible types" },
	{ D_IDENT_BADREF, "x = trace;", NULL },
	{ D_OP_INCOMPAT, "x = (void)1;", NULL },
	{ D_OP_INCOMPAT, "inline int m = \"x\";", "inline m definition uses incompatible types" },
	{ D_OP_VFPTR, "x = (void *)1; x++;", NULL },
	{ D_OP_VFPTR, "x = (void *)1; x += 1;", NULL },
	{ D_OP_ARRFUN, "x = curthread->comm;", "operator = may not be applied to operand of type" },
	{ D_OP_PTR, "x = *curthread; trace(x->pid);", "hint: use . with a struct" },
	{ D_OP_SOU, "trace(curthread.pid);", "hint: use -> with a pointer" },
	{ D_OP_SOU, "trace(curthread->name->pid);", NULL },
	{ D_OP_SOU, "trace(pid.x);", NULL },
	{ D_OP_INCOMPLETE, "trace(curthread->opaque->x);", "no struct opaque definition is available" },
	{ D_OP_INCOMPLETE, "trace(*curthread->opaque);", NULL },
	{ D_OP_DYN, "x = @a + 1;", NULL },
	{ D_PROTO_LEN, "x = pid ? trace(2) : trace();", "trace( ) prototype mismatch: 0 args passed, 1 expected" },
	{ D_OP_ACT, "pid ? printf(\"x\") : 1;", "action cannot be used in a conditional context" },
	{ D_AGG_FUNC, "pid ? @a = count() : 1;", NULL },
	{ D_DIV_ZERO, "1 / 0 ? trace(1) : trace(2);", NULL },
	{ D_AGG_NULL, "1 ? @a : 0;", "expression has null effect: @a" },
	{ D_OP_INCOMPAT, "BEGIN /!self->x/ { trace(1); } BEGIN { self->x = \"s\"; }",
	  "operands have incompatible types: \"int64_t\" = \"string\"" },
	{ D_IDENT_UNDEF, "BEGIN /!x/ { trace(1); } BEGIN { x = 1; }", NULL },
	{ D_OP_ACT, "x = (1, trace(2));", "operator , operands cannot be actions" },
	{ D_OP_ACT, "x = pid ? trace(2) : 3;", "action cannot be used in a conditional context" },
	{ D_CG_EXPR, "x = printf(\"a\");", "tracing function printf( ) may not be called from a D expression" },
	{ D_CG_EXPR, "x = stack();", NULL },
	{ D_STRINGOF_TYPE, "x = stringof(trace(0));", "cannot apply stringof to a value of type void" },
	{ D_OP_ARITH, "x = 1 + -trace(0);", "operator - requires an operand of arithmetic type" },
	{ D_PROTO_LEN, "x = trace();", "0 args passed, 1 expected" },
	{ D_VAR_UNDEF, "x -= 1;", "x has not yet been declared or assigned" },
	{ D_CG_EXPR, "count();", "hint: assign it to an aggregation" },
	{ D_DIV_ZERO, "trace(pid / 0);", "expression contains division by zero" },
	{ D_DIV_ZERO, "trace(5 % (1 - 1));", NULL },
	{ D_DIV_ZERO, "x = 1; x /= 0;", NULL },
	{ D_DIV_ZERO, "BEGIN /1 % 0/ { trace(1); }", NULL },
	{ D_DEREF_NONPTR, "trace(*pid);", "cannot dereference non-pointer type" },
	{ D_DEREF_NONPTR, "trace(pid[0]);", NULL },
	{ D_DEREF_NONPTR, "x = 3; trace(x[0]);", NULL },
	{ D_DEREF_VOID, "trace(*(void *)arg0);", NULL },
	{ D_DEREF_VOID, "trace(((void *)arg0)[1]);", NULL },
	{ D_DEREF_FUNC, "trace(*curthread->fn);", NULL },
	{ D_DEREF_FUNC, "trace(curthread->fn[1]);", NULL },
	{ D_ADDROF_LVAL, "trace(&1);", "unacceptable operand for unary & operator" },
	{ D_ADDROF_VAR, "x = 1; trace(&x);", "cannot take address of dynamic variable" },
	{ D_ADDROF_VAR, "trace(&pid);", NULL },
	{ D_ADDROF_VAR, "@a = count(); trace(&@a);", NULL },
	{ D_ADDROF_BITFIELD, "trace(&curthread->wide);", NULL },
	{ D_ARR_BADREF, "trace(curthread->comm[1, 2]);", "cannot access comm as an associative array" },
	{ D_ARR_BADREF, "int v[3]; BEGIN { v[0, 1] = 2; }", "cannot access scalar v as an associative array" },
	{ D_ARR_LOCAL, "this->x[1] = 2;", "local variables may not be used as associative arrays: x" },
	{ D_ARR_BOUNDS, "trace(curthread->comm[16]);", "index outside array bounds: 16, max is 16" },
	{ D_ARR_BOUNDS, "trace(*(curthread->comm + 17));", NULL },
	{ D_CAST_INVAL, "trace((int)execname);", "invalid cast expression: \"string\" to \"int\"" },
	{ D_CAST_INVAL, "trace((int)*curthread);", NULL },
	{ D_CAST_INVAL, "trace((string)*curthread);", NULL },
	{ D_PRED_SCALAR, "BEGIN /execname/ { trace(1); }", "predicate result must be of scalar type" },
	{ D_INT_OFLOW, "trace(18446744073709551615);", "cannot be represented" },
	/* types */
	{ D_TYPE_MEMBER, "trace(curthread->pidd);", "pidd is not a member of struct task_struct" },
	{ D_TYPE_MEMBER, "trace(curthread->pidd);", "hint: did you mean pid?" },
	{ D_UNKNOWN, "trace(offsetof(struct task_struct, nope));",
	  "failed to determine offset of nope: Member name not found" },
	{ D_TYPE_ERR, "trace((nosuch_t *)0);", "failed to resolve type nosuch_t" },
	{ D_TYPE_ERR, "nosuch_t x;", NULL },
	{ D_TYPE_ERR, "trace(sizeof(enum nosuch));", "enum nosuch" },
	{ D_OFFSETOF_TYPE, "trace(offsetof(int, x));", NULL },
	{ D_OFFSETOF_BITFIELD, "trace(offsetof(struct task_struct, wide));",
	  "cannot take offset of a bit-field: wide" },
	{ D_SIZEOF_TYPE, "trace(sizeof(void));", NULL },
	{ D_SIZEOF_TYPE, "trace(sizeof(struct opaque));", NULL },
	{ D_SIZEOF_BITFIELD, "trace(sizeof(curthread->wide));", NULL },
	{ D_STRINGOF_TYPE, "trace(stringof(*curthread));",
	  "cannot apply stringof to a value of type struct task_struct" },
	/* calls */
	{ D_FUNC_UNDEF, "nosuch(1);", "undefined function name: nosuch" },
	{ D_FUNC_UNDEF, "trce(1);", "hint: did you mean trace()?" },
	{ D_FUNC_IDKIND, "pid(1);", "scalar 'pid' may not be referenced as a function" },
	{ D_FUNC_IDKIND, "x = 1; x(1);", NULL },
	{ D_PROTO_LEN, "exit();", "exit( ) prototype mismatch: 0 args passed, 1 expected" },
	{ D_PROTO_LEN, "trace(1, 2);", "trace( ) prototype mismatch: 2 args passed, 1 expected" },
	{ D_PROTO_LEN, "trace(substr(\"a\"));", "1 arg passed, at least 2 expected" },
	{ D_PROTO_LEN, "trace(substr(\"a\", 1, 2, 3));", "4 args passed, at most 3 expected" },
	{ D_PROTO_LEN, "printf();", "0 args passed, at least 1 expected" },
	{ D_PROTO_LEN, "tracemem(1);", NULL },
	{ D_PROTO_LEN, "@a = count(1);", "count( ) prototype mismatch: 1 arg passed, 0 expected" },
	{ D_PROTO_LEN, "@a = quantize(1, 2, 3);", NULL },
	{ D_PROTO_LEN, "x[1] = 1; x[1, 2] = 3;", "x[ ] prototype mismatch: 2 keys passed, 1 expected" },
	{ D_PROTO_LEN, "@a[1] = count(); @a[1, 2] = count();", "@a[ ] prototype mismatch" },
	{ D_PROTO_LEN, "trace(args[0, 1]);", NULL },
	{ D_PROTO_ARG, "exit(execname);",
	  "exit( ) argument #1 is incompatible with prototype:\n\tprototype: int\n\t argument: "
	  "string" },
	{ D_PROTO_ARG, "trace(strlen(pid));", "hint: copyinstr() reads a string" },
	{ D_PROTO_ARG, "trace(copyinstr(execname));", NULL },
	{ D_PROTO_ARG, "trace(copyinstr(arg0, execname));", "prototype: size_t" },
	{ D_PROTO_ARG, "setopt(5);", "prototype: char *\n" },
	{ D_PROTO_ARG, "sym(execname);", "prototype: uintptr_t\n" },
	{ D_PROTO_ARG, "mutex_owned(execname);", "prototype: struct mutex *" },
	{ D_PROTO_ARG, "x[1] = 1; x[execname] = 3;", "x[ ] key #1 is incompatible with prototype" },
	{ D_PROTO_ARG, "@a[1] = count(); @a[execname] = count();", "key: string" },
	{ D_PROTO_ARG, "trace(args[pid]);", "integer constant" },
	{ D_PROTO_ARG, "@a = quantize(1, execname);", "increment value (argument #2)" },
	{ D_PROTO_ARG, "@a = count(); clear(@a[1]);", NULL },
	/* args[] */
	{ D_ARGS_NONE, "inline int a = args[0];", "args[ ] may not be referenced outside of a probe clause" },
	{ D_ARGS_IDX, "trace(args[0]);", "index 0 is out of range for :::BEGIN args[ ]" },
	{ D_ARGS_IDX, "syscall::read:entry { trace(args[3]); }", NULL },
	{ D_ARGS_MULTI, "syscall:::entry { trace(args[0]); }",
	  "probe description syscall:::entry matches an unstable set of probes" },
	{ D_ARGS_TYPE, "syscall::openat:entry { trace(args[2]); }", NULL },
	{ D_ARGS_TYPE, "sdt:::moved { trace(args[2]); }",
	  "args[2] is not passed by this kernel, and cannot be found out: " },
	{ D_ARGS_TYPE, "sdt:::moved { trace(arg2); }",
	  "this kernel does not pass the argument, and it cannot be found out: " },
	{ D_ARGS_IDX, "sdt:::moved { trace(args[3]); }", NULL },
	/* keys */
	{ D_KEY_TYPE, "@a = count(); @b[1, @a] = count();", NULL },
	{ D_KEY_TYPE, "x[(void)1] = 1;", "void expression may not be used as associative array index" },
	{ D_KEY_TYPE, "sdt:::sched_switch { @a[args[2]] = count(); }",
	  "double expression may not be used as aggregation index: key #1" },
	{ D_CG_EXPR, "x[stack()] = 1;", NULL },
	/* printf */
	{ D_PRINTF_DYN_PROTO, "printf(\"%*d\");", "conversion #1 (%d) is missing a corresponding \"*\" argument" },
	{ D_PRINTF_DYN_PROTO, "printf(\"%.*d\");", "\".*\"" },
	{ D_PRINTF_DYN_PROTO, "@a = count(); printa(\"%*@d\", @a);", NULL },
	{ D_PRINTF_DYN_PROTO, "@a[1] = count(); printa(\"%*.*@d\", @a);", "missing a corresponding \".*\" argument" },
	{ D_PRINTF_DYN_TYPE, "@a[execname] = count(); printa(\"%*@d\", @a);", "prototype: int\n\t  argument: string" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%d\", printf(\"\"));", "\t  argument: void" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%d\", trace(nosuch));", "\t  argument: void" },
	{ D_PRINTF_DYN_TYPE, "printf(\"%*d\", execname, 1);",
	  "printf( ) argument #2 is incompatible with conversion #1 prototype:\n"
	  "\tconversion: % * d\n\t prototype: int\n\t  argument: string" },
	{ D_PRINTF_AGG_CONV, "printf(\"%@d\", 1);", "is not for use with printf( )" },
	{ D_PRINTF_ARG_PROTO, "printf(\"%d %d\", 1);",
	  "printf( ) prototype mismatch: conversion #2 (%d) is missing a corresponding value "
	  "argument" },
	{ D_PRINTF_ARG_PROTO, "@a[1] = count(); printa(\"%d %d\", @a);", "hint: @a has 1 key" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%s\", pid);",
	  "printf( ) argument #2 is incompatible with conversion #1 prototype:\n\tconversion: %s\n"
	  "\t prototype: char [] or string (or use stringof)\n\t  argument: pid_t" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%d\", execname);", "prototype: char, short, int, long, or long long" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%d\", curthread);", "hint: %p shows a pointer" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%s\", curthread->name);", "hint: stringof()" },
	{ D_PRINTF_ARG_TYPE, "@n = count(); printf(\"%x\", @n);",
	  "argument #2 is incompatible with conversion #1 prototype:\n\tconversion: %x\n"
	  "\t prototype: char, short, int, long, or long long\n\t  argument: aggregation" },
	{ D_IDENT_UNDEF, "printf(\"%n\", nosuch);", "failed to resolve nosuch" },
	{ D_SYNTAX, "printf(\"%n\", pid);", "%n" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%c\", timestamp);", "prototype: char, short, or int" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%hd\", pid);", "prototype: short" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%ld\", pid);", "prototype: long" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%hhu\", pid);", "prototype: unsigned char" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%f\", pid);", "prototype: float, double, or long double" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%A\", arg0);", "(with -p/-c)" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%a\", usym(arg0));", NULL },
	{ D_PRINTF_ARG_TYPE, "printf(\"%k\", arg0);", "prototype: stack" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%Y\", pid);", "prototype: int64_t" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%ws\", execname);", "prototype: wchar_t []" },
	{ D_PRINTF_ARG_TYPE, "printf(\"%S\", pid);", NULL },
	{ D_PRINTF_ARG_TYPE, "printf(\"%C\", timestamp);", NULL },
	{ D_PRINTF_ARG_TYPE, "@a[1] = count(); printa(\"%s\", @a);", NULL },
	{ D_PRINTF_ARG_TYPE, "@a[1] = count(); printa(\"%@s\", @a);", "aggregating action" },
	{ D_PRINTF_ARG_EXTRA, "printf(\"%d\", 1, 2);", "only 1 arguments required by this format string" },
	{ D_PRINTF_ARG_FMT, "printf(execname);", "prototype: string constant" },
	{ D_PRINTF_FMT_EMPTY, "printf(\"\");", "printf( ) format string is empty" },
	{ D_SYNTAX, "printf(\"%\");", "format conversion #1" },
	/* actions */
	{ D_COMM_DREC, "trace(1); commit(1);", NULL },
	{ D_SPEC_SPEC, "speculate(1); speculate(1);", NULL },
	{ D_SPEC_COMM, "commit(1); speculate(1);", NULL },
	{ D_SPEC_DREC, "trace(1); speculate(1);", NULL },
	{ D_AGG_COMM, "commit(1); @a = count();", NULL },
	{ D_AGG_SPEC, "speculate(1); @a = count();", NULL },
	{ D_DREC_COMM, "commit(1); trace(1);", "data-recording actions may not follow commit( )" },
	{ D_EXIT_SPEC, "speculate(1); exit(0);", NULL },
	{ D_ACT_SPEC, "#pragma D option destructive\nBEGIN { speculate(1); stop(); }", NULL },
	{ D_TRACE_VOID, "trace((void)1);", "trace( ) may not be applied to a void expression" },
	{ D_TRACEMEM_ADDR, "tracemem(execname, 3);", NULL },
	{ D_TRACEMEM_SIZE, "tracemem(curthread, pid);", NULL },
	{ D_TRACEMEM_SIZE, "tracemem(curthread, 3, execname);", NULL },
	{ D_STACK_SIZE, "stack(pid);", "stack( ) argument #1 must be a non-zero positive integer constant" },
	{ D_PROTO_ARG, "ustack(\"x\");", "prototype: uint32_t\n\t argument: string" },
	{ D_STACK_SIZE, "stack(0);", NULL },
	{ D_USTACK_FRAMES, "ustack(-1);", NULL },
	{ D_USTACK_STRSIZE, "ustack(1, -1);", NULL },
	{ D_TRACE_DYN, "trace(@a);", "trace( ) may not be applied to a dynamic expression" },
	/* aggregations */
	{ D_AGG_FUNC, "@a = 1;", "@a must be assigned the result of an aggregating function" },
	{ D_AGG_FUNC, "@a = strlen(execname);", NULL },
	{ D_AGG_NULL, "@a;", "expression has null effect: @a" },
	{ D_AGG_SCALAR, "@a = sum(execname);", "sum( ) argument #1 must be of scalar type" },
	{ D_AGG_REDEF, "@a = count(); @a = sum(1);",
	  "aggregation redefined: @a\n\t current: @a = sum( )\n\tprevious: @a = count( ) : line 1" },
	{ D_FUNC_UNDEF, "@a = cuont();", NULL },
	{ D_LQUANT_BASETYPE, "@a = lquantize(1, pid, 2);", NULL },
	{ D_LQUANT_BASEVAL, "@a = lquantize(1, -2147483649, 2);", "must be a 32-bit quantity" },
	{ D_LQUANT_LIMTYPE, "@a = lquantize(1, 1, pid);", NULL },
	{ D_LQUANT_LIMVAL, "@a = lquantize(1, 1, 2147483648);", NULL },
	{ D_LQUANT_MISMATCH, "@a = lquantize(1, 10, 1);", NULL },
	{ D_LQUANT_MISMATCH, "@a = lquantize(1, 10, 10);", NULL },
	{ D_LQUANT_STEPTYPE, "@a = lquantize(1, 1, 10, 0);", NULL },
	{ D_LQUANT_STEPVAL, "@a = lquantize(1, 1, 100000000, 65536);", NULL },
	{ D_LQUANT_STEPLARGE, "@a = lquantize(1, 1, 10, 10);", NULL },
	{ D_LQUANT_STEPSMALL, "@a = lquantize(1, 0, 65536, 1);", NULL },
	{ D_LQUANT_MATCHBASE, "@a = lquantize(1, 0, 10); @a = lquantize(1, 1, 10);", "expected 0, found 1" },
	{ D_LQUANT_MATCHLIM, "@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 20);", NULL },
	{ D_LQUANT_MATCHSTEP, "@a = lquantize(1, 0, 10); @a = lquantize(1, 0, 10, 5);", NULL },
	{ D_LLQUANT_FACTORTYPE, "@a = llquantize(1, pid, 0, 1, 2);", NULL },
	{ D_LLQUANT_FACTORVAL, "@a = llquantize(1, 1, 0, 1, 2);", NULL },
	{ D_LLQUANT_LMAGTYPE, "@a = llquantize(1, 10, pid, 1, 10);", NULL },
	{ D_LLQUANT_LMAGVAL, "@a = llquantize(1, 10, -1, 1, 10);", NULL },
	{ D_LLQUANT_HMAGTYPE, "@a = llquantize(1, 10, 0, pid, 10);", NULL },
	{ D_LLQUANT_HMAGVAL, "@a = llquantize(1, 10, 2, 1, 10);", "must be at least argument #2" },
	{ D_LLQUANT_HMAGVAL, "@a = llquantize(1, 10, 0, 19, 10);", "overflow of 64 bits" },
	{ D_LLQUANT_STEPTYPE, "@a = llquantize(1, 10, 0, 3, pid);", NULL },
	{ D_LLQUANT_STEPTYPE, "@a = llquantize(1, 10, 0, 3, 0);", NULL },
	{ D_LLQUANT_STEPTYPE, "@a = llquantize(1, 10, 0, 3, -10);", NULL },
	{ D_LLQUANT_STEPVAL, "@a = llquantize(1, 10, 0, 3, 65540);", NULL },
	{ D_LLQUANT_STEPVAL, "@a = llquantize(1, 10, 0, 3, 3);", "evenly divide argument #1" },
	{ D_LLQUANT_STEPVAL, "@a = llquantize(1, 10, 0, 3, 15);", "must be a multiple" },
	{ D_LLQUANT_STEPVAL, "@a = llquantize(1, 10, 0, 3, 30);", "square of argument #1" },
	{ D_LLQUANT_STEPVAL, "@a = llquantize(1, 10, 1, 3, 30);", "pow(argument #1" },
	{ D_LLQUANT_MATCHFACTOR, "@a = llquantize(1, 10, 0, 3, 10); @a = llquantize(1, 2, 0, 3, 2);", NULL },
	{ D_LLQUANT_MATCHLMAG, "@a = llquantize(1, 10, 0, 3, 10); @a = llquantize(1, 10, 1, 3, 10);", NULL },
	{ D_LLQUANT_MATCHHMAG, "@a = llquantize(1, 10, 0, 3, 10); @a = llquantize(1, 10, 0, 4, 10);", NULL },
	{ D_LLQUANT_MATCHSTEPS, "@a = llquantize(1, 10, 0, 3, 10); @a = llquantize(1, 10, 0, 3, 20);", NULL },
	{ D_PROTO_LEN, "printa();", NULL },
	{ D_PRINTA_PROTO, "printa(\"%@d\");", "1 args passed, 2 expected" },
	{ D_PRINTA_AGGARG, "printa(pid);", "prototype: aggregation" },
	{ D_PRINTA_AGGBAD, "printa(@a);", "undefined aggregation: @a" },
	{ D_PRINTA_AGGBAD, "@reads = count(); printa(@raeds);", "hint: did you mean @reads?" },
	{ D_PRINTA_AGGKEY, "@a = count(); @b[1] = count(); printa(@a, @b);", "@a has 0 keys, @b has 1 key" },
	{ D_PRINTA_AGGPROTO, "@a[1] = count(); @b[execname] = count(); printa(@a, @b);", NULL },
	{ D_CLEAR_PROTO, "@a = count(); clear(@a, 1);", "2 args passed, 1 expected" },
	{ D_CLEAR_AGGARG, "clear(1);", NULL },
	{ D_CLEAR_AGGARG, "clear(count());", NULL },
	{ D_ALLOCA_SIZE, "p = alloca(4097);", "alloca(4097) size larger than scratchsize 4096" },
	{ D_ALLOCA_SIZE, "p = copyin(0, 4097);", NULL },
	{ D_PROTO_ARG, "tracemem(curthread, \"a\");", NULL },
	{ D_CLEAR_AGGBAD, "clear(@a);", NULL },
	{ D_TRUNC_PROTO, "trunc();", "0 args passed, at least 1 expected" },
	{ D_TRUNC_PROTO, "@a = count(); trunc(@a, 1, 2);", "no more than 2 expected" },
	{ D_TRUNC_SCALAR, "@a = count(); trunc(@a, execname);", NULL },
	{ D_TRUNC_AGGARG, "trunc(1);", NULL },
	{ D_TRUNC_AGGBAD, "trunc(@a);", NULL },
	{ D_NORMALIZE_PROTO, "@a = count(); normalize(@a);", NULL },
	{ D_NORMALIZE_PROTO, "@a = count(); denormalize(@a, 1);", NULL },
	{ D_NORMALIZE_SCALAR, "@a = count(); normalize(@a, execname);", NULL },
	{ D_NORMALIZE_AGGARG, "normalize(1, 2);", NULL },
	{ D_NORMALIZE_AGGBAD, "normalize(@a, 2);", NULL },
	/* declarations */
	{ D_DECL_ARRSUB, "int x[pid];", NULL },
	{ D_DECL_ARRSUB, "int x[-1];", NULL },
	{ D_DECL_ARRNULL, "int x[];", NULL },
	{ D_DECL_ARRBIG, "int x[4294967296];", "array dimension too big" },
	{ D_DECL_ARRBIG, "struct b { char x[1000000000]; char y[1000000000]; };", NULL },
	{ D_DECL_IDRED, "int pid;", "built-in identifier redeclared: pid" },
	{ D_DECL_IDRED, "int x; string x;", "current: scalar string\n\tprevious: scalar int" },
	{ D_DECL_IDRED, "int x; int x[int];", NULL },
	{ D_DECL_IDRED, "typedef int foo_t; typedef string foo_t;", "typedef redeclared: foo_t" },
	{ D_DECL_IDRED, "int foo; typedef int foo;", NULL },
	{ D_DECL_IDRED, "inline int x = 1; inline int x = 2;", "identifier redefined: x" },
	{ D_DECL_IDRED, "inline int rand = 1;", "current: inline definition\n\tprevious: function " },
	{ D_DECL_IDRED, "inline int x = 1; int x;", NULL },
	{ D_UNKNOWN, "struct s { int b; int b; };", "failed to define member 'b': Duplicate member" },
	{ D_UNKNOWN, "enum { A, A };", NULL },
	{ D_DECL_TYPERED, "struct s { int b; }; struct s { int c; };", "type redeclared: struct s" },
	/* in front of an error of syntax: DTrace checks declarations while it reads */
	{ D_DECL_TYPERED, "struct s { int b; }; translator struct s { int c }", "type redeclared: struct s" },
	{ D_DECL_INCOMPLETE, "struct s { struct nosuch x; }; BEGIN /1) (2/ { }", "incomplete struct/union/enum" },
	{ D_DECL_INCOMPLETE, "struct s { struct nosuch x; }; BEGIN { trace(); }; int;;", NULL },
	{ D_SYNTAX, "BEGIN { trace(nosuch); } BEGIN /1) (2/ { } struct s { struct nosuch x; };", NULL },
	{ D_IDENT_UNDEF, "trace(sizeof (`));", "failed to resolve `: Unknown symbol name" },
	{ D_DECL_MNAME, "struct s { enum e { Q }; };", NULL },
	{ D_DECL_BFCONST, "struct s { int a:pid; };", NULL },
	{ D_DECL_BFCONST, "struct s { int a:0; };", NULL },
	{ D_DECL_BFSIZE, "struct s { int a:33; };", "bit-field too big for type: a" },
	{ D_DECL_BFTYPE, "struct s { float a:3; };", NULL },
	{ D_DECL_ENCONST, "enum e { A = pid };", NULL },
	{ D_DECL_INCOMPLETE, "struct whole { union part p; };", "incomplete struct/union/enum union part: p" },
	{ D_DECL_ENOFLOW, "enum e { A = 2147483647, B };", "enumerator 'B' value overflows INT_MAX (2147483647)" },
	{ D_DECL_LOCASSC, "this int x[int];", NULL },
	{ D_DECL_VOIDOBJ, "void x;", NULL },
	{ D_DECL_VOIDOBJ, "void x[3];", NULL },
	{ D_DECL_VOIDOBJ, "struct s { void x; };", NULL },
	{ D_DECL_VOIDOBJ, "inline void x = 3;", NULL },
	{ D_OP_ARRFUN, "int x[int][3]; BEGIN { x[1] = x[2]; }", "operator = may not be applied to operand" },
	{ D_DECL_DYNOBJ, "int x[3][int];", "cannot declare array of associative arrays" },
	{ D_DECL_INCOMPLETE, "struct nosuch x;", NULL },
	{ D_DECL_INCOMPLETE, "struct s { struct nosuch x; };", NULL },
	{ D_DECL_INCOMPLETE, "inline struct nosuch x = 3;", NULL },
	{ D_DECL_PROTO_TYPE, "int x[void];", NULL },
	{ D_DECL_PROTO_NAME, "typedef int (*fn_t)(void x);", NULL },
	{ D_DECL_PROTO_VOID, "typedef int (*fn_t)(int, void);", NULL },
	{ D_DECL_PROTO_FORM, "int x[int a, int a];", "already declared in array prototype: a" },
	{ D_TYPE_ERR, "typedef int (*fn_t)(nosuch_t);", NULL },
	/* probes */
	{ D_PDESC_ZERO, "syscall::raed:entry { trace(1); }",
	  "probe description syscall::raed:entry does not match any probes" },
	{ D_PDESC_ZERO, "syscall::raed:entry { trace(1); }", "hint: there is a probe function read" },
	{ D_PDESC_ZERO, "fbt::x:entry { trace(1); }", "hint: kernel built without CONFIG_KPROBES" },
	{ D_PDESC_ZERO, "BEGN { trace(1); }", "hint: there is a probe name BEGIN" },
	{ D_PDESC_INVAL, "77 { trace(1); }", "invalid probe identifier 77" },
};

/* Rows that are only statements get a clause around them. */
static bool is_body(const char *text)
{
	static const char *const starts[] = { "BEGIN",	  "BEGN",   "syscall",	"sdt",	   "fbt",    "77",
					      "int",	  "struct", "enum",	"typedef", "inline", "translator",
					      "this int", "void",   "nosuch_t", "#" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return false;
	}
	return true;
}

static char *program(const char *text)
{
	struct strb b = { 0 };

	strb_printf(&b, is_body(text) ? "BEGIN { %s }" : "%s", text);
	return strb_take(&b);
}

/* False: what is wrong was printed. */
static bool row_ok(const struct row *r)
{
	char *text = program(r->text), *says = NULL;
	struct langfix f;
	bool ok = false;

	if (langfix_run(&f, text) != -EINVAL) {
		print_error("accepted: %s\n%s\n", text, f.dump);
	} else {
		says = langfix_messages(&f);
		ok = !strcmp(f.diags.first->tag, r->tag) && (!r->says || strstr(says, r->says)) &&
		     errtag_find(r->tag) && f.diags.first->at.src == &f.src;
		if (!ok)
			print_error("%s: not [%s] %s but\n%s", text, r->tag, r->says ? r->says : "", says);
	}
	free(says);
	free(text);
	langfix_close(&f);
	return ok;
}

static void errors_have_their_tag(void **state)
{
	unsigned bad = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		bad += !row_ok(&rows[i]);
	assert_int_equal(bad, 0);
}

/* One mistake is one message, also when what follows depends on it. */
static void mistakes_do_not_cascade(void **state)
{
	static const char *const texts[] = {
		"BEGIN { x = nosuch; trace(x); y = x + 1; trace(y->z); }",
		"BEGIN { trace(nosuch + 1 ? nosuch2 : 3); }",
		"BEGIN, END { trace(nosuch); }",
		"BEGIN { @a[nosuch] = count(); printa(@a); }",
		"struct s { nosuch_t x; }; BEGIN { trace(sizeof(struct s)); }",
	};
	static const unsigned want[] = { 1, 2, 1, 1, 1 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct langfix f;

		assert_int_equal(langfix_run(&f, texts[i]), -EINVAL);
		if (f.diags.nerrors != want[i])
			fail_msg("%s:\n%s", texts[i], langfix_messages(&f));
		langfix_close(&f);
	}
}

static void errors_point_at_the_place(void **state)
{
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f, "BEGIN\n{\n\ttrace(nosuch);\n}\n"), -EINVAL);
	assert_int_equal(source_position(&f.src, f.diags.first->at.off).line, 3);
	assert_int_equal(f.diags.first->at.off, strlen("BEGIN\n{\n\ttrace("));
	assert_int_equal(f.diags.first->at.len, strlen("nosuch"));
	langfix_close(&f);
}

/* The line to which DTrace has read when it complains. */
static void lines_are_those_of_dtrace(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
	} cases[] = {
		{ "int a[4];\nBEGIN\n/a/\n{\n}\n", 5 },
		{ "long struct s\n{\n\tint i;\n};\n", 2 },
		{ "long struct s v;\n\n", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct diag *g;
		struct langfix f;

		assert_int_equal(langfix_run(&f, cases[i].text), -EINVAL);
		g = f.diags.first;
		assert_int_equal(source_position(&f.src, g->read_to ? g->read_to : g->at.off).line, cases[i].line);
		langfix_close(&f);
	}
}

static void without_btf_types_are_missing(void **state)
{
	struct langfix f;
	char *says;

	(void)state;
	langfix_open(&f, false);
	assert_int_equal(langfix_compile(&f, "BEGIN { trace(curthread->pid); }"), -EINVAL);
	says = langfix_messages(&f);
	assert_non_null(strstr(says, "[D_OP_INCOMPLETE]"));
	free(says);
	langfix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_have_their_tag),	 cmocka_unit_test(mistakes_do_not_cascade),
		cmocka_unit_test(errors_point_at_the_place),	 cmocka_unit_test(lines_are_those_of_dtrace),
		cmocka_unit_test(without_btf_types_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
