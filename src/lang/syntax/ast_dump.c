/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree as text, for tests and -x tree: one S-expression per item. */
#include <inttypes.h>
#include <string.h>
#include "lang/dprog.h"
#include "lang/op.h"

static void dump_node(struct strb *o, const struct node *n);
static void dump_type(struct strb *o, const struct tyname *t);

static void dump_text(struct strb *o, const char *s, size_t n)
{
	strb_addc(o, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			strb_printf(o, "\\%c", c);
		else if (c == '\n')
			strb_adds(o, "\\n");
		else if (c < 0x20 || c >= 0x7f)
			strb_printf(o, "\\x%02x", c);
		else
			strb_addc(o, (char)c);
	}
	strb_addc(o, '"');
}

static void dump_args(struct strb *o, const struct node *args)
{
	for (; args; args = args->next) {
		strb_addc(o, ' ');
		dump_node(o, args);
	}
}

static void dump_quals(struct strb *o, unsigned quals)
{
	if (quals & DQ_CONST)
		strb_adds(o, "const ");
	if (quals & DQ_VOLATILE)
		strb_adds(o, "volatile ");
	if (quals & DQ_USERLAND)
		strb_adds(o, "userland ");
}

static void dump_params(struct strb *o, const struct derive *v)
{
	for (const struct tyname *k = v->keys; k; k = k->next) {
		strb_addc(o, ' ');
		dump_type(o, k);
		if (k->param)
			strb_printf(o, ":%s", k->param);
	}
	if (v->varargs)
		strb_adds(o, " ...");
}

static void dump_derive(struct strb *o, const struct derive *v)
{
	switch (v->kind) {
	case DK_PTR:
		strb_adds(o, v->quals ? " (ptr " : " ptr");
		if (v->quals) {
			dump_quals(o, v->quals);
			o->s[--o->n] = '\0'; /* the blank */
			strb_addc(o, ')');
		}
		break;
	case DK_FUNC:
		strb_adds(o, " (func");
		dump_params(o, v);
		strb_addc(o, ')');
		break;
	default:
		strb_adds(o, v->nelems && v->keys ? " (array-or-assoc" : v->keys ? " (assoc" : " (array");
		if (v->nelems) {
			strb_addc(o, ' ');
			dump_node(o, v->nelems);
		} else {
			dump_params(o, v);
		}
		strb_addc(o, ')');
	}
}

static const char *tag_word(enum dkind k)
{
	return k == DK_STRUCT ? "struct " : k == DK_UNION ? "union " : k == DK_ENUM ? "enum " : "";
}

static void dump_members(struct strb *o, const struct tymember *m)
{
	for (; m; m = m->next) {
		strb_printf(o, " (%s", m->name ? m->name : "_");
		if (m->type) {
			strb_addc(o, ' ');
			dump_type(o, m->type);
		}
		if (m->bits) {
			strb_adds(o, " bits ");
			dump_node(o, m->bits);
		}
		if (m->value) {
			strb_addc(o, ' ');
			dump_node(o, m->value);
		}
		strb_addc(o, ')');
	}
}

/* "int", "[struct foo ptr (array 3)]" */
static void dump_type(struct strb *o, const struct tyname *t)
{
	bool simple = !t->derive && !t->def;

	if (!simple)
		strb_addc(o, '[');
	dump_quals(o, t->quals);
	strb_adds(o, tag_word(t->tag));
	if (t->module)
		strb_printf(o, "%s`", t->module);
	strb_adds(o, t->name ? t->name : "_");
	if (t->def) {
		strb_adds(o, " {");
		dump_members(o, t->def->members);
		strb_adds(o, " }");
	}
	for (const struct derive *v = t->derive; v; v = v->next)
		dump_derive(o, v);
	if (!simple)
		strb_addc(o, ']');
}

static void dump_int(struct strb *o, const struct node *n)
{
	if (n->is_char_const)
		strb_printf(o, "%s=%" PRIu64, "char", n->ival);
	else
		strb_printf(o, "%s%" PRIu64 "%s", n->str && n->str[0] == '0' && n->str[1] ? "#" : "", n->ival, n->name);
}

/* Name and operands of the kinds that are one word and up to three operands. */
static void dump_op(struct strb *o, const char *word, const char *word2, const struct node *n)
{
	strb_printf(o, "(%s%s", word, word2);
	for (int i = 0; i < 3; i++) {
		const struct node *x = i == 0 ? n->a : i == 1 ? n->b : n->c;

		if (x) {
			strb_addc(o, ' ');
			dump_node(o, x);
		}
	}
	strb_addc(o, ')');
}

static void dump_typed(struct strb *o, const char *word, const struct node *n)
{
	strb_printf(o, "(%s", word);
	if (n->tyname) {
		strb_addc(o, ' ');
		dump_type(o, n->tyname);
	}
	if (n->a) {
		strb_addc(o, ' ');
		dump_node(o, n->a);
	}
	if (n->kind == N_OFFSETOF)
		strb_printf(o, " %s", n->name);
	strb_addc(o, ')');
}

static const char *assign_text(enum op op)
{
	return op == OP_ASSIGN ? "" : op_text(op);
}

static const char *unary_text(enum op op)
{
	return op == OP_POSTINC || op == OP_POSTDEC ? "post" : "";
}

static void dump_listed(struct strb *o, const char *mark, const struct node *n)
{
	strb_printf(o, "(%s%s", mark, n->name ? n->name : "");
	if (n->a) {
		strb_addc(o, ' ');
		dump_node(o, n->a);
	}
	dump_args(o, n->args);
	strb_addc(o, ')');
}

