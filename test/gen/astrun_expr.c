/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of the interpreter, see astrun.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "astrun.h"

void fault(struct machine *m, const char *text)
{
	if (!m->fault)
		m->fault = text;
}

static struct value unsupported(struct machine *m)
{
	m->unsupported = true;
	fault(m, "unsupported");
	return (struct value){ 0 };
}

const struct dtype *type_of(const struct machine *m, const struct node *n)
{
	return dtype_resolve(m->prog->types, n->type);
}

int64_t normal(const struct machine *m, const struct dtype *ty, int64_t v)
{
	ty = dtype_resolve(m->prog->types, ty);
	if (ty->kind != DK_INT && ty->kind != DK_ENUM)
		return v;
	switch (ty->size) {
	case 1: return ty->is_signed ? (int8_t)v : (uint8_t)v;
	case 2: return ty->is_signed ? (int16_t)v : (uint16_t)v;
	case 4: return ty->is_signed ? (int32_t)v : (int64_t)(uint32_t)v;
	}
	return v;
}

static bool is_str(const struct machine *m, const struct node *n)
{
	return type_of(m, n)->kind == DK_STRING;
}

/* -- places -- */

struct elem *find_elem(struct machine *m, struct elem **list, const struct node *keys)
{
	char key[AR_KEY] = "";
	struct elem *e;

	for (const struct node *k = keys; k; k = k->next) {
		struct value v = eval(m, k);
		size_t n = strlen(key);

		if (is_str(m, k))
			snprintf(key + n, sizeof(key) - n, "%s ", v.s);
		else
			snprintf(key + n, sizeof(key) - n, "%lld ", (long long)v.i);
	}
	for (e = *list; e && strcmp(e->key, key) != 0; e = e->next)
		;
	if (!e) {
		e = calloc(1, sizeof(*e));
		memcpy(e->key, key, sizeof(key));
		e->next = *list;
		*list = e;
	}
	return e;
}

/* The array below the casts that make a pointer of it. */
static const struct node *array_below(const struct machine *m, const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	return type_of(m, n)->kind == DK_ARRAY && n->var ? n : NULL;
}

static struct value *array_elem(struct machine *m, const struct node *n)
{
	const struct node *a = array_below(m, n->a);
	struct cell *c;
	int64_t i;

	if (!a) {
		unsupported(m);
		return NULL;
	}
	c = &m->vars[a->var->id];
	if (!c->elems)
		c->elems = calloc(type_of(m, a)->nelems, sizeof(*c->elems));
	i = eval(m, n->args).i;
	if ((uint64_t)i >= type_of(m, a)->nelems) {
		fault(m, "index out of bounds");
		return NULL;
	}
	return &c->elems[i];
}

/* NULL: a fault. */
static struct value *place(struct machine *m, const struct node *n)
{
	if (n->kind == N_INDEX)
		return n->var ? &find_elem(m, &m->vars[n->var->id].list, n->args)->v : array_elem(m, n);
	if ((n->kind == N_IDENT || n->kind == N_TLS || n->kind == N_THIS) && n->var)
		return &m->vars[n->var->id].v;
	unsupported(m);
	return NULL;
}

/* -- arithmetic -- */

static int64_t divide(struct machine *m, const struct dtype *ty, enum op op, int64_t a, int64_t b)
{
	if (!b) {
		fault(m, "divide-by-zero");
		return 0;
	}
	if (!ty->is_signed)
		return (int64_t)(op == OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
	if (b == -1) /* the smallest number has no positive counterpart */
		return op == OP_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	return op == OP_DIV ? a / b : a % b;
}

/* a op b in 64 bits, with the sign of ty. */
static int64_t compute(struct machine *m, const struct dtype *ty, enum op op, int64_t a, int64_t b)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case OP_ADD: x += y; break;
	case OP_SUB: x -= y; break;
	case OP_MUL: x *= y; break;
	case OP_DIV:
	case OP_MOD: x = (uint64_t)divide(m, ty, op, a, b); break;
	case OP_SHL: x <<= y & 63; break;
	case OP_SHR: x = ty->is_signed ? (uint64_t)(a >> (y & 63)) : x >> (y & 63); break;
	case OP_BAND: x &= y; break;
	case OP_BOR: x |= y; break;
	case OP_BXOR: x ^= y; break;
	default: unsupported(m);
	}
	return (int64_t)x;
}

static bool relation(enum op op, int order)
{
	switch (op) {
	case OP_LT: return order < 0;
	case OP_LE: return order <= 0;
	case OP_GT: return order > 0;
	case OP_GE: return order >= 0;
	case OP_EQ: return order == 0;
	default: return order != 0;
	}
}

static bool compare(struct machine *m, const struct node *n)
{
	struct value a = eval(m, n->a), b = eval(m, n->b);
	int order;

	if (is_str(m, n->a))
		order = strcmp(a.s, b.s);
	else if (!n->cmp_unsigned)
		order = a.i < b.i ? -1 : a.i > b.i;
	else
		order = (uint64_t)a.i < (uint64_t)b.i ? -1 : (uint64_t)a.i > (uint64_t)b.i;
	return relation(n->op, order);
}

bool truth(struct machine *m, const struct node *n)
{
	bool a;

	if (n->kind == N_UNARY && n->op == OP_LNOT)
		return !truth(m, n->a);
	if (n->kind == N_BINARY && n->op >= OP_LT && n->op <= OP_NE)
		return compare(m, n);
	if (n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR)) {
		a = truth(m, n->a);
		if (m->fault || a == (n->op == OP_LOR))
			return a;
		return truth(m, n->b);
	}
	if (n->kind == N_BINARY && n->op == OP_LXOR) {
		a = truth(m, n->a);
		return a != truth(m, n->b);
	}
	if (is_str(m, n))
		unsupported(m);
	return eval(m, n).i != 0;
}

