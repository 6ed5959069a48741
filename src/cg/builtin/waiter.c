/* SPDX-License-Identifier: Apache-2.0 */
/* _waited_lock(): finds the mutex or rwsem that a sleeping thread waits for, if the kernel keeps no note of it.
 *
 * 1. A waiter's kernel stack holds its record, struct mutex_waiter or struct rwsem_waiter. A list node is the record's
 *    first member. A pointer to the thread follows it.
 * 2. The stack is searched for that pointer. The word is part of a record if both neighbours of the node point back.
 * 3. The list leads from node to node. Each node of a waiter lies on that waiter's stack. The first node that does not
 *    is the list head.
 * 4. The list head is a member of the lock.
 *
 * No lock is taken, so the list may change meanwhile. The lock's own words must agree with the record; else the result
 * is 0. Source: kernel/locking/mutex.c, kernel/locking/rwsem.c, include/linux/sched/task_stack.h. */
#include "cg/builtin/call.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/rt/int.h"

#define WAITER_WORDS 128 /* of the stack, from where the thread left the CPU; the record is among the first 60 */
#define WAITER_LIST 256	 /* waiters in front of it; fewer where the verifier has to walk them one by one */
#define WAITER_LIST_NOLOOP 32
#define STACK_BYTES 16384 /* THREAD_SIZE of x86-64 and arm64 */
#define STACK_MAGIC 0x57ac6e9d
#define LIST_PREV 8
#define MUTEX_FLAGS 7	/* low bits of mutex.owner */
#define MUTEX_WAITERS 1 /* … somebody waits */
#define RWSEM_WAITERS 2 /* rw_semaphore.count: somebody waits */
#define RWSEM_READ 1	/* rwsem_waiter.type */
/* A waiter's timeout lies at most JIFFIES_AHEAD after now, and at most JIFFIES_LONGEST before it. */
#define JIFFIES_AHEAD 1000
#define JIFFIES_LONGEST (1LL << 40)
/* The kinds in the low bits of the result: as BLOCKER_* of dlib/blocker.d, less 1. */
enum { KIND_MUTEX, KIND_SEMAPHORE, KIND_RWSEM_READ, KIND_RWSEM_WRITE };

struct waiter_layout {
	uint32_t sp, stack;	      /* in the thread */
	uint32_t task, type, timeout; /* after the record's node */
	uint32_t mutex_list, owner;   /* in the mutex */
	uint32_t rwsem_list, count;   /* in the rwsem */
};

/* False: other structures than the ones that are known here. */
static bool waiter_layout(struct cg *c, struct waiter_layout *l)
{
	uint32_t size, list, rwsem_list, rwsem_task;

	if (!lay_offset(c, "task_struct", "thread.sp", &l->sp, &size) &&
	    !lay_offset(c, "task_struct", "thread.cpu_context.sp", &l->sp, &size))
		return false;
	return lay_offset(c, "task_struct", "stack", &l->stack, &size) &&
	       lay_offset(c, "mutex_waiter", "list", &list, &size) && list == 0 && size == 2 * LIST_PREV &&
	       lay_offset(c, "mutex_waiter", "task", &l->task, &size) &&
	       lay_offset(c, "rwsem_waiter", "list", &rwsem_list, &size) && rwsem_list == 0 &&
	       lay_offset(c, "rwsem_waiter", "task", &rwsem_task, &size) && rwsem_task == l->task &&
	       lay_offset(c, "rwsem_waiter", "type", &l->type, &size) &&
	       lay_offset(c, "rwsem_waiter", "timeout", &l->timeout, &size) &&
	       lay_offset(c, "mutex", "wait_list", &l->mutex_list, &size) && size == 2 * LIST_PREV &&
	       lay_offset(c, "mutex", "owner", &l->owner, &size) &&
	       lay_offset(c, "rw_semaphore", "wait_list", &l->rwsem_list, &size) && size == 2 * LIST_PREV &&
	       lay_offset(c, "rw_semaphore", "count", &l->count, &size);
}

/* W_HEAD: the list's head, 0 as long as it is not found. */
enum { W_TASK = 0, W_SP = 8, W_BYTES = 16, W_WORDS = 24, W_NODE = 32, W_AT = 40, W_HEAD = 48, W_TMP = 56, W_SIZE = 64 };

