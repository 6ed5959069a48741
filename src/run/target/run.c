/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a command that was stopped after its exec run on until its libraries are loaded, so that probes in them can
 * be found. Uses one breakpoint, which is removed before anything else looks. Source: ptrace(2), getauxval(3);
 * <link.h>: the dynamic linker calls r_brk before and after it maps. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "load/reasons.h"
#include "run/target/int.h"
#include "sym/sym.h"

/* The linker's call at the end of its work: the first tells that mappings begin to change. */
#define PREINIT_HITS 2
#define MAX_SIGNALS 1000 /* that arrive meanwhile and are passed on */

#if defined(__aarch64__)
#define BREAK_INSN 0xd4200000ul
#define BREAK_MASK 0xfffffffful
#else
#define BREAK_INSN 0xccul
#define BREAK_MASK 0xfful
#endif

struct place {
	uint64_t addr;
	unsigned hits;
};

/* Whether its program is one of 32 bits. */
static bool is_narrow(pid_t pid)
{
	char path[64];
	unsigned char ident[EI_NIDENT] = { 0 };
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	f = fopen(path, "re");
	return f && fread(ident, sizeof(ident), 1, f) == 1 && ident[EI_CLASS] == ELFCLASS32;
}

/* A value of the auxiliary vector, as the kernel gave it to the process: in words of the program. */
static int auxv(pid_t pid, unsigned long type, uint64_t *ret)
{
	char path[64];
	uint64_t v[2];
	uint32_t narrow[2];
	bool is32 = is_narrow(pid);
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "re");
	while (f && (is32 ? fread(narrow, sizeof(narrow), 1, f) : fread(v, sizeof(v), 1, f)) == 1) {
		if (is32) {
			v[0] = narrow[0];
			v[1] = narrow[1];
		}
		if (v[0] == type) {
			*ret = v[1];
			return 0;
		}
	}
	return -ENOENT;
}

/* The address of an offset in the file that is mapped with code at, or first above, `near`. Linkers may let segments
 * share a page of the file: then it is mapped without code, too. */
static int address_of(pid_t pid, uint64_t near, uint64_t off, uint64_t *ret)
{
	char path[64], line[8192], perms[5];
	_cleanup_fclose_ FILE *f = NULL;
	uint64_t lo, hi, at;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64, &lo, &hi, perms, &at) != 4 ||
		    perms[2] != 'x' || hi <= near || off < at || off - at >= hi - lo)
			continue;
		*ret = lo + (off - at);
		return 0;
	}
	return -ENOENT;
}

/* A path to the file that is mapped from this address on. */
static int mapping_link(pid_t pid, uint64_t base, char *ret, size_t size)
{
	char path[64], line[8192];
	_cleanup_fclose_ FILE *f = NULL;
	uint64_t lo, hi;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &lo, &hi) != 2 || lo != base)
			continue;
		snprintf(ret, size, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, lo, hi);
		return 0;
	}
	return -ENOENT;
}

/* A function of the file that is mapped around or above `near`. */
static int function(pid_t pid, struct sym *sym, const char *file, uint64_t near, const char *name, uint64_t *ret)
{
	uint64_t off;
	int r = sym_elf_find(sym, file, name, &off);

	return r < 0 ? r : address_of(pid, near, off, ret);
}

int target_linker(pid_t pid, struct sym *sym, uint64_t *ret)
{
	uint64_t base;
	char ld[128];

	/* The interpreter's file: the mapping that begins at its base. */
	if (auxv(pid, AT_BASE, &base) < 0 || !base || mapping_link(pid, base, ld, sizeof(ld)) < 0)
		return -ENOENT;
	return function(pid, sym, ld, base, "_dl_debug_state", ret);
}

int target_function(pid_t pid, struct sym *sym, const char *library, const char *name, uint64_t *ret)
{
	char path[64], line[8192];
	_cleanup_fclose_ FILE *f = NULL;
	size_t n = strlen(library);
	uint64_t lo, hi;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		size_t len = strcspn(line, "\n");

		if (len <= n || line[len - n - 1] != '/' || strncmp(line + len - n, library, n) != 0 ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &lo, &hi) != 2)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, lo, hi);
		return function(pid, sym, path, lo, name, ret);
	}
	return -ENOENT;
}

