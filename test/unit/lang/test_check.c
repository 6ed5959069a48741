/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's results for programs: types, conversions, constants, variables, keys. */
#include "../unit.h"
#include "base/cleanup.h"
#include "langfix.h"
#include <errno.h>

struct row {
	const char *text; /* program, or the body of BEGIN */
	const char *want; /* part of the dump */
};

/* One expression as argument of trace(): how it is typed. */
static const struct row exprs[] = {
	/* constants */
	{ "1", "1:int)" },
	{ "2147483648", "2147483648:long)" },
	{ "0x80000000", "2147483648:unsigned int)" },
	{ "0x100000000", "4294967296:long)" },
	{ "0xffffffffffffffff", "18446744073709551615:unsigned long)" },
	{ "1u", "1:unsigned int)" },
	{ "1l", "1:long)" },
	{ "1ul", "1:unsigned long)" },
	{ "1ll", "1:long long)" },
	{ "1ull", "1:unsigned long long)" },
	{ "4294967296u", "4294967296:unsigned long)" },
	{ "'A'", "65:int)" },
	{ "'abcdefgh'", "7017280452245743464:long)" }, /* more characters than an int has bytes */
	{ "sizeof (NULL)", "4:" },
	{ "\"abc\"", "\"abc\":string<4>)" },
	{ "TASK_DEAD", "16:enum task_state)" },
	{ "BIG_ONE", "9223372036854775809:enum big)" },
	{ "NULL", "0:int)" },
	/* strings as memory */
	{ "execname + 1", "(substr:string execname:string<16> 1:int)" },
	{ "1 + execname", "(substr:string execname:string<16> 1:int)" },
	{ "execname[3]", "(cast:char * execname:string<16>)" },
	{ "*execname", "(cast:char * execname:string<16>)" },
	/* folding */
	{ "1 + 2 * 3", "7:int)" },
	{ "-7 / 2", "-3:int)" },
	{ "-7 % 3", "-1:int)" },
	{ "7u / 2", "3:unsigned int)" },
	{ "-1 > 1u", "1:int)" },
	{ "-1 > 1", "0:int)" },
	{ "-1L > 1u", "0:int)" },
	{ "-1 < 1", "1:int)" },
	{ "3 <= 3", "1:int)" },
	{ "3 >= 4", "0:int)" },
	{ "3 != 4", "1:int)" },
	{ "1 << 3", "8:int)" },
	{ "-8 >> 1", "-4:int)" },
	{ "0xfffffff8 >> 1", "2147483644:unsigned int)" },
	{ "1 << 33", "2:int)" }, /* counts are taken modulo the width, as the processor does */
	{ "2147483647 + 1", "2147483648:int)" },
	{ "4294967295u + 1", "4294967296:unsigned int)" },
	{ "1 << 33", "8589934592:int)" },
	{ "(long)(1 << 33)", "8589934592:long)" },
	{ "(int)(1 << 33)", "0:int)" },
	{ "-8 >> 1", "-4:int)" },
	{ "-1u", "4294967295:unsigned int)" },
	{ "-1 == 4294967295u", "0:int)" },
	{ "~0", "-1:int)" },
	{ "~0u", "18446744073709551615:unsigned int)" },
	{ "+5", "5:int)" },
	{ "!5", "0:int)" },
	{ "6 & 3 | 8 ^ 1", "11:int)" },
	{ "1 && 2", "1:int)" },
	{ "0 || 0", "0:int)" },
	{ "1 ^^ 2", "0:int)" },
	{ "0 && pid", "(trace:void 0:int)" },
	{ "1 || pid", "(trace:void 1:int)" },
	{ "(1, 2)", "2:int)" },
	{ "pid ? 2 : 3L", "(?::long pid:pid_t 2:int 3:long)" },
	{ "1 ? 2 : 3L", "2:int)" },
	{ "1 ? pid : 3", "pid:pid_t)" },
	{ "(char)300", "44:char)" },
	{ "(unsigned char)-1", "255:unsigned char)" },
	{ "(uint64_t)-1", "18446744073709551615:uint64_t)" },
	{ "(_Bool)7", "1:_Bool)" },
	{ "(-9223372036854775807 - 1) / -1", "-9223372036854775808:long)" },
	{ "(-9223372036854775807 - 1) % -1", "0:long)" },
	{ "sizeof(int)", "4:size_t)" },
	{ "sizeof(pid)", "4:size_t)" },
	{ "sizeof(\"abc\")", "4:size_t)" },
	{ "sizeof(string)", "256:size_t)" },
	{ "sizeof(struct task_struct)", "128:size_t)" },
	{ "sizeof(*curthread)", "128:size_t)" },
	{ "sizeof(curthread->comm)", "16:size_t)" },
	{ "offsetof(struct task_struct, parent)", "24:size_t)" },
	{ "offsetof(struct task_struct, low)", "56:size_t)" },
	/* promotions and conversions */
	{ "pid + 1", "(+:int pid:pid_t 1:int))" },
	{ "pid + 1L", "(+:long pid:pid_t 1:long))" },
	{ "timestamp - pid", "(-:unsigned long timestamp:uint64_t pid:pid_t))" },
	{ "uid < 5", "(<u:int uid:uid_t 5:int))" },
	{ "pid < 5", "(<:int pid:pid_t 5:int))" },
	{ "pid < uid", "(<u:int pid:pid_t uid:uid_t))" },
	{ "(int)(pid + pid)", "(cast:int (+:int pid:pid_t pid:pid_t)))" },
	{ "curthread->low + 1", "(+:int (->low@56:short curthread:struct task_struct *) 1:int)" },
	{ "curthread->state + 1", "(+:int (->state@40:enum task_state" },
	{ "curthread->wide + 1", "(+:int (->wide@48.0/20:u64" },
	{ "curthread->sched_reset + 1", "(+:int (->sched_reset@44.0/1:unsigned int" },
	{ "-curthread->low", "(NEG:short (->low" },
	{ "timestamp << pid", "(<<:unsigned long timestamp:uint64_t pid:pid_t))" },
	{ "pid ? 1 : 2L", "(?::long pid:pid_t 1:int 2:long))" },
	{ "pid ? curthread : NULL", "(?::struct task_struct * pid:pid_t curthread:struct task_struct * "
				    "0:struct task_struct *))" },
	{ "pid ? \"a\" : \"abc\"", "(?::string<4> pid:pid_t" },
	{ "pid ? \"a\" : copyinstr(arg0)", "(?::string pid:pid_t" },
	{ "pid ? curthread->comm : \"a\"", "(?::string<17> pid:pid_t (tostr:string<17>" },
	{ "curthread == 0", "(==:int curthread:struct task_struct * 0:struct task_struct *))" },
	{ "curthread->mm->owner == curthread", "(==:int (->owner@8:struct task_struct * (->mm" },
	{ "(void *)arg0 == curthread", "(==:int (cast:void * arg0:int64_t) curthread" },
	{ "curthread->state == TASK_DEAD", "(==:int (->state@40:enum task_state" },
	{ "!curthread", "(LNOT:int curthread:struct task_struct *))" },
	{ "pid && curthread ^^ 1", "(^^:int" },
	/* strings */
	{ "execname == \"a\"", "(==:int execname:string<16> \"a\":string<2>))" },
	{ "curthread->comm != execname", "(!=:int (tostr:string<17> (->comm@4:char [16]" },
	{ "stringof(curthread->comm)", "(stringof:string<17> (->comm" },
	{ "stringof(curthread->name)", "(stringof:string (->name" },
	{ "(string)arg0", "(stringof:string arg0:int64_t))" },
	{ "stringof(execname)", "execname:string<16>)" },
	{ "probename", "\"BEGIN\":string<6>)" },
	{ "probename == \"BEGIN\"", "1:int)" },
	{ "probename < \"BEGI\"", "0:int)" },
	{ "probemod != \"\"", "0:int)" },
	{ "1 ? \"a\" : execname", "\"a\":string<2>)" },
	{ "strtok(NULL, \"/\")", "(strtok:string 0:int \"/\":string<2>))" },
	{ "strlen(curthread->comm)", "(strlen:size_t (tostr:string<17>" },
	{ "strjoin(execname, \"abc\")", "(strjoin:string<19>" },
	{ "substr(execname, 1, 2)", "(substr:string<16>" },
	{ "basename(\"\")", "(basename:string<2>" },
	{ "lltostr(5)", "(lltostr:string<22> 5:int64_t))" },
	{ "lltostr(5, 2)", "(lltostr:string<66> 5:int64_t 2:int))" },
	{ "copyinstr(arg0)", "(copyinstr:string (conv:uintptr_t arg0:int64_t)))" },
	{ "copyinstr(arg0, 10)", "(copyinstr:string<11>" },
	{ "copyinstr(curthread->ubuf)", "(copyinstr:string (conv:uintptr_t (->ubuf" },
	/* pointers */
	{ "*curthread->parent", "(DEREF:struct task_struct (->parent@24:struct task_struct *" },
	{ "curthread + 1", "(+:struct task_struct * curthread:struct task_struct * 1:long))" },
	{ "pid + curthread", "(+:struct task_struct * curthread:struct task_struct * "
			     "(conv:long pid:pid_t)))" },
	{ "curthread - curthread->parent", "(-:ptrdiff_t curthread:struct task_struct *" },
	{ "curthread->comm[1]", "([]:char (conv:char * (->comm@4:char [16] curthread:struct "
				"task_struct *)) 1:long))" },
	{ "*curthread->comm", "(DEREF:char (conv:char * (->comm" },
	{ "curthread->comm + 1", "(+:char * (conv:char * (->comm" },
	{ "&curthread->pid", "(ADDR:int * (->pid@0:int" },
	{ "&curthread->children", "(ADDR:struct list_head * (->children@96" },
	{ "curthread->children.next", "(.next@0:struct list_head * (->children@96:struct list_head" },
	{ "curthread->children.data[5]", "([]:char (conv:char *" }, /* flexible: no bounds */
	{ "((struct task_struct *)arg0)->pid", "(->pid@0:int (cast:struct task_struct * arg0" },
	{ "curthread->fn", "(->fn@80:int (*)() curthread" },
	{ "curthread->ubuf", "(->ubuf@72:userland char * curthread" },
	{ "*curthread->ubuf", "(DEREF:char:user (->ubuf" },
	{ "curthread->ubuf[3]", "([]:char:user (->ubuf" },
	{ "((struct task_struct userland *)arg0)->parent", "(->parent@24:userland struct task_struct *:user" },
	{ "&((struct task_struct userland *)arg0)->pid", "(ADDR:userland int * (->pid@0:int:user" },
	{ "((struct task_struct userland *)arg0)->comm[0]", "([]:char:user (conv:userland char * (->comm" },
	{ "(char *)curthread->ubuf", "(cast:userland char *" },
	{ "*(int *)alloca(4)", "(DEREF:int (cast:int * (alloca:void *" },
	/* symbols */
	{ "`jiffies", "`jiffies@0xffffffff81000000:unsigned long)" },
	{ "`init_task.pid", "(.pid@0:int `init_task" },
	{ "&`untyped", "(ADDR:void * `untyped" },
	{ "*(int *)&`untyped", "(DEREF:int (cast:int * (ADDR:void *" },
	{ "(int)`untyped", "`untyped@0xffffffff81000000:int)" },
	{ "vmlinux`jiffies", "vmlinux`jiffies@" },
	/* built-in things */
	{ "curcpu->cpu_id", "cpu:int)" },
	{ "arg0", "arg0:int64_t)" },
	{ "walltimestamp", "walltimestamp:int64_t)" },
	{ "stack(3)", "(stack:stack<3,0> 3:int))" },
	{ "stack()", "(stack:stack<20,0>))" },
	{ "ustack()", "(ustack:stack<100,0>))" },
	{ "ustack(5, 300)", "(ustack:stack<5,300>" },
	{ "stack(500)", "(stack:stack<127,0> 500:int))" },
	{ "jstack()", "(jstack:stack<50,512>))" },
	{ "sym(arg0)", "(sym:symbolic address arg0:int64_t))" },
	{ "curthread->comm", "(trace:void (->comm@4:char [16] curthread" },
	{ "*curthread", "(trace:void (DEREF:struct task_struct curthread" },
};

