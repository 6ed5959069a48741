/* SPDX-License-Identifier: Apache-2.0 */
/* Watched addresses where debug registers do nothing: their pages are protected while tasks run. An instruction that
 * accesses such a page faults. It is then executed by itself, without the protection, and what it did is looked at. The
 * program notices none of it. An access takes about 0.1 ms, whichever word of the page it is to. Where an instruction
 * is to be executed there is a breakpoint. */
#include <asm/unistd.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "replay/play/int.h"
#include "replay/trace/stub.h"
#include "replay/tracee/breaks.h"
#include "sym/elf/insn.h"
#include "sym/proc/maps.h"

#define PAGE 4096ull
#define OPERAND_MAX 64u /* bytes; longer operands are of instructions that save all registers */
#define CODE_BYTES 15u

/* In register 7: kinds of a debug register. */
enum kind { KIND_EXECUTE, KIND_WRITE, KIND_IO, KIND_ACCESS };

static bool is_used(const struct pages *p, unsigned i)
{
	return p->seven >> 2 * i & 3;
}

static unsigned kind_of(const struct pages *p, unsigned i)
{
	return is_used(p, i) ? p->seven >> (16 + 4 * i) & 3 : KIND_EXECUTE;
}

static unsigned bytes_of(const struct pages *p, unsigned i)
{
	static const uint8_t lengths[4] = { 1, 2, 8, 4 };

	return lengths[p->seven >> (18 + 4 * i) & 3];
}

static bool is_watched(const struct pages *p, unsigned i)
{
	return kind_of(p, i) == KIND_WRITE || kind_of(p, i) == KIND_ACCESS;
}

static struct page *find(struct pages *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n; i++)
		if (addr - p->v[i].at < PAGE)
			return &p->v[i];
	return NULL;
}

/* Without the protection that they have from their mappings. */
static void list(struct pages *p)
{
	p->n = 0;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		const uint64_t at = p->addr[i] & ~(PAGE - 1);
		struct page *k = find(p, at);

		if (!is_watched(p, i))
			continue;
		if (!k) {
			k = &p->v[p->n++];
			*k = (struct page){ .at = at };
		}
		k->reads |= kind_of(p, i) == KIND_ACCESS;
	}
	p->known = false;
}

/* A page that is not mapped keeps PROT_NONE. Source: proc(5), maps. */
static int learn(struct rtask *k)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	struct pages *p = &k->memory->pages;
	size_t room = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)k->t.pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	for (size_t i = 0; i < p->n; i++)
		p->v[i].had = PROT_NONE;
	while (getline(&line, &room, f) > 0) {
		struct maps_line l;

		if (!maps_parse_line(line, &l))
			return -EBADMSG;
		for (size_t i = 0; i < p->n; i++)
			if (p->v[i].at >= l.start && p->v[i].at < l.end)
				p->v[i].had = l.prot & (PROT_READ | PROT_WRITE | PROT_EXEC);
	}
	p->known = true;
	return 0;
}

static uint32_t wanted(const struct page *p)
{
	return p->reads ? PROT_NONE : p->had & ~(uint32_t)PROT_WRITE;
}

static int protect(struct rtask *k, bool on)
{
	struct pages *p = &k->memory->pages;
	struct user_regs_struct regs;
	int e = tracee_regs(&k->t, &regs);

	for (size_t i = 0; i < p->n && e == 0; i++) {
		const struct page *v = &p->v[i];
		const uint64_t args[6] = { v->at, PAGE, on ? wanted(v) : v->had };

		if (wanted(v) == v->had)
			continue;
		if (tracee_inject_quick(&k->t, SCRATCH, __NR_mprotect, args, &e) != 0 && e == 0)
			e = -ENOMEM; /* the process has as many mappings as it may */
	}
	if (e == 0)
		e = tracee_set_regs(&k->t, &regs);
	p->on = on;
	return e;
}

/* Where nothing is mapped, or the program has a breakpoint of its own, none is added. */
static void add_places(struct rtask *k)
{
	struct pages *p = &k->memory->pages;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		p->added[i] = is_used(p, i) && kind_of(p, i) == KIND_EXECUTE && !breaks_at(k->t.breaks, p->addr[i]) &&
			      breaks_add(k->t.breaks, &k->t, p->addr[i], 0) == 0;
}

static int remove_places(struct rtask *k)
{
	struct pages *p = &k->memory->pages;
	int e = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS && e == 0; i++) {
		if (p->added[i])
			e = breaks_remove(k->t.breaks, &k->t, p->addr[i]);
		p->added[i] = false;
	}
	return e;
}

int pages_on(struct rtask *k)
{
	struct pages *p = &k->memory->pages;
	int e;

	if (!p->seven || p->on)
		return 0;
	if (!p->armed)
		add_places(k);
	p->armed = true;
	e = p->known ? 0 : learn(k);
	return e < 0 ? e : protect(k, true);
}

int pages_off(struct rtask *k)
{
	struct pages *p = &k->memory->pages;
	int e = p->armed && k->t.pid ? remove_places(k) : 0;

	p->armed = false;
	return e == 0 && p->on && k->t.pid ? protect(k, false) : e;
}

