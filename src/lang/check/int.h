/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the checker, shared by the files of lang/check. An expression whose error was reported has
 * the type DK_DYN; whatever uses it stays silent. Functions that take a node return the node that
 * stands in its place afterwards. */
#ifndef DWELL_LANG_CHECK_INT_H
#define DWELL_LANG_CHECK_INT_H
#include "base/near.h"
#include "lang/dlib.h"
#include "lang/errtag.h"
#include "lang/later.h"
#include "lang/op.h"
#include "lang/types/symtab.h"

#define CHECK_MAX_INLINE_DEPTH 32	 /* inlines inside of inlines */
#define CHECK_MAX_INLINES (1 << 20)	 /* uses of inlines in one program, those inside of inlines too */
#define CHECK_MAX_MEMBER_SIZE (1u << 30) /* bytes of a D struct or array */
#define CHECK_MAX_KEYS 64		 /* keys of one associative array or aggregation */
#define CHECK_MAX_RUNS 8		 /* over a program, to find the widths of variables */
#define PROTO_MAX_PARAMS 8		 /* of a built-in function */

/* One key expression of an array or aggregation whose key types are settled at the end. */
struct keyuse {
	struct node *n; /* replaced in place */
	struct keyuse *next;
};

struct cvar {
	struct dvar pub; /* first */
	bool declared;
	bool poisoned;	      /* its first value was wrong: further complaints would not help */
	bool known;	      /* declared or assigned before: may be read */
	bool by_number;	      /* its type is that of a number, its first value */
	struct keyuse **uses; /* nkeys lists; NULL when declared */
};

struct cagg {
	struct dagg pub; /* first */
	const struct builtin *fn;
	struct span fn_at;
	struct keyuse **uses;
};

/* A parameter of an inline array or translator, and the checked expression it stands for. */
struct cparam {
	const char *name; /* or NULL */
	const struct dtype *type;
	struct node *value; /* copied at each use */
};

/* What names mean inside of the text of an inline or translator, besides the program's names. */
struct cscope {
	struct cparam *params;
	unsigned nparams;
	bool lib;	      /* text of a library */
	struct clocal *block; /* local variables, the innermost first */
};

struct cinline {
	const char *name;
	const struct dtype *type;
	const struct node *value; /* unchecked */
	struct cparam *params;	  /* of an array */
	unsigned nparams;
	bool is_array, lib;
	bool is_int;		  /* an integer constant */
	const struct dattr *attr; /* #pragma D attributes, or NULL */
};

struct cxlator {
	const struct dtype *out; /* a struct or union, perhaps by a typedef */
	struct cparam in;
	const struct decl *decl; /* the members: unchecked */
	bool lib;
	struct cxlator *next;
};

/* A local variable that can be seen, the innermost first. */
struct clocal {
	const char *name;
	struct cvar *v;
	struct clocal *next;
};

/* A check that needs the whole program: a printa() and the like. */
struct deferred_check {
	struct node *call;
	const char *tag; /* of an undefined aggregation */
	struct deferred_check *next;
};

/* A description that is left out: foreign.c. */
struct left {
	const struct pdesc_node *pd;
	const char *reason;
	struct left *next;
};

/* Variables that are to be 64 bits wide: cut.c. */
struct wide {
	struct symtab globals, tls, locals;
	bool more; /* some were found in this run */
	bool last; /* no further run: what is found is warned of */
};

struct checker {
	struct arena *a;
	struct dtypes *t;
	struct diags *d;
	const struct compile_env *env;
	struct dprog *prog;
	struct symtab globals, tls, locals, aggs, inlines, libinlines;
	struct cvar *lastvar;
	struct cagg *lastagg;
	struct deferred_check *late, *last_deferred;
	/* the clause instance that is being checked; NULL: a declaration */
	struct clause_instance *stmt;
	bool committed, speculating, recorded; /* actions seen in it */
	const char **support; /* texts of derived probes that are in the program already (lang/probeinfo.h) */
	size_t nsupport;
	const struct probe *raw; /* in an expression over raw arguments (lang/probeinfo.h): names are those */
	struct symtab funcs;
	struct cfunc *funclist; /* the last one first */
	struct cframe *frame;	/* of the function whose body is being checked; NULL: a clause */
	unsigned ncalls;
	unsigned nrecords;	/* actions that record data in bodies of functions so far */
	unsigned loops;		/* around what is checked */
	struct node *action;	/* used as a value, and not yet complained about */
	unsigned action_errors; /* … errors when it was met */
	bool updating;		/* a name being looked up is the target of an operator such as += */
	bool stop_undef;	/* an undefined name was met: trying the predicate first may help */
	unsigned inline_depth, ninlines;
	struct devclause *evclauses, *lastevclause; /* of latency probes */
	bool bare_prov;				    /* probeprov is as the probe has it, with the * of any process */
	bool scanning;				    /* a clause that looks for what is due */
	bool optional;				    /* a clause whose probes need not be there */
	struct symtab aliases; /* system calls of Linux: by what foreign name the program calls them */
	struct symtab silent;  /* system calls that were warned of */
	struct left *left, *lastleft;
	struct wide *wide;
	bool leaving;		   /* a clause that is left out: its faults do not matter */
	bool zdefs;		   /* … as of all of this text */
	bool left_out;		   /* some of the texts: -x zdepends */
	unsigned ntemps;	   /* temporaries of this clause */
	struct unit *const *units; /* the program's texts */
	size_t nunits;
	struct cscope scope;
	struct cxlator *xlators; /* the program's, then those of libraries */
	unsigned depth;		 /* of the recursion into expressions */
};

