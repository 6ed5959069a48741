/* SPDX-License-Identifier: Apache-2.0 */
/* Provider syscall: entry and return of every system call, as one program on the tracepoint
 * sys_enter and one on sys_exit that tell calls apart by number.
 * Source: kernel include/trace/events/syscalls.h. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

struct sysname {
	uint32_t nr;
	const char *abi;    /* what user space calls it: "fstat" */
	const char *kernel; /* what the kernel calls it: "newfstat" */
};

#define SYSCALL(n, a, k) { n, a, k },
static const struct sysname table[] = {
#if defined(__x86_64__)
#include "prov/common/syscall_x86_64.def"
#elif defined(__aarch64__)
#include "prov/common/syscall_arm64.def"
#else
#error "no table of system calls for this architecture"
#endif
};
#undef SYSCALL

#if defined(__x86_64__)
static const struct compat_nr {
	uint16_t nr32, nr;
} compat_nrs[] = {
#define SYSCALL32(n32, n, name) { n32, n },
#include "prov/common/syscall_i386.def"
#undef SYSCALL32
};

static void add_compat(struct entry *e, uint32_t nr)
{
	e->skip_compat = true; /* int 0x80 counts from another table: TS_COMPAT */
	for (size_t i = 0; i < ARRAY_SIZE(compat_nrs) && e->ncompat < ENTRY_MAX_COMPAT; i++)
		if (compat_nrs[i].nr == nr)
			e->compat[e->ncompat++] = compat_nrs[i].nr32;
}
#else
static void add_compat(struct entry *e, uint32_t nr)
{
	(void)e;
	(void)nr;
}
#endif

#define NAME_ENTRY "entry"
#define NAME_RETURN "return"
#define SYSCALL_NARGS 6

/* Both tracepoints are called with (struct pt_regs *, long): the number, or the return value. */
#define CTX_REGS 0
#define CTX_SECOND 8

/* Offsets in the kernel's struct pt_regs, which are ABI (PTRACE_GETREGSET). */
#if defined(__x86_64__)
/* Source: arch/x86/include/asm/ptrace.h: di si dx r10 r8 r9; orig_ax */
static const uint32_t arg_regs[SYSCALL_NARGS] = { 112, 104, 96, 56, 72, 64 };
static const struct arg_loc nr_at_return = { .kind = ARG_REGS, .off = 120, .size = 8 };
#elif defined(__aarch64__)
/* Source: arch/arm64/include/asm/ptrace.h: orig_x0, regs[1] … regs[5]; syscallno */
static const uint32_t arg_regs[SYSCALL_NARGS] = { 272, 8, 16, 24, 32, 40 };
static const struct arg_loc nr_at_return = { .kind = ARG_REGS, .off = 280, .size = 4 };
#endif

static bool is_return(const struct probe *p)
{
	return p->name[0] == 'r';
}

static struct probe *make(struct arena *a, const struct sysname *s, bool ret)
{
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = PROV_ID_SYSCALL + s->nr * 2 + ret;
	p->prov = "syscall";
	p->mod = "vmlinux";
	p->func = s->kernel;
	p->name = ret ? NAME_RETURN : NAME_ENTRY;
	p->priv = s;
	return p;
}

static int syscall_match(struct prov_env *env, struct arena *a, const struct pdesc *d, struct probe_list *out,
			 const char **reason)
{
	bool entry = pdesc_glob(d->name, NAME_ENTRY), ret = pdesc_glob(d->name, NAME_RETURN);

	(void)env;
	(void)reason;
	if (!pdesc_glob(d->prov, "syscall") || !pdesc_glob(d->mod, "vmlinux") || !(entry || ret))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (!pdesc_glob(d->func, table[i].kernel) && !pdesc_glob(d->func, table[i].abi))
			continue;
		if (entry)
			prov_list_add(a, out, make(a, &table[i], false));
		if (ret)
			prov_list_add(a, out, make(a, &table[i], true));
	}
	return 0;
}

static int syscall_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	uint32_t nr = (id - PROV_ID_SYSCALL) / 2;

	(void)env;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].nr == nr) {
			*ret = make(a, &table[i], (id - PROV_ID_SYSCALL) & 1);
			return 0;
		}
	}
	return -ENOENT;
}

static int syscall_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	static const struct probe_arg ret_args[] = {
		{ .ctype = "long", .name = "ret" }, /* DTrace: arg0 and arg1 are both the value */
		{ .ctype = "long", .name = "ret" },
	};
	static const struct probe_arg unknown[SYSCALL_NARGS] = {
		{ .ctype = "int64_t" }, { .ctype = "int64_t" }, { .ctype = "int64_t" },
		{ .ctype = "int64_t" }, { .ctype = "int64_t" }, { .ctype = "int64_t" },
	};

	p->args_known = true;
	if (is_return(p)) {
		p->args = ret_args;
		p->nargs = ARRAY_SIZE(ret_args);
	} else if (sysargs_entry(env, a, p->func, p) < 0) {
		p->args = unknown;
		p->nargs = SYSCALL_NARGS;
	}
	return 0;
}

/* Typed tracepoints when they can be had: the registers are then loaded, not probe-read. */
static void choose_kind(struct prov_env *env, struct entry *e)
{
	e->kind = ENTRY_RAW_TP;
	if (env->caps->tp_btf && tptab_find_builtin(env, e->target, &e->btf_type) >= 0)
		e->kind = ENTRY_TP_BTF;
}

static int syscall_entry(struct prov_env *env, struct arena *a, const struct probe *p, struct entry *ret,
			 const char **reason)
{
	const struct sysname *s = p->priv;
	const struct arg_loc second = { .kind = ARG_CTX, .off = CTX_SECOND, .size = 8, .is_signed = true };
	struct entry e = {
		.target = is_return(p) ? "sys_exit" : "sys_enter",
		.cpu = -1,
		.has_selector = true,
		.sel_value = s->nr,
		.regs_ctx_off = CTX_REGS,
		.is_return = is_return(p),
	};

	(void)a;
	(void)reason;
	add_compat(&e, s->nr);
	choose_kind(env, &e);
	if (e.is_return) {
		e.sel = nr_at_return;
		e.nargs = 2;
		e.args[0] = e.args[1] = second;
		e.has_errno = true;
		e.errno_loc = second;
	} else {
		e.sel = second;
		e.nargs = p->args_known ? p->nargs : SYSCALL_NARGS;
		for (unsigned i = 0; i < e.nargs && i < SYSCALL_NARGS; i++)
			e.args[i] = (struct arg_loc){ .kind = ARG_REGS, .off = arg_regs[i], .size = 8 };
	}
	*ret = e;
	return 0;
}

const struct provider prov_syscall = {
	.name = "syscall",
	.id_base = PROV_ID_SYSCALL,
	.id_count = PROV_N_SYSCALL,
	.match = syscall_match,
	.by_id = syscall_by_id,
	.args = syscall_args,
	.entry = syscall_entry,
};