/* Whole programs. */
static const struct row programs[] = {
	/* variables take the type of their first value */
	{ "BEGIN { x = 1; }", "var x: int\n" },
	{ "BEGIN { x = timestamp; }", "var x: uint64_t\n" },
	{ "BEGIN { x = execname; }", "var x: string\n" },
	{ "BEGIN { x = \"abc\"; }", "(=:string x:string \"abc\":string<4>)" },
	{ "BEGIN { x = curthread; }", "var x: struct task_struct *\n" },
	{ "BEGIN { x = curthread->ubuf; }", "var x: userland char *\n" },
	{ "BEGIN { x = curthread->name; }", "var x: const char *\n" },
	{ "BEGIN { x = *curthread; y = x.pid; }", "(=:int y:int (.pid@0:int x:struct task_struct))" },
	{ "BEGIN { x = TASK_DEAD; }", "var x: enum task_state\n" },
	{ "BEGIN { x = y = 3L; }", "var y: long\n" },
	{ "BEGIN { x++; }", "var x: int64_t\n" },
	{ "BEGIN { x = x++; }", "(=:int64_t x:int64_t (POSTINC:int64_t x:int64_t))" },
	{ "BEGIN { x = x = 1; }", "(=:int x:int (=:int x:int 1:int))" },
	{ "BEGIN { self->x[1]++; }", "var self->x: int64_t [int]\n" },
	{ "int x; BEGIN { x = timestamp; }", "(=:int x:int (conv:int timestamp:uint64_t))" },
	{ "int x; BEGIN { x += timestamp; }", "(+=:int x:int timestamp:uint64_t)" },
	{ "BEGIN { x = 1; x = timestamp; }", "(=:int64_t x:int64_t (conv:int64_t timestamp:uint64_t))" },
	{ "BEGIN { x = 1; x += timestamp; }", "(+=:int64_t x:int64_t timestamp:uint64_t)" },
	{ "BEGIN { x = 1; x <<= timestamp; }", "(<<=:int x:int timestamp:uint64_t)" },
	{ "BEGIN { x = timestamp; x += 1; }", "(+=:uint64_t x:uint64_t 1:int)" },
	{ "BEGIN { x = curthread; x += pid; }", "(conv:long pid:pid_t)" },
	{ "BEGIN { x = curthread; x = 0; }", "0:struct task_struct *)" },
	{ "BEGIN { x = (void *)0; x = curthread; }", "(=:void * x:void * curthread" },
	{ "BEGIN { x = (struct task_struct *)0; x = (void *)arg0; }", "var x: struct task_struct *" },
	{ "BEGIN { self->x = 1; this->x = execname; x = 2L; }",
	  "var self->x: int\nvar this->x: string\nvar x: long\n" },
	{ "BEGIN { x = curthread->wide; }", "var x: u64\n" },
	{ "int x; BEGIN { trace(x); }", "var x: int unassigned\n" },
	{ "self string s; this int i; BEGIN { self->s = execname; this->i = 1; }",
	  "var self->s: string\nvar this->i: int\n" },
	{ "int x[5]; BEGIN { x[2] = 1; }", "([]:int (conv:int * x:int [5]) 2:long)" },
	{ "int x; int x; BEGIN { x = 1; }", "var x: int\n" },
	{ "enum { N = 3 }; int x[N]; BEGIN { x[2] = 1; }", "var x: int [3]\n" },
	{ "inline int N = 4; char x[N + 1]; BEGIN { x[4] = 'c'; }", "var x: char [5]\n" },
	{ "BEGIN /x++ && y == 0/ { trace(x); y = 1; }", "var x: int64_t" },
	{ "BEGIN /x == 0/ { trace(x++); }", "/(==:int x:int64_t 0:int)/" },
	{ "BEGIN { self->s = execname; self->s = 0; }", "(=:string self->s:string \"\":string<1>)" },
	{ "BEGIN /strchr(execname, 'z') == NULL/ { trace(pid ? execname : NULL); }",
	  "/(==:int (strchr:string<16> execname:string<16> 122:char) \"\":string<1>)/" },
	{ "BEGIN { x[1] = execname; x[1] = 0; trace(0 != x[1]); }", "(!=:int \"\":string<1> ([]:string x 1:int))" },
	/* a clause with several descriptions is checked for each */
	{ "BEGIN, END { x = 1; trace(probename); }",
	  "clause 2 :::END: 1 probe\n  1: (=:int x:int 1:int)\n  2: (trace:void \"END\":string<4>)" },
	{ "syscall::: { trace(probefunc); }", "syscall::::" },
	{ "syscall:::entry { trace(probefunc); }", "probefunc:string<7>" },
	{ "4 { trace(1); }", "clause 1 4: 1 probe" },
	/* args[] */
	{ "syscall::read:entry { x = args[1]; }", "(=:userland char * x:userland char * "
						  "([]:userland char * args 1))" },
	{ "syscall::read:entry,syscall::openat:entry { x = args[0]; }",
	  "(=:unsigned int x:unsigned int (conv:unsigned int ([]:int args 0)))" },
	{ "syscall::*r*:entry { trace(args[1]); }", "2 probes" },
	{ "sdt:::sched_switch { trace(args[1]->comm); }", "([]:struct task_struct * args 1)" },
	/* which this kernel passes elsewhere, or not at all */
	{ "sdt:::moved { trace(args[0]->comm); }", "([]:struct task_struct * args 1)" },
	{ "sdt:::moved { trace(args[1]); }",
	  "(conv:unsigned int (+:int (->pid@0:int ([]:struct task_struct * args 1)) 1:int))" },
	{ "sdt:::moved { trace(arg1); }",
	  "(conv:int64_t (conv:unsigned int (+:int (->pid@0:int ([]:struct task_struct * args 1)) 1:int)))" },
	{ "int task; sdt:::moved { task = 1; trace(args[0]->comm); }", "([]:struct task_struct * args 1)" },
	/* keys */
	{ "BEGIN { x[1, \"a\"] = 1; x[timestamp, \"abcd\"] = 2; }", "var x: int [long, string<5>]\n" },
	{ "BEGIN { x[1] = 1; x[2L] = 2; }", "([]:int x 1:long)" },
	{ "BEGIN { x[pid] = 1; x[timestamp] = 2; }", "([]:int x (conv:long pid:pid_t))" },
	{ "BEGIN { x[execname] = 1; x[copyinstr(arg0)] = 2; }", "var x: int [string]\n" },
	{ "BEGIN { x[curthread] = 1; x[NULL] = 2; }", "var x: int [struct task_struct *]\n" },
	{ "BEGIN { x[curthread->comm] = 1; }", "var x: int [string<17>]\n" },
	{ "string x[int, string]; BEGIN { x[timestamp, \"a\"] = execname; }",
	  "([]:string x (conv:int timestamp:uint64_t) \"a\":string<2>)" },
	{ "BEGIN { @a[execname, pid] = count(); }", "agg @a: 0 unsigned [string<16>, pid_t]\n" },
	{ "BEGIN { @a[1] = count(); @a[timestamp] = count(); }", "agg @a: 0 unsigned [long]\n" },
	{ "BEGIN { @a[curthread->comm] = count(); }", "[string<17>]" },
	{ "BEGIN { @[stack(), ustack(3)] = count(); }", "agg @: 0 unsigned [stack, stack]\n" },
	{ "BEGIN { @[sym(arg0)] = count(); }", "[symbolic address]" },
	/* aggregating functions */
	{ "BEGIN { @ = sum(pid); }", "(sum:void (conv:long pid:pid_t))" },
	{ "BEGIN { @ = max(timestamp); }", "agg @: 4 unsigned []" },
	{ "BEGIN { @ = max(pid); }", "agg @: 4 signed []" },
	{ "BEGIN { @ = avg(timestamp); }", "agg @: 2 signed []" },
	{ "BEGIN { @ = quantize(pid, 3); }", "(quantize:void (conv:long pid:pid_t) 3:long)" },
	{ "BEGIN { @ = lquantize(pid, -5, 100, 10, pid); }", "agg @: 7 signed [] -5 100 10 0\n" },
	{ "BEGIN { @ = lquantize(pid, 0, 10); }", "agg @: 7 signed [] 0 10 1 0\n" },
	{ "BEGIN { @ = llquantize(pid, 10, 0, 6, 20); }", "agg @: 8 signed [] 10 0 6 20\n" },
	{ "BEGIN { @ = stddev(pid); @b = min(1u); }", "agg @b: 3 unsigned []" },
	/* a function of all clauses: printa may come first */
	{ "BEGIN { printa(@a); } END { @a = count(); }", "agg @a" },
	{ "BEGIN { @a[1] = count(); @b[2] = sum(1); printa(\"%d %@d %@d %%\\n\", @a, @b); }", "printa" },
	{ "BEGIN { @a = count(); clear(@a); trunc(@a); trunc(@a, 5); normalize(@a, 2); "
	  "denormalize(@a); }",
	  "(trunc:void (@a:aggregation) 5:long)" },
	/* formats */
	{ "BEGIN { printf(\"%d %s %*.*d\\n\", pid, execname, 1, 2, 3); }", "1:int 2:int 3:int)" },
	{ "BEGIN { printf(\"%s\", curthread->comm); }", "(tostr:string<17> (->comm" },
	{ "BEGIN { printf(\"%p %x\", curthread, curthread->wide); }", "curthread:struct task_struct *" },
	{ "BEGIN { printf(\"%p\", curthread->comm); }", "(conv:char * (->comm" },
	{ "#pragma D option destructive\nBEGIN { copyout(0, 0, 0); copyout(\"abc\", arg0, 3); }", "copyout" },
	{ "BEGIN { printf(\"%k%a%A\", stack(), sym(arg0), usym(arg1)); }", "(stack:stack<20,0>)" },
	{ "BEGIN { printf(\"%hhd %hd %ld %lld\", (char)1, (short)1, 1L, timestamp); }", "1:short" },
	{ "BEGIN { printf(\"%Y %c %C %S %u %o %X\", timestamp, 'a', 'b', \"c\", 1, 2, 3); }", "Y" },
	{ "sdt:::sched_switch { printf(\"%f\", args[2]); }", "([]:double args 2)" },
	{ "#pragma D option destructive\nBEGIN { freopen(\"\"); system(\"ls %s\", execname); }", "(freopen:void" },
	/* structs of D */
	{ "struct s { char a; int b:3; unsigned c:30; short d; long e; }; struct s x; "
	  "BEGIN { trace(sizeof(x)); x.c = 1; x.e = 2; }",
	  "(=:unsigned int (.c@4.0/30:unsigned int x:struct s) 1:unsigned int)" },
	{ "union u { char a[3]; short b; }; BEGIN { trace(sizeof(union u)); }", "4:size_t" },
	{ "struct s { int a; struct { int b; union { int c; char d; }; }; }; struct s x; "
	  "BEGIN { x.d = 1; }",
	  "(.d@8:char x:struct s)" },
	{ "typedef struct s s_t; struct s { s_t *next; int v; }; s_t *p; "
	  "BEGIN { p = alloca(sizeof(s_t)); p->next->v = 1; }",
	  "(->v@8:int (->next@0:s_t * p:s_t *))" },
	{ "struct s { struct list_head h; int x; }; BEGIN { trace(offsetof(struct s, x)); }", "16:size_t" },
	{ "enum e { A = 5, B, C = B + 3 }; enum e x; BEGIN { x = C; }", "9:enum e)" },
	{ "typedef int (*fn_t)(int, char *); BEGIN { trace((fn_t)arg0); }", "(cast:fn_t arg0" },
	{ "int *p[3]; BEGIN { trace(p[1]); }", "var p: int *[3]" },
	{ "inline string N = \"x\"; BEGIN { trace(N); }", "\"x\":string<2>)" },
	{ "inline uint64_t N = 1; inline int M = N + pid; BEGIN { trace(M); }",
	  "(conv:int (+:unsigned long 1:uint64_t pid:pid_t)))" },
	/* effects */
	{ "BEGIN { exit(timestamp); }", "(exit:void (conv:int timestamp:uint64_t))" },
	{ "BEGIN { tracemem(curthread->comm, 16, pid); }", "(tracemem:void (conv:char *" },
	{ "BEGIN { this->p = (char *)alloca(8); bcopy(curthread, this->p, 8); this->p[1] = 'a'; "
	  "*this->p = 3; }",
	  "(=:char (DEREF:char this->p:char *) 3:char)" },
	{ "BEGIN; END {} ERROR { trace(arg4); }", "clause 3 :::ERROR: 1 probe error\n" },
	{ "BEGIN;", "clause 1 :::BEGIN: 1 probe default\n" },
};

