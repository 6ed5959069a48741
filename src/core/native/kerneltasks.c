/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the kernel's lists of tasks, and what a task has: files, sockets, memory areas, cgroups; ::ps and ::threads.
 * Lists change while they are read: a walk that leads astray ends with an error, and never hangs. Source:
 * include/linux/sched.h, fdtable.h, maple_tree.h of Linux 5.10 to 6.18. */
#include "core/native/kerneltasks.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/native/ctype.h"
#include "core/target/kernel.h"

#define MAX_TASKS 1000000u /* of a list; more: it has changed under the walk */
#define MAX_PARENTS 1000u
#define MAX_FILES 1048576u /* of a process */
#define MAX_DEPTH 32u	   /* of a maple tree, of cgroups */
#define MAX_CGROUPS 1000000u

int kernel_wanted(struct shell *s, const char *what)
{
	return s->core->kernel ? 0 : err_set(&s->err, -EINVAL, "%s is of the kernel: dwell core -k looks at it", what);
}

int kernel_status(struct shell *s)
{
	const struct core *c = s->core;

	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_bool(&w, "live", true);
		jsonw_str(&w, "kernel", c->cmdline);
		jsonw_u64(&w, "names", c->kernel->names.n);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "kernel:   %s\nstate:    running: memory may change while it is read\nnames:    %zu%s\n",
		    c->cmdline, c->kernel->names.n, c->kernel->names.n ? "" : " (it hides them: kernel.kptr_restrict)");
	return 0;
}

int kernel_whatis(struct shell *s, uint64_t addr)
{
	struct core_symbol y;
	uint8_t byte;
	const bool named = core_name(s->core, addr, &y), readable = core_read(s->core, addr, &byte, 1) == 0;

	if (!named && !readable)
		return err_set(&s->err, -EFAULT, "nothing is mapped at %" PRIx64, addr);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		shell_json_place(s, &w, addr);
		jsonw_bool(&w, "readable", readable);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%" PRIx64 " is ", addr);
	if (named)
		shell_place(s, addr);
	else
		shell_print(s, "in memory without a name");
	shell_print(s, readable ? "\n" : ", which cannot be read\n");
	return shell_emit(s, addr);
}

/* -- members -- */

static int find_type(struct shell *s, const char *type, struct ctype *ret)
{
	char name[64];
	char *words[] = { name };
	int used;

	snprintf(name, sizeof(name), "%s", type);
	return ctype_parse(s, 1, words, &used, ret);
}

static int place(struct shell *s, const char *type, uint64_t addr, const char *path, struct cplace *ret)
{
	int r;

	*ret = (struct cplace){ .addr = addr };
	r = find_type(s, type, &ret->type);
	return r < 0 ? r : cplace_follow(s, ret, path, CPLACE_READ);
}

int kernel_number(struct shell *s, const char *type, uint64_t addr, const char *path, uint64_t *ret)
{
	struct cplace p;
	int r = place(s, type, addr, path, &p);

	return r < 0 ? r : cplace_value(s, &p, ret);
}

/* The same of members that kernels name in two ways. */
static int number_of(struct shell *s, const char *type, uint64_t addr, const char *path, const char *older,
		     uint64_t *ret)
{
	int r = kernel_number(s, type, addr, path, ret);

	if (r != -ENOENT)
		return r;
	err_done(&s->err);
	return kernel_number(s, type, addr, older, ret);
}

uint64_t kernel_offset(struct shell *s, const char *type, const char *path, int *error)
{
	struct cplace p = { 0 };
	int r = find_type(s, type, &p.type);

	if (r == 0)
		r = cplace_follow(s, &p, path, CPLACE_REFUSE);
	*error = *error ? *error : r;
	return p.addr;
}

/* -- lists -- */

typedef int visit_fn(struct shell *s, uint64_t addr, void *arg);

/* All that a list_head leads to but the head itself. member: where the list_head is in each. */
static int each_in_list(struct shell *s, uint64_t head, const char *type, const char *member, visit_fn *fn, void *arg)
{
	int r = 0;
	const uint64_t off = kernel_offset(s, type, member, &r);
	uint64_t at = head;

	for (unsigned n = 0; r == 0; n++) {
		r = kernel_number(s, "list_head", at, "next", &at);
		if (r < 0 || at == head || !at)
			break;
		if (n == MAX_TASKS)
			return err_set(&s->err, -EAGAIN, "the list changed while it was read: try again");
		r = fn(s, at - off, arg);
	}
	return r;
}

