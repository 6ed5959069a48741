/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments. The first one gives an undeclared variable its type. */
#include "lang/check/int.h"

static const char *assign_text(struct checker *c, const struct node *n)
{
	return n->op == OP_ASSIGN ? "=" : arena_printf(c->a, "%s=", op_text(n->op));
}

static struct node *not_lvalue(struct checker *c, struct node *n)
{
	return fail(c, n, D_OP_LVAL, "operator %s requires modifiable lvalue as an operand", assign_text(c, n));
}

static struct node *incompat(struct checker *c, struct node *n)
{
	fail(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"", tname(c, n->a),
	     assign_text(c, n), tname(c, n->b));
	if (is_str(c, n->a) && is_int(c, n->b))
		hint(c, "copyinstr() reads a string from a process, stringof() one from the kernel");
	return n;
}

/* The type that a new variable takes from the value assigned to it. */
static const struct dtype *type_of_value(struct checker *c, const struct node *v)
{
	const struct dtype *r = res(c, v);

	if (r->kind == DK_STRING)
		return basic(c, DT_STRING);
	/* A bit field is held in its declared type. */
	return rvalue_type(c, v->type);
}

/* x.m = …, x[3] = …: x is a variable that something is assigned to. */
static void mark_assigned(struct node *n)
{
	while (n && !n->var) {
		if (n->kind != N_INDEX && n->kind != N_CAST && !(n->kind == N_MEMBER && !n->arrow))
			return;
		n = n->a;
	}
	if (n)
		n->var->assigned = true;
}

static bool store_ok(struct checker *c, struct node *n)
{
	if (!n->a->lvalue) {
		not_lvalue(c, n);
		return false;
	}
	if (!is_writable(n->a)) {
		fail(c, n, D_OP_WRITE, "operator %s can only be applied to a writable variable", assign_text(c, n));
		return false;
	}
	mark_assigned(n->a);
	return true;
}

static bool is_new(const struct node *n)
{
	return n->var && n->type->kind == DK_DYN && !((struct cvar *)n->var)->known;
}

/* The type of a new variable, of which n is the first assignment. */
static void first_type(struct checker *c, struct node *n, bool cast)
{
	struct cvar *v = (struct cvar *)n->a->var;
	const struct dtype *r = res(c, n->b);

	v->pub.type = type_of_value(c, n->b);
	v->by_number = n->b->kind == N_INT && !cast && dtype_is_integer(r) && r->kind != DK_ENUM;
	if (v->by_number && r->size < sizeof(uint64_t) && cut_is_wide(c, v))
		v->pub.type = dtype_parse(c->t, "int64_t");
	v->known = true;
	n->a->type = v->pub.type;
}

/* A call of a subroutine whose arguments are checked already. */
static struct node *call_node(struct checker *c, const char *name, struct node *args, unsigned nargs, struct span at)
{
	struct node *k = new_node(c, N_CALL, at);

	k->name = name;
	k->builtin = builtin_find(name);
	k->args = args;
	k->nargs = nargs;
	return k;
}

/* s[i] = ch of a string variable: all of it is assigned, with that character in it. False: n is something else. */
static bool assign_char(struct checker *c, struct node *n)
{
	struct node *index = n->a, *s = index->kind == N_INDEX && !index->var ? index->a : NULL, *copy;

	while (s && s->kind == N_CAST && res(c, s)->kind == DK_PTR)
		s = s->a;
	if (!s || res(c, s)->kind != DK_STRING || !s->var || s->var->is_assoc || !is_int(c, n->b))
		return false;
	copy = arena_memdup(c->a, s, sizeof(*s));
	copy->next = index->args;
	copy->next->next = n->b;
	n->b->next = NULL;
	n->a = s;
	s->next = NULL;
	n->b = set_type(call_node(c, "_strset", copy, 3, n->at), basic(c, DT_STRING));
	return true;
}

/* *(string *)p = s: its bytes are copied, with their NUL. NULL: n is something else. */
static struct node *assign_at(struct checker *c, struct node *n)
{
	struct node *to = n->a, *s = n->b, *size, *copy;

	if (to->kind != N_STRINGOF || !to->implicit || !to->lvalue || !type_strcompat(c, s->type))
		return NULL;
	s = to_string(c, s);
	size = arena_memdup(c->a, s, sizeof(*s));
	size->next = NULL;
	size = set_type(call_node(c, "strlen", size, 1, n->at), basic(c, DT_ULONG));
	copy = new_node(c, N_INT, n->at);
	copy->ival = 1;
	set_type(copy, basic(c, DT_ULONG));
	n->kind = N_CALL;
	n->name = "bcopy";
	n->builtin = builtin_find(n->name);
	n->args = string_ptr(c, s);
	n->args->next = to->a;
	n->nargs = 3;
	to->a->next = new_node(c, N_BINARY, n->at);
	to->a->next->op = OP_ADD;
	to->a->next->a = size;
	to->a->next->b = copy;
	to->a->next->next = NULL;
	set_type(to->a->next, basic(c, DT_ULONG));
	n->a = n->b = NULL;
	return set_type(n, basic(c, DT_VOID));
}