static bool accepted(const char *text, const char *want)
{
	struct langfix f;
	char *says;
	bool ok;

	if (langfix_run(&f, text) < 0) {
		says = langfix_messages(&f);
		print_error("refused: %s\n%s", text, says);
		free(says);
		langfix_close(&f);
		return false;
	}
	ok = strstr(f.dump, want) != NULL;
	if (!ok)
		print_error("%s: not \"%s\" but\n%s", text, want, f.dump);
	langfix_close(&f);
	return ok;
}

static void expressions_are_typed(void **state)
{
	unsigned bad = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(exprs); i++) {
		struct strb b = { 0 };

		strb_printf(&b, "BEGIN { trace(%s); }", exprs[i].text);
		bad += !accepted(strb_str(&b), exprs[i].want);
		strb_free(&b);
	}
	assert_int_equal(bad, 0);
}

static void programs_are_typed(void **state)
{
	unsigned bad = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(programs); i++)
		bad += !accepted(programs[i].text, programs[i].want);
	assert_int_equal(bad, 0);
}

static void facts_about_the_program(void **state)
{
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f, "BEGIN { self->x = 1; exit(0); } ERROR { trace(1); }"), 0);
	assert_true(f.prog->has_exit);
	assert_true(f.prog->has_error_clause);
	assert_true(f.prog->uses_tls);
	assert_null(f.prog->destructive.src);
	assert_int_equal(f.prog->ninstances, 2);
	assert_int_equal(f.prog->instances->next->epid, 2);
	langfix_close(&f);
}