static struct value binary(struct machine *m, const struct node *n)
{
	struct value a, b;

	if (n->op == OP_COMMA) {
		eval(m, n->a);
		return m->fault ? (struct value){ 0 } : eval(m, n->b);
	}
	if ((n->op >= OP_LT && n->op <= OP_NE) || n->op == OP_LAND || n->op == OP_LOR || n->op == OP_LXOR)
		return (struct value){ .i = truth(m, n) };
	a = eval(m, n->a);
	b = eval(m, n->b);
	a.i = m->fault ? 0 : compute(m, type_of(m, n), n->op, a.i, b.i);
	return a;
}

static struct value unary(struct machine *m, const struct node *n)
{
	bool inc = n->op == OP_PREINC || n->op == OP_POSTINC;
	struct value v = { 0 }, *p;

	switch (n->op) {
	case OP_NEG: v.i = (int64_t)(0 - (uint64_t)eval(m, n->a).i); return v;
	case OP_PLUS: v.i = eval(m, n->a).i; return v;
	case OP_BNOT: v.i = ~eval(m, n->a).i; return v;
	case OP_LNOT: v.i = truth(m, n); return v;
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC:
		p = place(m, n->a);
		if (!p || m->fault)
			return v;
		v.i = p->i;
		p->i = normal(m, n->a->type, (int64_t)((uint64_t)p->i + (inc ? 1 : ~0ull)));
		if (n->op == OP_PREINC || n->op == OP_PREDEC)
			v.i = p->i;
		return v;
	default: return unsupported(m);
	}
}

/* -- assignment, calls -- */

static struct value assign(struct machine *m, const struct node *n)
{
	const struct dtype *ty = type_of(m, n->a);
	struct value v = { 0 }, *p;
	int64_t old, b;

	if (n->op == OP_ASSIGN) {
		v = eval(m, n->b);
		p = m->fault ? NULL : place(m, n->a);
		if (!p || m->fault)
			return v;
		v.i = normal(m, ty, v.i);
		*p = v;
		return v;
	}
	p = place(m, n->a);
	if (!p || m->fault)
		return v;
	old = p->i;
	b = eval(m, n->b).i;
	v.i = normal(m, ty, compute(m, ty, n->op, old, b));
	if (!m->fault)
		p->i = v.i;
	return v;
}

static struct value call_own(struct machine *m, const struct dcall *c)
{
	m->calls++;
	if (c->result)
		*local_cell(m, c->result) = (struct value){ 0 };
	if (run_list(m, c->params) == GO)
		run_list(m, c->body);
	m->calls--;
	return c->result ? *local_cell(m, c->result) : (struct value){ 0 };
}

/* Perl's, as DTrace has it. */
static void sub_string(const char *s, int64_t i, int64_t n, struct value *ret)
{
	int64_t len = (int64_t)strlen(s);

	if (i < 0) {
		i += len;
		if (i < 0 && i + n > 0) {
			n += i;
			i = 0;
		}
	}
	if (i >= len || i < 0)
		return;
	if (n < 0)
		n += len - i;
	if (n > len - i)
		n = len - i;
	if (n > 0)
		memcpy(ret->s, s + i, (size_t)n);
}

static struct value call(struct machine *m, const struct node *n)
{
	const struct node *b = n->args ? n->args->next : NULL;
	struct value v = { 0 }, x, y, z;
	const char *at;

	if (n->call)
		return call_own(m, n->call);
	x = n->args ? eval(m, n->args) : v;
	y = b && !m->fault ? eval(m, b) : v;
	switch (n->builtin ? n->builtin->id : BI_NONE) {
	case BI_STRLEN: v.i = (int64_t)strlen(x.s); break;
	case BI_STRJOIN:
		snprintf(v.s, sizeof(v.s), "%s", x.s);
		snprintf(v.s + strlen(v.s), sizeof(v.s) - strlen(v.s), "%s", y.s);
		break;
	case BI_LLTOSTR: snprintf(v.s, sizeof(v.s), "%lld", (long long)x.i); break;
	case BI_INDEX:
		at = strstr(x.s, y.s);
		v.i = at ? at - x.s : -1;
		break;
	case BI_SUBSTR:
		z.i = INT64_MAX / 4;
		if (b->next)
			z = eval(m, b->next);
		sub_string(x.s, (int32_t)y.i, z.i, &v);
		break;
	default: return unsupported(m);
	}
	return v;
}

static struct value cast(struct machine *m, const struct node *n)
{
	struct value v = eval(m, n->a);

	v.i = normal(m, n->type, v.i);
	return v;
}

static struct value load(struct machine *m, const struct node *n)
{
	struct value *p = place(m, n);

	return p ? *p : (struct value){ 0 };
}

struct value eval(struct machine *m, const struct node *n)
{
	struct value v = { 0 };

	if (m->fault)
		return v;
	switch (n->kind) {
	case N_INT: v.i = (int64_t)n->ival; return v;
	case N_STR: snprintf(v.s, sizeof(v.s), "%.*s", (int)n->len, n->str); return v;
	case N_IDENT:
	case N_TLS:
	case N_THIS:
	case N_INDEX: return load(m, n);
	case N_UNARY: return unary(m, n);
	case N_BINARY: return binary(m, n);
	case N_COND: return truth(m, n->a) ? eval(m, n->b) : eval(m, n->c);
	case N_ASSIGN: return assign(m, n);
	case N_CALL: return call(m, n);
	case N_CAST: return cast(m, n);
	default: return unsupported(m);
	}
}
