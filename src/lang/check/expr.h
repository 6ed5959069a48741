/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the types of expressions and of variables. */
#ifndef DWELL_LANG_CHECK_EXPR_H
#define DWELL_LANG_CHECK_EXPR_H
#include "lang/check/checker.h"

/* The branch that is taken of n, a ?: with a condition that DTrace knows when it parses; NULL: n is something else.
 * *ret_bad: the condition is wrong, which was reported. */
struct node *const_branch(struct checker *c, const struct node *n, bool *ret_bad);

struct node *check_expr(struct checker *c, struct node *n);
/* The same, but the result may be a translated value (N_XLATE), of which only members can be used. */
struct node *check_translated(struct checker *c, struct node *n);
/* A kernel symbol may have no type (void): operand of & and of casts. */
struct node *check_untyped(struct checker *c, struct node *n);
/* As operand of trace, printf or as key: arrays stay arrays, stack() and sym() may be used. */
struct node *check_data(struct checker *c, struct node *n);
struct node *check_traced(struct checker *c, struct node *n, const char *action); /* of trace(), print() */
struct node *check_unary(struct checker *c, struct node *n);
struct node *check_binary(struct checker *c, struct node *n);
struct node *check_cond(struct checker *c, struct node *n);
struct node *check_assign(struct checker *c, struct node *n);
/* May the value of lvalue n be changed by the program? */
bool is_writable(const struct node *n);
/* How a variable is met: read; written as a whole (may be new); changed by ++ (may be new,
 * int64_t); operand of a unary operator (the same, but it is read only). */
enum access { ACC_READ, ACC_WRITE, ACC_INC, ACC_UNARY };
struct node *check_ident(struct checker *c, struct node *n, enum access acc);
struct node *check_scoped(struct checker *c, struct node *n, enum access acc);
struct node *check_index(struct checker *c, struct node *n, enum access acc);
/* n as target of an assignment or ++. */
struct node *check_target(struct checker *c, struct node *n, enum access acc);
/* Checks args as keys against nkeys/keys/uses, or as their first use. what: "@a[ ]". */
bool check_keys(struct checker *c, struct node *n, const char *what, const struct dtype ***keys, unsigned *nkeys,
		struct keyuse ***uses);
struct cvar *var_new(struct checker *c, enum dscope scope, const char *name, struct span at);
struct symtab *var_table(struct checker *c, enum dscope scope);
void settle_keys(struct checker *c);
/* Call it after a failed trial. Removes the key types of arrays and aggregations whose first use had a wrong key. */
void forget_wrong_keys(struct checker *c);
const char *var_prefix(enum dscope scope);
/* The keys of n as expressions; before check_keys(), since they may use the array itself. */
void check_key_exprs(struct checker *c, struct node *n);
#endif