static void zdefs_drops_what_matches_nothing(void **state)
{
	struct langfix f;

	(void)state;
	langfix_open(&f, true);
	f.env.zdefs = true;
	assert_int_equal(langfix_compile(&f, "fbt::x:entry { self->t = 1; } BEGIN { trace(self->t); }"), 0);
	assert_int_equal(f.prog->ninstances, 1);
	assert_int_equal(f.prog->instances->epid, 1);
	langfix_close(&f);
	/* what is in it is checked all the same */
	langfix_open(&f, true);
	f.env.zdefs = true;
	assert_int_equal(langfix_compile(&f, "fbt::x:entry { trace(nosuch); }"), -EINVAL);
	langfix_close(&f);
}

static void zdepends_leaves_a_program_out(void **state)
{
	static const char text[] =
		"#pragma D depends_on probe sdt:::nosuch \"Linux 9.9\"\n"
		"tracker t (int) { threshold = 1s; } sdt:::nosuch { begin(t, args[0]); } BEGIN { x = 1; }";
	struct langfix f;
	char *said;

	(void)state;
	langfix_open(&f, true);
	f.opts.zdepends = true;
	assert_int_equal(langfix_compile(&f, text), 0);
	assert_int_equal(f.prog->ninstances, 0);
	assert_non_null(f.prog->trackers);
	said = langfix_messages(&f);
	assert_non_null(strstr(said, "left out: program requires Linux 9.9: this kernel has no probe sdt:::nosuch"));
	free(said);
	langfix_close(&f);
}