/* The idle task of CPU 0, which is the first of all: the ancestor of this thread. */
static int first_task(struct shell *s, uint64_t *ret)
{
	uint64_t at = s->core->kernel->by.current, pid = 1;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < MAX_PARENTS; i++) {
		r = kernel_number(s, "task_struct", at, "tgid", &pid);
		if (r == 0 && !pid) {
			*ret = at;
			return 0;
		}
		if (r == 0)
			r = kernel_number(s, "task_struct", at, "real_parent", &at);
	}
	return r < 0 ? r : err_set(&s->err, -EAGAIN, "no parent of this process is the first task");
}

static int each_process(struct shell *s, visit_fn *fn, void *arg)
{
	uint64_t first = 0;
	int error = 0, r = first_task(s, &first);
	const uint64_t off = r == 0 ? kernel_offset(s, "task_struct", "tasks", &error) : 0;

	r = r ? r : error;
	return r < 0 ? r : each_in_list(s, first + off, "task_struct", "tasks", fn, arg);
}

static int each_thread(struct shell *s, uint64_t process, visit_fn *fn, void *arg)
{
	uint64_t signal;
	int error = 0, r = kernel_number(s, "task_struct", process, "signal", &signal);
	const uint64_t off = r == 0 ? kernel_offset(s, "signal_struct", "thread_head", &error) : 0;

	r = r ? r : error;
	return r < 0 ? r : each_in_list(s, signal + off, "task_struct", "thread_node", fn, arg);
}

/* -- ::ps, ::threads -- */

struct task {
	uint64_t pid, ppid, uid, state, exit, mm, cpu;
	char comm[CORE_COMM + 1];
};

static int read_task(struct shell *s, uint64_t addr, bool thread, struct task *t)
{
	struct cplace comm;
	int r = kernel_number(s, "task_struct", addr, thread ? "pid" : "tgid", &t->pid);

	if (r == 0)
		r = kernel_number(s, "task_struct", addr, "real_parent->tgid", &t->ppid);
	if (r == 0)
		r = kernel_number(s, "task_struct", addr, "real_cred->uid.val", &t->uid);
	if (r == 0)
		r = number_of(s, "task_struct", addr, "__state", "state", &t->state);
	if (r == 0)
		r = kernel_number(s, "task_struct", addr, "exit_state", &t->exit);
	if (r == 0)
		r = kernel_number(s, "task_struct", addr, "mm", &t->mm);
	if (r == 0)
		r = number_of(s, "task_struct", addr, "thread_info.cpu", "cpu", &t->cpu);
	if (r == 0)
		r = place(s, "task_struct", addr, "comm", &comm);
	if (r == 0 && core_read(s->core, comm.addr, t->comm, CORE_COMM) < 0)
		r = err_set(&s->err, -EFAULT, "%" PRIx64 " cannot be read", comm.addr);
	t->comm[CORE_COMM] = '\0';
	return r;
}

/* As ps(1) has it. Source: states of tasks in include/linux/sched.h. */
static char state_letter(const struct task *t)
{
	if (t->exit)
		return t->exit & 0x10 ? 'X' : 'Z';
	if ((t->state & 0x402) == 0x402)
		return 'I';
	return !t->state	 ? 'R'
	       : t->state & 0x01 ? 'S'
	       : t->state & 0x02 ? 'D'
	       : t->state & 0x04 ? 'T'
	       : t->state & 0x08 ? 't'
	       : t->state & 0x40 ? 'P'
				 : '?';
}

int kernel_task(struct shell *s, uint64_t addr, struct kernel_task *ret)
{
	struct task t;
	int r = read_task(s, addr, true, &t);

	if (r == 0)
		r = kernel_number(s, "task_struct", addr, "group_leader", &ret->process);
	ret->tid = t.pid;
	ret->state = state_letter(&t);
	memcpy(ret->comm, t.comm, sizeof(ret->comm));
	return r;
}

static int show_task(struct shell *s, uint64_t addr, void *arg)
{
	const bool *thread = arg;
	struct task t = { 0 };
	int r = s->error ? s->error : read_task(s, addr, *thread, &t);
	const char letter[] = { state_letter(&t), '\0' };

	if (r < 0)
		return r;
	if (s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "address", "%" PRIx64, addr);
		jsonw_u64(&w, *thread ? "tid" : "pid", t.pid);
		jsonw_u64(&w, "ppid", t.ppid);
		jsonw_u64(&w, "uid", t.uid);
		jsonw_str(&w, "state", letter);
		jsonw_u64(&w, "cpu", t.cpu);
		jsonw_bool(&w, "kernel", !t.mm);
		jsonw_str(&w, "comm", t.comm);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%s %7" PRIu64 " %7" PRIu64 " %7" PRIu64 " %3" PRIu64 " %16" PRIx64 " ", letter, t.pid, t.ppid,
		    t.uid, t.cpu, addr);
	shell_print(s, t.mm ? "" : "[");
	shell_plain(s, t.comm);
	shell_print(s, t.mm ? "\n" : "]\n");
	return shell_emit(s, addr);
}

