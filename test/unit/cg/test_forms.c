/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of expression, string, variable and built-in is lowered to a consistent image, with typed
 * pointers and without, and asks the kernel what it has to: the image names the helpers and pieces. */
#include "unit.h"
#include "lowerfix.h"

#define HAS_MAX 3

struct form {
	const char *text;
	const char *has[HAS_MAX]; /* in the printed image */
};

static const struct form builtins[] = {
	{ "tick-1s { trace(uid); trace(gid); }", { "get_current_uid_gid" } },
	{ "tick-1s { trace(walltimestamp); }", { "ktime_get_ns", "map[d_state]" } },
	{ "tick-1s { trace(cpu); }", { "get_smp_processor_id" } },
	{ "tick-1s { trace(curthread); }", { "get_current_task" } },
	{ "tick-1s { trace(cgroup); }", { "get_current_cgroup_id" } },
	{ "tick-1s { trace(epid); trace(id); }", { "record 1" } },
	{ "tick-1s { trace(stackdepth); trace(ustackdepth); }", { "get_stack" } },
	{ "tick-1s { trace(caller); trace(ucaller); }", { "get_stack" } },
	{ "syscall::read:return { trace(errno); }", { "sys_exit" } },
	{ "tick-1s { trace(errno); }", { "record 1" } },
	{ "tick-1s { trace(ppid); trace(progenyof(3)); }", { "get_current_task" } },
	{ "tick-1s { trace(rand()); }", { "get_prandom_u32" } },
	{ "syscall::read:entry { trace(probeprov); trace(probemod); trace(probefunc); trace(probename); }",
	  { "record 1" } },
	{ "syscall:::entry { trace(probefunc); trace(id); }", { "sys_enter" } },
	{ "tick-1s { stack(3); ustack(4, 64); stack(); }", { "get_stack" } },
	{ "tick-1s { sym(arg0); func(arg0); mod(arg0); }", { "sym" } },
	{ "tick-1s { usym(arg1); ufunc(arg1); umod(arg1); uaddr(arg1); }", { "usym", "get_current_pid_tgid" } },
	{ "tick-1s { @[usym(arg1), ustack(2), stack(2)] = count(); }", { "get_stack" } },
	{ "#pragma D option noself\nsyscall:::entry { trace(pid); }", { "get_current_pid_tgid" } },
};

static const struct form pointers[] = {
	{ "tick-1s { trace(curthread->pid); }", { "get_current_task" } },
	{ "tick-1s { trace(curthread->parent->parent->pid); }", { "get_current_task" } },
	{ "tick-1s { trace(curthread->mm->owner->pid); }", { "get_current_task" } },
	{ "tick-1s { trace(stringof(curthread->comm)); }", { "probe_read_kernel_str" } },
	{ "tick-1s { trace(curthread->comm[3]); trace(curthread->comm); }", { "probe_read_kernel" } },
	{ "tick-1s { trace(stringof(curthread->name)); }", { "probe_read_kernel_str" } },
	{ "tick-1s { trace(curthread->sched_reset); trace(curthread->wide); }", { "record 1" } },
	{ "tick-1s { trace(curthread->state == TASK_DEAD); trace(curthread->uid); }", { "record 1" } },
	{ "tick-1s { trace(curthread->key); trace(curthread->low); }", { "record 1" } },
	{ "tick-1s { trace(&curthread->pid); trace(&curthread->children); }", { "record 1" } },
	{ "tick-1s { trace(*curthread->ubuf); trace(copyinstr((uintptr_t)curthread->ubuf)); }",
	  { "probe_read_user_str" } },
	{ "tick-1s { trace(curthread->children.next->prev->next); }", { "get_current_task" } },
	{ "tick-1s { trace(curthread + 1); trace(1 + curthread); trace(curthread - 1); }", { "128" } },
	{ "tick-1s { trace(curthread->parent - curthread); trace(curthread == curthread->parent); }", { "record 1" } },
	{ "tick-1s { trace(*(int *)arg0); trace(((int *)arg0)[2]); }", { "probe_read_kernel" } },
	{ "tick-1s { trace(*(long *)(arg0 + 8)); trace(*(char *)arg1); trace(*(short *)arg1); }",
	  { "probe_read_kernel" } },
	{ "tick-1s { trace(`jiffies); trace(`init_task.pid); trace(&`init_task); }", { "probe_read_kernel" } },
	{ "tick-1s { tracemem(curthread, 32); tracemem(curthread, 64, pid); }", { "probe_read_kernel" } },
	{ "sdt:::sched_switch { trace(args[1]->pid); trace(args[0]); trace(args[1]->parent->comm); }",
	  { "sched_switch" } },
	{ "syscall::read:entry { trace(args[0]); trace(args[2]); trace(stringof(args[1])); }",
	  { "probe_read_user_str" } },
	{ "syscall::read:entry { trace(stringof(copyin(arg1, 8))); }", { "probe_read_user" } },
	{ "syscall::read:entry { trace(copyinstr(arg1)); trace(copyinstr(arg1, 8)); }", { "probe_read_user_str" } },
	{ "syscall::read:entry { this->p = (char *)alloca(16); copyinto(arg1, 16, this->p); trace(this->p[2]);"
	  " this->p[1] = 'x'; bcopy(curthread, this->p, 8); }",
	  { "probe_read_user", "probe_read_kernel" } },
	{ "syscall::write:entry { trace(*(int *)copyin(arg1, 4)); trace(((char *)copyin(arg1, 4))[1]); }",
	  { "probe_read_user" } },
};

