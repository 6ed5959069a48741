/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of declarations: variables, typedefs, types, inlines, translators, providers, trackers. Each function
 * leaves the ; at the end to the caller, which changes the lexer's mode there. */
#include <string.h>
#include "lang/syntax/parse_int.h"

static struct decl *new_decl(struct parser *p, enum decl_kind kind, struct span at)
{
	struct decl *d = arena_new_obj(p->arena, struct decl);

	d->kind = kind;
	d->at = at;
	return d;
}

/* "struct foo { … };", "enum e;" */
static struct decl *type_only(struct parser *p, const struct specs *s, struct span at)
{
	struct decl *d = new_decl(p, DECL_TYPE, parse_span_from(p, at));

	if (s->base.tag == DK_TYPEDEF) /* of an intrinsic type, as in DTrace: "typedef struct x { … };" is none */
		parse_fail(p, d->at, D_DECL_USELESS, "useless declaration");
	d->type = arena_memdup(p->arena, &s->base, sizeof(s->base));
	return d;
}

static void set_scope(struct parser *p, struct decl *d, const struct specs *s)
{
	switch (s->storage) {
	case SC_TYPEDEF:
		d->kind = DECL_TYPEDEF;
		parse_add_typename(p, d->name);
		break;
	case SC_SELF: d->scope = DS_TLS; break;
	case SC_THIS: d->scope = DS_THIS; break;
	case SC_EXTERN: d->is_extern = true; /* fall through */
	case SC_NONE: d->scope = DS_GLOBAL; break;
	case SC_AUTO:
	case SC_REGISTER:
	case SC_STATIC:
		parse_fail(p, s->storage_at, D_DECL_BADCLASS, "specified storage class not appropriate in D");
		break;
	}
}

static bool is_function(const struct decl *d)
{
	const struct derive *v = d->type->derive;

	while (v && v->next)
		v = v->next;
	return d->kind == DECL_VAR && d->scope == DS_GLOBAL && v && v->kind == DK_FUNC;
}

/* function_definition: specifiers declarator { statements }; the current token is the {, the } is left. */
static struct decl *parse_function_body(struct parser *p, struct decl *d)
{
	d->kind = DECL_FUNC;
	p->lx.mode = LEX_EXPR;
	parse_next(p);
	p->in_func = true;
	d->body = parse_clause_body(p);
	p->in_func = false;
	return d;
}

/* declaration: specifiers [ declarator { , declarator } ]
 * function_definition */
struct decl *parse_declaration(struct parser *p)
{
	struct decl *first = NULL, **tail = &first;
	struct span at = p->lx.tok.at;
	struct specs s;

	parse_specs(p, true, &s);
	if (parse_is(p, T_SEMI))
		return type_only(p, &s, at);
	do {
		struct decl *d = new_decl(p, DECL_VAR, at);

		d->type = parse_declarator(p, &s.base, DECLR_NAMED, &d->name, &d->at);
		if (p->panic)
			return NULL;
		set_scope(p, d, &s);
		*tail = d;
		tail = &d->next;
		if (parse_is(p, T_LBRACE) && d == first && is_function(d))
			return parse_function_body(p, d);
	} while (parse_accept(p, T_COMMA));
	if (parse_is(p, T_ASSIGN))
		parse_hint(p, parse_fail_here(p), "declarations have no initial value: assign in a BEGIN clause");
	else if (!parse_is(p, T_SEMI))
		parse_fail_here(p);
	return first;
}

/* inline_definition: inline specifiers declarator = assignment */
struct decl *parse_inline(struct parser *p)
{
	struct decl *d = new_decl(p, DECL_INLINE, p->lx.tok.at);
	struct specs s;

	parse_next(p);
	parse_specs(p, true, &s);
	if (s.storage != SC_NONE)
		parse_fail(p, s.storage_at, D_DECL_BADCLASS, "specified storage class not appropriate in D");
	d->type = parse_declarator(p, &s.base, DECLR_NAMED, &d->name, &d->at);
	parse_expect(p, T_ASSIGN);
	if (!p->panic)
		d->value = parse_assignment(p);
	return p->panic ? NULL : d;
}

/* translator_member: IDENT = assignment ; */
static struct tymember *parse_translator_member(struct parser *p)
{
	struct tymember *m = arena_new_obj(p->arena, struct tymember);

	m->at = p->lx.tok.at;
	m->name = parse_name(p);
	parse_expect(p, T_ASSIGN);
	if (!p->panic)
		m->value = parse_assignment(p);
	p->lx.mode = LEX_MEMBER; /* a member may be called like a keyword */
	parse_expect(p, T_SEMI);
	p->lx.mode = LEX_EXPR;
	return m;
}

