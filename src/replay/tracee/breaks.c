/* SPDX-License-Identifier: Apache-2.0 */
/* A debug exception takes 20 us in a virtual machine. So an instruction under a breakpoint is executed elsewhere: a
 * copy of it, with a jump back. Instructions that depend on their place (calls, jumps, operands relative to rip) are
 * done here, or by a step. */
#include "replay/tracee/breaks.h"
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "replay/watch.h"
#include "sym/elf/insn.h"

#define INSN_BYTES 15u
#define CALL_BYTES 5u
#define ELSEWHERE 0x1000000u

enum pass { PASS_STEP, PASS_COPY, PASS_CALL, PASS_JUMP };
struct brk {
	UT_hash_handle hh;
	uint64_t addr, tag;
	uint8_t code; /* what is under it */
	uint8_t pass;
	uint32_t slot;
	uint64_t to; /* of PASS_CALL, PASS_JUMP */
};
struct breaks {
	struct brk *all;
	uint64_t low, high; /* addresses of the first and the last */
	bool slots;
	uint32_t nslots;
	uint64_t *places; /* by slot */
};

struct breaks *breaks_new(bool slots)
{
	struct breaks *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->low = UINT64_MAX;
	b->slots = slots;
	b->places = calloc(WATCH_SLOTS, sizeof(*b->places));
	if (b->places)
		return b;
	free(b);
	return NULL;
}

void breaks_free(struct breaks *b)
{
	struct brk *k, *next;

	if (!b)
		return;
	HASH_ITER (hh, b->all, k, next) {
		HASH_DEL(b->all, k);
		free(k);
	}
	free(b->places);
	free(b);
}

static struct brk *find(const struct breaks *b, uint64_t addr)
{
	struct brk *k;

	HASH_FIND(hh, b->all, &addr, sizeof(addr), k);
	return k;
}

static int insert(struct breaks *b, struct brk *k)
{
	HASH_ADD(hh, b->all, addr, sizeof(k->addr), k);
	if (!k->hh.tbl) {
		free(k);
		return -ENOMEM;
	}
	b->low = k->addr < b->low ? k->addr : b->low;
	b->high = k->addr > b->high ? k->addr : b->high;
	return 0;
}

struct breaks *breaks_copy(const struct breaks *b)
{
	struct breaks *c = breaks_new(b->slots);
	struct brk *k, *next;

	if (!c)
		return NULL;
	c->nslots = b->nslots;
	memcpy(c->places, b->places, WATCH_SLOTS * sizeof(*b->places));
	HASH_ITER (hh, b->all, k, next) {
		struct brk *n = malloc(sizeof(*n));

		if (n)
			*n = *k;
		if (!n || insert(c, n) < 0) {
			breaks_free(c);
			return NULL;
		}
	}
	return c;
}

bool breaks_at(const struct breaks *b, uint64_t addr)
{
	return b && find(b, addr);
}

uint64_t breaks_tag(const struct breaks *b, uint64_t addr)
{
	const struct brk *k = find(b, addr);

	return k ? k->tag : 0;
}

void breaks_hide(const struct breaks *b, uint64_t addr, uint8_t *bytes, size_t n)
{
	struct brk *k, *next;

	if (!b || !b->all || !n || addr > b->high || addr + n <= b->low)
		return;
	if (n < HASH_COUNT(b->all)) {
		for (size_t i = 0; i < n; i++)
			if (bytes[i] == 0xcc && (k = find(b, addr + i)))
				bytes[i] = k->code;
		return;
	}
	HASH_ITER (hh, b->all, k, next)
		if (k->addr >= addr && k->addr - addr < n)
			bytes[k->addr - addr] = k->code;
}

/* A copy of the instruction, then jmp *0(%rip), and where it goes on. */
static int put_copy(struct breaks *b, struct tracee *t, struct brk *k, const uint8_t *code, size_t n)
{
	static const uint8_t jump[6] = { 0xff, 0x25 };
	const uint64_t back = k->addr + n;
	uint8_t buf[WATCH_SLOT] = { 0 };

	if (!k->slot)
		k->slot = ++b->nslots;
	b->places[k->slot - 1] = k->addr;
	memcpy(buf, code, n);
	memcpy(buf + n, jump, sizeof(jump));
	memcpy(buf + n + sizeof(jump), &back, sizeof(back));
	k->pass = PASS_COPY;
	return tracee_poke(t, WATCH_AREA + (uint64_t)(k->slot - 1) * WATCH_SLOT, buf, sizeof(buf));
}

/* An operand relative to rip is shown as an address: so it differs where the code is elsewhere. */
static bool is_relative(const struct insn *v, uint64_t addr, const uint8_t *code)
{
	_cleanup_free_ struct insn *w = NULL;
	const char *reason = NULL;
	size_t found = 0;

	return insn_list(EM_X86_64, addr + ELSEWHERE, code, v->len, &w, &found, &reason) < 0 || !found ||
	       strcmp(v->text, w->text) != 0;
}

