/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: DTrace's rules for integers (64 bits wide), C's for pointers, D's for strings. */
#include "lang/check/int.h"

static struct node *incompat(struct checker *c, struct node *n, const char *op)
{
	fail(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"", tname(c, n->a), op,
	     tname(c, n->b));
	if ((type_strcompat(c, n->a->type) && is_int(c, n->b)) || (type_strcompat(c, n->b->type) && is_int(c, n->a)))
		hint(c, "compare strings with strings; copyinstr() reads one from a process");
	else if ((is_ptr(c, n->a) && is_int(c, n->b)) || (is_int(c, n->a) && is_ptr(c, n->b)))
		hint(c, "a cast makes both operands of one type");
	return n;
}

/* -- unary -- */

static struct node *check_deref(struct checker *c, struct node *n)
{
	const struct dtype *r, *el, *ty;

	n->a = string_ptr(c, n->a);
	r = res(c, n->a);
	if (r->kind != DK_PTR && r->kind != DK_ARRAY)
		return fail(c, n, D_DEREF_NONPTR, "cannot dereference non-pointer type");
	el = dtype_resolve(c->t, r->base);
	if (el->kind == DK_VOID)
		return fail(c, n, D_DEREF_VOID, "cannot dereference pointer to void");
	if (el->kind == DK_FUNC)
		return fail(c, n, D_DEREF_FUNC, "cannot dereference pointer to function");
	if (el->kind == DK_FWD)
		return fail(c, n, D_OP_INCOMPLETE,
			    "operator * cannot be applied to a forward declaration: no %s "
			    "definition is available",
			    dtype_name(c->t, el));
	n->user = n->a->user || is_user_type(n->a->type);
	n->a = decay(c, n->a);
	n->lvalue = true;
	if (el->kind == DK_STRING) { /* the text at that address */
		n->kind = N_STRINGOF;
		n->implicit = true;
		n->a = convert(c, n->a, dtype_ptr(c->t, basic(c, DT_CHAR)));
		return set_type(n, basic(c, DT_STRING));
	}
	ty = r->base;
	if (n->user && el->kind == DK_PTR)
		ty = dtype_qual(c->t, ty, DQ_USERLAND);
	return set_type(n, ty);
}

static struct node *check_addr(struct checker *c, struct node *n)
{
	const struct dtype *ty;

	if (n->a->var || n->a->builtin)
		return fail(c, n, D_ADDROF_VAR, "cannot take address of dynamic variable");
	if (!n->a->lvalue)
		return fail(c, n, D_ADDROF_LVAL, "unacceptable operand for unary & operator");
	if (n->a->kind == N_MEMBER && n->a->member.bit_size)
		return fail(c, n, D_ADDROF_BITFIELD, "cannot take address of bit-field");
	ty = dtype_ptr(c->t, n->a->type);
	return set_type(n, n->a->user ? dtype_qual(c->t, ty, DQ_USERLAND) : ty);
}

static struct node *check_incdec(struct checker *c, struct node *n)
{
	const char *op = op_text(n->op);

	n->a = check_target(c, n->a, ACC_INC);
	if (is_err(n->a))
		return set_err(c, n);
	if (!is_scalar(c, n->a))
		return fail(c, n, D_OP_SCALAR, "operator %s requires operand of scalar type", op);
	if (type_is_vfptr(c, n->a->type))
		return fail(c, n, D_OP_VFPTR, "operator %s requires an operand of known size", op);
	if (!n->a->lvalue)
		return fail(c, n, D_OP_LVAL, "operator %s requires modifiable lvalue as an operand", op);
	if (!is_writable(n->a))
		return fail(c, n, D_OP_WRITE, "operator %s can only be applied to a writable variable", op);
	return set_type(n, rvalue_type(c, n->a->type));
}

/* !self->x, -this->x, !a[k] of a variable that nothing is assigned to yet: it is an int64_t, as after ++. */
static struct node *check_operand(struct checker *c, struct node *n)
{
	bool may_be_new = n->kind == N_TLS || n->kind == N_THIS || n->kind == N_INDEX;

