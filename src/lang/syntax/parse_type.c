/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of type names: specifiers, structs and enums defined in place, declarators. */
#include <string.h>
#include "lang/dlib.h"
#include "lang/syntax/parse_int.h"

/* -- which words are types -- */

void parse_add_typename(struct parser *p, const char *name)
{
	symtab_put(&p->types, name, 0, p);
}

bool parse_is_typename(struct parser *p, const char *name)
{
	struct tref ref;

	if (symtab_get(&p->types, name, 0) || !strcmp(name, "_Bool") || dtype_is_builtin_typedef(name))
		return true;
	if (builtin_find(name))
		return false;
	if (p->env && dlib_find(p->env->libs, p->env, DLIB_TYPE, name))
		return true;
	return p->env && p->env->ts && typesrc_find(p->env->ts, NULL, name, TKM(TK_TYPEDEF), &ref) == 0;
}

bool parse_at_type(struct parser *p)
{
	const char *module;
	enum tok t = parse_cur(p);

	if (p->panic)
		return false;
	if (t == T_IDENT)
		return parse_is_typename(p, parse_split_scope(p, p->lx.tok.name, &module));
	return lex_kw_class(t) == KWC_TYPE;
}

const char *parse_split_scope(struct parser *p, const char *name, const char **module)
{
	const char *tick = strrchr(name, '`');

	*module = NULL;
	if (!tick)
		return name;
	*module = arena_strndup(p->arena, name, (size_t)(tick - name));
	return tick + 1;
}

/* -- struct, union, enum -- */

/* [ : constant ] */
static struct node *parse_bits(struct parser *p)
{
	return parse_accept(p, T_COLON) ? parse_conditional(p) : NULL;
}

/* struct_declaration: specifiers [ declarator [ : bits ] { , declarator [ : bits ] } ] ; */
static struct tymember **parse_members(struct parser *p, struct tymember **tail)
{
	struct specs s;

	parse_specs(p, false, &s);
	do {
		struct tymember *m = arena_new_obj(p->arena, struct tymember);

		m->at = p->lx.tok.at;
		if (parse_is(p, T_COLON) || (parse_is(p, T_SEMI) && s.base.def))
			m->type = arena_memdup(p->arena, &s.base, sizeof(s.base));
		else
			m->type = parse_declarator(p, &s.base, DECLR_NAMED, &m->name, &m->at);
		m->bits = parse_bits(p);
		*tail = m;
		tail = &m->next;
	} while (parse_accept(p, T_COMMA));
	parse_expect(p, T_SEMI);
	return tail;
}

/* enumerator: IDENT [ = expression ] */
static struct tymember **parse_enumerator(struct parser *p, struct tymember **tail)
{
	struct tymember *m = arena_new_obj(p->arena, struct tymember);

	m->at = p->lx.tok.at;
	m->name = parse_name(p);
	if (parse_accept(p, T_ASSIGN))
		m->value = parse_conditional(p);
	m->read_to = p->lx.tok.at.off;
	*tail = m;
	if (!parse_is(p, T_RBRACE))
		parse_expect(p, T_COMMA);
	return &m->next;
}

/* { members } | { enumerators } */
static struct tydecl *parse_tydecl(struct parser *p, enum dkind kind, const char *tag)
{
	struct tydecl *d = arena_new_obj(p->arena, struct tydecl);
	struct tymember **tail = &d->members;

	d->kind = kind;
	d->tag = tag;
	if (!parse_enter(p))
		return d;
	p->braces++;
	parse_expect(p, T_LBRACE);
	if (parse_is(p, T_RBRACE))
		parse_fail_here(p);
	while (!p->panic && !parse_is(p, T_RBRACE)) {
		if (kind == DK_ENUM)
			tail = parse_enumerator(p, tail);
		else
			tail = parse_members(p, tail);
	}
	if (parse_accept(p, T_RBRACE)) {
		p->braces--;
		parse_leave(p);
	}
	return d;
}

/* A tag between clauses, in front of its {: once only, which DTrace sees before it reads on. */
static void define_tag(struct parser *p, enum tok keyword, const struct tyname *b)
{
	static char defined;
	const char *word = keyword == T_KW_STRUCT ? "struct" : keyword == T_KW_UNION ? "union" : "enum";

	if (!p->in_decl || !b->name)
		return;
	if (symtab_get(&p->tags, b->name, b->tag))
		parse_fail(p, p->lx.tok.at, D_DECL_TYPERED, "type redeclared: %s %s", word, b->name);
	else
		symtab_put(&p->tags, b->name, b->tag, &defined);
}