static int choose(struct breaks *b, struct tracee *t, struct brk *k, const uint8_t *code, size_t n)
{
	_cleanup_free_ struct insn *v = NULL;
	const char *reason = NULL;
	size_t found = 0;

	k->pass = PASS_STEP;
	/* More bytes than it has: the first instruction is what counts. */
	if (insn_list(EM_X86_64, k->addr, code, n, &v, &found, &reason) < 0 || !found)
		return 0;
	if (v->has_target && (code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb)) {
		k->pass = code[0] == 0xe8 ? PASS_CALL : PASS_JUMP;
		k->to = k->addr + (uint64_t)v->target;
		return 0;
	}
	if ((v->classes & (INSN_CALL | INSN_RET | INSN_BRANCH)) || is_relative(v, k->addr, code) ||
	    !strcmp(v->mnemonic, "syscall") || !strcmp(v->mnemonic, "int3") || !b->slots ||
	    (!k->slot && b->nslots == WATCH_SLOTS))
		return 0;
	return put_copy(b, t, k, code, v->len);
}

/* Looks at what is there now, and puts the breakpoint in. */
static int put(struct breaks *b, struct tracee *t, struct brk *k)
{
	static const uint8_t trap = 0xcc;
	uint8_t code[INSN_BYTES];
	size_t n = tracee_read(t, k->addr, code, sizeof(code));
	int e = n ? choose(b, t, k, code, n) : -EFAULT;

	if (e < 0)
		return e;
	k->code = code[0];
	return tracee_poke(t, k->addr, &trap, 1);
}

int breaks_add(struct breaks *b, struct tracee *t, uint64_t addr, uint64_t tag)
{
	struct brk *k = find(b, addr);
	int e;

	if (k) {
		k->tag = tag ? tag : k->tag;
		return 0;
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->addr = addr;
	k->tag = tag;
	e = put(b, t, k);
	if (e < 0) {
		free(k);
		return e;
	}
	return insert(b, k);
}

int breaks_remove(struct breaks *b, struct tracee *t, uint64_t addr)
{
	struct brk *k = find(b, addr);
	int e = tracee_poke(t, addr, &k->code, 1);

	HASH_DEL(b->all, k);
	free(k);
	return e;
}

int breaks_written(struct breaks *b, struct tracee *t, uint64_t addr, size_t n)
{
	struct brk *k, *next;
	int e = 0;

	if (!b || !b->all || addr > b->high || addr + n + INSN_BYTES <= b->low)
		return 0;
	HASH_ITER (hh, b->all, k, next)
		if (k->addr + INSN_BYTES > addr && k->addr < addr + n && e == 0) {
			if (k->addr >= addr)
				tracee_peek(t, k->addr, &k->code, 1);
			e = put(b, t, k);
		}
	return e;
}

void breaks_forget(struct breaks *b, uint64_t start, uint64_t size)
{
	struct brk *k, *next;

	if (!b || !b->all || start > b->high || start + size <= b->low)
		return;
	HASH_ITER (hh, b->all, k, next)
		if (k->addr >= start && k->addr - start < size) {
			HASH_DEL(b->all, k);
			free(k);
		}
}

static int step(struct tracee *t, const struct brk *k, int *status)
{
	static const uint8_t trap = 0xcc;
	int e = tracee_poke(t, k->addr, &k->code, 1), x;

	if (e == 0)
		e = tracee_go(t, PTRACE_SYSEMU_SINGLESTEP, 0);
	x = e == 0 ? tracee_wait(t) : e;
	if (x < 0)
		return x;
	*status = t->pid && x >> 8 == SIGTRAP ? 0 : x;
	return t->pid ? tracee_poke(t, k->addr, &trap, 1) : 0;
}

int breaks_pass(struct breaks *b, struct tracee *t, struct user_regs_struct *regs, int *status, bool *stepped)
{
	const struct brk *k = find(b, regs->rip);
	bool wanted = *stepped;
	uint64_t back;
	int e = 0;

	*status = 0;
	*stepped = false;
	if (!k) /* it has just been removed */
		return tracee_set_regs(t, regs);
	back = k->addr + CALL_BYTES;
	switch (wanted ? PASS_STEP : k->pass) {
	case PASS_COPY: regs->rip = WATCH_AREA + (uint64_t)(k->slot - 1) * WATCH_SLOT; break;
	case PASS_CALL:
		regs->rsp -= sizeof(back);
		e = tracee_write(t, regs->rsp, &back, sizeof(back));
		regs->rip = k->to;
		break;
	case PASS_JUMP: regs->rip = k->to; break;
	default: break;
	}
	if (e == 0)
		e = tracee_set_regs(t, regs);
	if (e < 0 || (k->pass != PASS_STEP && !wanted))
		return e;
	*stepped = true;
	return step(t, k, status);
}

uint64_t breaks_place(const struct breaks *b, uint64_t rip)
{
	if (b && rip >= WATCH_AREA && rip < WATCH_AREA + (uint64_t)WATCH_SLOTS * WATCH_SLOT &&
	    (rip - WATCH_AREA) % WATCH_SLOT == 0 && (rip - WATCH_AREA) / WATCH_SLOT < b->nslots)
		return b->places[(rip - WATCH_AREA) / WATCH_SLOT];
	return rip;
}

void breaks_no_slots(struct breaks *b)
{
	struct brk *k, *next;

	if (!b)
		return;
	b->slots = false;
	HASH_ITER (hh, b->all, k, next)
		k->pass = k->pass == PASS_COPY ? PASS_STEP : k->pass;
}