static const struct form operators[] = {
	{ "int a, b; tick-1s { a = b * 3; a = b & 7; a = b | 8; a = b ^ 9; a = b << 2; a = b >> 1; }",
	  { "*=", "<<=" } },
	{ "int a, b; tick-1s { a = b / 3; a = b % 5; a = b / a; a = b % a; a = -b; a = ~b; a = !b; a = +b; }",
	  { "/=" } },
	{ "unsigned int a, b; tick-1s { a = b / 3; a = b % 5; a = b / a; a = b >> a; a = b << a; }", { "/=" } },
	{ "long a, b; tick-1s { a += b; a -= b; a *= b; a /= b; a %= b; a <<= b; a >>= b; a &= b; a |= b; a ^= b; }",
	  { "map[" } },
	{ "char a; tick-1s { a++; ++a; a--; --a; trace(a++ + ++a); trace(a-- - --a); }", { "map[" } },
	{ "int a, b; tick-1s /a < b && b <= 3 || a > b && !(b >= a) || a == b ^^ b != 2/ { trace(a && b); trace(a || b);"
	  " trace(a ^^ b); }",
	  { "goto" } },
	{ "int a, b; tick-1s { trace(a ? b : 3); trace(a > 0 ? b ? 1 : 2 : 3); trace((a, b)); }", { "goto" } },
	{ "int a; tick-1s /5 < a/ { trace(3 == a); trace(7 >= a); } tick-1s /(a == 3) == 0/ { trace(a); }",
	  { "goto" } },
	{ "int a; tick-1s { trace((char)a); trace((unsigned char)a); trace((short)a); trace((long)a); trace((int64_t)a);"
	  " trace((uint16_t)a); }",
	  { "<<=" } },
	{ "uint64_t a; int b; tick-1s /a > b/ { trace(a < 0x8000000000000000); trace(a / 0x8000000000000001); }",
	  { "goto" } },
	{ "int a[5]; tick-1s { a[1] = 2; a[arg0 & 3] = 4; trace(a[arg0 & 3]); trace(a[2]++); }", { "map[" } },
	{ "tick-1s { this->x = 1; this->y = this->x + arg0; trace(this->y); }", { "record 1" } },
	{ "self int x; tick-1s { self->x += 2; self->x++; trace(self->x); self->x = 0; }", { "task_storage_get" } },
	{ "self string s; tick-1s { self->s = execname; trace(self->s); self->s = 0; }", { "task_storage_get" } },
	{ "struct p { int a; char b[8]; int c : 3; }; struct p g; self struct p t; tick-1s { g.a = 1; g.b[2] = 'c';"
	  " t2 = g.a; g.c = 2; trace(g.c); self->t.a = 3; trace(self->t.a); }",
	  { "map[" } },
	{ "int m[int, string]; tick-1s { m[1, execname] += 2; m[2, \"x\"]++; m[3, \"y\"] = 0; trace(m[1, \"z\"]); }",
	  { "map_delete_elem", "map_update_elem", "map_lookup_elem" } },
	{ "string m[int]; tick-1s { m[pid] = execname; trace(m[tid]); m[pid] = 0; }", { "map_update_elem" } },
	{ "self int m[int]; tick-1s { self->m[3] = 4; trace(self->m[pid]); }", { "map_update_elem" } },
	{ "tick-1s { @[stack(), 1] = sum(arg0); @a = avg(arg0); @b = min(arg0); @c = max(arg0);"
	  " @d = stddev(arg0); @e = lquantize(arg0, 0, 10, 2); @f = llquantize(arg0, 10, 0, 3, 10); }",
	  { "map[" } },
};