static void zdepends_leaves_a_clause_out(void **state)
{
	struct langfix f;
	char *said;

	(void)state;
	langfix_open(&f, true);
	f.opts.zdepends = true;
	assert_int_equal(langfix_compile(&f, "fbt::x:entry { x = 1; } BEGIN { y = 1; }"), 0);
	assert_int_equal(f.prog->ninstances, 1);
	said = langfix_messages(&f);
	assert_non_null(strstr(said, "left out: fbt::x:entry does not match any probes"));
	free(said);
	langfix_close(&f);
	/* what the program itself allows is not said */
	langfix_open(&f, true);
	f.opts.zdepends = true;
	assert_int_equal(langfix_compile(&f, "#pragma D option zdefs\nfbt::x:entry { x = 1; } BEGIN { y = 1; }"), 0);
	said = langfix_messages(&f);
	assert_null(strstr(said, "left out"));
	free(said);
	langfix_close(&f);
}

static void target_allows_user_symbols(void **state)
{
	struct langfix f;

	(void)state;
	langfix_open(&f, true);
	f.macros.target = 1;
	assert_int_equal(langfix_compile(&f, "BEGIN { printf(\"%A\", arg0); }"), 0);
	langfix_close(&f);
}

static void types_exist_without_btf(void **state)
{
	struct langfix f;

	(void)state;
	langfix_open(&f, false);
	assert_int_equal(langfix_compile(&f, "struct s { u32 a; dev_t b; caddr_t c; }; "
					     "BEGIN { trace(curthread); trace(sizeof(struct s)); }"),
			 0);
	assert_non_null(strstr(f.dump, "16:size_t"));
	langfix_close(&f);
}