/* struct_or_union_specifier, enum_specifier: struct [ IDENT ] { … } | struct IDENT */
static void parse_tagged(struct parser *p, struct specs *s)
{
	enum tok t = parse_cur(p);
	struct tyname *b = &s->base;

	b->tag = t == T_KW_STRUCT ? DK_STRUCT : t == T_KW_UNION ? DK_UNION : DK_ENUM;
	s->have_type = true;
	/* Tags have their own name space: a keyword of D may be one. */
	p->lx.mode = LEX_MEMBER;
	parse_next(p);
	p->lx.mode = LEX_EXPR;
	if (parse_is(p, T_IDENT)) {
		b->name = parse_split_scope(p, p->lx.tok.name, &b->module);
		parse_next(p);
	} else if (!parse_is(p, T_LBRACE)) {
		parse_fail_here(p);
		return;
	}
	if (parse_is(p, T_LBRACE))
		define_tag(p, t, b);
	if (parse_is(p, T_LBRACE))
		b->def = parse_tydecl(p, b->tag, b->name);
}

/* -- specifiers -- */

/* Counts of the arithmetic words seen. */
struct words {
	unsigned is_char, is_short, is_int, is_long, is_signed, is_unsigned;
	unsigned is_float, is_double, is_void, is_string;
	unsigned n;
};

static bool count_word(struct words *w, enum tok t)
{
	const struct {
		enum tok tok;
		unsigned *count;
	} table[] = {
		{ T_KW_CHAR, &w->is_char },	{ T_KW_SHORT, &w->is_short },	{ T_KW_INT, &w->is_int },
		{ T_KW_LONG, &w->is_long },	{ T_KW_SIGNED, &w->is_signed }, { T_KW_UNSIGNED, &w->is_unsigned },
		{ T_KW_FLOAT, &w->is_float },	{ T_KW_DOUBLE, &w->is_double }, { T_KW_VOID, &w->is_void },
		{ T_KW_STRING, &w->is_string },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].tok == t) {
			++*table[i].count;
			w->n++;
			return true;
		}
	}
	return false;
}

static const char *int_name(const struct words *w)
{
	bool u = w->is_unsigned != 0;

	if (w->is_char)
		return u ? "unsigned char" : w->is_signed ? "signed char" : "char";
	if (w->is_short)
		return u ? "unsigned short" : "short";
	if (w->is_long == 2)
		return u ? "unsigned long long" : "long long";
	if (w->is_long)
		return u ? "unsigned long" : "long";
	return u ? "unsigned int" : "int";
}

/* DTrace has read a struct to the { of its members when it complains of what stands before it. */
static void read_to_brace(const struct parser *p, struct diag *g)
{
	const struct token *t = &p->lx.tok;
	const char *q = p->lx.src->text + t->at.off + t->at.len;

	if (!g || (t->kind != T_KW_STRUCT && t->kind != T_KW_UNION && t->kind != T_KW_ENUM))
		return;
	q = lex_peek_text(&p->lx, q);
	while (q < p->lx.end && lex_is_word(*q))
		q++;
	q = lex_peek_text(&p->lx, q);
	if (q < p->lx.end && *q == '{')
		lex_read_to(&p->lx, g, q);
}

/* Words and a struct or typedef name at once: which of DTrace's complaints it is. */
static void check_mixed(struct parser *p, const struct words *w, struct span at)
{
	struct diag *g;

	if (w->is_signed + w->is_unsigned == w->n)
		g = parse_fail(p, at, D_DECL_SIGNINT,
			       "invalid type declaration: signed and unsigned may only be used with "
			       "integer type");
	else if (w->is_long == w->n)
		g = parse_fail(p, at, D_DECL_LONGINT,
			       "invalid type declaration: long and long long may only be used with "
			       "integer or floating-point type");
	else
		g = parse_fail(p, at, D_DECL_COMBO, "invalid type combination");
	read_to_brace(p, g);
}

