/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: types, variables, functions; statements of their bodies. */
#ifndef DWELL_LANG_CHECK_DECL_H
#define DWELL_LANG_CHECK_DECL_H
#include "lang/check/checker.h"

const struct dtype *check_type(struct checker *c, const struct tyname *t); /* DK_DYN: error reported */
void check_decl(struct checker *c, const struct decl *d);
/* Keys of an array or parameters of a function: known types, no name twice; void stands alone. */
bool params_ok(struct checker *c, const struct tyname *list, const char *kind, bool void_ok);
/* The last derivation of a declaration, when it makes an associative array. */
const struct derive *assoc_derive(struct checker *c, const struct decl *d);
/* The type with the derivations before `stop` (NULL: all). */
const struct dtype *type_until(struct checker *c, const struct tyname *t, const struct derive *stop);
/* The variable of a declaration in a block, not yet in scope; NULL: reported. */
struct cvar *declare_local(struct checker *c, const struct decl *d);
/* The value of a constant expression; false: it is none (nothing reported). */
bool const_value(struct checker *c, const struct node *n, struct node **ret);

void func_register(struct checker *c, const struct decl *d, bool lib);
void declare_func(struct checker *c, const struct decl *d);
bool func_exists(const struct checker *c, const char *name);
struct node *check_func_call(struct checker *c, struct node *n);
void check_unused_funcs(struct checker *c);
/* A local variable of the checker's. */
struct cvar *new_local(struct checker *c, const char *name, const struct dtype *ty, struct span at);
/* "var = value" for a local variable; value has been checked and fits. */
struct node *assign_local(struct checker *c, struct cvar *v, struct node *value);

void check_stmts(struct checker *c, struct stmt *s);
struct cvar *local_find(const struct checker *c, const char *name); /* or NULL */
void local_add(struct checker *c, const char *name, struct cvar *v);
#endif
