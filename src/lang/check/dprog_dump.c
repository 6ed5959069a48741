/* SPDX-License-Identifier: Apache-2.0 */
/* The typed tree as text, for tests and -x tree: (what:type operands…), one statement a line. */
#include "lang/dprog.h"
#include "lang/op.h"

struct dump {
	struct strb *out;
	struct dtypes *t;
};

static void node(struct dump *d, const struct node *n);

static void type_of(struct dump *d, const struct node *n)
{
	const struct dtype *ty = n->type;

	if (!ty)
		return;
	strb_printf(d->out, ":%s", dtype_name(d->t, ty));
	if (ty->kind == DK_STRING && ty->strbound)
		strb_printf(d->out, "<%u>", ty->strbound);
	if (ty->kind == DK_STACK || ty->kind == DK_USTACK)
		strb_printf(d->out, "<%u,%u>", ty->nframes, ty->strframes);
	if (n->user)
		strb_adds(d->out, ":user");
}

static void list(struct dump *d, const struct node *n)
{
	for (; n; n = n->next) {
		strb_addc(d->out, ' ');
		node(d, n);
	}
}

static void quoted(struct dump *d, const char *s, size_t len)
{
	size_t i;

	strb_addc(d->out, '"');
	for (i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '"' || ch == '\\')
			strb_printf(d->out, "\\%c", ch);
		else if (ch < ' ' || ch >= 127)
			strb_printf(d->out, "\\%03o", ch);
		else
			strb_addc(d->out, (char)ch);
	}
	strb_addc(d->out, '"');
}

static void variable(struct dump *d, const struct dvar *v)
{
	static const char *const scopes[] = {
		[VS_GLOBAL] = "", [VS_TLS] = "self->", [VS_THIS] = "this->", [VS_LOCAL] = ""
	};

	strb_printf(d->out, "%s%s", scopes[v->scope], v->name);
}

static void int_const(struct dump *d, const struct node *n)
{
	if (n->type && dtype_resolve(d->t, n->type)->is_signed)
		strb_printf(d->out, "%lld", (long long)n->ival);
	else
		strb_printf(d->out, "%llu", (unsigned long long)n->ival);
}

/* Nodes without operands, or with a notation of their own; false: it is none of these. */
static bool leaf(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case N_INT: int_const(d, n); break;
	case N_STR: quoted(d, n->str, n->len); break;
	case N_IDENT:
	case N_TLS:
	case N_THIS:
		if (n->var)
			variable(d, n->var);
		else
			strb_adds(d->out, n->name);
		break;
	case N_KSYM:
		strb_printf(d->out, "%s`%s@0x%llx", n->str ? n->str : "", n->name, (unsigned long long)n->ksym_addr);
		break;
	default: return false;
	}
	type_of(d, n);
	return true;
}

static void head(struct dump *d, const struct node *n)
{
	switch (n->kind) {
	case N_AGG: strb_printf(d->out, "@%s", n->name); break;
	case N_UNARY: strb_adds(d->out, op_name(n->op)); break;
	case N_BINARY:
		strb_adds(d->out, op_text(n->op));
		if (n->cmp_unsigned && n->op != OP_EQ && n->op != OP_NE)
			strb_adds(d->out, "u");
		break;
	case N_COND: strb_adds(d->out, "?:"); break;
	case N_ASSIGN: strb_printf(d->out, "%s%s", n->op == OP_ASSIGN ? "" : op_text(n->op), "="); break;
	case N_CALL: strb_adds(d->out, n->name); break;
	case N_INDEX: strb_adds(d->out, "[]"); break;
	case N_MEMBER:
		strb_printf(d->out, "%s%s@%u", n->arrow ? "->" : ".", n->name, n->member.bit_off / 8);
		if (n->member.bit_size)
			strb_printf(d->out, ".%u/%u", n->member.bit_off % 8, n->member.bit_size);
		break;
	case N_CAST: strb_adds(d->out, n->implicit ? "conv" : "cast"); break;
	case N_STRINGOF: strb_adds(d->out, n->implicit ? "tostr" : "stringof"); break;
	case N_EVENT:
		strb_printf(d->out, "event %s",
			    n->ival < TF_COUNT_ ? track_field_name((enum track_field)n->ival) : n->name);
		break;
	default: strb_printf(d->out, "node%d", n->kind);
	}
}