/* The base type that the words name together. */
static const char *words_name(struct parser *p, const struct words *w, struct span at)
{
	unsigned sign = w->is_signed + w->is_unsigned;
	unsigned bases = w->is_char + w->is_int + w->is_float + w->is_double + w->is_void + w->is_string;

	if (bases > 1 || sign > 1 || w->is_long > 2 || w->is_short > 1) {
		parse_fail(p, at, D_DECL_COMBO, "invalid type combination");
	} else if (w->is_short && w->is_long && bases == w->is_int) {
		parse_fail(p, at, D_UNKNOWN, "failed to resolve type %s%sshort %slong : Unknown type name",
			   w->is_signed ? "signed " : "", w->is_unsigned ? "unsigned " : "",
			   w->is_long > 1 ? "long " : "");
	} else if (w->is_char && (w->is_short || w->is_long)) {
		parse_fail(p, at, D_DECL_CHARATTR,
			   "invalid type declaration: short and long may not be used with char type");
	} else if (w->is_void && w->n > 1) {
		parse_fail(p, at, D_DECL_VOIDATTR,
			   "invalid type declaration: attributes may not be used with void type");
	} else if (sign && (w->is_float || w->is_double || w->is_string)) {
		parse_fail(p, at, D_DECL_SIGNINT,
			   "invalid type declaration: signed and unsigned may only be used with "
			   "integer type");
	} else if ((w->is_long && w->is_string) || (w->is_short && bases != w->is_int) || (w->is_long && w->is_float) ||
		   (w->is_long == 2 && w->is_double)) {
		parse_fail(p, at, D_DECL_LONGINT,
			   "invalid type declaration: long and long long may only be used with "
			   "integer or floating-point type");
	}
	if (w->is_void)
		return "void";
	if (w->is_string)
		return "string";
	if (w->is_double)
		return w->is_long ? "long double" : "double";
	return w->is_float ? "float" : int_name(w);
}

static bool take_storage(struct parser *p, struct specs *s)
{
	static const struct {
		enum tok tok;
		enum storage storage;
	} table[] = {
		{ T_KW_AUTO, SC_AUTO },	      { T_KW_EXTERN, SC_EXTERN }, { T_KW_REGISTER, SC_REGISTER },
		{ T_KW_SELF, SC_SELF },	      { T_KW_STATIC, SC_STATIC }, { T_KW_THIS, SC_THIS },
		{ T_KW_TYPEDEF, SC_TYPEDEF },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].tok != parse_cur(p))
			continue;
		if (s->storage != SC_NONE)
			parse_fail(p, p->lx.tok.at, D_DECL_CLASS, "only one storage class allowed in a declaration");
		s->storage = table[i].storage;
		s->storage_at = p->lx.tok.at;
		return true;
	}
	return false;
}

static unsigned qualifier(enum tok t, bool *is)
{
	*is = t == T_KW_CONST || t == T_KW_VOLATILE || t == T_KW_RESTRICT || t == T_KW_USERLAND;
	return t == T_KW_CONST ? DQ_CONST : t == T_KW_VOLATILE ? DQ_VOLATILE : t == T_KW_USERLAND ? DQ_USERLAND : 0;
}

/* One specifier; false when the token is none. */
static bool parse_spec(struct parser *p, bool with_storage, struct specs *s, struct words *w)
{
	enum tok t = parse_cur(p);
	bool is_qual;
	unsigned q = qualifier(t, &is_qual);

	if (is_qual) {
		s->base.quals |= q;
	} else if (t == T_KW_STRUCT || t == T_KW_UNION || t == T_KW_ENUM) {
		if (w->n > 0)
			check_mixed(p, w, p->lx.tok.at);
		else if (s->have_type)
			parse_fail(p, p->lx.tok.at, D_DECL_COMBO, "invalid type combination");
		parse_tagged(p, s);
		return true;
	} else if (t == T_IDENT && !s->have_type && w->n == 0) {
		s->base.tag = DK_TYPEDEF;
		s->base.name = parse_split_scope(p, p->lx.tok.name, &s->base.module);
		s->have_type = true;
	} else if (count_word(w, t)) {
		if (s->have_type)
			check_mixed(p, w, p->lx.tok.at);
	} else if (!with_storage || !take_storage(p, s)) {
		return false;
	}
	parse_next(p);
	return true;
}

/* A storage class or qualifier and then "name;" has no type. For extern and variables of threads and
 * clauses it is int, as in Oracle's port; else it is DTrace's old-style declaration. */
static bool lacks_type(const struct parser *p, const struct specs *s)
{
	enum tok next;

	if (parse_cur(p) != T_IDENT || s->have_type)
		return false;
	next = parse_peek(p, 1);
	return next == T_SEMI || next == T_COMMA || next == T_LBRACK || next == T_ASSIGN;
}