unsigned pages_place(const struct rtask *k, uint64_t rip)
{
	const struct pages *p = &k->memory->pages;
	unsigned told = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		if (is_used(p, i) && kind_of(p, i) == KIND_EXECUTE && p->addr[i] == rip)
			told |= 1u << i;
	return told;
}

int pages_lift(struct rtask *k)
{
	k->memory->pages.known = false;
	return pages_off(k);
}

int pages_set(struct rtask *k, const uint64_t addr[DEBUG_REGISTERS], uint64_t seven)
{
	struct pages *p = &k->memory->pages;
	int e;

	if (p->seven == seven && (!seven || memcmp(p->addr, addr, sizeof(p->addr)) == 0))
		return 0;
	e = pages_off(k);
	memcpy(p->addr, addr, sizeof(p->addr));
	p->seven = seven;
	list(p);
	return e;
}

bool pages_hit(struct rtask *k, int status, uint64_t *ret_addr)
{
	struct pages *p = &k->memory->pages;
	siginfo_t info = { 0 };

	if (!p->on || !k->t.pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGSEGV ||
	    ptrace(PTRACE_GETSIGINFO, k->t.pid, 0, &info) < 0 || info.si_code != SEGV_ACCERR)
		return false;
	*ret_addr = (uint64_t)(uintptr_t)info.si_addr;
	return find(p, *ret_addr);
}

/* Bytes that the instruction accesses at an operand. */
static unsigned operand_bytes(struct rtask *k, uint64_t rip)
{
	_cleanup_free_ struct insn *v = NULL;
	const char *reason = NULL;
	uint8_t code[CODE_BYTES];
	size_t n = tracee_read(&k->t, rip, code, sizeof(code)), found = 0;

	if (insn_list(EM_X86_64, rip, code, n, &v, &found, &reason) < 0 || !found || !v->bytes)
		return OPERAND_MAX;
	return v->bytes;
}

/* Reads the watched bytes. */
static void look(struct rtask *k, uint64_t ret[DEBUG_REGISTERS])
{
	const struct pages *p = &k->memory->pages;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		ret[i] = 0;
		if (is_watched(p, i))
			tracee_read(&k->t, p->addr[i], &ret[i], bytes_of(p, i));
	}
}

static bool overlaps(const struct pages *p, unsigned i, uint64_t at, unsigned bytes)
{
	return at < p->addr[i] + bytes_of(p, i) && p->addr[i] < at + bytes;
}

/* The registers that an access at `at` concerns, as bits. A page that can be read faults by writes alone; of another
 * one only the watched reads count, as what is written differs. */
static unsigned accessed(struct rtask *k, uint64_t rip, uint64_t at)
{
	struct pages *p = &k->memory->pages;
	unsigned told = 0, bytes = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (!is_watched(p, i) || !overlaps(p, i, at, OPERAND_MAX) ||
		    (kind_of(p, i) != KIND_ACCESS && find(p, at)->reads))
			continue;
		bytes = bytes ? bytes : operand_bytes(k, rip);
		told |= overlaps(p, i, at, bytes) ? 1u << i : 0;
	}
	return told;
}

/* Executes the instruction alone. *status: how it stopped otherwise; 0: it did not. */
static int one(struct replay *r, struct user_regs_struct *regs, int *status)
{
	struct tracee *t = &r->k->t;
	bool stepped = true;
	int e;

	*status = 0;
	if (t->breaks && breaks_at(t->breaks, regs->rip))
		return breaks_pass(t->breaks, t, regs, status, &stepped);
	e = tracee_go(t, PTRACE_SYSEMU_SINGLESTEP, 0);
	if (e < 0)
		return e;
	*status = tracee_wait(t);
	if (*status < 0)
		return *status;
	if (t->pid && *status >> 8 == SIGTRAP)
		*status = 0;
	return 0;
}

int pages_step(struct replay *r, uint64_t at, int *status, bool *again)
{
	struct pages *p = &r->k->memory->pages;
	uint64_t before[DEBUG_REGISTERS], after[DEBUG_REGISTERS];
	struct user_regs_struct regs;
	unsigned told;
	int next, e = tracee_regs(&r->k->t, &regs);

	if (e == 0)
		e = protect(r->k, false);
	if (e < 0)
		return replay_broken(r, e);
	told = accessed(r->k, regs.rip, at);
	look(r->k, before);
	e = one(r, &regs, &next);
	if (e < 0 || !r->k->t.pid)
		return e < 0 ? replay_broken(r, e) : 0;
	if (next) { /* a fault of the program's own, perhaps in this page */
		*status = next;
		return 0;
	}
	look(r->k, after);
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		told |= is_watched(p, i) && before[i] != after[i] ? 1u << i : 0;
	*again = true;
	e = tracee_regs(&r->k->t, &regs);
	return e < 0 ? replay_broken(r, e) : r->watch->trap(r->watch->ctx, r, &regs, r->step, told);
}
