/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: DTrace's rules for integers (64 bits wide), C's for pointers, D's for strings. */
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"

static struct node *incompat(struct checker *c, struct node *n, const char *op)
{
	fail(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" %s \"%s\"", tname(c, n->a), op,
	     tname(c, n->b));
	if ((n->a->name && !strcmp(n->a->name, "cgroup")) || (n->b->name && !strcmp(n->b->name, "cgroup")))
		hint(c, "cgroup is a number; cgroupid(\"/PATH\") is that of a control group");
	else if ((type_strcompat(c, n->a->type) && is_int(c, n->b)) ||
		 (type_strcompat(c, n->b->type) && is_int(c, n->a)))
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
	for (i = 0; i < e->nenumerators; i++) {
		if (__builtin_strcmp(e->enumerators[i].name, name) != 0)
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
		n->b->ival = (uint64_t)e->enumerators[i].value;
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

/* -- constants known to the parser: of a ?: with one only the branch taken is left -- */

static const struct cinline *inline_of(struct checker *c, const char *name)
{
	const struct cinline *in = symtab_get(&c->inlines, name, 0);

	for (unsigned i = 0; i < c->scope.nparams; i++)
		if (c->scope.params[i].name && !__builtin_strcmp(c->scope.params[i].name, name))
			return NULL;
	if (c->raw || local_find(c, name) || (!c->scope.lib && symtab_get(&c->globals, name, 0)))
		return NULL;
	if (c->scope.lib || (!in && !find_builtin(c, name)))
		in = lib_inline(c, name);
	return in && !in->is_array ? in : NULL;
}

/* Only calculations with integers, and names of inlines that are one. */
static bool parsed_const(struct checker *c, const struct node *n)
{
	const struct cinline *in;

	switch (n->kind) {
	case N_INT: return true;
	case N_IDENT: in = inline_of(c, n->name); return in && in->is_int;
	case N_UNARY: return n->op != OP_DEREF && n->op != OP_ADDR && parsed_const(c, n->a);
	case N_CAST: return parsed_const(c, n->a);
	case N_BINARY: return n->op != OP_COMMA && parsed_const(c, n->a) && parsed_const(c, n->b);
	case N_COND: return parsed_const(c, n->a) && parsed_const(c, n->b) && parsed_const(c, n->c);
	case N_SIZEOF: return n->tyname && !n->a;
	default: return false;
	}
}

struct node *const_branch(struct checker *c, const struct node *n, bool *ret_bad)
{
	struct node *k;

	*ret_bad = false;
	if (n->kind != N_COND || !parsed_const(c, n->a))
		return NULL;
	k = check_expr(c, node_copy(c->a, n->a));
	*ret_bad = is_err(k);
	if (*ret_bad || k->kind != N_INT)
		return NULL;
	k = k->ival ? n->b : n->c;
	k->next = n->next;
	return k;
}

/* -- assignments -- */

static const char *assign_text(struct checker *c, const struct node *n)
{
	return n->op == OP_ASSIGN ? "=" : arena_printf(c->a, "%s=", op_text(n->op));
}

static struct node *not_lvalue(struct checker *c, struct node *n)
{
	return fail(c, n, D_OP_LVAL, "operator %s requires modifiable lvalue as an operand", assign_text(c, n));
}

static struct node *bad_assign(struct checker *c, struct node *n)
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
		return bad_assign(c, n);
	if (!store_ok(c, n))
		return n;
	cut_check(c, n, n->b);
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
		bad_assign(c, n);
		if (is_str(c, n->a) && is_str(c, n->b))
			hint(c, "strjoin() joins strings");
		return false;
	}
	if (res(c, n->a)->kind != DK_PTR || type_is_vfptr(c, n->a->type)) {
		fail(c, n, D_OP_VFPTR, "operator %s requires left-hand scalar operand of known size", op);
		return false;
	}
	if (!is_int(c, n->b)) {
		bad_assign(c, n);
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
		cut_check(c, n, n->b);
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
