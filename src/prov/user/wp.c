/* SPDX-License-Identifier: Apache-2.0 */
/* Provider wp: watchpoints. wp:MODULE:PLACE:MODE fires when memory of the kernel is accessed,
 * wpPID:MODULE:PLACE:MODE (wp$target) when memory of a process is. PLACE is an address (0x…) or the name of a
 * variable; MODE is r, w, rw or x, and how many bytes: w4. They are the CPU's breakpoints, of which there are few.
 * Source: perf_event_open(2), PERF_TYPE_BREAKPOINT; kernel/events/hw_breakpoint.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/walk.h"
#include "cg/image.h"
#include "load/cpus.h"
#include "load/debugreg.h"
#include "load/link.h"
#include "load/peek.h"
#include "load/reasons.h"
#include "prov/user/uproc.h"
#include "sym/elf/elfsym.h"
#include "sym/proc/kallsyms.h"

#define KERNEL_HALF (1ull << 63)

#if defined(__aarch64__)
#define REGS_PC 256 /* struct user_pt_regs */
#define MACHINE "arm64"
#else
#define REGS_PC 128 /* struct pt_regs */
#define MACHINE "x86-64"
#define NO_READ_ALONE 1 /* the CPU has write, and read or write */
#define BREAKPOINTS 4
#endif

struct wpoint {	 /* probe.priv */
	int pid; /* 0: the kernel */
	uint64_t addr;
	unsigned len;
	uint32_t type; /* HW_BREAKPOINT_* */
	unsigned slot; /* of img_state.watch */
	struct probe probe;
	struct wpoint *next;
};

struct wp_match {
	struct prov_env *env;
	const struct pdesc *d;
	struct wpoint w;
	uint64_t size; /* of the variable; 0: not known */
	const char *mod;
	const char *reason;
};

static bool fail(struct wp_match *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct wp_match *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	m->reason = arena_vprintf(m->env->cache->arena, fmt, ap);
	va_end(ap);
	return false;
}

/* -- names -- */

static const struct {
	const char *name;
	uint32_t type;
} modes[] = {
	{ "rw", HW_BREAKPOINT_RW },
	{ "r", HW_BREAKPOINT_R },
	{ "w", HW_BREAKPOINT_W },
	{ "x", HW_BREAKPOINT_X },
};

/* "w4": how, and how many bytes; without a number those of the variable. */
static bool parse_mode(struct wp_match *m)
{
	const char *s = m->d->name;
	unsigned i = 0;

	while (i < ARRAY_SIZE(modes) && strncmp(s, modes[i].name, strlen(modes[i].name)))
		i++;
	if (i == ARRAY_SIZE(modes))
		return fail(m, "a watchpoint's name is r, w, rw or x with the number of bytes, such as w8: not '%s'",
			    s);
	m->w.type = modes[i].type;
	s += strlen(modes[i].name);
	if (m->w.type == HW_BREAKPOINT_X) {
		m->w.len = sizeof(long);
		return *s ? fail(m, "the name of a watchpoint on execution is x, without a number") : true;
	}
	m->w.len = *s ? (unsigned)(*s - '0') : (unsigned)m->size;
	if (*s && s[1])
		m->w.len = 0;
	if (m->w.len != 1 && m->w.len != 2 && m->w.len != 4 && m->w.len != 8)
		return fail(m, "a watchpoint is 1, 2, 4 or 8 bytes long: '%s' is not%s", m->d->name,
			    *s ? "" : ", and the variable does not tell");
#ifdef NO_READ_ALONE
	if (m->w.type == HW_BREAKPOINT_R)
		return fail(m, MACHINE " CPUs cannot watch reads alone: rw%u fires for reads and writes", m->w.len);
#endif
	if (m->w.addr % m->w.len)
		return fail(m, "a watchpoint of %u bytes needs an address that is a multiple of it, 0x%llx is not",
			    m->w.len, (unsigned long long)m->w.addr);
	return true;
}

/* "0x…" */
static bool parse_addr(const char *s, uint64_t *ret)
{
	char *end;

	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return false;
	errno = 0;
	*ret = strtoull(s, &end, 16);
	return !*end && !errno;
}

