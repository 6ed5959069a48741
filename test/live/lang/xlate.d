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
	exit(0);
}
