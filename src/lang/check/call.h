/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: built-in names by the rows of lang/builtin.def, actions, aggregations, formats. */
#ifndef DWELL_LANG_CHECK_CALL_H
#define DWELL_LANG_CHECK_CALL_H
#include "lang/check/checker.h"

struct node *check_call(struct checker *c, struct node *n, bool data_ok, bool statement);
/* Complains of an action that was used as a value, unless something else was wrong with it. */
void check_action_value(struct checker *c);
/* A positive constant? */
bool is_positive_const(struct checker *c, const struct node *n);
/* The check function of a row of lang/builtin.def. n is a use of it; n->builtin is the row (of name[index]:
 * n->a->builtin).
 */
typedef struct node *check_fn(struct checker *c, struct node *n);
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) check_fn check;
#include "lang/builtin.def"
#undef BI
struct node *check_builtin(struct checker *c, struct node *n, const struct builtin *b);
/* The type of stack() without arguments. */
const struct dtype *check_stack_type(struct checker *c);
/* Checks what an action does, and which actions may precede it. */
void check_effects(struct checker *c, struct node *n);
/* false, reported: the call of an action with a wrong number of arguments. */
bool act_protos_fit(struct checker *c, struct node *n);
/* "1.6.3" as a number that grows with versions; UINT32_MAX: none is set, all names are known. */
uint32_t version_number(const char *text);
/* A prototype, taken apart. */
struct proto {
	const char *ret;
	const char *par[PROTO_MAX_PARAMS];
	const char *more; /* the class of all that follow, or NULL */
	unsigned min, max;
};
struct proto proto_of(struct checker *c, const struct builtin *b);
struct node *proto_len(struct checker *c, struct node *n, unsigned min, unsigned max);
struct node *proto_arg(struct checker *c, struct node *n, unsigned i, const struct node *arg, const char *want);

/* @name[keys] = function(args), in steps: what stands where (false: reported; with a call of no builtin it is
 * undefined); when the arguments have been checked, the function (false: reported); when the keys have been, these. */
bool agg_begin(struct checker *c, struct stmt *s);
bool agg_function(struct checker *c, struct stmt *s);
void agg_keys(struct checker *c, struct stmt *s);
/* @a as an argument: no keys; the aggregation, made if new. */
struct node *check_agg_ref(struct checker *c, struct node *n);
void check_late(struct checker *c); /* printa, clear, … when all aggregations are known */
void late_add(struct checker *c, struct node *call, const char *tag); /* tag: of an undefined aggregation */

/* fmt: the string constant; checked arguments follow it. */
bool check_format(struct checker *c, struct node *call, struct node *fmt);
/* Is it the call of an action, whose value nothing can use? */
bool is_action_call(struct checker *c, const struct node *n);
bool check_format_agg(struct checker *c, struct node *call, struct node *fmt, const struct dagg *agg);
#endif
