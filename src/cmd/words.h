/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of cmdline/optable.h and engine/run/recnow.h for commands: with messages, and with exit codes. 0, or EXIT_*
 * > 0 after a message. */
#ifndef DWELL_CMD_WORDS_H
#define DWELL_CMD_WORDS_H
#include "cmd/cmd.h"
#include "cmdline/optable.h"
#include "engine/run/recnow.h"

int cmd_options(const struct optable *t, void *command, int argc, char **argv); /* < 0: done (--help) */
int cmd_words(const struct optable *t, const char *unexpected, const char *missing);
int cmd_split(const char *command, int *argc, char **argv, char *const **ret);
/* Says that the option is not for recordings; word: what the first of them is called. EXIT_USAGE. */
int cmd_not_recorded(const struct optable *t, const struct optrow *o, const char *word);

/* Reads the options of t into *command, of which l is a part, and the command after "--". < 0: done (--help). */
int cmd_live_options(struct recnow *l, const struct optable *t, void *command, int *argc, char **argv);
int cmd_live(struct recnow *l);
int cmd_live_fail(const struct recnow *l, struct err *err); /* EXIT_ERROR */
#endif