/* Doubling inlines and tall ones inside of each other end with a message, not in a deep recursion.
 */
static void inlines_are_limited(void **state)
{
	struct strb b = { 0 };
	struct langfix f;
	unsigned i, k;

	(void)state;
	strb_adds(&b, "inline int a0 = pid;\n");
	for (i = 1; i < 31; i++)
		strb_printf(&b, "inline int a%u = a%u + a%u;\n", i, i - 1, i - 1);
	strb_adds(&b, "BEGIN { trace(a30); }");
	assert_int_equal(langfix_run(&f, strb_str(&b)), -EINVAL);
	assert_string_equal(f.diags.first->tag, "D_LIMIT");
	langfix_close(&f);
	strb_reset(&b);
	strb_adds(&b, "inline int a0 = pid;\n");
	for (i = 1; i < 10; i++) {
		strb_printf(&b, "inline int a%u = a%u", i, i - 1);
		for (k = 0; k < 1000; k++)
			strb_adds(&b, "+1");
		strb_adds(&b, ";\n");
	}
	assert_int_equal(langfix_run(&f, strb_str(&b)), -EINVAL);
	assert_string_equal(f.diags.first->tag, "D_LIMIT");
	langfix_close(&f);
	strb_free(&b);
}

/* Units are one program: a library in front of the program. */
static void units_share_names(void **state)
{
	struct source s1 = { .name = "lib.d", .text = "inline int N = 3; struct s { int a; };" };
	struct source s2 = { .name = "t.d", .text = "BEGIN { trace(N); trace(sizeof(struct s)); }" };
	struct unit *u[2];
	struct langfix f;

	(void)state;
	langfix_open(&f, true);
	s1.len = strlen(s1.text);
	s2.len = strlen(s2.text);
	assert_int_equal(lang_parse(f.arena, &s1, &f.env, &f.diags, &u[0]), 0);
	assert_int_equal(lang_parse(f.arena, &s2, &f.env, &f.diags, &u[1]), 0);
	assert_int_equal(lang_check(f.arena, u, 2, &f.env, &f.diags, &f.prog), 0);
	langfix_close(&f);
}

