/* SPDX-License-Identifier: Apache-2.0 */
/* Inline arrays and translators: arguments are evaluated once, members may be translated themselves.
 * @options: -q */
inline int three = 3;
inline int sq[int i] = i * i;
inline string two[string a, int b] = strjoin(a, b ? "yes" : "no");
struct out { int pid; int twice; string name; char comm[16]; struct task_struct *par; struct list_head l; };
typedef struct out out_t;
typedef struct info { int n; out_t *o; } info_t;
translator out_t < struct task_struct *t > {
	pid = t->pid;
	twice = t->pid + t->pid;
	name = t->comm;
	comm = t->comm;
	par = t->real_parent;
	l = t->tasks;
};
translator info_t < int v > { n = v + v; o = xlate <out_t *> (curthread); };
inline out_t *me = xlate <out_t *> (curthread);
BEGIN
{
	trace(sq[three] + sq[sq[2]]);
	x = 5;
	trace(sq[x++]); trace(x);
	trace(two["a", x]);
	trace(me->pid == pid);
	trace(me->name == execname);
	printf(" %s", me->comm == execname ? "comm" : me->comm);
	trace(stringof(me->comm) == execname);
	trace(me->par->pid == ppid);
	trace(xlate <out_t> (curthread).twice == 2 * pid);
	trace(xlate <info_t *> (x++)->n);
	trace(xlate <info_t> (x++).o->name == execname);
	trace(xlate <out_t *> (x ? curthread->real_parent : curthread)->name == curthread->real_parent->comm);
	trace(stringof(xlate <out_t *> (x ? curthread->real_parent : curthread)->comm) != "");
	trace(xlate <out_t *> (x ? curthread->real_parent : curthread)->l.next != 0);
	trace(me->l.next != 0);
}

struct deep { int q; };
struct whole { int a; char c[8]; string s; struct deep d; int rest; };
struct from { int a; char c[8]; struct { int x; int y; } p; string s; };
translator struct deep < int i > { q = i + 1; };
translator struct whole < struct from f > { a = f.a; c = f.c; s = f.s; d = xlate <struct deep> (f.p.y); };
struct from from;
struct whole whole;
struct whole all[int];
self struct whole own;

BEGIN
{
	from.a = 3;
	from.c[0] = 'h';
	from.s = "str";
	from.p.y = 41;
	whole.rest = 9;
	whole = xlate <struct whole> (from);
	printf("\n%d %s %s %d %d", whole.a, stringof(whole.c), whole.s, whole.d.q, whole.rest);
	all[2] = xlate <struct whole> (from);
	self->own = xlate <struct whole> (from);
	new = xlate <struct whole> (from);
	printf("\n%d %s %s", all[2].d.q, stringof(self->own.c), new.s);
	p = xlate <psinfo_t> (curthread);
	printf("\n%d", p.pr_pid == pid && p.pr_fname == execname && p.pr_lwp.pr_lwpid == tid);
	exit(0);
}
