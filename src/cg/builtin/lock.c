/* SPDX-License-Identifier: Apache-2.0 */
/* mutex_*() and rw_*(): the state of a kernel lock at this moment, read without taking it. The type of
 * the argument tells what lock it is; an address without a type is a struct mutex or an rwlock_t, as in
 * DTrace for Linux. Source: kernel/locking/mutex.c, kernel/locking/rwsem.c,
 * include/asm-generic/qrwlock.h, include/asm-generic/qspinlock_types.h. */
#include "cg/builtin/call.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"

#define MUTEX_FLAGS 7  /* low bits of mutex.owner */
#define RWSEM_WRITER 1 /* rw_semaphore.count: a writer has it */
#define RWSEM_READERS_SHIFT 8
#define RWSEM_READERS_BITS 55 /* above them: the fail bit */
#define QRW_WRITER 0xff	      /* qrwlock.cnts: a writer has it */
#define QRW_WANTED 0x1ff      /* … or waits for it */
#define QRW_READERS_SHIFT 9

enum lock_kind { LOCK_MUTEX, LOCK_SPIN, LOCK_RWLOCK, LOCK_RWSEM };

/* Types by name; first the one that stands for addresses of any other type. */
static const struct lock_type {
	const char *name;
	enum lock_kind kind;
	const char *tag, *word; /* where the state is */
	bool rw;
} lock_types[] = {
	{ "mutex", LOCK_MUTEX, "mutex", "owner", false },
	{ "spinlock", LOCK_SPIN, "qspinlock", "val", false },
	{ "raw_spinlock", LOCK_SPIN, "qspinlock", "val", false },
	{ "qspinlock", LOCK_SPIN, "qspinlock", "val", false },
	{ "rwlock_t", LOCK_RWLOCK, "qrwlock", "cnts", true },
	{ "qrwlock", LOCK_RWLOCK, "qrwlock", "cnts", true },
	{ "rw_semaphore", LOCK_RWSEM, "rw_semaphore", "count", true },
};

static const char *pointee_name(struct gen *g, const struct node *n)
{
	const struct dtype *ty = cg_type(g->cg, n);

	if (ty->kind != DK_PTR || !ty->base)
		return "";
	for (ty = ty->base; ty->kind == DK_TYPEDEF; ty = ty->base)
		if (!strcmp(ty->name, "rwlock_t"))
			break;
	return ty->name ? ty->name : "";
}

static const struct lock_type *lock_type(struct gen *g, const struct call *c, bool rw)
{
	const struct node *n = c->a[0].n;
	const char *name = pointee_name(g, n);
	const struct lock_type *dflt = NULL;
	const struct dtype *ty;

	for (size_t i = 0; i < ARRAY_SIZE(lock_types); i++) {
		if (lock_types[i].rw != rw)
			continue;
		if (!dflt)
			dflt = &lock_types[i];
		if (!strcmp(lock_types[i].name, name))
			return &lock_types[i];
	}
	ty = cg_type(g->cg, n);
	if (ty->kind == DK_PTR && dtype_resolve(g->cg->p->types, ty->base)->kind == DK_STRUCT)
		cg_error(g, n->at, "D_PROTO_ARG",
			 "%s( ) argument #1 is incompatible with prototype:\n\tprototype: %s\n\t argument: %s",
			 c->n->name, rw ? "rwlock_t *" : "struct mutex *", dtype_name(g->cg->p->types, n->type));
	return dflt;
}

/* The word with the lock's state. */
static vreg lock_word(struct gen *g, const struct call *c, const struct lock_type *t)
{
	uint32_t off, size;
	vreg d = ir_new(g->f);

	if (!lay_offset(g->cg, t->tag, t->word, &off, &size)) {
		cg_error(g, c->n->at, TAG_NOSUPP, "%s() needs the kernel's struct %s, which has no %s here", c->n->name,
			 t->tag, t->word);
		return ir_imm(g->f, 0);
	}
	size = size == 4 ? 4 : 8;
	gen_probe_read(g, mem_slot(g->tmp, 8), size, call_reg(g, c, 0), off, c->a[0].n->user);
	gen_ld(g, d, mem_slot(g->tmp, 8), size, false);
	return d;
}

/* d = d != 0 */
static vreg is_set(struct gen *g, vreg d)
{
	irlabel out = ir_label(g->f);

	ir_jcci(g->f, IRC_EQ, d, 0, out);
	ir_movi(g->f, d, 1);
	ir_place(g->f, out);
	return d;
}

static vreg readers(struct gen *g, vreg w, enum lock_kind kind)
{
	irlabel none = ir_label(g->f), out = ir_label(g->f);

	if (kind == LOCK_RWLOCK) {
		ir_alui(g->f, IRA_SHR, w, w, QRW_READERS_SHIFT);
		return is_set(g, w);
	}
	/* a writer counts as none even while readers add themselves before they see it */
	ir_jcci(g->f, IRC_SET, w, RWSEM_WRITER, none);
	ir_alui(g->f, IRA_SHL, w, w, 64 - RWSEM_READERS_BITS - RWSEM_READERS_SHIFT);
	ir_alui(g->f, IRA_SHR, w, w, 64 - RWSEM_READERS_BITS);
	ir_jmp(g->f, out);
	ir_place(g->f, none);
	ir_movi(g->f, w, 0);
	ir_place(g->f, out);
	return is_set(g, w);
}

static vreg writer(struct gen *g, vreg w, enum lock_kind kind, bool wanted)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);

	if (kind == LOCK_RWSEM || wanted) {
		ir_alui(g->f, IRA_AND, w, w, kind == LOCK_RWSEM ? RWSEM_WRITER : QRW_WANTED);
		return is_set(g, w);
	}
	ir_alui(g->f, IRA_AND, w, w, QRW_WRITER);
	ir_jcci(g->f, IRC_NE, w, QRW_WRITER, no);
	ir_movi(g->f, w, 1);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	ir_movi(g->f, w, 0);
	ir_place(g->f, out);
	return w;
}

void sub_mutex_type(struct gen *g, struct call *c)
{
	c->v = ir_imm(g->f, (lock_type(g, c, false)->kind == LOCK_SPIN) == c->par);
}

void sub_mutex_owner(struct gen *g, struct call *c)
{
	const struct lock_type *t = lock_type(g, c, false);

	c->v = lock_word(g, c, t);
	if (t->kind == LOCK_SPIN) /* does not note its owner */
		c->v = ir_imm(g->f, 0);
	else
		ir_alui(g->f, IRA_AND, c->v, c->v, ~(int64_t)MUTEX_FLAGS);
}

void sub_mutex_owned(struct gen *g, struct call *c)
{
	const struct lock_type *t = lock_type(g, c, false);

	c->v = lock_word(g, c, t);
	if (t->kind == LOCK_MUTEX)
		ir_alui(g->f, IRA_AND, c->v, c->v, ~(int64_t)MUTEX_FLAGS);
	c->v = is_set(g, c->v);
}

void sub_rw_read_held(struct gen *g, struct call *c)
{
	const struct lock_type *t = lock_type(g, c, true);

	c->v = readers(g, lock_word(g, c, t), t->kind);
}

/* par: or wants to */
void sub_rw_writer(struct gen *g, struct call *c)
{
	const struct lock_type *t = lock_type(g, c, true);

	c->v = writer(g, lock_word(g, c, t), t->kind, c->par);
}