/* 8 bytes at p + off in kernel memory, 0 when they cannot be read. */
static vreg peek(struct irfn *f, vreg st, vreg p, int32_t off)
{
	vreg dst = rt_alui(f, IRA_ADD, st, W_TMP), d = ir_new(f);

	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, ir_imm(f, 8), rt_alui(f, IRA_ADD, p, off)));
	ir_load(f, d, st, W_TMP, 8);
	return d;
}

/* Ends the loop if word i of the stack is the pointer to the thread in a linked record. Stores the record's node. */
static struct irfn *word_fn(struct prog *pr, const struct waiter_layout *l)
{
	struct irfn *f = irfn_new(pr->ip, "waiter_word", 2);
	vreg st = irfn_arg(f, 1), at = ir_new(f), node;
	irlabel end = ir_label(f), next = ir_label(f);

	ir_mov(f, at, irfn_arg(f, 0));
	ir_jcci(f, IRC_GE, at, WAITER_WORDS, end);
	ir_alui(f, IRA_SHL, at, at, 3);
	ir_jcc(f, IRC_GE, at, rt_ld(f, st, W_BYTES), end);
	ir_jcc(f, IRC_NE, rt_ld(f, rt_alu(f, IRA_ADD, rt_ld(f, st, W_WORDS), at), 0), rt_ld(f, st, W_TASK), next);
	node = rt_alui(f, IRA_SUB, rt_alu(f, IRA_ADD, rt_ld(f, st, W_SP), at), l->task);
	ir_jcc(f, IRC_NE, peek(f, st, peek(f, st, node, 0), LIST_PREV), node, next);
	ir_jcc(f, IRC_NE, peek(f, st, peek(f, st, node, LIST_PREV), 0), node, next);
	ir_store(f, st, W_NODE, 8, node);
	ir_place(f, end);
	ir_reti(f, 1);
	ir_place(f, next);
	ir_reti(f, 0);
	return f;
}

/* Goes one node towards the list head. Ends the loop at a node that is not on the stack of the thread in its record. */
static struct irfn *back_fn(struct prog *pr, const struct waiter_layout *l)
{
	struct irfn *f = irfn_new(pr->ip, "waiter_back", 2);
	vreg st = irfn_arg(f, 1), at = peek(f, st, rt_ld(f, st, W_AT), LIST_PREV), stack;
	irlabel head = ir_label(f);

	stack = peek(f, st, peek(f, st, at, (int32_t)l->task), (int32_t)l->stack);
	ir_jcci(f, IRC_GE, rt_alu(f, IRA_SUB, at, stack), STACK_BYTES, head);
	ir_store(f, st, W_AT, 8, at);
	ir_reti(f, 0);
	ir_place(f, head);
	ir_store(f, st, W_HEAD, 8, at);
	ir_reti(f, 1);
	return f;
}

/* Returns the lock if the list head is that of an rwsem. The record must then have a plausible timeout, in jiffies. */
static void try_rwsem(struct irfn *f, vreg st, vreg node, vreg head, const struct waiter_layout *l)
{
	vreg lock = rt_alui(f, IRA_SUB, head, l->rwsem_list), ago = ir_new(f), type;
	irlabel other = ir_label(f), reads = ir_label(f);

	ir_call(f, ago, BPF_FUNC_jiffies64, 0, NULL);
	ir_alui(f, IRA_ADD, ago, ago, JIFFIES_AHEAD);
	ir_alu(f, IRA_SUB, ago, ago, peek(f, st, node, (int32_t)l->timeout));
	ir_jcc(f, IRC_GE, ago, ir_imm(f, JIFFIES_LONGEST), other);
	type = rt_alui(f, IRA_SHL, peek(f, st, node, (int32_t)l->type), 32); /* 4 bytes */
	ir_alui(f, IRA_SHR, type, type, 32);
	ir_jcci(f, IRC_GT, type, RWSEM_READ, other);
	ir_jcci(f, IRC_EQ, rt_alui(f, IRA_AND, peek(f, st, lock, (int32_t)l->count), RWSEM_WAITERS), 0, other);
	ir_jcci(f, IRC_EQ, type, RWSEM_READ, reads);
	ir_ret(f, rt_alui(f, IRA_OR, lock, KIND_RWSEM_WRITE));
	ir_place(f, reads);
	ir_ret(f, rt_alui(f, IRA_OR, lock, KIND_RWSEM_READ));
	ir_place(f, other);
}

/* Returns the lock if the list head is that of a mutex. Its owner must be a thread: a thread's stack ends with
 * STACK_MAGIC. */