/* Finds the place that the process shall reach; -ENOENT: it has no such place (no libraries, no symbols). */
static int find_place(struct target *t, struct sym *sym, enum target_point to, struct place *ret)
{
	char exe[64];
	uint64_t entry;
	int r = auxv(t->pid, AT_ENTRY, &entry);

	if (r < 0)
		return r;
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)t->pid);
	*ret = (struct place){ .addr = entry, .hits = 1 };
	if (to == TARGET_MAIN) {
		uint64_t phdr;

		if (auxv(t->pid, AT_PHDR, &phdr) == 0)
			function(t->pid, sym, exe, phdr & ~4095ull, "main", &ret->addr);
	} else if (to == TARGET_PREINIT && target_linker(t->pid, sym, &ret->addr) == 0) {
		ret->hits = PREINIT_HITS;
	}
	return 0;
}

static int set_word(pid_t pid, uint64_t addr, long word)
{
	return ptrace(PTRACE_POKETEXT, pid, (void *)(uintptr_t)addr, (void *)word) < 0 ? -errno : 0;
}

/* The breakpoint's trap leaves the program counter after it on x86. */
static int step_back(pid_t pid, uint64_t addr)
{
#if defined(__x86_64__)
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rip), (void *)(uintptr_t)addr) < 0)
		return -errno;
#else
	(void)pid;
	(void)addr;
#endif
	return 0;
}

/* Continues until a SIGTRAP; other signals are passed on. -ECHILD: the process has ended. */
static int run_to_trap(struct target *t, enum __ptrace_request how)
{
	int status, sig = 0;

	for (int i = 0; i < MAX_SIGNALS; i++) {
		if (ptrace(how, t->pid, NULL, (void *)(intptr_t)sig) < 0)
			return -errno;
		if (waitpid(t->pid, &status, __WALL) < 0)
			return -errno;
		if (!WIFSTOPPED(status)) {
			t->stopped = false;
			t->ended = t->known = true;
			t->status = status;
			return -ECHILD;
		}
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP)
			return 0;
	}
	return -EBUSY;
}

int breakpoint_set(pid_t pid, uint64_t addr, struct breakpoint *ret)
{
	long word;
	int r;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)addr, NULL);
	if (errno)
		return -errno;
	r = set_word(pid, addr, (long)(((unsigned long)word & ~BREAK_MASK) | BREAK_INSN));
	*ret = (struct breakpoint){ r < 0 ? 0 : addr, word };
	return r;
}

int breakpoint_take_out(pid_t pid, struct breakpoint *b)
{
	return set_word(pid, b->addr, b->word);
}

int breakpoint_clear(pid_t pid, struct breakpoint *b)
{
	int r = breakpoint_take_out(pid, b);

	return r < 0 ? r : step_back(pid, b->addr);
}

static int run_to(struct target *t, const struct place *p)
{
	struct breakpoint b;
	int r = 0;

	for (unsigned hit = 0; hit < p->hits && r == 0; hit++) {
		r = breakpoint_set(t->pid, p->addr, &b);
		if (r == 0)
			r = run_to_trap(t, PTRACE_CONT);
		if (r == 0)
			r = breakpoint_clear(t->pid, &b);
		if (r == 0 && hit + 1 < p->hits)
			r = run_to_trap(t, PTRACE_SINGLESTEP);
	}
	return r;
}

int target_run_to(struct target *t, struct sym *sym, enum target_point to, struct err *err)
{
	struct place p;
	char how[TARGET_HOW_MAX];
	int r;

	if (!t->stopped || to == TARGET_BEFORE)
		return 0;
	r = target_exec(t, err);
	if (r < 0 || to == TARGET_EXEC)
		return r;
	if (to == TARGET_JVM)
		return target_run_to_jvm(t, sym, err);
	r = find_place(t, sym, to, &p);
	if (r == 0)
		r = run_to(t, &p);
	if (r == -ECHILD) {
		target_failed(t, how, sizeof(how));
		return err_set(err, r, "process %d has ended before its libraries were loaded: it %s%s", (int)t->pid,
			       strncmp(how, "term", 4) ? "" : "was ", how);
	}
	return r < 0 ? err_set(err, r, "cannot run process %d to its start: %s%s", (int)t->pid, strerror(-r),
			       r == -ENOENT ? reason_proc() : "")
		     : 0;
}