/* Opens and closes the braces of a definition around its parts. */
static struct tymember *parse_block(struct parser *p, struct tymember *(*part)(struct parser *p))
{
	struct tymember *first = NULL, **tail = &first;

	p->lx.mode = LEX_MEMBER;
	if (parse_expect(p, T_LBRACE))
		p->braces++;
	p->lx.mode = LEX_EXPR;
	while (!p->panic && !parse_is(p, T_RBRACE)) {
		*tail = part(p);
		tail = &(*tail)->next;
	}
	if (parse_accept(p, T_RBRACE))
		p->braces--;
	return first;
}

/* translator_definition: translator type < type IDENT > { members } */
struct decl *parse_translator(struct parser *p)
{
	struct decl *d = new_decl(p, DECL_TRANSLATOR, p->lx.tok.at);
	struct span name_at;
	struct specs s;

	parse_next(p);
	d->type = parse_type_name(p);
	parse_expect(p, T_LT);
	if (p->panic)
		return NULL;
	parse_specs(p, false, &s);
	d->input = parse_declarator(p, &s.base, DECLR_NAMED, &d->name, &name_at);
	parse_expect(p, T_GT);
	d->members = parse_block(p, parse_translator_member);
	d->at = parse_span_from(p, d->at);
	return p->panic ? NULL : d;
}

/* ( [ parameters ] ) as a function type that returns nothing. */
static struct derive *parse_probe_args(struct parser *p)
{
	struct derive *v = arena_new_obj(p->arena, struct derive);

	v->kind = DK_FUNC;
	if (!parse_expect(p, T_LPAR))
		return v;
	v->keys = parse_params(p, &v->varargs);
	if (v->varargs)
		parse_fail(p, p->lx.tok.at, D_DECL_PROTO_VARARGS, "probe may not have variable arguments");
	return v;
}

/* provider_probe: probe IDENT ( parameters ) [ : ( parameters ) ] ;
 * The second list becomes a second DK_FUNC derivation. */
static struct tymember *parse_provider_probe(struct parser *p)
{
	struct tymember *m = arena_new_obj(p->arena, struct tymember);

	/* The block gives the first token as a word. */
	if (!parse_is(p, T_IDENT) || strcmp(p->lx.tok.name, "probe") != 0)
		parse_fail_here(p);
	p->lx.mode = LEX_MEMBER;
	if (!p->panic)
		parse_next(p);
	m->at = p->lx.tok.at;
	m->name = parse_name(p);
	m->type = arena_new_obj(p->arena, struct tyname);
	m->type->tag = DK_TYPEDEF;
	m->type->name = "void";
	m->type->at = m->at;
	m->type->derive = parse_probe_args(p);
	if (parse_accept(p, T_COLON))
		m->type->derive->next = parse_probe_args(p);
	p->lx.mode = LEX_MEMBER;
	parse_expect(p, T_SEMI);
	p->lx.mode = LEX_EXPR;
	return m;
}

/* provider_definition: provider IDENT { probes } */
struct decl *parse_provider(struct parser *p)
{
	struct decl *d = new_decl(p, DECL_PROVIDER, p->lx.tok.at);

	p->lx.mode = LEX_MEMBER;
	parse_next(p);
	d->at = p->lx.tok.at;
	d->name = parse_name(p);
	d->members = parse_block(p, parse_provider_probe);
	return p->panic ? NULL : d;
}

/* tracker_definition: tracker IDENT [ ( types ) ] { settings }
 * setting: IDENT = assignment ;
 * The } is left to the caller. */
struct decl *parse_tracker(struct parser *p)
{
	struct decl *d = new_decl(p, DECL_TRACKER, p->lx.tok.at);
	struct tymember **tail = &d->members;
	bool varargs = false;

	p->lx.mode = LEX_MEMBER;
	parse_next(p);
	d->at = p->lx.tok.at;
	d->name = parse_name(p);
	if (parse_accept(p, T_LPAR))
		d->input = parse_params(p, &varargs);
	if (varargs)
		parse_fail(p, d->at, D_DECL_PROTO_VARARGS, "tracker %s may not have variable keys", d->name);
	p->lx.mode = LEX_MEMBER;
	if (parse_expect(p, T_LBRACE))
		p->braces++;
	p->lx.times = true;
	while (!p->panic && !parse_is(p, T_RBRACE)) {
		*tail = parse_translator_member(p);
		tail = &(*tail)->next;
	}
	p->lx.times = false;
	if (parse_is(p, T_RBRACE))
		p->braces--;
	return p->panic ? NULL : d;
}
