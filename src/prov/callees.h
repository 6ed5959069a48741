/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which functions a function calls, by its machine code: in the kernel, or in a program's file. x86-64 only. */
#ifndef DWELL_PROV_CALLEES_H
#define DWELL_PROV_CALLEES_H
#include "base/arena.h"
#include "base/err.h"

#define CALLEES_MAX 64	      /* functions; further ones are left out */
#define CALLEES_MAX_BY_REG 16 /* calls by a register that are looked at */

struct callee {
	const char *mod, *func; /* mod: of a program's callee in another file "" */
	const char *reason;	/* why it has no probe; or NULL */
};

/* A call by a pointer: which function is known when it is made. */
struct callee_site {
	const char *name; /* of the probe of provider instr or pid at it */
	int reg;	  /* of struct pt_regs */
};

struct callees {
	const char *mod, *func; /* the function as its probes are called */
	struct callee *v;	/* in the order of the code, each once */
	size_t n;
	struct callee_site sites[CALLEES_MAX_BY_REG];
	size_t nsites;
	size_t unknown; /* calls by a pointer of which nothing is told: through memory, or too many */
};

/* mod: of the kernel, or NULL: any. All texts live in the arena. 0; -errno with words in err. */
int callees_kernel(struct arena *a, const char *mod, const char *func, struct callees *ret, struct err *err);
/* A function of the file at path; pid: a process that has it, or 0. mod: what the file is called as a module. */
int callees_user(struct arena *a, const char *path, int pid, const char *mod, const char *func, struct callees *ret,
		 struct err *err);
/* For both: adds a callee unless it is there; further ones than CALLEES_MAX get a reason. */
void callees_add(struct arena *a, struct callees *c, const char *mod, const char *func, const char *reason);
#endif