	return may_be_new ? xlate_whole(c, check_target(c, n, ACC_UNARY)) : check_expr(c, n);
}

struct node *check_unary(struct checker *c, struct node *n)
{
	if (n->op == OP_PREINC || n->op == OP_PREDEC || n->op == OP_POSTINC || n->op == OP_POSTDEC)
		return check_incdec(c, n);
	if (n->op == OP_ADDR && n->a->kind == N_AGG)
		return fail(c, n, D_ADDROF_VAR, "cannot take address of dynamic variable");
	if (n->op == OP_DEREF)
		n->a = check_translated(c, n->a);
	else
		n->a = n->op == OP_ADDR ? check_untyped(c, n->a) : check_operand(c, n->a);
	if (is_err(n->a))
		return set_err(c, n);
	if (n->a->kind == N_XLATE && res(c, n->a)->kind == DK_PTR) { /* the struct itself */
		set_type(n->a, res(c, n->a)->base);
		n->a->next = n->next;
		return n->a;
	}
	n->a = xlate_whole(c, n->a);
	if (is_err(n->a))
		return set_err(c, n);
	switch (n->op) {
	case OP_DEREF: return check_deref(c, n);
	case OP_ADDR: return check_addr(c, n);
	case OP_LNOT:
		if (!is_scalar(c, n->a))
			return fail(c, n, D_OP_SCALAR, "operator ! requires an operand of scalar type");
		return set_type(n, basic(c, DT_INT));
	default:
		if (!is_int(c, n->a) && n->op == OP_BNOT)
			return fail(c, n, D_OP_INT, "operator ~ requires an operand of integral type");
		if (!is_int(c, n->a))
			return fail(c, n, D_OP_ARITH, "operator %s requires an operand of arithmetic type",
				    op_text(n->op));
		return set_type(n, arith_one(c, n->a));
	}
}

/* -- binary -- */

/* The operands are not converted: arithmetic is in 64 bits. */
static struct node *usual(struct checker *c, struct node *n)
{
	return set_type(n, arith_type(c, n->a, n->b));
}

static struct node *check_logical(struct checker *c, struct node *n)
{
	if (!is_scalar(c, n->a) || !is_scalar(c, n->b)) {
		fail(c, n, D_OP_SCALAR, "operator %s requires operands of scalar type", op_text(n->op));
		if (is_str(c, n->a) || is_str(c, n->b))
			hint(c, "compare strings: … != \"\"");
		return n;
	}
	return set_type(n, basic(c, DT_INT));
}

static struct node *check_relation(struct checker *c, struct node *n)
{
	bool strs;

	if (is_str(c, n->a))
		n->b = null_string(c, n->b);
	else if (is_str(c, n->b))
		n->a = null_string(c, n->a);
	strs = type_strcompat(c, n->a->type) && type_strcompat(c, n->b->type) && (is_str(c, n->a) || is_str(c, n->b));
	if (is_int(c, n->a) && is_int(c, n->b)) {
		n->cmp_unsigned = !arith_type(c, n->a, n->b)->is_signed;
	} else if (strs) {
		n->a = to_string(c, n->a);
		n->b = to_string(c, n->b);
	} else if (ptr_compat(c, n->a, n->b)) {
		n->a = decay(c, n->a);
		n->b = decay(c, n->b);
		if (is_zero(n->a))
			n->a = convert(c, n->a, n->b->type);
		else
			n->b = convert(c, n->b, n->a->type);
	} else {
		return incompat(c, n, op_text(n->op));
	}
	return set_type(n, basic(c, DT_INT));
}

/* Pointer, or array, that arithmetic may move; cg scales by the size of what it points to. */
static bool movable(struct checker *c, const struct node *n)
{
	const struct dtype *r = res(c, n);

	if ((r->kind != DK_PTR && r->kind != DK_ARRAY) || type_is_vfptr(c, n->type))
		return false;
	return dtype_resolve(c->t, r->base)->kind != DK_FWD;
}