static void try_mutex(struct irfn *f, vreg st, vreg head, const struct waiter_layout *l)
{
	vreg lock = rt_alui(f, IRA_SUB, head, l->mutex_list), owner = peek(f, st, lock, (int32_t)l->owner), end;
	irlabel other = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_alui(f, IRA_AND, owner, MUTEX_WAITERS), 0, other);
	ir_alui(f, IRA_AND, owner, owner, ~(int64_t)MUTEX_FLAGS);
	end = peek(f, st, peek(f, st, owner, (int32_t)l->stack), 0);
	ir_jcc(f, IRC_NE, end, ir_imm(f, STACK_MAGIC), other);
	ir_ret(f, rt_alui(f, IRA_OR, lock, KIND_MUTEX));
	ir_place(f, other);
}

/* words[]: the stack from the thread's stack pointer on. */
static void read_words(struct irfn *f, vreg st, vreg task, vreg words, const struct waiter_layout *l)
{
	vreg sp = peek(f, st, task, (int32_t)l->sp), n, r = ir_new(f);
	irlabel none = ir_label(f), some = ir_label(f), ok = ir_label(f);

	n = rt_alui(f, IRA_ADD, peek(f, st, task, (int32_t)l->stack), STACK_BYTES);
	ir_alu(f, IRA_SUB, n, n, sp); /* up to the stack's end */
	ir_jcci(f, IRC_LE, n, WAITER_WORDS * 8, some);
	ir_movi(f, n, WAITER_WORDS * 8);
	ir_place(f, some);
	ir_alui(f, IRA_AND, n, n, WAITER_WORDS * 8 | (WAITER_WORDS * 8 - 8));
	ir_store(f, st, W_SP, 8, sp);
	ir_store(f, st, W_BYTES, 8, n);
	ir_jcci(f, IRC_EQ, n, 0, none);
	ir_jcci(f, IRC_GT, n, WAITER_WORDS * 8, none);
	ir_call(f, r, BPF_FUNC_probe_read_kernel, IR_ARGS(words, n, sp));
	ir_jcci(f, IRC_EQ, r, 0, ok);
	ir_place(f, none);
	ir_reti(f, 0);
	ir_place(f, ok);
}

/* waited_lock(task, words): words is memory for WAITER_WORDS. NULL: not on this kernel. */
static struct irfn *waited_fn(struct prog *pr)
{
	struct rtgen rg = { .p = pr->ip, .caps = pr->cg->caps };
	const bool loops = pr->cg->caps->bpf_loop;
	struct irfn *word, *back, *f;
	struct waiter_layout l;
	irlabel none;
	irslot state;
	vreg st, node, head;

	if (pr->fn_waited || !waiter_layout(pr->cg, &l))
		return pr->fn_waited;
	word = word_fn(pr, &l);
	back = back_fn(pr, &l);
	f = pr->fn_waited = irfn_new(pr->ip, "waited_lock", 2);
	state = ir_slot(f, W_SIZE), st = rt_slot_addr(f, state), none = ir_label(f);
	for (int32_t at = 0; at < W_SIZE; at += 8)
		ir_storei_slot(f, state, at, 8, 0);
	ir_store_slot(f, state, W_TASK, 8, irfn_arg(f, 0));
	ir_store_slot(f, state, W_WORDS, 8, irfn_arg(f, 1));
	read_words(f, st, irfn_arg(f, 0), irfn_arg(f, 1), &l);
	rt_vary(f, &rg, state, W_NODE, W_TMP);
	rt_loop(f, &rg, ir_imm(f, WAITER_WORDS), word, state);
	node = rt_ld(f, st, W_NODE);
	ir_jcci(f, IRC_EQ, node, 0, none);
	ir_store_slot(f, state, W_AT, 8, node);
	rt_loop(f, &rg, ir_imm(f, loops ? WAITER_LIST : WAITER_LIST_NOLOOP), back, state);
	head = rt_ld(f, st, W_HEAD);
	ir_jcci(f, IRC_EQ, head, 0, none);
	try_rwsem(f, st, node, head, &l);
	try_mutex(f, st, head, &l);
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}

void sub_waited_lock(struct gen *g, struct call *c)
{
	struct irfn *fn = waited_fn(g->pr);
	vreg task, words;

	c->v = ir_imm(g->f, 0);
	if (!fn)
		return;
	task = gen_launder(g, call_reg(g, c, 0));
	words = gen_addr(g, gen_scratch(g, WAITER_WORDS * 8));
	ir_call_fn(g->f, c->v, fn, IR_ARGS(task, words));
}
