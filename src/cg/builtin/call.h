/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a call of a built-in after its arguments have become values: the input of the code functions of
 * lang/builtin.def. These functions need not compile expressions. Rows with BIF_TREE do. */
#ifndef DWELL_CG_BUILTIN_CALL_H
#define DWELL_CG_BUILTIN_CALL_H
#include "cg/gen/gen.h"

#define CALL_MAX_ARGS 4 /* that are values; what has more works on the tree */

/* An argument. */
struct val {
	const struct node *n; /* what it was made of: tells its type and place, and is not to be compiled again */
	bool is_str, is_const;
	int64_t c;    /* is_const */
	vreg v;	      /* any other number */
	struct str s; /* is_str: readable memory */
};

struct call {
	const struct node *n; /* name(args), name[index] or name */
	const struct builtin *b;
	int par; /* of the row */
	unsigned nargs;
	struct val a[CALL_MAX_ARGS];
	const struct lay_act *la; /* an action that records data: its fields; the record is g->rec, or there is none */
	size_t done;	 /* … the first `done` of them are filled by the function, the others by expressions */
	vreg v;		 /* the value, a number; VREG_NONE: there is none */
	struct tref btf; /* id != 0: it is a typed pointer to this struct */
	struct str s;	 /* the value, a string */
};

/* Argument i as a register. */
vreg call_reg(struct gen *g, const struct call *c, unsigned i);
/* The same, or dflt without such an argument. */
vreg call_reg_or(struct gen *g, const struct call *c, unsigned i, int64_t dflt);

/* The code functions of all rows. */
typedef void call_fn(struct gen *g, struct call *c);
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) call_fn code;
#include "lang/builtin.def"
#undef BI

/* flight.c: an entry of the flight recorder. First its beginning, from its two numbers, each as soon as it is there.
 * Then it is opened, the text is put there, and it is closed. */
struct flight_slot {
	uint64_t kind;
	vreg word, ts, cpu, seq;
	vreg entry; /* when open: struct flight_entry */
	irlabel none;
	struct cache saved;
};
void gen_flight_id(struct gen *g, const struct node *kind, const struct val *id, struct flight_slot *ret);
void gen_flight_info(struct gen *g, const struct val *info, struct flight_slot *s);
void gen_flight_open(struct gen *g, struct flight_slot *s);
void gen_flight_close(struct gen *g, const struct flight_slot *s);

/* Lays out the fields that a record keeps of a call. The number of fields. */
size_t lay_pcap(struct cg *c, const struct node *call, struct lay_field *fl);
size_t lay_slow(struct cg *c, const struct node *call, struct lay_field *fl);

/* Parts of built-ins that compiled expressions use. */
void gen_container(struct gen *g, struct str *ret);
void gen_task_path(struct gen *g, const char *member, struct str *ret);
void gen_strtok_start(struct gen *g); /* makes the state, for all paths through the clause */
void gen_spec_ends(struct gen *g);
/* The record of a segment goes to the clause's speculation; gone: that has ended. */
void gen_spec_held(struct gen *g, irlabel gone);
#endif