static void head(struct shell *s, const char *id)
{
	if (!s->json)
		shell_print(s, "S %7s %7s %7s %3s %16s %s\n", id, "PPID", "UID", "CPU", "ADDRESS", "NAME");
}

int dcmd_ps(struct shell *s, const struct dcall *d)
{
	bool thread = false;
	int r = kernel_wanted(s, "::ps");

	if (r == 0 && d->argc)
		r = shell_refuse(s, "ps", d->argv[0]);
	if (r < 0)
		return r;
	head(s, "PID");
	return d->has_addr ? show_task(s, d->addr, &thread) : each_process(s, show_task, &thread);
}

static int show_threads(struct shell *s, uint64_t addr, void *arg)
{
	return each_thread(s, addr, show_task, arg);
}

int kernel_threads(struct shell *s, const struct dcall *d)
{
	bool thread = true;

	head(s, "TID");
	return d->has_addr ? each_thread(s, d->addr, show_task, &thread) : each_process(s, show_threads, &thread);
}

/* -- walkers -- */

static int give(struct shell *s, uint64_t addr, void *arg)
{
	(void)arg;
	return s->error ? s->error : shell_address(s, addr);
}

int kernel_list(struct shell *s, uint64_t addr, const char *holder, const char *head, const char *type,
		const char *member)
{
	int r = 0;
	const uint64_t off = kernel_offset(s, holder, head, &r);

	return r < 0 ? r : each_in_list(s, addr + off, type, member, give, NULL);
}

static int give_threads(struct shell *s, uint64_t addr, void *arg)
{
	return each_thread(s, addr, give, arg);
}

int kernel_subject(struct shell *s, const struct dcall *d, const char *what, uint64_t *ret)
{
	int r = kernel_wanted(s, what);

	*ret = d->has_addr ? d->addr : r == 0 ? s->core->kernel->by.current : 0;
	return r;
}

int walk_tasks(struct shell *s, const struct dcall *d)
{
	int r = kernel_wanted(s, "::walk task");

	(void)d;
	return r < 0 ? r : each_process(s, give, NULL);
}

int kernel_walk_threads(struct shell *s, const struct dcall *d)
{
	return d->has_addr ? each_thread(s, d->addr, give, NULL) : each_process(s, give_threads, NULL);
}

int walk_modules(struct shell *s, const struct dcall *d)
{
	uint64_t list;
	int r = kernel_wanted(s, "::walk module");

	(void)d;
	if (r == 0 && core_address(s->core, "modules", &list) < 0)
		r = err_set(&s->err, -ENOENT,
			    "the list of modules cannot be found: this kernel names no variables in /proc/kallsyms "
			    "(CONFIG_KALLSYMS_ALL)");
	return r < 0 ? r : each_in_list(s, list, "module", "list", give, NULL);
}

/* Open files of a process; sockets: those alone, as struct socket. */
static int each_file(struct shell *s, uint64_t task, bool sockets)
{
	uint64_t table, n, fds;
	int r = kernel_number(s, "task_struct", task, "files", &table);

	if (r == 0 && !table)
		return 0; /* it has ended, or is a thread of the kernel without */
	if (r == 0)
		r = kernel_number(s, "files_struct", table, "fdt->max_fds", &n);
	if (r == 0)
		r = kernel_number(s, "files_struct", table, "fdt->fd", &fds);
	for (uint64_t i = 0; r == 0 && i < n && i < MAX_FILES; i++) {
		uint64_t file, mode;

		if (core_read(s->core, fds + i * 8, &file, 8) < 0)
			return err_set(&s->err, -EFAULT, "%" PRIx64 " cannot be read", fds + i * 8);
		if (!file)
			continue;
		if (sockets) {
			r = kernel_number(s, "file", file, "f_inode->i_mode", &mode);
			if (r < 0 || !S_ISSOCK(mode))
				continue;
			r = kernel_number(s, "file", file, "private_data", &file);
		}
		if (r == 0)
			r = give(s, file, NULL);
	}
	return r;
}

int walk_files(struct shell *s, const struct dcall *d)
{
	uint64_t task;
	int r = kernel_subject(s, d, "::walk file", &task);

	return r < 0 ? r : each_file(s, task, false);
}

int walk_sockets(struct shell *s, const struct dcall *d)
{
	uint64_t task;
	int r = kernel_subject(s, d, "::walk socket", &task);

	return r < 0 ? r : each_file(s, task, true);
}

/* -- memory areas -- */

/* A node of a maple tree. Pointers to nodes have their type in bits 3 to 6. Source: include/linux/maple_tree.h,
 * lib/maple_tree.c. */
