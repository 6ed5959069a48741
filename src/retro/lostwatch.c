/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the words that point to a block between two stops. At first it looks after each instruction, so that a
 * pointer that was only in a register is seen where it is stored. Then debug registers follow four of the words.
 * Tells the last loss. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "retro/lost.h"
#include "sym/sym.h"

#define WORDS_MAX 64u
#define STEPS_MAX 20000u     /* 0.5 s */
#define OPERAND 8u	     /* words looked at where an instruction may have written */
#define RED_ZONE 128u	     /* below the stack pointer; a function may use it */
#define STACK_MAX (1u << 20) /* what is farther from the stack pointer is no frame that ended just now */

struct lost_watch {
	struct blocks *b;
	struct lost last;	   /* loss of a word; LOST_UNKNOWN: none yet */
	struct lost in_register;   /* the last time that a register lost it */
	struct lost at_call;	   /* where the first stop is */
	VEC(struct block) targets; /* copies, by address */
	held_words words;
	uint64_t steps, operand;    /* of the instruction that is next; 0: it has none in memory */
	uint64_t freed, freed_size; /* the block that is freed */
	uint64_t before[OPERAND];   /* what is there */
	bool in_regs, running;
	bool lost_sight;				  /* nothing follows the words */
	uint64_t frames[BLOCK_FRAMES], sps[BLOCK_FRAMES]; /* of the last walk */
	size_t nframes;
};

struct lost_watch *lost_watch_new(struct blocks *b)
{
	struct lost_watch *w = calloc(1, sizeof(*w));

	if (w)
		w->b = b;
	return w;
}

void lost_watch_free(struct lost_watch *w)
{
	if (!w)
		return;
	vec_free(&w->targets);
	vec_free(&w->words);
	free(w);
}