static struct node *plain_assign(struct checker *c, struct node *n)
{
	bool cast = n->b->kind == N_CAST;
	const struct dtype *r;

	n->a = check_target(c, n->a, ACC_WRITE);
	n->b = xlate_value(c, xlate_keep(c, check_translated(c, n->b)));
	if (n->b == c->action) {
		check_action_value(c);
		set_err(c, n->b);
	}
	if (n->a->var && is_err(n->a) && ((struct cvar *)n->a->var)->known)
		n->a->type = n->a->var->type; /* b gave it its type: x = x++ */
	if (is_err(n->b) && n->a->var)
		((struct cvar *)n->a->var)->poisoned = true;
	if (is_err(n->b) || (is_err(n->a) && !is_new(n->a)))
		return set_err(c, n);
	if (assign_at(c, n))
		return n;
	if (n->a->kind == N_INDEX)
		assign_char(c, n);
	if (is_new(n->a)) /* x = x is still a read of something unknown; it was reported above. */
		first_type(c, n, cast);
	r = res(c, n->a);
	if (r->kind == DK_STRING)
		n->b = null_string(c, n->b);
	/* 0 deletes, also what is a struct or array; cg takes the constant for that. */
	if ((r->kind == DK_STRUCT || r->kind == DK_UNION || r->kind == DK_ARRAY) && n->a->var &&
	    (n->a->var->is_assoc || n->a->var->scope == VS_TLS) && is_zero(n->b))
		return store_ok(c, n) ? set_type(n, basic(c, DT_INT)) : n;
	if (r->kind == DK_ARRAY || r->kind == DK_FUNC) {
		fail(c, n, D_OP_ARRFUN, "operator = may not be applied to operand of type \"%s\"", tname(c, n->a));
		if (type_strcompat(c, r))
			hint(c, "stringof() makes a string of it");
		return n;
	}
	if (r->kind == DK_PTR && type_strcompat(c, r))
		n->b = string_ptr(c, n->b);
	if (!arg_compat(c, n->a->type, n->b) || r->kind == DK_STACK || r->kind == DK_USTACK || r->kind == DK_SYM)
		return incompat(c, n);
	if (!store_ok(c, n))
		return n;
	cut_note(c, n, n->b);
	n->b = convert(c, n->b, n->a->type);
	return set_type(n, rvalue_type(c, n->a->type));
}

/* Operators whose result has the bits of either operand. */
static bool may_grow(enum op op)
{
	return op != OP_DIV && op != OP_MOD && op != OP_SHR && op != OP_SHL && op != OP_BAND;
}

static bool compound_ok(struct checker *c, struct node *n)
{
	const char *op = assign_text(c, n);
	bool ints = is_int(c, n->a) && is_int(c, n->b);

	if (n->op == OP_MUL || n->op == OP_DIV) {
		if (!ints)
			fail(c, n, D_OP_ARITH, "operator %s requires operands of arithmetic type", op);
		return ints;
	}
	if (n->op != OP_ADD && n->op != OP_SUB) {
		if (!ints)
			fail(c, n, D_OP_INT, "operator %s requires operands of integral type", op);
		return ints;
	}
	if (ints)
		return true;
	if (is_str(c, n->a) || is_str(c, n->b)) {
		incompat(c, n);
		if (is_str(c, n->a) && is_str(c, n->b))
			hint(c, "strjoin() joins strings");
		return false;
	}
	if (res(c, n->a)->kind != DK_PTR || type_is_vfptr(c, n->a->type)) {
		fail(c, n, D_OP_VFPTR, "operator %s requires left-hand scalar operand of known size", op);
		return false;
	}
	if (!is_int(c, n->b)) {
		incompat(c, n);
		return false;
	}
	return true;
}

static struct node *compound_assign(struct checker *c, struct node *n)
{
	c->updating = n->a->kind == N_IDENT;
	n->a = check_target(c, n->a, ACC_READ);
	c->updating = false;
	n->b = check_expr(c, n->b);
	if (is_err(n->a) || is_err(n->b))
		return set_err(c, n);
	if (!compound_ok(c, n))
		return n;
	if ((n->op == OP_DIV || n->op == OP_MOD) && is_zero(n->b))
		return fail(c, n, D_DIV_ZERO, "expression contains division by zero");
	if (!store_ok(c, n))
		return n;
	if (may_grow(n->op))
		cut_note(c, n, n->b);
	if (is_ptr(c, n->a))
		n->b = convert(c, n->b, basic(c, DT_LONG));
	return set_type(n, rvalue_type(c, n->a->type));
}

struct node *check_assign(struct checker *c, struct node *n)
{
	if (n->a->kind == N_AGG) {
		fail(c, n, D_AGG_FUNC, "@%s must be assigned the result of an aggregating function", n->a->name);
		hint(c, "for example @%s = count()", n->a->name);
		return n;
	}
	return n->op == OP_ASSIGN ? plain_assign(c, n) : compound_assign(c, n);
}