enum { MAPLE_LEAF = 1, MAPLE_RANGE = 2, MAPLE_ARANGE = 3 };
#define MAPLE_NODE(entry) ((entry) & ~(uint64_t)0xff)
#define MAPLE_TYPE(entry) ((entry) >> 3 & 15)
#define MAPLE_SLOTS 16u
#define MAPLE_ARANGE_SLOTS 10u
#define MAPLE_LOW 4096u /* smaller words are no pointers */

static int each_in_node(struct shell *s, uint64_t entry, uint64_t max, unsigned depth)
{
	const unsigned slots = MAPLE_TYPE(entry) == MAPLE_ARANGE ? MAPLE_ARANGE_SLOTS : MAPLE_SLOTS;
	uint64_t node[32]; /* parent, pivots, slots: 256 bytes */

	if (depth == MAX_DEPTH)
		return err_set(&s->err, -EAGAIN, "the tree changed while it was read: try again");
	if (core_read(s->core, MAPLE_NODE(entry), node, sizeof(node)) < 0)
		return err_set(&s->err, -EFAULT, "%" PRIx64 " cannot be read", MAPLE_NODE(entry));
	for (unsigned i = 0; i < slots; i++) {
		const uint64_t slot = node[slots + i], pivot = i + 1 < slots ? node[1 + i] : max;
		const bool last = pivot == max || (i && i + 1 < slots && !pivot);
		int r = 0;

		if (slot >= MAPLE_LOW)
			r = MAPLE_TYPE(entry) > MAPLE_LEAF ? each_in_node(s, slot, last ? max : pivot, depth + 1)
							   : give(s, slot, NULL);
		if (r < 0 || last)
			return r;
	}
	return 0;
}

static int each_in_tree(struct shell *s, uint64_t mm)
{
	uint64_t root;
	int r = kernel_number(s, "mm_struct", mm, "mm_mt.ma_root", &root);

	if (r < 0 || !root)
		return r;
	return (root & 3) == 2 && root > MAPLE_LOW ? each_in_node(s, root, UINT64_MAX, 0) : give(s, root, NULL);
}

/* Before Linux 6.1 they are a list. */
static int each_in_chain(struct shell *s, uint64_t mm)
{
	uint64_t at;
	int r = kernel_number(s, "mm_struct", mm, "mmap", &at);

	for (unsigned n = 0; r == 0 && at; n++) {
		if (n == MAX_TASKS)
			return err_set(&s->err, -EAGAIN, "the list changed while it was read: try again");
		r = give(s, at, NULL);
		if (r == 0)
			r = kernel_number(s, "vm_area_struct", at, "vm_next", &at);
	}
	return r;
}

int walk_vmas(struct shell *s, const struct dcall *d)
{
	uint64_t task, mm;
	int error = 0, r = kernel_subject(s, d, "::walk vma", &task);

	if (r == 0)
		r = kernel_number(s, "task_struct", task, "mm", &mm);
	if (r < 0 || !mm)
		return r;
	kernel_offset(s, "mm_struct", "mm_mt", &error);
	if (!error)
		return each_in_tree(s, mm);
	err_done(&s->err);
	return each_in_chain(s, mm);
}

/* -- cgroups -- */

struct cgroups {
	unsigned n, depth;
	uint64_t self; /* where the css is in a cgroup */
};

static int on_cgroup(struct shell *s, uint64_t css, void *arg)
{
	struct cgroups *g = arg;
	int error = 0, r;
	uint64_t head_at;

	if (g->n++ == MAX_CGROUPS || g->depth == MAX_DEPTH * 4)
		return err_set(&s->err, -EAGAIN, "the cgroups changed while they were read: try again");
	r = give(s, css - g->self, NULL);
	head_at = css + kernel_offset(s, "cgroup_subsys_state", "children", &error);
	if (r < 0 || error)
		return r < 0 ? r : error;
	g->depth++;
	r = each_in_list(s, head_at, "cgroup_subsys_state", "sibling", on_cgroup, g);
	g->depth--;
	return r;
}

/* All of version 2, from the root: parents before children. */
int walk_cgroups(struct shell *s, const struct dcall *d)
{
	struct cgroups g = { 0 };
	uint64_t task, css = 0, parent;
	int error = 0, r = kernel_subject(s, d, "::walk cgroup", &task);

	if (r == 0)
		r = kernel_number(s, "task_struct", task, "cgroups->dfl_cgrp", &css);
	g.self = r == 0 ? kernel_offset(s, "cgroup", "self", &error) : 0;
	r = r ? r : error;
	css += g.self;
	for (unsigned i = 0; r == 0 && i < MAX_PARENTS; i++) {
		r = kernel_number(s, "cgroup_subsys_state", css, "parent", &parent);
		if (r < 0 || !parent)
			break;
		css = parent;
	}
	return r < 0 ? r : on_cgroup(s, css, &g);
}
