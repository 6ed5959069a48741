/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of D's expressions: precedence climbing over a table of binary operators. */
#include <string.h>
#include "lang/syntax/parse_int.h"

/* -- nodes -- */

static unsigned max_height(const struct node *n, unsigned h)
{
	return n && n->height > h ? n->height : h;
}

/* Closes a node: its height above its operands, and its end. */
static struct node *finish(struct parser *p, struct node *n)
{
	unsigned h = max_height(n->a, max_height(n->b, max_height(n->c, 0)));

	for (const struct node *x = n->args; x; x = x->next)
		h = max_height(x, h);
	n->height = h + 1;
	if (n->height > DPROG_MAX_HEIGHT)
		parse_fail(p, n->at, D_LIMIT, "expression of more than %d levels", DPROG_MAX_HEIGHT);
	return n;
}

static struct node *new_node(struct parser *p, enum node_kind kind, struct span at)
{
	struct node *n = arena_new_obj(p->arena, struct node);

	n->kind = kind;
	n->at = at;
	return n;
}

/* An operator's: it has ended when the next token shows that its operand has. */
static struct node *finish_op(struct parser *p, struct node *n)
{
	const char *text = p->lx.src->text;

	n->at.read_to = p->lx.tok.at.off;
	if (parse_is(p, T_EPRED)) /* known to end the predicate by what follows it */
		while (lex_is_blank(text[++n->at.read_to]))
			;
	return finish(p, n);
}

static struct node *new_unary(struct parser *p, enum op op, struct span at, struct node *a)
{
	struct node *n = new_node(p, N_UNARY, span_join(at, a->at));

	n->op = op;
	n->a = a;
	return finish_op(p, n);
}

static struct node *new_binary(struct parser *p, enum node_kind kind, enum op op, struct node *a, struct node *b)
{
	struct node *n = new_node(p, kind, span_join(a->at, b->at));

	n->op = op;
	n->a = a;
	n->b = b;
	return finish_op(p, n);
}

/* A placeholder for an expression that has an error. */
static struct node *dummy(struct parser *p)
{
	struct node *n = new_node(p, N_INT, p->lx.tok.at);

	n->name = "";
	n->str = "0";
	return finish(p, n);
}

static struct node *fail_here(struct parser *p)
{
	parse_fail_here(p);
	return dummy(p);
}

/* Takes the token t and ends the node's span with it. */
static void close_with(struct parser *p, enum tok t, struct node *n)
{
	struct span at = p->lx.tok.at;

	if (parse_expect(p, t))
		n->at = span_join(n->at, at);
}

/* -- primary -- */

static struct node *parse_int_const(struct parser *p)
{
	const struct token *t = &p->lx.tok;
	struct node *n = new_node(p, N_INT, t->at);
	bool negative = t->negative;

	n->ival = t->ival;
	n->name = t->suffix ? t->suffix : "";
	n->str = t->str;
	n->len = t->str ? strlen(t->str) : 0;
	n->is_char_const = t->is_char;
	finish(p, n);
	parse_next(p);
	return negative ? new_unary(p, OP_NEG, n->at, n) : n;
}

static struct node *parse_str_const(struct parser *p)
{
	const struct token *t = &p->lx.tok;
	struct node *n = new_node(p, N_STR, t->at);

	n->str = t->str;
	n->len = t->len;
	parse_next(p);
	return finish(p, n);
}

/* IDENT, or module`symbol */
static struct node *parse_ident(struct parser *p)
{
	const char *module;
	struct node *n = new_node(p, N_IDENT, p->lx.tok.at);

	n->name = parse_split_scope(p, p->lx.tok.name, &module);
	if (module) {
		n->kind = N_KSYM;
		n->str = *module ? module : NULL;
	}
	parse_next(p);
	return finish(p, n);
}

/* self -> IDENT | this -> IDENT: names of variables, not members of something. */
static struct node *parse_scoped(struct parser *p, enum node_kind kind)
{
	struct node *n = new_node(p, kind, p->lx.tok.at);
	const char *word = kind == N_TLS ? "self" : "this";