static bool kernel_place(struct wp_match *m)
{
	const char *mod = m->d->mod && *m->d->mod ? m->d->mod : NULL;
	const struct ksym *k;
	struct ksyms ks = { 0 };
	struct err err = { 0 };

	m->mod = mod ? mod : "";
	if (parse_addr(m->d->func, &m->w.addr))
		return m->w.addr >= KERNEL_HALF ||
		       fail(m, "0x%llx is no address of the kernel; wp$target:::MODE watches a process",
			    (unsigned long long)m->w.addr);
	if (ksyms_read(&ks, "/proc/kallsyms", &err) < 0) {
		fail(m, "%s", err.msg);
		err_done(&err);
		return false;
	}
	k = ksyms_find(&ks, mod, m->d->func);
	if (k) {
		m->w.addr = k->addr;
		m->mod = arena_strdup(m->env->cache->arena, ksyms_module(&ks, k));
	}
	ksyms_free(&ks);
	return k || fail(m,
			 "the kernel lists no symbol %s; variables are only listed by kernels with "
			 "CONFIG_KALLSYMS_ALL: give the address",
			 m->d->func);
}

struct finding {
	const char *name;
	uint64_t addr, size;
	bool found;
};

static int find_symbol(void *arg, const Elf64_Sym *sym, const char *name, uint64_t room)
{
	struct finding *f = arg;
	size_t n = elfsym_name_len(name);

	(void)room;
	if (ELF64_ST_TYPE(sym->st_info) == STT_TLS || strncmp(name, f->name, n) || f->name[n])
		return 0;
	f->addr = sym->st_value;
	f->size = sym->st_size;
	f->found = true;
	return WALK_END;
}

/* How far the file lies from where it was linked for, in this process. */
static bool load_bias(const struct elf *e, const struct uobj *o, uint64_t *ret)
{
	_cleanup_free_ struct elf_seg *seg = NULL;
	uint64_t vaddr;
	unsigned n = 0;

	if (elf_segments(e, &seg, &n) < 0 || !elf_seg_vaddr(seg, n, o->off, true, &vaddr))
		return false;
	*ret = o->start - vaddr;
	return true;
}

static bool object_symbol(struct wp_match *m, const struct uobj *o)
{
	struct finding f = { .name = m->d->func };
	struct uobj_file file;
	uint64_t bias = 0;

	if (uobj_open(o, &file) < 0)
		return false;
	elfsym_each(&file.elf, SHT_SYMTAB, find_symbol, &f);
	if (!f.found)
		elfsym_each(&file.elf, SHT_DYNSYM, find_symbol, &f);
	f.found = f.found && load_bias(&file.elf, o, &bias);
	uobj_close(&file);
	if (!f.found)
		return false;
	m->w.addr = f.addr + bias;
	m->size = f.size;
	m->mod = o->name;
	return true;
}

static bool user_place(struct wp_match *m)
{
	const char *mod = m->d->mod ? m->d->mod : "*";
	struct err err = { 0 };
	struct uproc *p;

	m->mod = m->d->mod ? m->d->mod : "";
	if (uproc_get(m->env, m->w.pid, &p, &err) < 0) {
		fail(m, "%s", err.msg);
		err_done(&err);
		return false;
	}
	if (parse_addr(m->d->func, &m->w.addr))
		return m->w.addr < KERNEL_HALF ||
		       fail(m, "0x%llx is no address of a process", (unsigned long long)m->w.addr);
	for (size_t i = 0; i < p->nobjs; i++) {
		const struct uobj *o = p->objs[i]->o;

		if ((pdesc_glob(mod, o->name) || (o->is_exe && !strcmp(mod, "a.out"))) && object_symbol(m, o))
			return true;
	}
	return fail(m, "no variable %s in %s of process %d", m->d->func, strcmp(mod, "*") ? mod : "any file", m->w.pid);
}

/* -- matching -- */

static bool same_point(const struct wpoint *a, const struct wpoint *b)
{
	return a->pid == b->pid && a->addr == b->addr && a->len == b->len && a->type == b->type;
}

/* The session's record of the point. */
static struct wpoint *intern(struct wp_match *m)
{
	struct prov_cache *pc = m->env->cache;
	struct wpoint **at = &pc->wpoints;
	const struct pdesc *d = m->d;
	unsigned n = 0;