/* string + n: the text from byte n on */
static struct node *string_offset(struct checker *c, struct node *n)
{
	struct node *s = n->a, *i = n->b;

	n->kind = N_CALL;
	n->name = "substr";
	n->builtin = builtin_find(n->name);
	n->a = n->b = NULL;
	n->args = s;
	n->nargs = 2;
	s->next = convert(c, i, basic(c, DT_INT));
	s->next->next = NULL;
	return set_type(n, basic(c, DT_STRING));
}

static struct node *check_additive(struct checker *c, struct node *n)
{
	bool lp = movable(c, n->a), rp = movable(c, n->b);

	if (is_int(c, n->a) && is_int(c, n->b))
		return usual(c, n);
	if (n->op == OP_ADD && (rp || is_str(c, n->b)) && is_int(c, n->a)) { /* integer + pointer */
		struct node *t = n->a;

		n->a = n->b;
		n->b = t;
		lp = movable(c, n->a);
	}
	if (n->op == OP_ADD && is_str(c, n->a) && is_int(c, n->b))
		return string_offset(c, n);
	if (lp && is_int(c, n->b)) {
		const struct dtype *ar = res(c, n->a);

		if (ar->kind == DK_ARRAY && ar->nelems && n->b->kind == N_INT && n->op == OP_ADD &&
		    n->b->ival > ar->nelems)
			return fail(c, n, D_ARR_BOUNDS, "index outside array bounds: %lld, max is %llu",
				    (long long)n->b->ival, (unsigned long long)ar->nelems);
		n->a = decay(c, n->a);
		n->b = convert(c, n->b, basic(c, DT_LONG));
		return set_type(n, rvalue_type(c, n->a->type));
	}
	if (n->op == OP_SUB && lp && rp && ptr_compat(c, n->a, n->b)) {
		n->a = decay(c, n->a);
		n->b = decay(c, n->b);
		return set_type(n, dtype_parse(c->t, "ptrdiff_t"));
	}
	return incompat(c, n, op_text(n->op));
}

static struct node *check_comma(struct checker *c, struct node *n)
{
	n->b = decay(c, n->b);
	return set_type(n, rvalue_type(c, n->b->type));
}

/* x == TAG: an enumerator of x's own type wins over one of another type, but not over a variable.
 */
static void enum_operand(struct checker *c, struct node *n)
{
	const struct dtype *e = res(c, n->a);
	const char *name = n->b->name;
	uint32_t i;

	if (e->kind != DK_ENUM || n->b->kind != N_IDENT)
		return;
	for (i = 0; i < e->nevals; i++) {
		if (__builtin_strcmp(e->evals[i].name, name) != 0)
			continue;
		if (local_find(c, name))
			return;
		if (symtab_get(&c->globals, name, 0) || symtab_get(&c->inlines, name, 0) || builtin_find(name)) {
			fail(c, n->b, D_IDENT_AMBIG,
			     "ambiguous use of operator %s: %s is both a %s enum tag and a global "
			     "scalar",
			     op_text(n->op), name, tname(c, n->a));
			n->b->kind = N_INT;
			return;
		}
		n->b->kind = N_INT;
		n->b->ival = (uint64_t)e->evals[i].value;
		n->b->is_const = true;
		n->b->type = n->a->type;
		return;
	}
}

/* Operand of a comma or ?:, where actions cannot stand. */
static struct node *check_value(struct checker *c, struct node *n, const char *fmt)
{
	const struct builtin *b = n->kind == N_CALL ? find_builtin_func(c, n->name) : NULL;

	if (!b || b->kind != BIK_ACT)
		return check_expr(c, n);
	diag_error(c->d, n->at, D_OP_ACT, "%s", fmt);
	if (c->stmt)
		hint(c, "write two clauses with predicates instead");
	return set_err(c, n);
}

#define COMMA_ACT "operator , operands cannot be actions"
#define COND_ACT "action cannot be used in a conditional context"

static bool is_relational(enum op op)
{
	return op_class(op) == OPC_R;
}