	parse_next(p);
	if (!parse_is(p, T_ARROW)) {
		parse_hint(p, parse_fail_here(p),
			   arena_printf(p->arena, "write %s->name; declarations stand outside of clauses", word));
		return dummy(p);
	}
	p->lx.mode = LEX_MEMBER;
	parse_next(p);
	n->name = p->lx.tok.name;
	close_with(p, T_IDENT, n);
	return finish(p, n);
}

/* ( expression ) */
static struct node *parse_parens(struct parser *p)
{
	struct span at = p->lx.tok.at;
	struct node *n;

	parse_next(p);
	n = parse_expression(p);
	n->at = span_join(at, n->at);
	close_with(p, T_RPAR, n);
	n->parens = true;
	return n;
}

/* offsetof ( type , IDENT ) */
static struct node *parse_offsetof(struct parser *p)
{
	struct node *n = new_node(p, N_OFFSETOF, p->lx.tok.at);

	parse_next(p);
	parse_expect(p, T_LPAR);
	if (p->panic)
		return dummy(p);
	n->tyname = parse_type_name(p);
	p->lx.mode = LEX_MEMBER;
	parse_expect(p, T_COMMA);
	p->lx.mode = LEX_EXPR;
	n->name = parse_name(p);
	close_with(p, T_RPAR, n);
	return finish(p, n);
}

/* xlate < type > ( expression ) */
static struct node *parse_xlate(struct parser *p)
{
	struct node *n = new_node(p, N_XLATE, p->lx.tok.at);

	parse_next(p);
	parse_expect(p, T_LT);
	if (p->panic)
		return dummy(p);
	n->tyname = parse_type_name(p);
	parse_expect(p, T_GT);
	if (!parse_is(p, T_LPAR))
		return fail_here(p);
	n->a = parse_parens(p);
	n->at = span_join(n->at, n->a->at);
	return finish(p, n);
}

/* primary: IDENT | AGG | INT | STRING | self -> IDENT | this -> IDENT | ( expression ) | offsetof … */
static struct node *parse_primary(struct parser *p)
{
	struct node *n;

	if (p->panic)
		return dummy(p);
	switch (parse_cur(p)) {
	case T_IDENT: return parse_ident(p);
	case T_INT: return parse_int_const(p);
	case T_STR: return parse_str_const(p);
	case T_LPAR: return parse_parens(p);
	case T_KW_SELF: return parse_scoped(p, N_TLS);
	case T_KW_THIS: return parse_scoped(p, N_THIS);
	case T_KW_OFFSETOF: return parse_offsetof(p);
	case T_KW_XLATE: return parse_xlate(p);
	case T_AGG:
		n = new_node(p, N_AGG, p->lx.tok.at);
		n->name = p->lx.tok.name;
		parse_next(p);
		return finish(p, n);
	default: return fail_here(p);
	}
}

/* -- postfix -- */

/* assignment { , assignment } */
static void parse_args(struct parser *p, struct node *n)
{
	struct node **tail = &n->args;

	while (*tail)
		tail = &(*tail)->next;
	do {
		*tail = parse_assignment(p);
		tail = &(*tail)->next;
		n->nargs++;
	} while (parse_accept(p, T_COMMA));
}

/* postfix [ args ] */
static struct node *parse_index(struct parser *p, struct node *a)
{
	struct node *n = a;

	if (a->kind == N_AGG && a->args) {
		parse_fail(p, a->at, D_AGG_MDIM, "improper use of @%s as a multi-dimensional array", a->name);
		return dummy(p);
	}
	if (a->kind != N_AGG) {
		n = new_node(p, N_INDEX, a->at);
		n->a = a;
	}
	parse_next(p);
	parse_args(p, n);
	close_with(p, T_RBRACK, n);
	return finish(p, n);
}

/* IDENT ( [ args ] ) */
static struct node *parse_call(struct parser *p, struct node *f)
{
	struct node *n = new_node(p, N_CALL, f->at);

