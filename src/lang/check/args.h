/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of probes, and probes that are derived from others. */
#ifndef DWELL_LANG_CHECK_ARGS_H
#define DWELL_LANG_CHECK_ARGS_H
#include "lang/check/checker.h"

/* How a clause sees args[n] of one probe. */
struct arg_view {
	const struct dtype *native; /* NULL: of unknown type */
	unsigned index;		    /* of the native argument */
	const struct dtype *to;	    /* as the program sees it, or NULL: as it is */
	bool unknown;		    /* the provider promises a type that is not known */
	const char *expr;	    /* of a probe that is not derived: probe_arg.expr */
};
/* False: the probe has no such argument. */
bool arg_find(struct checker *c, struct probe *p, uint64_t i, struct arg_view *ret);
bool arg_same_view(struct checker *c, const struct arg_view *a, const struct arg_view *b);
/* Is it `args` or `*args`, all arguments of the probe? */
bool args_are_all(const struct node *n);
/* Makes print(args) a printf() of each argument with its name. False after a diagnostic. */
bool args_print(struct checker *c, struct node *n);
/* Have all of these probes an argument i of at most 32 bits? args.c */
bool args_are_narrow(struct checker *c, const struct probe_list *l, unsigned i);

/* Checks the expressions of the derived probes of s. False: reported. */
bool check_derived(struct checker *c, struct clause_instance *s);
/* Texts that come with the derived probes of s and are not in the program yet, parsed: those that go before
 * or after. NULL: no more of them, or reported. */
struct unit *derive_support(struct checker *c, const struct clause_instance *s, bool after);
/* n becomes the raw argument that it names. False: it names none. */
bool derive_raw_arg(struct checker *c, struct node *n);
/* n, arg<i>, becomes the expression that argument i is in the probe of the clause. False: it is as it is passed. */
bool derive_passed_arg(struct checker *c, struct node *n, unsigned i);
/* Parses D text of dwell's own. NULL: reported. */
struct unit *check_parse_text(struct checker *c, const char *name, const char *text);
#endif
