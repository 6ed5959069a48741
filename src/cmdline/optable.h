/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command as one table, from which they are read and its usage is made. Functions return 0 or -errno with
 * a message: -EINVAL for a command line that is wrong. program: what the user calls dwell, for messages. */
#ifndef DWELL_CMDLINE_OPTABLE_H
#define DWELL_CMDLINE_OPTABLE_H
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"
#include "base/optrow.h"

#define OPTABLE_MAX 48u /* rows */
#define OPTABLE_NAME 32
/* A constant as text, for help. */
#define OPTABLE_TEXT(constant) OPTABLE_TEXT_OF(constant)
#define OPTABLE_TEXT_OF(text) #text

struct optable {
	const char *command;
	const char *synopsis; /* lines, without the name of dwell */
	const char *notes;    /* lines before the options; or NULL */
	const struct optrow *rows;
	size_t n;
	/* Gets words that are no options, where they stand; NULL: they are left after optind. As take(). */
	int (*word)(void *command, char *word, struct err *err);
	/* Is told of each option that was taken; or NULL. */
	void (*given)(void *command, const struct optrow *o);
	bool leading;		 /* options end at the first word that is none: a command begins there */
	void (*more)(FILE *out); /* usage: what comes after the options; or NULL */
};

#define OPTABLE_HELP 1 /* --help was asked for: optable_help() */

/* Reads all options into *command. OPTABLE_HELP, too. */
int optable_read(const struct optable *t, void *command, int argc, char **argv, const char *program, struct err *err);
void optable_help(const struct optable *t, const char *program, FILE *out);
/* Before that: the command after "--", which is cut off the arguments: words that end with NULL, or NULL. command: the
 * arguments are its. */
int optable_command(const char *command, int *argc, char **argv, char *const **ret, struct err *err);
/* A number, as of OPT_NUMBER. */
int optable_number(const struct optrow *o, const char *arg, unsigned *ret, struct err *err);
/* "--name" or "-l"; returns buf. */
const char *optable_name(const struct optrow *o, char buf[OPTABLE_NAME]);
/* Call it when getopt_long() returns '?', or ':' (missing). Its letters begin with ':'; its own messages are off.
 * One line about the option, with the nearest known one. */
int optable_refuse(const char *command, const struct option *longs, char *const *argv, bool missing,
		   const char *program, struct err *err);
/* A word is not expected; NULL: what is missing. */
int optable_words(const struct optable *t, const char *unexpected, const char *missing, const char *program,
		  struct err *err);
#endif