	if (f->kind != N_IDENT) {
		parse_fail(p, f->at, D_FUNC_IDENT, "function designator is not of function type");
		return dummy(p);
	}
	n->name = f->name;
	parse_next(p);
	if (!parse_is(p, T_RPAR))
		parse_args(p, n);
	close_with(p, T_RPAR, n);
	return finish(p, n);
}

/* postfix . IDENT | postfix -> IDENT */
static struct node *parse_member(struct parser *p, struct node *a)
{
	struct node *n = new_node(p, N_MEMBER, a->at);

	n->a = a;
	n->arrow = parse_is(p, T_ARROW);
	p->lx.mode = LEX_MEMBER;
	parse_next(p);
	n->name = p->lx.tok.name;
	close_with(p, T_IDENT, n);
	return finish(p, n);
}

static struct node *parse_postfix(struct parser *p)
{
	struct node *n = parse_primary(p);

	while (!p->panic) {
		enum tok t = parse_cur(p);

		if (t == T_LBRACK) {
			n = parse_index(p, n);
		} else if (t == T_LPAR) {
			n = parse_call(p, n);
		} else if (t == T_DOT || t == T_ARROW) {
			n = parse_member(p, n);
		} else if (t == T_INC || t == T_DEC) {
			n = new_unary(p, t == T_INC ? OP_POSTINC : OP_POSTDEC, p->lx.tok.at, n);
			parse_next(p);
		} else {
			break;
		}
	}
	return n;
}

/* -- prefix -- */

static struct node *parse_cast(struct parser *p);
static struct node *parse_unary(struct parser *p);

/* May the token after "(word)" start an operand and nothing else? Then (word) is a cast. */
static bool starts_operand(enum tok t)
{
	switch (t) {
	case T_IDENT:
	case T_INT:
	case T_STR:
	case T_AGG:
	case T_LPAR:
	case T_BNOT:
	case T_LNOT:
	case T_KW_SELF:
	case T_KW_THIS:
	case T_KW_SIZEOF:
	case T_KW_STRINGOF:
	case T_KW_OFFSETOF:
	case T_KW_XLATE: return true;
	default: return false;
	}
}

/* Could "(word)" with this token after it be either a cast or a value? */
static bool ambiguous_after(enum tok t)
{
	return t == T_ADD || t == T_SUB || t == T_MUL || t == T_AND;
}

/* At a (: is it the start of "( type )"? Words that may be types or variables are decided by what
 * follows, and only in doubt by looking them up. */
static bool at_cast(struct parser *p)
{
	struct lexer lx = p->lx;
	const char *word;
	enum tok t, t2;

	lx.quiet++;
	lex_next(&lx);
	if (lex_kw_class(lx.tok.kind) == KWC_TYPE)
		return true;
	if (lx.tok.kind != T_IDENT)
		return false;
	word = lx.tok.name;
	lex_next(&lx);
	t = lx.tok.kind;
	lex_next(&lx);
	t2 = lx.tok.kind;
	switch (t) {
	case T_RPAR: /* (word) … */ return starts_operand(t2) || (ambiguous_after(t2) && parse_is_typename(p, word));
	case T_MUL: /* (word *), (word **), (word *const) */
		while (lx.tok.kind == T_MUL || lx.tok.kind == T_KW_CONST || lx.tok.kind == T_KW_VOLATILE ||
		       lx.tok.kind == T_KW_USERLAND)
			lex_next(&lx);
		return lx.tok.kind == T_RPAR || lx.tok.kind == T_LBRACK ||
		       (lx.tok.kind == T_LPAR && parse_is_typename(p, word));
	case T_LPAR: /* (word (*)(…)) */
		if (t2 != T_MUL)
			return false;
		lex_next(&lx);
		return lx.tok.kind == T_RPAR;
	case T_KW_CONST:
	case T_KW_VOLATILE:
	case T_KW_USERLAND: return true;
	default: return false;
	}
}