static const struct form strings[] = {
	{ "string s; tick-1s { s = \"a text that is longer than a few words of eight bytes each, so that it is copied\";"
	  " trace(s); }",
	  { "map[" } },
	{ "string s; tick-1s /s == execname || s != \"abc\" || s < execname || s >= \"q\" || \"a\" == \"a\"/ { s = \"b\"; }",
	  { "rt_STRCMP" } },
	{ "string s; tick-1s { s = arg0 ? execname : \"no\"; trace(arg0 ? \"yes\" : s); }", { "goto" } },
	{ "string s; tick-1s { trace(s = execname); trace((s, \"c\")); trace((string)execname); }", { "record 1" } },
	{ "tick-1s { trace(stringof(arg0)); trace((string)arg0); }", { "probe_read_kernel_str" } },
	{ "tick-1s { trace(strlen(execname)); trace(strlen(\"abc\")); }", { "rt_STRLEN" } },
	{ "tick-1s { trace(strjoin(execname, \"x\")); trace(strjoin(strjoin(\"a\", execname), execname)); }",
	  { "str" } },
	{ "tick-1s { trace(strchr(execname, 'a')); trace(strrchr(execname, 'b')); trace(strstr(execname, \"c\")); }",
	  { "rt_STRCHR", "rt_STRRCHR", "rt_STRSTR" } },
	{ "tick-1s /strstr(execname, \"sh\") != 0/ { trace(strchr(execname, 'a') == NULL); }", { "rt_STRSTR" } },
	{ "tick-1s { trace(index(execname, \"a\")); trace(index(execname, \"a\", 2)); trace(rindex(execname, \"a\"));"
	  " trace(rindex(execname, \"a\", 3)); }",
	  { "rt_INDEX", "rt_RINDEX" } },
	{ "tick-1s { trace(substr(execname, 1)); trace(substr(execname, 1, 2)); trace(substr(execname, -2)); }",
	  { "rt_SUBSTR" } },
	{ "tick-1s { trace(strtok(\"a b\", \" \")); trace(strtok(NULL, \" \")); }", { "rt_STRTOK" } },
	{ "tick-1s { trace(basename(execname)); trace(dirname(execname)); trace(cleanpath(execname)); }",
	  { "rt_BASENAME", "rt_DIRNAME", "rt_CLEANPATH" } },
	{ "tick-1s { trace(tolower(execname)); trace(toupper(execname)); }", { "rt_TOLOWER", "rt_TOUPPER" } },
	{ "tick-1s { trace(lltostr(arg0)); trace(lltostr(arg0, 16)); trace(strtoll(execname)); trace(strtoll(execname, 8)); }",
	  { "rt_LLTOSTR", "rt_STRTOLL" } },
	{ "tick-1s { trace(htonl(arg0)); trace(htons(arg0)); trace(htonll(arg0)); trace(ntohl(arg0)); trace(ntohs(arg0));"
	  " trace(ntohll(arg0)); trace(getmajor(arg0)); trace(getminor(arg0)); }",
	  { "record 1" } },
	{ "tick-1s { trace(inet_ntoa((uint32_t *)alloca(4))); trace(inet_ntop(2, (void *)alloca(4)));"
	  " trace(inet_ntop(10, (void *)alloca(16))); }",
	  { "rt_INET_NTOA" } },
	{ "tick-1s { @[execname, strjoin(\"a\", execname), 1, (char)2] = count(); }", { "map[" } },
	{ "tick-1s { printf(\"%s %d %c %x %a %p %5.3s|%-8s\", execname, 1, 'c', 3, arg0, arg1, \"abc\", probename); }",
	  { "record 1" } },
};