/* Constants and names. */
static void dump_leaf(struct strb *o, const struct node *n)
{
	switch (n->kind) {
	case N_INT: dump_int(o, n); break;
	case N_STR: dump_text(o, n->str, n->len); break;
	case N_IDENT: strb_adds(o, n->name); break;
	case N_TLS: strb_printf(o, "self->%s", n->name); break;
	case N_THIS: strb_printf(o, "this->%s", n->name); break;
	case N_KSYM: strb_printf(o, "%s`%s", n->str ? n->str : "", n->name); break;
	default: break;
	}
}

static void dump_node(struct strb *o, const struct node *n)
{
	switch (n->kind) {
	case N_AGG: dump_listed(o, "@", n); break;
	case N_CALL: dump_listed(o, "call ", n); break;
	case N_INDEX: dump_listed(o, "index", n); break;
	case N_UNARY: dump_op(o, unary_text(n->op), op_text(n->op), n); break;
	case N_BINARY: dump_op(o, op_text(n->op), "", n); break;
	case N_COND: dump_op(o, "?:", "", n); break;
	case N_ASSIGN: dump_op(o, assign_text(n->op), "=", n); break;
	case N_MEMBER:
		strb_adds(o, n->arrow ? "(-> " : "(. ");
		dump_node(o, n->a);
		strb_printf(o, " %s)", n->name);
		break;
	case N_CAST: dump_typed(o, "cast", n); break;
	case N_SIZEOF: dump_typed(o, n->tyname && n->a ? "sizeof-name" : "sizeof", n); break;
	case N_OFFSETOF: dump_typed(o, "offsetof", n); break;
	case N_STRINGOF: dump_typed(o, "stringof", n); break;
	case N_XLATE: dump_typed(o, "xlate", n); break;
	default: dump_leaf(o, n);
	}
}

static void dump_stmts(struct strb *o, const struct stmt *s);

/* "word", then what belongs to the statement. */
static void dump_flow(struct strb *o, const struct stmt *s)
{
	static const char *const words[] = {
		[ST_IF] = "if ",      [ST_LOOP] = "loop ",	  [ST_BLOCK] = "block",	   [ST_LOCAL] = "local ",
		[ST_BREAK] = "break", [ST_CONTINUE] = "continue", [ST_RETURN] = "return ",
	};

	strb_adds(o, words[s->kind]);
	if (s->decl) {
		dump_type(o, s->decl->type);
		strb_printf(o, " %s ", s->decl->name);
	}
	if (s->expr)
		dump_node(o, s->expr);
	if (s->init) {
		strb_adds(o, " init");
		dump_stmts(o, s->init);
	}
	if (s->step) {
		strb_adds(o, " step ");
		dump_node(o, s->step);
	}
	dump_stmts(o, s->body);
	if (s->els) {
		strb_adds(o, " else");
		dump_stmts(o, s->els);
	}
}

static void dump_stmts(struct strb *o, const struct stmt *s)
{
	for (; s; s = s->next) {
		strb_printf(o, "\n  (%u ", s->number);
		if (s->kind == ST_AGG) {
			strb_adds(o, "agg ");
			dump_node(o, s->expr);
			strb_addc(o, ' ');
			dump_node(o, s->call);
		} else if (s->kind != ST_EXPR && s->kind != ST_EMPTY) {
			dump_flow(o, s);
		} else if (s->expr) {
			dump_node(o, s->expr);
		}
		strb_addc(o, ')');
	}
}

static void dump_desc(struct strb *o, const struct pdesc *d)
{
	if (d->id)
		strb_printf(o, " #%u", d->id);
	else
		strb_printf(o, " %s:%s:%s:%s", d->prov ? d->prov : "", d->mod ? d->mod : "", d->func ? d->func : "",
			    d->name ? d->name : "");
}

static void dump_clause(struct strb *o, const struct clause *c)
{
	strb_adds(o, "(clause");
	for (const struct pdesc_node *n = c->probes; n; n = n->next)
		dump_desc(o, &n->desc);
	if (c->pred) {
		strb_adds(o, "\n  (pred ");
		dump_node(o, c->pred);
		strb_addc(o, ')');
	}
	if (!c->has_body)
		strb_adds(o, " default");
	dump_stmts(o, c->body);
	strb_adds(o, ")\n");
}

static void dump_decl(struct strb *o, const struct decl *d)
{
	static const char *const words[] = { "var",	   "typedef",  "type",	   "inline",
					     "translator", "provider", "function", "tracker" };
	static const char *const scopes[] = { "", "self->", "this->" };

	strb_printf(o, "(%s", words[d->kind]);
	if (d->type) {
		strb_addc(o, ' ');
		dump_type(o, d->type);
	}
	if (d->input) {
		strb_adds(o, " < ");
		for (const struct tyname *t = d->input; t; t = t->next) {
			dump_type(o, t);
			strb_adds(o, t->next ? ", " : "");
		}
	}
	if (d->name)
		strb_printf(o, " %s%s", scopes[d->scope], d->name);
	if (d->value) {
		strb_adds(o, " = ");
		dump_node(o, d->value);
	}
	dump_members(o, d->members);
	dump_stmts(o, d->body);
	strb_adds(o, ")\n");
}

void ast_dump(struct strb *out, const struct unit *u)
{
	for (const struct item *it = u->items; it; it = it->next) {
		if (it->decl)
			dump_decl(out, it->decl);
		else
			dump_clause(out, it->clause);
	}
}