/* ( type ) cast */
static struct node *parse_cast_here(struct parser *p)
{
	struct node *n = new_node(p, N_CAST, p->lx.tok.at);

	parse_next(p);
	n->tyname = parse_type_name(p);
	parse_expect(p, T_RPAR);
	n->a = parse_cast(p);
	n->at = span_join(n->at, n->a->at);
	return finish_op(p, n);
}

static bool continues_postfix(enum tok t)
{
	return t == T_DOT || t == T_ARROW || t == T_LBRACK || t == T_LPAR || t == T_INC || t == T_DEC;
}

/* sizeof unary | sizeof ( type ) */
static struct node *parse_sizeof(struct parser *p)
{
	struct node *n = new_node(p, N_SIZEOF, p->lx.tok.at);

	parse_next(p);
	if (parse_is(p, T_LPAR) && parse_peek(p, 1) == T_IDENT && parse_peek(p, 2) == T_RPAR &&
	    !continues_postfix(parse_peek(p, 3))) {
		/* sizeof (name): the checker knows whether it is a variable or a type. */
		struct lexer at_name;

		parse_next(p);
		at_name = p->lx;
		n->tyname = parse_type_name(p);
		p->lx = at_name;
		n->a = parse_ident(p);
		close_with(p, T_RPAR, n);
		if (n->a->kind == N_KSYM && parse_is_typename(p, n->a->name))
			n->a = NULL;
		return finish(p, n);
	}
	if (parse_is(p, T_LPAR) && at_cast(p)) {
		parse_next(p);
		n->tyname = parse_type_name(p);
		close_with(p, T_RPAR, n);
		return finish(p, n);
	}
	n->a = parse_unary(p);
	n->at = span_join(n->at, n->a->at);
	return finish(p, n);
}

static struct node *parse_stringof(struct parser *p)
{
	struct node *n = new_node(p, N_STRINGOF, p->lx.tok.at);

	parse_next(p);
	n->a = parse_unary(p);
	n->at = span_join(n->at, n->a->at);
	return finish(p, n);
}

static bool prefix_op(enum tok t, enum op *ret)
{
	switch (t) {
	case T_AND: *ret = OP_ADDR; return true;
	case T_MUL: *ret = OP_DEREF; return true;
	case T_ADD: *ret = OP_PLUS; return true;
	case T_SUB: *ret = OP_NEG; return true;
	case T_BNOT: *ret = OP_BNOT; return true;
	case T_LNOT: *ret = OP_LNOT; return true;
	default: return false;
	}
}

/* unary: postfix | ++ unary | -- unary | op cast | sizeof … | stringof unary */
static struct node *parse_unary_here(struct parser *p)
{
	struct span at = p->lx.tok.at;
	enum tok t = parse_cur(p);
	enum op op;

	if (t == T_INC || t == T_DEC) {
		parse_next(p);
		return new_unary(p, t == T_INC ? OP_PREINC : OP_PREDEC, at, parse_unary(p));
	}
	if (prefix_op(t, &op)) {
		parse_next(p);
		return new_unary(p, op, at, parse_cast(p));
	}
	if (t == T_KW_SIZEOF)
		return parse_sizeof(p);
	if (t == T_KW_STRINGOF)
		return parse_stringof(p);
	return parse_postfix(p);
}

static struct node *parse_unary(struct parser *p)
{
	struct node *n;

	if (p->panic || !parse_enter(p))
		return dummy(p);
	n = parse_unary_here(p);
	parse_leave(p);
	return n;
}

/* cast: unary | ( type ) cast */
static struct node *parse_cast(struct parser *p)
{
	struct node *n;

	if (!parse_is(p, T_LPAR) || !at_cast(p))
		return parse_unary(p);
	if (!parse_enter(p))
		return dummy(p);
	n = parse_cast_here(p);
	parse_leave(p);
	return n;
}

/* -- binary -- */

struct binop {
	unsigned level; /* 0: none */
	enum op op;
};