	for (; *at; at = &(*at)->next, n++)
		if (same_point(*at, &m->w))
			return *at;
	if (n == IMG_MAX_WATCH) {
		fail(m, "more than %d watchpoints", IMG_MAX_WATCH);
		return NULL;
	}
	*at = arena_new_obj(pc->arena, struct wpoint);
	**at = m->w;
	(*at)->slot = n;
	(*at)->probe = (struct probe){
		.id = PROV_ID_WP + n,
		.prov = arena_strdup(pc->arena, d->prov),
		.mod = arena_strdup(pc->arena, m->mod),
		.func = arena_strdup(pc->arena, d->func),
		.name = arena_strdup(pc->arena, d->name),
		.priv = *at,
	};
	return *at;
}

static int wp_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	for (struct wpoint *w = env->cache->wpoints; w; w = w->next) {
		if (w->probe.id != id)
			continue;
		*ret = arena_new_obj(a, struct probe);
		**ret = w->probe;
		return 0;
	}
	return -ENOENT;
}

static int match(struct wp_match *m, struct arena *a, struct probe_list *out, const char **reason)
{
	const struct pdesc *d = m->d;
	struct wpoint *w = NULL;
	struct probe *p;

	if (!pdesc_is_exact(d->func) || !pdesc_is_exact(d->name))
		fail(m, "watchpoints exist when they are named: wp::0xADDRESS:w8, wp$target:a.out:VARIABLE:w");
	else if ((m->w.pid ? user_place(m) : kernel_place(m)) && parse_mode(m))
		w = intern(m);
	if (w && wp_by_id(m->env, a, w->probe.id, &p) == 0)
		prov_list_add(a, out, p);
	else if (reason)
		*reason = m->reason;
	return 0;
}

static int wp_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
		    const char **reason)
{
	struct wp_match m = { .env = env, .d = d };

	if (!d->prov || strcmp(d->prov, "wp"))
		return 0;
	return match(&m, a, out, reason);
}

static int wpuser_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			const char **reason)
{
	struct wp_match m = { .env = env, .d = d };
	char *end;

	if (!d->prov || strncmp(d->prov, "wp", 2) || d->prov[2] < '1' || d->prov[2] > '9')
		return 0;
	m.w.pid = (int)strtol(d->prov + 2, &end, 10);
	return *end || m.w.pid <= 0 ? 0 : match(&m, a, out, reason);
}

static int wp_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	static const struct probe_arg args[] = {
		{ .ctype = "uintptr_t", .name = "address" },
		{ .ctype = "uintptr_t", .name = "pc" },
		{ .ctype = "uint64_t", .name = "value" },
		{ .ctype = "uint64_t", .name = "old" },
	};
	const struct wpoint *w = p->priv;

	(void)env;
	(void)a;
	p->args_known = true;
	p->args = args;
	p->nargs = w->type == HW_BREAKPOINT_X ? 2 : ARRAY_SIZE(args);
	return 0;
}

/* -- entry -- */

/* The value before the first access; 0 when it cannot be read. */
static uint64_t value_now(const struct wpoint *w)
{
	char path[64];
	uint64_t v = 0;

	if (!w->pid)
		return peek_kernel(w->addr, w->len, &v) < 0 ? 0 : v;
	snprintf(path, sizeof(path), "/proc/%d/mem", w->pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && pread(fd, &v, w->len, (off_t)w->addr) == (ssize_t)w->len ? v : 0;
}

static int wp_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
		    const char **reason)
{
	const struct wpoint *w = p->priv;

	(void)env;
	(void)a;
	(void)reason;
	*ret = (struct entry){
		.kind = ENTRY_PERF_EVENT,
		.target = "wp",
		.cpu = -1,
		.instance = w->slot + 1,
		.nargs = w->type == HW_BREAKPOINT_X ? 2 : 4,
		.args = { { .kind = ARG_CONST, .value = w->addr },
			  { .kind = ARG_CTX_REGS, .off = REGS_PC },
			  { .kind = ARG_WATCH, .value = w->addr, .size = (uint8_t)w->len, .off = w->slot },
			  { .kind = ARG_WATCH_OLD, .value = value_now(w), .off = w->slot } },
	};
	return 0;
}

