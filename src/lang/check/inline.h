/* SPDX-License-Identifier: Apache-2.0 */
/* Inlines, translators, and what the D library declares. */
#ifndef DWELL_LANG_CHECK_INLINE_H
#define DWELL_LANG_CHECK_INLINE_H
#include "lang/check/checker.h"

void declare_inline(struct checker *c, const struct decl *d);
struct node *use_inline(struct checker *c, struct node *n, const struct cinline *in);
/* n: name[args] */
struct node *use_inline_array(struct checker *c, struct node *n, const struct cinline *in);
/* in[value], of one parameter, in place of n. value has been checked. */
struct node *use_inline_of(struct checker *c, struct node *n, const struct cinline *in, struct node *value);
/* A parameter that stands for any value of its type: for checking the declaration. */
void param_declare(struct checker *c, struct cparam *p, const char *name, const struct dtype *ty, struct span at);
/* Lets the parameter stand for a checked value; what must be evaluated once, and before, is added to
 * *before (assignments of temporaries). */
void param_bind(struct checker *c, struct cparam *p, struct node *value, struct node **before);
/* The value in place of the name n, or NULL: it is no parameter here. */
struct node *param_use(struct checker *c, struct node *n);
/* Checks a copy of body in the scope and puts it in the place of n, after `before` (or NULL). */
struct node *scope_check(struct checker *c, struct node *n, const struct node *body, struct cscope scope,
			 struct node *before);

void declare_translator(struct checker *c, const struct decl *d);
struct node *check_xlate(struct checker *c, struct node *n);
/* The translated value of in, which is checked; NULL: no translator from its type to `to`, a struct or
 * union or a pointer to one. */
struct node *xlate_make(struct checker *c, struct node *in, const struct dtype *to);
const struct cxlator *xlator_find(struct checker *c, const struct node *in, const struct dtype *out);
/* n: a.m or a->m, a is N_XLATE */
struct node *xlate_member(struct checker *c, struct node *n);
/* A translated struct as a value that can be assigned: all members that the translator gives, the others
 * 0. An error when n is a translated pointer; anything else is n itself. */
struct node *xlate_value(struct checker *c, struct node *n);
/* A variable without a name, for the rest of the expression, from its assignment on. */
struct node *temp_new(struct checker *c, const struct dtype *ty, struct span at);
struct node *assign_node(struct checker *c, struct node *to, struct node *value);
/* b after a; a may be NULL. */
struct node *comma(struct checker *c, struct node *a, struct node *b);
/* The number that a built-in variable of translated data is made of (curcpu: that of the CPU). A cast to an integer and
 * trace() have it. n when it is anything else. */
struct node *xlate_number(struct checker *c, struct node *n);
/* n, or what a variable keeps of it: curcpu becomes a pointer that only xlate_again() understands. */
struct node *xlate_keep(struct checker *c, struct node *n);
/* A variable that keeps such a pointer becomes what was translated; n when it is anything else. */
struct node *xlate_again(struct checker *c, struct node *n);
/* An error when n is a translated value. */
struct node *xlate_whole(struct checker *c, struct node *n);

/* An inline of the library, or NULL; defines its enumerators too. */
const struct cinline *lib_inline(struct checker *c, const char *name);
/* Is there a function of this name in a library? */
bool lib_function(struct checker *c, const char *name);
void lib_define_type(void *checker, enum dkind kind, const char *name);
void lib_use_translators(struct checker *c, const struct dtype *out);
/* scope_check() of a library's text: NULL when it is wrong, which is a warning. */
struct node *lib_check(struct checker *c, struct node *n, const struct node *body, struct cscope scope,
		       struct node *before);
/* Are the modules, providers and probes there that the control lines ask for? */
bool depends_hold(struct checker *c, const struct pragma *p);
#endif