void parse_specs(struct parser *p, bool with_storage, struct specs *ret)
{
	struct words w = { 0 };

	*ret = (struct specs){ .base.at = p->lx.tok.at };
	while (!p->panic) {
		if (w.n == 0 && (ret->storage || ret->base.quals) && lacks_type(p, ret)) {
			if (ret->storage == SC_SELF || ret->storage == SC_THIS || ret->storage == SC_EXTERN) {
				w.is_int = w.n = 1;
				break;
			}
			if (parse_peek(p, 1) != T_LBRACK &&
			    (ret->storage == SC_AUTO || ret->storage == SC_REGISTER || ret->storage == SC_STATIC))
				parse_fail(p, ret->storage_at, D_DECL_BADCLASS,
					   "specified storage class not appropriate in D");
			parse_fail(p, p->lx.tok.at, D_DECL_IDENT, "old-style declaration or incorrect type specified");
			return;
		}
		if (!parse_spec(p, with_storage, ret, &w))
			break;
	}
	if (w.n > 0 && !ret->have_type) {
		ret->base.tag = DK_TYPEDEF;
		ret->base.name = words_name(p, &w, ret->base.at);
		ret->have_type = true;
	}
	if (!ret->have_type)
		parse_fail_here(p);
	ret->base.at = parse_span_from(p, ret->base.at);
}

/* -- declarators -- */

/* Derivations in the order of C's reading, collected while a declarator is read. */
struct declr {
	const char *name;
	struct span name_at;
	struct derive *first, **tail; /* from the base type outwards */
	unsigned n;
};

static struct derive *new_derive(struct parser *p, struct declr *d, enum dkind kind)
{
	struct derive *v = arena_new_obj(p->arena, struct derive);

	v->kind = kind;
	if (++d->n > DPROG_MAX_DEPTH)
		parse_fail(p, p->lx.tok.at, D_LIMIT, "type of more than %d levels", DPROG_MAX_DEPTH);
	return v;
}

/* Decides what "[name" is: one thing is sure, or both (see struct derive). */
enum dimension { DIM_SIZE, DIM_KEYS, DIM_EITHER };

static enum dimension look_at_dimension(struct parser *p)
{
	enum tok t;

	t = parse_cur(p);
	if (t != T_IDENT)
		return lex_kw_class(t) == KWC_TYPE || lex_kw_class(t) == KWC_CLASS || t == T_ELLIPSIS ? DIM_KEYS
												      : DIM_SIZE;
	t = parse_peek(p, 1);
	if (t == T_COMMA || t == T_IDENT || lex_kw_class(t) == KWC_TYPE)
		return DIM_KEYS;
	if (t == T_MUL) {
		t = parse_peek(p, 2);
		if (t == T_IDENT && parse_at_type(p)) /* [type *name], not a product */
			return DIM_KEYS;
		return t == T_RBRACK || t == T_COMMA || t == T_MUL ? DIM_KEYS : DIM_SIZE;
	}
	if (t != T_RBRACK)
		return DIM_SIZE;
	return parse_at_type(p) ? DIM_KEYS : DIM_EITHER;
}

/* parameter: specifiers [ declarator ] */
static struct tyname *parse_param(struct parser *p)
{
	struct span name_at;
	const char *name = NULL;
	struct specs s;
	struct tyname *t;

	parse_specs(p, true, &s);
	if (s.storage != SC_NONE && s.storage != SC_REGISTER)
		parse_fail(p, s.storage_at, D_DECL_PARMCLASS,
			   "inappropriate storage class for function or associative array "
			   "parameter");
	t = parse_declarator(p, &s.base, DECLR_EITHER, &name, &name_at);
	t->param = name;
	return t;
}

/* parameter { , parameter } [ , ... ] up to the closing token. */
static struct tyname *parse_param_list(struct parser *p, enum tok close, bool *varargs)
{
	struct tyname *first = NULL, **tail = &first;

	*varargs = false;
	if (parse_accept(p, close))
		return NULL;
	do {
		if (parse_accept(p, T_ELLIPSIS)) {
			*varargs = true;
			break;
		}
		*tail = parse_param(p);
		tail = &(*tail)->next;
	} while (parse_accept(p, T_COMMA));
	parse_expect(p, close);
	return first;
}

struct tyname *parse_params(struct parser *p, bool *varargs)
{
	return parse_param_list(p, T_RPAR, varargs);
}

/* [ ] | [ constant ] | [ types ]; the current token is the [. */
static struct derive *parse_array(struct parser *p, struct declr *d)
{
	struct derive *v = new_derive(p, d, DK_ARRAY);
	struct span at = p->lx.tok.at;
	enum dimension dim;
	struct lexer here;