/* Many clauses, a tall expression: accepted, in time and without deep recursion. */
static void large_programs_are_checked(void **state)
{
	struct strb b = { 0 };
	struct langfix f;
	unsigned i;

	(void)state;
	for (i = 0; i < 10000; i++)
		strb_printf(&b, "BEGIN /x%u == 0/ { x%u++; @a[%u] = count(); }\n", i % 100, i % 100, i);
	assert_int_equal(langfix_run(&f, strb_str(&b)), 0);
	assert_int_equal(f.prog->ninstances, 10000);
	langfix_close(&f);
	strb_reset(&b);
	strb_adds(&b, "BEGIN { trace(pid");
	for (i = 0; i < DPROG_MAX_HEIGHT - 10; i++)
		strb_adds(&b, "+1");
	strb_adds(&b, "); }");
	assert_int_equal(langfix_run(&f, strb_str(&b)), 0);
	langfix_close(&f);
	strb_free(&b);
}

static int compile_keys(unsigned n)
{
	struct strb b = { 0 };
	struct langfix f;
	unsigned i;
	int r;

	strb_adds(&b, "BEGIN { @a[1");
	for (i = 1; i < n; i++)
		strb_adds(&b, ",1");
	strb_adds(&b, "] = count(); }");
	r = langfix_run(&f, strb_str(&b));
	langfix_close(&f);
	strb_free(&b);
	return r;
}

static void keys_are_limited(void **state)
{
	(void)state;
	assert_int_equal(compile_keys(64), 0);
	assert_int_equal(compile_keys(65), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_are_typed),	 cmocka_unit_test(programs_are_typed),
		cmocka_unit_test(facts_about_the_program),	 cmocka_unit_test(zdefs_drops_what_matches_nothing),
		cmocka_unit_test(zdepends_leaves_a_program_out), cmocka_unit_test(zdepends_leaves_a_clause_out),
		cmocka_unit_test(target_allows_user_symbols),	 cmocka_unit_test(types_exist_without_btf),
		cmocka_unit_test(inlines_are_limited),		 cmocka_unit_test(units_share_names),
		cmocka_unit_test(large_programs_are_checked),	 cmocka_unit_test(keys_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