/* -- attaching -- */

static int open_point(const struct wpoint *w, int tid, int cpu, int prog_fd)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(a),
		.bp_type = w->type,
		.bp_addr = w->addr,
		.bp_len = w->len,
		.sample_period = 1,
		.disabled = 1,
		.inherit = tid > 0,
		.inherit_thread = tid > 0,
	};
	int fd = (int)syscall(SYS_perf_event_open, &a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL && tid > 0) { /* before 5.13 children were included */
		a.inherit_thread = a.inherit = 0;
		fd = (int)syscall(SYS_perf_event_open, &a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return link_perf_start(fd, prog_fd);
}

struct wp_fds {
	VEC(int) v;
};

/* Every thread of the process; those that it makes later inherit. */
static int attach_threads(const struct wpoint *w, int prog_fd, struct wp_fds *fds)
{
	char path[64];
	struct dirent *de;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", w->pid);
	DIR *d = opendir(path);

	if (!d)
		return -ESRCH;
	while (r >= 0 && (de = readdir(d))) {
		int tid = atoi(de->d_name), fd;

		if (tid <= 0)
			continue;
		fd = open_point(w, tid, -1, prog_fd);
		if (fd == -ESRCH)
			continue; /* ended meanwhile */
		r = fd < 0 ? fd : vec_try_push(&fds->v, fd);
	}
	closedir(d);
	return r < 0 ? r : fds->v.n ? 0 : -ESRCH;
}

static int attach_cpus(const struct wpoint *w, int prog_fd, struct wp_fds *fds)
{
	struct cpulist cpus = { 0 };
	int r = cpulist_online(&cpus);

	for (size_t i = 0; i < cpus.n && r >= 0; i++) {
		int fd = open_point(w, -1, (int)cpus.v[i], prog_fd);

		if (fd != -ENODEV)
			r = fd < 0 ? fd : vec_try_push(&fds->v, fd);
	}
	cpulist_done(&cpus);
	return r < 0 ? r : 0;
}

static int refused(const struct probe *p, const struct wpoint *w, int r, struct err *err)
{
	struct reason words;

	if (r == -ENOSPC)
#ifdef BREAKPOINTS
		return err_set(err, r, "cannot watch %s: all breakpoints of the CPU are in use, " MACHINE " has %d",
			       p->func, BREAKPOINTS);
#else
		return err_set(err, r, "cannot watch %s: all breakpoints of the CPU are in use", p->func);
#endif
	return err_set(err, r, "cannot watch %u bytes at 0x%llx: %s", w->len, (unsigned long long)w->addr,
		       reason_perf(r, &words));
}

static int wp_attach(struct prov_env *env, const struct probe *const *probes, uint32_t nprobes, const struct entry *e,
		     int prog_fd, struct link **ret, struct err *err)
{
	const struct wpoint *w = probes[0]->priv;
	const char *silent = debugreg_silent();
	struct wp_fds fds = { 0 };
	int r;

	(void)env;
	(void)nprobes;
	(void)e;
	if (silent)
		return err_set(err, -EOPNOTSUPP, "cannot watch %s: breakpoints do not fire: %s", probes[0]->func,
			       silent);
	r = w->pid ? attach_threads(w, prog_fd, &fds) : attach_cpus(w, prog_fd, &fds);
	if (r >= 0)
		r = link_from_fds(fds.v.v, fds.v.n, ret);
	for (size_t i = 0; i < fds.v.n && r < 0; i++)
		close(fds.v.v[i]);
	vec_free(&fds.v);
	return r < 0 ? refused(probes[0], w, r, err) : 0;
}

const struct provider prov_wp = {
	.name = "wp",
	.id_base = PROV_ID_WP,
	.id_count = IMG_MAX_WATCH,
	.match = wp_match,
	.by_id = wp_by_id,
	.args = wp_args,
	.entry = wp_entry,
	.attach = wp_attach,
};

/* Ids are those of prov_wp, which finds them by number. */
const struct provider prov_wpuser = {
	.name = "wpPID",
	.of_processes = true,
	.match = wpuser_match,
	.by_id = wp_by_id,
	.args = wp_args,
	.entry = wp_entry,
	.attach = wp_attach,
};