static struct binop binary_op(enum tok t)
{
	static const struct {
		enum tok tok;
		struct binop op;
	} table[] = {
		{ T_LOR, { 1, OP_LOR } },  { T_LXOR, { 2, OP_LXOR } }, { T_LAND, { 3, OP_LAND } },
		{ T_OR, { 4, OP_BOR } },   { T_XOR, { 5, OP_BXOR } },  { T_AND, { 6, OP_BAND } },
		{ T_EQ, { 7, OP_EQ } },	   { T_NE, { 7, OP_NE } },     { T_LT, { 8, OP_LT } },
		{ T_LE, { 8, OP_LE } },	   { T_GT, { 8, OP_GT } },     { T_GE, { 8, OP_GE } },
		{ T_SHL, { 9, OP_SHL } },  { T_SHR, { 9, OP_SHR } },   { T_ADD, { 10, OP_ADD } },
		{ T_SUB, { 10, OP_SUB } }, { T_MUL, { 11, OP_MUL } },  { T_DIV, { 11, OP_DIV } },
		{ T_MOD, { 11, OP_MOD } },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].tok == t)
			return table[i].op;
	return (struct binop){ 0, OP_ASSIGN };
}

/* binary(level): cast { operator of this or a higher level  binary(its level + 1) } */
static struct node *parse_binary(struct parser *p, struct node *left, unsigned min)
{
	for (;;) {
		struct binop b = binary_op(parse_cur(p));
		struct node *right;

		if (p->panic || b.level == 0 || b.level < min)
			return left;
		parse_next(p);
		right = parse_binary(p, parse_cast(p), b.level + 1);
		left = new_binary(p, N_BINARY, b.op, left, right);
	}
}

/* conditional: binary | binary ? expression : conditional */
static struct node *parse_cond_from(struct parser *p, struct node *first)
{
	struct node *n, *a = parse_binary(p, first, 1);

	if (!parse_is(p, T_QUESTION))
		return a;
	if (!parse_enter(p))
		return dummy(p);
	parse_next(p);
	n = new_node(p, N_COND, a->at);
	n->op = OP_COND;
	n->a = a;
	n->b = parse_expression(p);
	parse_expect(p, T_COLON);
	n->c = parse_conditional(p);
	n->at = span_join(a->at, n->c->at);
	parse_leave(p);
	return finish_op(p, n);
}

struct node *parse_conditional(struct parser *p)
{
	return parse_cond_from(p, parse_cast(p));
}

static bool assign_op(enum tok t, enum op *ret)
{
	static const struct {
		enum tok tok;
		enum op op;
	} table[] = {
		{ T_ASSIGN, OP_ASSIGN }, { T_ADD_EQ, OP_ADD }, { T_SUB_EQ, OP_SUB },  { T_MUL_EQ, OP_MUL },
		{ T_DIV_EQ, OP_DIV },	 { T_MOD_EQ, OP_MOD }, { T_AND_EQ, OP_BAND }, { T_XOR_EQ, OP_BXOR },
		{ T_OR_EQ, OP_BOR },	 { T_SHL_EQ, OP_SHL }, { T_SHR_EQ, OP_SHR },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].tok == t) {
			*ret = table[i].op;
			return true;
		}
	}
	return false;
}

/* assignment: conditional | unary assignment-operator assignment */
struct node *parse_assignment(struct parser *p)
{
	struct node *left = parse_cast(p), *right;
	enum op op;

	if (p->panic || left->kind == N_CAST || !assign_op(parse_cur(p), &op))
		return parse_cond_from(p, left);
	if (!parse_enter(p))
		return dummy(p);
	parse_next(p);
	right = parse_assignment(p);
	parse_leave(p);
	return new_binary(p, N_ASSIGN, op, left, right);
}

/* expression: assignment { , assignment } */
struct node *parse_expression(struct parser *p)
{
	struct node *n = parse_assignment(p);

	while (parse_accept(p, T_COMMA))
		n = new_binary(p, N_BINARY, OP_COMMA, n, parse_assignment(p));
	return n;
}