#define W "#pragma D option destructive\n"
static const struct form actions[] = {
	{ W "syscall::read:entry { raise(9); stop(); }", { "send_signal" } },
	{ W "syscall::read:entry { copyout(curthread, arg1, 16); }", { "probe_write_user", "probe_read_kernel" } },
	{ W "syscall::read:entry { copyout(curthread, arg1, arg2); copyout(curthread, arg1, 0); }",
	  { "probe_write_user" } },
	{ W "syscall::read:entry { copyoutstr(\"text\", arg1, 5); copyoutstr(execname, arg1, arg2); }",
	  { "probe_write_user", "rt_STRLEN" } },
	{ W "tick-1s { chill(1000); chill(arg0); }", { "chill_loop", "map[d_chill]" } },
	{ "tick-1s { s = speculation(); } tick-1s { speculate(s); trace(1); } tick-1s { commit(s); commit(2); }"
	  " tick-1s { discard(s); trace(2); }",
	  { "map_pop_elem", "spec_find", "spec_end" } },
	{ "tick-1s { print(curthread); print(*curthread); print(curthread->comm); print(execname); print(pid); }",
	  { "print", "probe_read_kernel" } },
};

static void check_form(const struct form *v, bool typed)
{
	struct lowerfix f = { .typed = typed };
	char *dump;

	lowerfix_run(&f, v->text);
	if (!f.img)
		fail_msg("%s: %s", v->text, f.messages);
	dump = lowerfix_dump(&f);
	for (size_t k = 0; k < HAS_MAX && v->has[k]; k++)
		if (!strstr(dump, v->has[k]))
			fail_msg("%s: no %s in\n%s", v->text, v->has[k], dump);
	free(dump);
	lowerfix_close(&f);
}

#define FORMS(name) \
	static void name##_lowered(void **state) \
	{ \
		(void)state; \
		for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) { \
			check_form(&name[i], false); \
			check_form(&name[i], true); \
		} \
	}
FORMS(builtins)
FORMS(pointers)
FORMS(operators)
FORMS(strings)
FORMS(actions)

static void refused_under_lockdown(void **state)
{
	static const char *const rows[][2] = {
		{ W "tick-1s { copyout(curthread, arg0, 4); }", "copyout( ): the kernel lets no BPF program write" },
		{ W "tick-1s { copyoutstr(\"x\", arg0, 4); }", "locked down (kernel lockdown, mode integrity" },
		{ "#pragma D option ustackunwind=eh\ntick-1s { ustack(); }", "ustackunwind=eh needs bpf_loop" },
		{ W "tick-1s { chill(5); }", "chill( ) needs bpf_loop, which this kernel does not have" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lowerfix f = { .locked = true };

		lowerfix_run(&f, rows[i][0]);
		assert_null(f.img);
		assert_non_null(strstr(f.messages, rows[i][1]));
		lowerfix_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builtins_lowered),  cmocka_unit_test(pointers_lowered),
		cmocka_unit_test(operators_lowered), cmocka_unit_test(strings_lowered),
		cmocka_unit_test(actions_lowered),   cmocka_unit_test(refused_under_lockdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
