/* SPDX-License-Identifier: Apache-2.0 */
/* --record FILE: what a run produces, with the names of its addresses, in a recording file. */
#ifndef DWELL_CMD_RECORD_H
#define DWELL_CMD_RECORD_H
#include "cmd/opts.h"
#include "store/recording.h"
#include "sym/sym.h"

struct recorder;
/* Creates the file and has every row of rec written to it. EXIT_* > 0 after a message. */
int recorder_open(const struct cmdline *c, const struct rec_schema *schema, struct recording *rec,
		  struct sym *sym, struct recorder **ret);
/* Ends the file; says what is missing in it. EXIT_*; accepts NULL. */
int recorder_close(struct recorder *r);
#endif
