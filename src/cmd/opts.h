/* SPDX-License-Identifier: Apache-2.0 */
/* dtrace(1)'s command line. */
#ifndef DWELL_CMD_OPTS_H
#define DWELL_CMD_OPTS_H
#include "engine/request.h"

/* Reads the command line. 0; or an exit code > 0 after having printed the message (EXIT_USAGE …);
 * < 0: done, exit 0 (-V). */
int cmdline_parse(struct request *c, int argc, char **argv);
/* An empty request of this command, with the options of the environment. */
void cmdline_begin(struct request *c);
/* One option by its letter: 'x', 'c', 'p' …; arg must outlive the request. EXIT_* > 0 after a message. */
int cmdline_option(struct request *c, int letter, const char *arg);

/* params.c: reads --name … at argv[*at], and moves on. EXIT_* > 0 after a message. */
int params_option(struct request *c, int argc, char **argv, int *at);
/* An option of two dashes where there is no program that could have it. EXIT_USAGE. */
int params_unknown(struct request *c, const char *name);
/* --help: what the programs take. < 0: done, or EXIT_* > 0. */
int params_help(struct request *c);
#endif
