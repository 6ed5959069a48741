/* SPDX-License-Identifier: Apache-2.0 */
/* Writes D code for this machine and the wanted calls: a tree of comparisons by number, which costs less than a look
 * into a table. Other choices of the user are parameters of the programs. */
#include "strace/program.h"
#include <asm/unistd.h>
#include <inttypes.h>

#define NONE UINT64_MAX /* the call is not wanted */
#define CAPTURE_BITS 16 /* of an argument */
#define CAPTURES_MAX 4	/* arguments that are captured */

/* The registers of a call when it returns. Source: arch/x86/include/asm/ptrace.h, arch/arm64/include/asm/ptrace.h. */
#if defined(__x86_64__)
static const char *const regs[CALL_ARGS] = { "di", "si", "dx", "r10", "r8", "r9" };
#define NR_REG "orig_ax"
#define IS32 "(curthread->thread_info.status & 2)" /* TS_COMPAT */
#define FRAME_MASK "sp + 296"			   /* uc.uc_sigmask of struct rt_sigframe, whose first word is popped */
#elif defined(__aarch64__)
static const char *const regs[CALL_ARGS] = { "orig_x0", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]" };
#define NR_REG "syscallno"
#define IS32 "(curthread->thread_info.flags & 0x400000)" /* TIF_32BIT */
#define FRAME_MASK "sp + 168"				 /* uc.uc_sigmask of struct rt_sigframe */
#endif

/* Facts of this machine. */
void program_head(struct strb *b)
{
	strb_printf(b, "inline uint64_t STRACE_NONE = %#" PRIx64 ";\n", NONE);
	for (unsigned i = 0; i < CALL_ARGS; i++)
		strb_printf(b, "inline uint64_t strace_reg%u[struct pt_regs *R] = R->%s;\n", i, regs[i]);
	strb_adds(b, "inline uint64_t strace_nr[struct pt_regs *R] = R->" NR_REG ";\n");
	strb_adds(b, "inline uint64_t strace_frame[struct pt_regs *R] = R->" FRAME_MASK ";\n");
	strb_printf(b, "inline uint64_t STRACE_SIGRETURN = %d;\n", __NR_rt_sigreturn);
	strb_adds(b, "inline int STRACE_IS32 = " IS32 " != 0;\n");
}

/* A choice by number, as an expression of comparisons. */
static void choose(struct strb *b, const uint64_t *v, uint32_t from, uint32_t to)
{
	uint32_t middle = (from + to) / 2;
	bool alike = true;

	for (uint32_t i = from + 1; i < to; i++)
		alike &= v[i] == v[from];
	if (alike) {
		strb_printf(b, "(uint64_t)%#" PRIx64, v[from]);
		return;
	}
	strb_printf(b, "(nr < %u ? ", middle);
	choose(b, v, from, middle);
	strb_adds(b, " : ");
	choose(b, v, middle, to);
	strb_addc(b, ')');
}

static void function(struct strb *b, const char *name, const uint64_t v[CALL_NR_MAX], uint64_t others)
{
	/* When a signal handler returns, the number is gone. */
	strb_printf(b, "uint64_t %s(uint64_t nr)\n{\n\tif (nr == %#" PRIx64 ")\n\t\treturn %#" PRIx64 ";\n", name, NONE,
		    v[__NR_rt_sigreturn]);
	strb_printf(b, "\treturn nr >= %d ? (uint64_t)%#" PRIx64 " : ", CALL_NR_MAX, others);
	choose(b, v, 0, CALL_NR_MAX);
	strb_adds(b, ";\n}\n");
}

/* Whether the program reads it through a pointer that it has read before, or counts it. */
static bool is_nested(const struct call_desc *c, unsigned arg)
{
	enum capture cap = call_kind(c, arg);

	return (cap >= CAP_IOV && cap <= CAP_ARGV) || cap == CAP_COUNT || cap == CAP_DIRENTS;
}

bool program_wants_nested(const struct program_want *w)
{
	for (uint32_t nr = 0; nr < CALL_NR_MAX; nr++) {
		const struct call_desc *c = w->call[nr] ? call_by_nr(nr) : NULL;

		for (unsigned i = 0; c && i < c->nargs; i++)
			if (is_nested(c, i))
				return true;
	}
	return false;
}

static uint64_t captures(const struct program_want *w, const struct call_desc *c, bool entry)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < c->nargs && n < CAPTURES_MAX; i++) {
		uint64_t one = is_nested(c, i) && !w->nested ? 0 : call_capture(c, i, entry);

		if (one)
			v |= one << CAPTURE_BITS * n++;
	}
	return v;
}

static uint64_t fds_of(const struct call_desc *c)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < c->nargs; i++)
		if (call_is_fd(c->args[i]))
			mask |= 1u << i;
	return mask;
}

static uint64_t at_entry(const struct program_want *w, const struct call_desc *c)
{
	uint64_t v = captures(w, c, true);

	return v || c->ret == RET_NEVER || (w->paths && fds_of(c)) ? v : NONE;
}

static void begins(struct strb *b, const struct program_want *w)
{
	strb_adds(b, "int strace_begins(uint64_t nr)\n{\n\treturn (");
	if (w->command)
		strb_printf(b, "pid == $target && (nr == %d || nr == %d)", __NR_execve, __NR_execveat);
	for (size_t i = 0; i < w->npids; i++)
		strb_printf(b, "%s%s == %ld", i || w->command ? " || " : "", w->follow ? "pid" : "tid", w->pids[i]);
	if (w->chosen)
		strb_printf(b, "%swanted && pid != $pid", w->npids || w->command ? " || " : "");
	strb_adds(b, ") && !strace_on[curthread];\n}\n");
}

void program_functions(struct strb *b, const struct program_want *w)
{
	uint64_t entry[CALL_NR_MAX], at[CALL_NR_MAX], fds[CALL_NR_MAX], gives[CALL_NR_MAX], forks[CALL_NR_MAX];

	for (uint32_t nr = 0; nr < CALL_NR_MAX; nr++) {
		const struct call_desc *c = call_by_nr(nr);
		bool wanted = c ? w->call[nr] : w->others;

		entry[nr] = c && wanted ? at_entry(w, c) : NONE;
		at[nr] = !wanted || (c && c->ret == RET_NEVER) ? NONE : c ? captures(w, c, false) : 0;
		fds[nr] = c ? fds_of(c) : 0;
		gives[nr] = c && (c->ret == RET_FD || c->ret == RET_FCNTL);
		forks[nr] = c && c->ret == RET_CHILD;
	}
	begins(b, w);
	function(b, "strace_at_return", at, w->others ? 0 : NONE);
	if (w->count) {
		function(b, "strace_is_fork", forks, 0);
		return;
	}
	function(b, "strace_at_entry", entry, NONE);
	function(b, "strace_fds", fds, 0);
	function(b, "strace_gives_fd", gives, 0);
}