/* The last target that begins at an address or before it; NULL: none does. */
static const struct block *target_before(const struct lost_watch *w, uint64_t addr)
{
	size_t low = 0, high = w->targets.n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (w->targets.v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &w->targets.v[low - 1] : NULL;
}

static bool points(const struct lost_watch *w, uint64_t word)
{
	const struct block *k = target_before(w, word);

	return k && (word - k->addr < k->size || word == k->addr);
}

static bool registers_point(const struct lost_watch *w, const struct user_regs_struct *r)
{
	const uint64_t v[] = { r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->r8,
			       r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		if (points(w, v[i]))
			return true;
	return false;
}

static void walk(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs)
{
	w->nframes = stacks_walk(w->b->stacks, p, watch_pid(p), regs, w->frames, w->sps, BLOCK_FRAMES);
}

/* The frame whose memory has that word: the next one begins above it. */
static size_t frame_of(const struct lost_watch *w, uint64_t at)
{
	for (size_t i = 0; i + 1 < w->nframes; i++)
		if (w->sps[i + 1] > at)
			return i;
	return w->nframes ? w->nframes - 1 : 0;
}

/* Its first frame is number `from` of the last walk; `executed`: the instruction before is meant. */
static void fill(struct lost_watch *w, struct lost *to, enum lost_by by, const struct held_word *word, size_t from,
		 bool executed)
{
	*to = (struct lost){ .by = by };
	for (size_t i = from; i < w->nframes; i++)
		to->frames[to->nframes++] = w->frames[i];
	if (to->nframes && (from || executed))
		to->frames[0]--;
	if (!word)
		return;
	to->word = *word;
	if (word->where == HELD_STACK && w->nframes)
		to->owner = w->frames[frame_of(w, word->at)] - (frame_of(w, word->at) > 0);
	if (word->where == HELD_BLOCK) {
		size_t n = 0;
		struct block **v = blocks_list(w->b, &n), *k = v ? blocks_at(v, n, word->at) : NULL;

		to->owner = k ? k->addr : 0;
		free(v);
	}
}

static bool word_points(struct lost_watch *w, struct replay *p, uint64_t at)
{
	uint64_t x = 0;

	return watch_read(p, at, &x, sizeof(x)) == sizeof(x) && points(w, x);
}

/* The block that it points into. */
static void note_block(struct lost_watch *w, struct replay *p, struct held_word *k)
{
	const struct block *target;
	uint64_t x = 0;

	watch_read(p, k->at, &x, sizeof(x));
	target = target_before(w, x);
	if (target && x - target->addr <= target->size) {
		k->addr = target->addr;
		k->size = target->size;
	}
}

static bool within_target(const struct lost_watch *w, uint64_t at)
{
	const struct block *k = target_before(w, at);

	return k && at - k->addr < k->size;
}

static enum held_where where_is(struct lost_watch *w, uint64_t at, const struct user_regs_struct *regs)
{
	size_t n = 0;
	struct block **v = blocks_list(w->b, &n);
	const bool in = v && blocks_at(v, n, at);

	free(v);
	return in								     ? HELD_BLOCK
	       : at + RED_ZONE >= regs->rsp && at - regs->rsp + RED_ZONE < STACK_MAX ? HELD_STACK
										     : HELD_STATIC;
}

/* The dynamic linker's, before it looks for a function: it saves registers without knowing what they have. */
static bool saves_all(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs)
{
	static const char name[] = "_dl_runtime_resolve";
	struct symbol sym;

	return sym_user(w->b->sym, (uint32_t)watch_pid(p), 0, regs->rip, &sym) &&
	       strncmp(sym.name, name, sizeof(name) - 1) == 0;
}

static void add(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, uint64_t at)
{
	struct held_word k = { .at = at, .until = at < regs->rsp ? regs->rsp : at, .holds = true };

	if (within_target(w, at) || at - w->freed < w->freed_size)
		return;
	for (size_t i = 0; i < w->words.n; i++)
		if (w->words.v[i].at == at) {
			w->words.v[i].holds = true;
			return;
		}
	if (w->words.n == WORDS_MAX || saves_all(w, p, regs))
		return;
	k.where = where_is(w, at, regs);
	k.late = k.where == HELD_STACK && w->last.by != LOST_UNKNOWN && w->last.word.where != HELD_STACK;
	note_block(w, p, &k);
	if (vec_try_push(&w->words, k) < 0)
		return;
}

/* Notes the words that the executed instruction has written. The word that it named holds the pointer, even if it did
 * so before; words after it only if they have changed. */
static void note_stores(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs)
{
	uint64_t now[OPERAND] = { 0 };

	if (w->operand) {
		watch_read(p, w->operand, now, sizeof(now));
		for (unsigned i = 0; i < OPERAND; i++)
			if ((i == 0 || now[i] != w->before[i]) && points(w, now[i]))
				add(w, p, regs, w->operand + 8 * i);
	}
	if (word_points(w, p, regs->rsp & ~7ull)) /* push */
		add(w, p, regs, regs->rsp & ~7ull);
}

static void next_operand(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs)
{
	uint8_t code[16] = { 0 };
	const size_t n = watch_read(p, regs->rip, code, sizeof(code));

	if (n != sizeof(code) || !lost_operand(code, n, regs, &w->operand))
		w->operand = 0;
	w->operand = (w->operand + 7) & ~7ull; /* what is not aligned is not looked for */
	memset(w->before, 0, sizeof(w->before));
	if (w->operand)
		watch_read(p, w->operand, w->before, sizeof(w->before));
}

static bool is_gone(const struct held_word *k, const struct user_regs_struct *regs)
{
	return k->where == HELD_STACK && regs->rsp > k->until && regs->rsp - k->until < STACK_MAX;
}

/* Words that hold it no longer. */
static void note_losses(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, bool ends)
{
	for (size_t i = 0; i < w->words.n; i++) {
		struct held_word *k = &w->words.v[i];
		const bool gone = is_gone(k, regs);

		if (!k->holds || (!gone && word_points(w, p, k->at)))
			continue;
		k->holds = false;
		if (k->late)
			continue;
		if (ends && gone) {
			fill(w, &w->last, LOST_FRAME, k, frame_of(w, k->at), false);
			continue;
		}
		if (ends) {
			w->last = w->at_call;
			w->last.by = LOST_CALL;
			w->last.word = *k;
			continue;
		}
		walk(w, p, regs);
		fill(w, &w->last, gone ? LOST_FRAME : LOST_STORE, k, 0, true);
		if (gone && w->last.nframes)
			w->last.owner = w->last.frames[0];
	}
}

static int by_where(const void *a, const void *b)
{
	const struct held_word *x = a, *y = b;

	return x->where != y->where ? (int)x->where - (int)y->where : x->at < y->at ? -1 : x->at > y->at;
}

static int let_run(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs)
{
	uint64_t addr[4] = { 0 }, seven = 0;
	unsigned n = 0;

	w->running = true;
	w->steps = 0;
	walk(w, p, regs);
	watch_step(p, false);
	for (size_t i = 0; i < w->words.n && n < ARRAY_SIZE(addr); i++)
		if (w->words.v[i].holds) {
			seven |= 1ull << 2 * n | 9ull << (16 + 4 * n); /* writes of 8 bytes */
			addr[n++] = w->words.v[i].at;
		}
	return seven ? watch_debug(p, addr, seven) : 0;
}

int lost_watch_begin(struct lost_watch *w, struct replay *p, struct block **v, size_t n,
		     const struct user_regs_struct *regs, uint64_t freed)
{
	const struct block *k = freed ? blocks_at(v, n, freed) : NULL;
	int e = leaks_held(w->b, p, v, n, NULL, NULL, &w->words);

	for (size_t i = 0; i < n && e == 0; i++)
		if (v[i]->target)
			e = vec_try_push(&w->targets, *v[i]);
	if (e < 0)
		return e;
	if (w->words.n)
		qsort(w->words.v, w->words.n, sizeof(*w->words.v), by_where);
	w->words.n = w->words.n < WORDS_MAX ? w->words.n : WORDS_MAX;
	w->freed = k ? k->addr : 0;
	w->freed_size = k ? k->size : 0;
	for (size_t i = 0; i < w->words.n; i++)
		note_block(w, p, &w->words.v[i]);
	walk(w, p, regs);
	fill(w, &w->at_call, LOST_CALL, NULL, 0, false);
	for (size_t i = 0; i < w->words.n; i++)
		if (k && w->words.v[i].at - k->addr < k->size) {
			fill(w, &w->last, LOST_FREE, &w->words.v[i], 0, false);
			w->words.v[i].holds = false; /* what the allocator does to it does not count */
		}
	w->in_regs = registers_point(w, regs);
	next_operand(w, p, regs);
	watch_step(p, true);
	return 0;
}

int lost_watch_trap(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, bool stepped,
		    unsigned told)
{
	const uint64_t none[4] = { 0 };
	bool in_regs;

	if (stepped && !w->running)
		note_stores(w, p, regs);
	note_losses(w, p, regs, false);
	if (w->running && !told && ++w->steps == LOST_OTHERS_MAX) {
		w->lost_sight = w->b->unfollowed = true;
		return watch_debug(p, none, 0);
	}
	if (!stepped || w->running)
		return 0;
	in_regs = registers_point(w, regs);
	if (w->in_regs && !in_regs) {
		walk(w, p, regs);
		fill(w, &w->in_register, LOST_REGISTER, NULL, 0, true);
	}
	w->in_regs = in_regs;
	next_operand(w, p, regs);
	if (++w->steps == STEPS_MAX)
		return let_run(w, p, regs);
	watch_step(p, true);
	return 0;
}

void lost_watch_end(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, struct lost *ret)
{
	const uint64_t none[4] = { 0 };

	watch_step(p, false);
	watch_debug(p, none, 0);
	note_losses(w, p, regs, true);
	*ret = w->lost_sight ? (struct lost){ 0 } : w->last.by != LOST_UNKNOWN ? w->last : w->in_register;
	w->targets.n = w->words.n = 0;
	w->steps = 0;
	w->running = w->in_regs = w->lost_sight = false;
	w->last = w->in_register = (struct lost){ 0 };
}
