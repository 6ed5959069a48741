/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses and their probes: descriptions, control lines, names of other systems. */
#ifndef DWELL_LANG_CHECK_CLAUSE_H
#define DWELL_LANG_CHECK_CLAUSE_H
#include "lang/check/checker.h"

bool check_add_clause(struct checker *c, const struct clause *cl, struct clause_instance ***tail);

bool check_probes(struct checker *c, const struct pdesc_node *pd, struct clause_instance *s, bool *ret_zero);
void check_clause(struct checker *c, struct clause_instance *s);
/* Forgets what checking a clause left for later after `last`, when it is to be checked again or not at all. */
void forget_trial(struct checker *c, struct deferred_check *last);

/* Says that a description matches nothing. reason, tag: or NULL. probe.c */
void report_zero(struct checker *c, const struct pdesc_node *pd, const char *reason, const char *tag);

const struct dprovider *provider_find(const struct dprog *p, const char *name, size_t len);

void declare_provider(struct checker *c, const struct decl *d);

/* The attributes that #pragma D attributes gives to a name of the program or of the library; NULL: nothing. */
const struct dattr *pragma_attr(struct checker *c, const char *name, bool lib);
/* Is a name of the library too new for -x version? */
bool pragma_too_new(struct checker *c, const char *name);
/* Built-in names that -x version allows, or NULL. */
const struct builtin *find_builtin(struct checker *c, const char *name);
const struct builtin *find_builtin_func(struct checker *c, const char *name); /* for calls */
/* #pragma D depends_on, attributes and binding of the program's own texts. False: the clauses of this one are left out,
 * since it depends on what is not here. */
bool check_pragmas(struct checker *c, const struct unit *u);
/* At the end: those that were about nothing, and -x amin. */
void check_pragmas_used(struct checker *c, struct unit *const *units, size_t n);
void check_amin(struct checker *c);
bool check_amin_desc(struct checker *c, const struct clause_instance *s); /* false: reported */

/* n assigns value to a variable: would it lose bits? */
void cut_check(struct checker *c, const struct node *n, const struct node *value);
/* Is the variable, whose type is a number's, to be 64 bits wide? */
bool cut_is_wide(struct checker *c, const struct cvar *v);

/* The D library's replacement (dlib/others.d) for the variable or member n of the struct st that this kernel does not
 * have, or NULL. */
struct node *foreign_ksym(struct checker *c, struct node *n);
const struct cinline *foreign_ksym_array(struct checker *c, const struct node *n);
struct node *foreign_member(struct checker *c, struct node *n, const struct dtype *st);
/* Finds what a description means that matches nothing by its letters. */
bool foreign_match(struct checker *c, const struct pdesc *d, struct probe_list *l);
/* Is it about something that only another system has? */
bool foreign_known(const struct pdesc *d);
/* The description is left out, unless the whole program would be. reason: of the message, or NULL. */
void foreign_leave(struct checker *c, const struct pdesc_node *pd, const char *reason);
/* At the end: warns of what was left out, or says that nothing is left. */
void foreign_finish(struct checker *c);
/* Warns of a system call that programs hardly make, when the description is about nothing else. */
void silent_warn(struct checker *c, const struct pdesc_node *pd, const struct probe_list *l);

/* Words that bpftrace has and D has under another name (bpftrace.def): a hint to the error that was just reported.
 * False: it is none. */
enum foreign_kind { FOREIGN_VAR, FOREIGN_CALL, FOREIGN_PROVIDER };
bool foreign_hint(struct checker *c, enum foreign_kind kind, const char *name);
/* The same of a description that matches nothing; or its pid is that of a missing -p or -c. */
bool foreign_desc_hint(struct checker *c, const struct pdesc *d);
#endif
