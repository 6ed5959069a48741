/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a text once, for the language server. */
#ifndef DWELL_LSP_JOB_H
#define DWELL_LSP_JOB_H
#include "engine/front/compile.h"

#define JOB_DIAGS_MAX 256
#define JOB_TRIES_MAX 4 /* a mistake may hide others */

struct job {
	struct request req;
	struct compile_session w;
	struct macro_env macros;
	struct compile_env env; /* for the D library */
	const struct diag *diags[JOB_DIAGS_MAX];
	size_t ndiags;
	char reason[512]; /* the first message that is about no place; "" */
	bool opened;
};

/* Parses and checks text, which outlives the job. Errors are in diags; w.prog is set if there are none. */
void job_run(struct job *j, const char *name, const char *text);
/* The same for what is at a place: clauses and declarations with mistakes in them, but for the one there, are left out
 * if the text has any. */
void job_run_around(struct job *j, struct arena *a, const char *name, const char *text, size_t off);
void job_done(struct job *j);
/* The place is in the text itself. */
bool job_is_own(const struct job *j, struct span at);
#endif