static void node(struct dump *d, const struct node *n)
{
	if (leaf(d, n))
		return;
	strb_addc(d->out, '(');
	head(d, n);
	type_of(d, n);
	if (n->kind == N_INDEX && n->a->builtin) {
		strb_printf(d->out, " args %llu)", (unsigned long long)n->ival);
		return;
	}
	if (n->kind == N_INDEX && n->var) {
		strb_addc(d->out, ' ');
		variable(d, n->var);
	} else if (n->a) {
		strb_addc(d->out, ' ');
		node(d, n->a);
	}
	if (n->b) {
		strb_addc(d->out, ' ');
		node(d, n->b);
	}
	if (n->c) {
		strb_addc(d->out, ' ');
		node(d, n->c);
	}
	list(d, n->args);
	strb_addc(d->out, ')');
}

static void statements(struct dump *d, const struct stmt *s)
{
	static const char *const words[] = {
		[ST_IF] = "if ",      [ST_LOOP] = "loop ",	  [ST_BLOCK] = "block",	   [ST_LOCAL] = "local ",
		[ST_BREAK] = "break", [ST_CONTINUE] = "continue", [ST_RETURN] = "return ", [ST_EMPTY] = "",
	};

	for (; s; s = s->next) {
		if (s->kind == ST_EMPTY)
			continue;
		strb_printf(d->out, "  %u: ", s->number);
		if (s->kind != ST_EXPR && s->kind != ST_AGG)
			strb_adds(d->out, words[s->kind]);
		if (s->var)
			strb_printf(d->out, "%s: %s ", s->var->name, dtype_name(d->t, s->var->type));
		if (s->expr)
			node(d, s->expr);
		if (s->call) {
			strb_adds(d->out, " = ");
			node(d, s->call);
		}
		if (s->step) {
			strb_adds(d->out, " step ");
			node(d, s->step);
		}
		strb_addc(d->out, '\n');
		statements(d, s->init);
		statements(d, s->body);
		if (s->els)
			strb_adds(d->out, "  else\n");
		statements(d, s->els);
	}
}

static void key_types(struct dump *d, const struct dtype **keys, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		strb_printf(d->out, "%s%s", i ? ", " : "", dtype_name(d->t, keys[i]));
		if (keys[i]->kind == DK_STRING && keys[i]->strbound)
			strb_printf(d->out, "<%u>", keys[i]->strbound);
	}
}

static void variables(struct dump *d, const struct dprog *p)
{
	const struct dvar *v;
	const struct dagg *g;
	int i;

	for (v = p->vars; v; v = v->next) {
		if (v->scope == VS_LOCAL)
			continue;
		strb_adds(d->out, "var ");
		variable(d, v);
		strb_printf(d->out, ": %s", dtype_name(d->t, v->type));
		if (v->is_assoc) {
			strb_adds(d->out, " [");
			key_types(d, v->keys, v->nkeys);
			strb_addc(d->out, ']');
		}
		strb_adds(d->out, v->assigned ? "\n" : " unassigned\n");
	}
	for (g = p->aggs; g; g = g->next) {
		strb_printf(d->out, "agg @%s: %d %s [", g->name, g->func, g->is_signed ? "signed" : "unsigned");
		key_types(d, g->keys, g->nkeys);
		strb_addc(d->out, ']');
		for (i = 0; i < 4 && g->func >= AGG_LQUANTIZE; i++)
			strb_printf(d->out, " %d", g->param[i]);
		strb_addc(d->out, '\n');
	}
}

void dprog_dump(struct strb *out, const struct dprog *p)
{
	struct dump d = { out, p->types };
	const struct clause_instance *s;

	variables(&d, p);
	for (s = p->instances; s; s = s->next) {
		strb_printf(out, "clause %u %s: %zu probe%s%s%s\n", s->epid, s->desc_text, s->probes.n,
			    s->probes.n == 1 ? "" : "s", s->is_default ? " default" : "", s->is_error ? " error" : "");
		for (const struct clause_instance *e = s->events; e; e = e->enext)
			strb_printf(out, "  fires %u\n", e->epid);
		if (s->pred) {
			strb_adds(out, "  /");
			node(&d, s->pred);
			strb_adds(out, "/\n");
		}
		statements(&d, s->body);
	}
}