static struct node *check_binary_typed(struct checker *c, struct node *n)
{
	bool ints = is_int(c, n->a) && is_int(c, n->b);

	if (is_relational(n->op))
		return check_relation(c, n);
	switch (n->op) {
	case OP_LAND:
	case OP_LXOR:
	case OP_LOR: return check_logical(c, n);
	case OP_COMMA: return check_comma(c, n);
	case OP_ADD:
	case OP_SUB: return check_additive(c, n);
	case OP_MUL:
	case OP_DIV:
		if (!ints)
			return fail(c, n, D_OP_ARITH, "operator %s requires operands of arithmetic type",
				    op_text(n->op));
		return usual(c, n);
	default:
		if (!ints)
			return fail(c, n, D_OP_INT, "operator %s requires operands of integral type", op_text(n->op));
		if (n->op == OP_SHL || n->op == OP_SHR)
			return set_type(n, arith_one(c, n->a));
		return usual(c, n);
	}
}

struct node *check_binary(struct checker *c, struct node *n)
{
	n->a = n->op == OP_COMMA ? check_value(c, n->a, COMMA_ACT) : check_expr(c, n->a);
	if (!is_err(n->a) && is_relational(n->op))
		enum_operand(c, n);
	if (n->b->type == NULL)
		n->b = n->op == OP_COMMA ? check_value(c, n->b, COMMA_ACT) : check_expr(c, n->b);
	if (is_err(n->a) || is_err(n->b))
		return set_err(c, n);
	return check_binary_typed(c, n);
}

/* -- ?: -- */

/* Strings: the result's static bound holds either branch. */
static struct node *cond_strings(struct checker *c, struct node *n)
{
	const struct dtype *b, *d;

	n->b = to_string(c, n->b);
	n->c = to_string(c, n->c);
	b = res(c, n->b);
	d = res(c, n->c);
	if (!b->strbound || !d->strbound)
		return set_type(n, basic(c, DT_STRING));
	return set_type(n, b->strbound > d->strbound ? b : d);
}

static struct node *cond_pointers(struct checker *c, struct node *n)
{
	const struct dtype *ty;

	n->b = decay(c, n->b);
	n->c = decay(c, n->c);
	ty = is_int(c, n->b) || dtype_resolve(c->t, res(c, n->b)->base)->kind == DK_VOID ? n->c->type : n->b->type;
	n->b = convert(c, n->b, ty);
	n->c = convert(c, n->c, ty);
	return set_type(n, rvalue_type(c, ty));
}

struct node *check_cond(struct checker *c, struct node *n)
{
	n->a = check_expr(c, n->a);
	/* As in DTrace: first that each operand is right by itself, then that none is an action. */
	if (!act_protos_fit(c, n->b) || !act_protos_fit(c, n->c))
		return set_err(c, n);
	n->b = check_value(c, n->b, COND_ACT);
	n->c = check_value(c, n->c, COND_ACT);
	if (is_err(n->a) || is_err(n->b) || is_err(n->c))
		return set_err(c, n);
	if (!is_scalar(c, n->a))
		return fail(c, n, D_OP_SCALAR, "operator ?: expression must be of scalar type");
	if (is_str(c, n->b))
		n->c = null_string(c, n->c);
	else if (is_str(c, n->c))
		n->b = null_string(c, n->b);
	if (is_int(c, n->b) && is_int(c, n->c)) {
		const struct dtype *ty = types_same(c, n->b->type, n->c->type) ? rvalue_type(c, n->b->type)
									       : arith_type(c, n->b, n->c);

		return set_type(n, ty);
	}
	if (type_strcompat(c, n->b->type) && type_strcompat(c, n->c->type) && (is_str(c, n->b) || is_str(c, n->c)))
		return cond_strings(c, n);
	if (ptr_compat(c, n->b, n->c))
		return cond_pointers(c, n);
	if (types_same(c, n->b->type, n->c->type) && !is_ptr(c, n->b))
		return set_type(n, rvalue_type(c, n->b->type));
	return fail(c, n, D_OP_INCOMPAT, "operator ?: operands must have compatible types");
}