/* -- small helpers, type.c -- */
const struct dtype *res(struct checker *c, const struct node *n); /* resolved type */
bool is_err(const struct node *n);
struct node *set_err(struct checker *c, struct node *n);
struct node *set_type(struct node *n, const struct dtype *ty);
const struct dtype *basic(struct checker *c, enum dbasic b);
const char *tname(struct checker *c, const struct node *n); /* of its type, for messages */
bool is_int(struct checker *c, const struct node *n);
bool is_scalar(struct checker *c, const struct node *n);
bool is_ptr(struct checker *c, const struct node *n); /* pointer, not string */
bool is_str(struct checker *c, const struct node *n);
bool is_zero(const struct node *n); /* the constant 0 */
bool is_user_type(const struct dtype *ty);
bool type_strcompat(struct checker *c, const struct dtype *ty); /* string, char *, char [] */
bool type_is_vfptr(struct checker *c, const struct dtype *ty);
bool types_same(struct checker *c, const struct dtype *a, const struct dtype *b);
bool ptr_compat(struct checker *c, const struct node *l, const struct node *r);
/* May r be given where a value of type l is wanted? */
bool arg_compat(struct checker *c, const struct dtype *l, const struct node *r);
/* An error of expression n: returns n as error. */
struct node *fail(struct checker *c, struct node *n, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void hint(struct checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct node *new_node(struct checker *c, enum node_kind k, struct span at);

/* -- conversions, conv.c -- */
/* n as a value of type ty, with an implicit cast when representation differs; constants are folded.
 */
struct node *convert(struct checker *c, struct node *n, const struct dtype *ty);
struct node *decay(struct checker *c, struct node *n);	     /* arrays and functions to pointers */
struct node *to_string(struct checker *c, struct node *n);   /* char *, char [] to string */
struct node *string_ptr(struct checker *c, struct node *n);  /* string to char * */
struct node *null_string(struct checker *c, struct node *n); /* the constant 0 to a string */
/* The type of integer arithmetic over one value, and over two: that with more bits, else that without sign.
 * No promotion to int; the value itself is 64 bits wide and may be larger than the type. */
const struct dtype *arith_one(struct checker *c, const struct node *n);
const struct dtype *arith_type(struct checker *c, const struct node *l, const struct node *r);
const struct dtype *rvalue_type(struct checker *c, const struct dtype *ty); /* without const */
uint64_t int_wrap(const struct dtype *resolved, uint64_t v);

/* -- fold.c -- */
/* n itself, or the constant it is. Division by the constant zero is an error. */
struct node *fold(struct checker *c, struct node *n);

/* -- op.c -- */
/* The branch that is taken of n, a ?: with a condition that DTrace knows when it parses; NULL: n is something else.
 * *ret_bad: the condition is wrong, which was reported. */
struct node *const_branch(struct checker *c, const struct node *n, bool *ret_bad);

/* -- expressions, expr.c, var.c, op.c -- */
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
/* The only index of a built-in array, checked; NULL: n is an error. */
struct node *check_one_index(struct checker *c, struct node *n);
struct node *array_as_scalar(struct checker *c, struct node *n); /* an error */
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

/* -- names.c -- */
const struct dprovider *provider_find(const struct dprog *p, const char *name, size_t len);
/* -- argview.c -- */
/* What args[n] of one probe is. */
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
/* The tracker of a latency probe, or NULL. */
struct dtracker *tracker_of_probe(const struct probe *p);
/* The keys of n as expressions; before check_keys(), since they may use the array itself. */
void check_key_exprs(struct checker *c, struct node *n);

/* -- calls, call.c, act.c -- */
struct node *check_call(struct checker *c, struct node *n, bool data_ok, bool statement);
/* Complains of an action that was used as a value, unless something else was wrong with it. */
void check_action_value(struct checker *c);
/* A positive constant? */
bool is_positive_const(struct checker *c, const struct node *n);
/* What a row of lang/builtin.def checks: a use of it, n, whose n->builtin (of name[index]: n->a->builtin) is the row.
 */
typedef struct node *check_fn(struct checker *c, struct node *n);
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) check_fn check;
#include "lang/builtin.def"
#undef BI
struct node *check_builtin(struct checker *c, struct node *n, const struct builtin *b);
/* The type of stack() without arguments. */
const struct dtype *check_stack_type(struct checker *c);
/* What an action does, and may stand after. */
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

/* -- aggregations, agg.c -- */
/* @name[keys] = function(args), in steps: what stands where (false: reported; with a call of no builtin it is
 * undefined); when the arguments have been checked, the function (false: reported); when the keys have been, these. */
bool agg_begin(struct checker *c, struct stmt *s);
bool agg_function(struct checker *c, struct stmt *s);
void agg_keys(struct checker *c, struct stmt *s);
/* @a as an argument: no keys; the aggregation, made if new. */
struct node *check_agg_ref(struct checker *c, struct node *n);
void check_late(struct checker *c); /* printa, clear, … when all aggregations are known */
void late_add(struct checker *c, struct node *call, const char *tag); /* tag: of an undefined aggregation */

/* -- formats, printf.c -- */
/* fmt: the string constant; checked arguments follow it. */
bool check_format(struct checker *c, struct node *call, struct node *fmt);
/* Is it the call of an action, whose value nothing can use? */
bool is_action_call(struct checker *c, const struct node *n);
bool check_format_agg(struct checker *c, struct node *call, struct node *fmt, const struct dagg *agg);

/* -- declarations, decl.c -- */
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
const struct dtype *check_tydecl(struct checker *c, struct tydecl *def, struct span at);
/* The value of a constant expression; false: it is none (nothing reported). */
bool const_value(struct checker *c, const struct node *n, struct node **ret);

/* -- inlines, inline.c -- */
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

/* -- translators, xlate.c -- */
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
/* The number that a built-in variable of translated data is made of (curcpu: that of the CPU), which a cast to an
 * integer and trace() have; n when it is anything else. */
struct node *xlate_number(struct checker *c, struct node *n);
/* n, or what a variable keeps of it: curcpu becomes a pointer that only xlate_again() understands. */
struct node *xlate_keep(struct checker *c, struct node *n);
/* A variable that keeps such a pointer becomes what was translated; n when it is anything else. */
struct node *xlate_again(struct checker *c, struct node *n);
/* An error when n is a translated value. */
struct node *xlate_whole(struct checker *c, struct node *n);

/* -- provider blocks, prov.c -- */
void declare_provider(struct checker *c, const struct decl *d);

/* -- trackers, track.c -- */
void declare_tracker(struct checker *c, const struct decl *d);
struct dtracker *tracker_find(const struct checker *c, const char *name);

/* -- latency probes, event.c -- */
/* args[i] in a clause of a latency probe; NULL: the clause is none. */
struct node *event_arg(struct checker *c, struct node *n, uint64_t i);
struct node *event_member(struct checker *c, struct node *n); /* n: args[0]->m */
/* Is s a clause of latency probes? It is kept for the clauses that call end(). */
bool event_clause(struct checker *c, struct clause_instance *s, const struct clause *cl);
/* The clause that is being checked calls begin() or end() of t. */
void event_clause_calls(struct checker *c, struct dtracker *t, bool end);
void event_fires(struct checker *c, struct dtracker *t);
/* When all clauses are checked: puts those of latency probes where they fire. */
void event_place(struct checker *c, struct clause_instance ***tail);

/* -- control lines, pragma.c -- */
/* What #pragma D attributes says about a name of the program or of the library; NULL: nothing. */
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

/* -- the library, inline.c -- */
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

/* -- check.c: one clause with each of its descriptions. False: no sense in going on. -- */
bool check_add_clause(struct checker *c, const struct clause *cl, struct clause_instance ***tail);
/* -- probes and clauses, probe.c, clause.c -- */
bool check_probes(struct checker *c, const struct pdesc_node *pd, struct clause_instance *s, bool *ret_zero);
void check_clause(struct checker *c, struct clause_instance *s);
/* Forgets what checking a clause left for later after `last`, when it is to be checked again or not at all. */
void forget_trial(struct checker *c, struct deferred_check *last);

/* Says that a description matches nothing. why, tag: or NULL. probe.c */
void report_zero(struct checker *c, const struct pdesc_node *pd, const char *reason, const char *tag);

/* -- values that variables cut, cut.c -- */
/* n assigns value to a variable: would it lose bits? */
void cut_check(struct checker *c, const struct node *n, const struct node *value);
/* Is the variable, whose type is a number's, to be 64 bits wide? */
bool cut_is_wide(struct checker *c, const struct cvar *v);
/* Is it `args` or `*args`, all arguments of the probe? */
bool args_are_all(const struct node *n);
/* Makes print(args) a printf() of each argument with its name. False after a diagnostic. */
bool args_print(struct checker *c, struct node *n);
/* Have all of these probes an argument i of at most 32 bits? args.c */
bool args_are_narrow(struct checker *c, const struct probe_list *l, unsigned i);

/* -- what other systems have, foreign.c -- */
/* What stands in the D library for the variable or member n of the struct st that this kernel
 * does not have (dlib/others.d), or NULL. */
struct node *foreign_ksym(struct checker *c, struct node *n);
const struct cinline *foreign_ksym_array(struct checker *c, const struct node *n);
struct node *foreign_member(struct checker *c, struct node *n, const struct dtype *st);
/* Finds what a description means that matches nothing by its letters. */
bool foreign_match(struct checker *c, const struct pdesc *d, struct probe_list *l);
/* Is it about something that only another system has? */
bool foreign_known(const struct pdesc *d);
/* The description is left out, unless the whole program would be. why: the reason, or NULL. */
void foreign_leave(struct checker *c, const struct pdesc_node *pd, const char *reason);
/* At the end: warns of what was left out, or says that nothing is left. */
void foreign_finish(struct checker *c);
/* Warns of a system call that programs hardly make, when the description is about nothing else. */
void silent_warn(struct checker *c, const struct pdesc_node *pd, const struct probe_list *l);

/* -- derived probes, args.c -- */
/* Checks the expressions of the derived probes of s. False: reported. */
bool check_derived(struct checker *c, struct clause_instance *s);
/* Texts that come with the derived probes of s and are not in the program yet, parsed: those that go before
 * or after. NULL: no more of them, or reported. */
/* Parses D text of dwell's own. NULL: reported. */
struct unit *check_parse_text(struct checker *c, const char *name, const char *text);
struct unit *derive_support(struct checker *c, const struct clause_instance *s, bool after);
/* n becomes the raw argument that it names. False: it names none. */
bool derive_raw_arg(struct checker *c, struct node *n);
/* The value of argument i of p, whose .expr is given; ty: its type. n: where it is used. */
struct node *derive_arg(struct checker *c, struct node *n, const struct probe *p, unsigned i, const struct dtype *ty);
/* n, arg<i>, becomes the expression that argument i is in the probe of the clause. False: it is as it is passed. */
bool derive_passed_arg(struct checker *c, struct node *n, unsigned i);
/* n, args[i], becomes copyinstr(arg<i>), unchecked, when that is what all probes of the clause have there. */
bool derive_user_string(struct checker *c, struct node *n);
/* -- functions, flow.c -- */
void func_register(struct checker *c, const struct decl *d, bool lib);
void declare_func(struct checker *c, const struct decl *d);
bool func_exists(const struct checker *c, const char *name);
struct node *check_func_call(struct checker *c, struct node *n);
void check_return(struct checker *c, struct stmt *s);
void check_unused_funcs(struct checker *c);
/* A local variable of the checker's. */
struct cvar *new_local(struct checker *c, const char *name, const struct dtype *ty, struct span at);
/* "var = value" for a local variable; value has been checked and fits. */
struct node *assign_local(struct checker *c, struct cvar *v, struct node *value);

/* -- statements, flow.c -- */
void check_stmts(struct checker *c, struct stmt *s);
struct cvar *local_find(const struct checker *c, const char *name); /* or NULL */
void local_add(struct checker *c, const char *name, struct cvar *v);

/* -- copy.c -- */
struct node *node_copy(struct arena *a, const struct node *n);
struct stmt *stmt_copy(struct arena *a, const struct stmt *s);

/* Words that bpftrace has and D has under another name (bpftrace.def): a hint to the error that was just reported.
 * False: it is none. */
enum foreign_kind { FOREIGN_VAR, FOREIGN_CALL, FOREIGN_PROVIDER };
bool foreign_hint(struct checker *c, enum foreign_kind kind, const char *name);
/* The same of a description that matches nothing; or its pid is that of a missing -p or -c. */
bool foreign_desc_hint(struct checker *c, const struct pdesc *d);
#endif
