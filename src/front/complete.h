/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what may come next on a command line, for the completion of shells. Reads options out of the help texts,
 * so that they are kept in one place only. */
#ifndef DWELL_FRONT_COMPLETE_H
#define DWELL_FRONT_COMPLETE_H
#include <stddef.h>
#include "base/strb.h"

#define COMPLETE_WORDS_MAX 256 /* of a command line; of a longer one nothing is completed */
#define COMPLETE_PROC_MAX 4096 /* processes that are looked at */

/* Lists and texts from the rest of dwell. */
struct complete_env {
	void *ctx;
	/* Adds what --help of a command prints, or of its part; part of `run`: of that tool. part may be NULL, or none:
	 * then of the command. command NULL: of dtrace(1)'s options. It adds nothing if there is no such command. */
	void (*help)(void *ctx, const char *command, const char *part, struct strb *out);
	/* Adds the shipped tools, "name what it is", a line each. */
	void (*tools)(void *ctx, struct strb *out);
	/* Adds the probes of a description, as -l --json lists them. consent: an option of D that they need, or NULL.
	 * 0, or -errno. */
	int (*probes)(void *ctx, const char *description, const char *consent, struct strb *out);
	/* Names of commands, each with a line on it. */
	const char *(*command)(void *ctx, size_t i, const char **summary);
	const char *(*provider)(void *ctx, size_t i);
	/* Adds "@name" of each aggregation of a recording, a line each. */
	void (*keys)(void *ctx, const char *file, struct strb *out);
};

/* Adds the words that may stand for the last of n words (words[0]: the first after "dwell"): "word<TAB>what it is", a
 * line each. No words: a file, or a command of the system. */
void complete(const struct complete_env *env, size_t n, const char *const *words, struct strb *out);

/* The parts, for tests. help: what `dwell COMMAND --help` prints. */

/* Options that begin with prefix. */
void complete_options(const char *help, const char *prefix, struct strb *out);
/* The name of an option's argument in the help; its length in *n. NULL: there is no such option, or it has none. */
const char *complete_argument(const char *help, const char *option, size_t *n);
/* Values that the help lists below an option, as "value: what it is". */
void complete_values(const char *help, const char *option, const char *prefix, struct strb *out);
#endif