	parse_next(p);
	if (parse_accept(p, T_RBRACK))
		return v;
	dim = look_at_dimension(p);
	if (dim == DIM_EITHER) {
		here = p->lx;
		v->nelems = parse_conditional(p);
		p->lx = here;
	}
	if (dim != DIM_SIZE) {
		v->keys = parse_param_list(p, T_RBRACK, &v->varargs);
		if (v->varargs)
			parse_fail(p, at, D_DECL_PROTO_VARARGS,
				   "array prototype may not use a variable-length argument list");
		return v;
	}
	v->nelems = parse_conditional(p);
	parse_expect(p, T_RBRACK);
	return v;
}

/* ( parameters ); the current token is the (. */
static struct derive *parse_function(struct parser *p, struct declr *d)
{
	struct derive *v = new_derive(p, d, DK_FUNC);

	parse_next(p);
	v->keys = parse_params(p, &v->varargs);
	return v;
}

/* { array | function }: the first one written is the outermost. */
static void parse_suffixes(struct parser *p, struct declr *d)
{
	struct derive *list = NULL;

	while (!p->panic) {
		struct derive *v;

		if (parse_is(p, T_LBRACK))
			v = parse_array(p, d);
		else if (parse_is(p, T_LPAR))
			v = parse_function(p, d);
		else
			break;
		v->next = list;
		list = v;
	}
	while (list) {
		*d->tail = list;
		d->tail = &list->next;
		list = list->next;
	}
	*d->tail = NULL;
}

/* pointer: * { const | volatile | restrict | userland } [ pointer ] */
static void parse_pointers(struct parser *p, struct declr *d)
{
	while (parse_accept(p, T_MUL)) {
		struct derive *v = new_derive(p, d, DK_PTR);
		bool is = true;

		for (;;) {
			unsigned q = qualifier(parse_cur(p), &is);

			if (!is || p->panic)
				break;
			v->quals |= q;
			parse_next(p);
		}
		*d->tail = v;
		d->tail = &v->next;
	}
}

/* Is "(" the start of an inner declarator, not of parameters? */
static bool at_inner(struct parser *p, enum declr_kind kind)
{
	enum tok t;

	if (!parse_is(p, T_LPAR))
		return false;
	if (kind == DECLR_NAMED)
		return true;
	t = parse_peek(p, 1);
	return t == T_MUL || t == T_LPAR || t == T_LBRACK;
}

/* declarator: [ pointer ] ( IDENT | ( declarator ) | nothing ) { array | function } */
static void read_declarator(struct parser *p, enum declr_kind kind, struct declr *d)
{
	struct declr inner = { 0 };

	if (p->panic || !parse_enter(p))
		return;
	parse_pointers(p, d);
	if (at_inner(p, kind)) {
		inner.tail = &inner.first;
		parse_next(p);
		read_declarator(p, kind, &inner);
		parse_expect(p, T_RPAR);
		d->name = inner.name;
		d->name_at = inner.name_at;
	} else if (parse_is(p, T_IDENT) && kind != DECLR_ABSTRACT) {
		d->name = p->lx.tok.name;
		d->name_at = p->lx.tok.at;
		parse_next(p);
	} else if (kind == DECLR_NAMED) {
		parse_fail_here(p);
	}
	parse_suffixes(p, d);
	d->n += inner.n;
	if (inner.first) {
		*d->tail = inner.first;
		d->tail = inner.tail;
	}
	parse_leave(p);
}

struct tyname *parse_declarator(struct parser *p, const struct tyname *base, enum declr_kind kind, const char **name,
				struct span *name_at)
{
	struct tyname *t = arena_memdup(p->arena, base, sizeof(*base));
	struct declr d = { .name_at = p->lx.tok.at };

	d.tail = &d.first;
	read_declarator(p, kind, &d);
	if (d.n > DPROG_MAX_DEPTH)
		parse_fail(p, d.name_at, D_LIMIT, "type of more than %d levels", DPROG_MAX_DEPTH);
	if (d.name && strchr(d.name, '`'))
		parse_fail(p, d.name_at, D_DECL_SCOPE, "D scoping operator may not be used in a declaration name (%s)",
			   d.name);
	*name = d.name;
	*name_at = d.name_at;
	t->derive = d.first;
	return t;
}

/* type_name: specifiers [ abstract declarator ] */
struct tyname *parse_type_name(struct parser *p)
{
	struct span at = p->lx.tok.at, name_at;
	const char *name;
	struct specs s;
	struct tyname *t;

	parse_specs(p, false, &s);
	t = parse_declarator(p, &s.base, DECLR_ABSTRACT, &name, &name_at);
	t->at = parse_span_from(p, at);
	return t;
}
