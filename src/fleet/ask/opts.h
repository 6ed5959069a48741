/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the questions to the store, by question: rows of a struct askshow. */
#ifndef DWELL_FLEET_ASK_OPTS_H
#define DWELL_FLEET_ASK_OPTS_H
#include "base/optrow.h"
#include "fleet/ask/show.h"

#define ASKOPTS_MAX 20u				 /* rows */
enum { ASKOPTS_VIEW = 1 << ASKSHOW_NQUESTIONS }; /* for a picture */

/* The bit of a question; ASKOPTS_VIEW: it is none, but a view. */
unsigned askopts_of(const char *name);
/* One that is no view. */
const struct askshow_question *askopts_question(const char *name);
/* Appends the rows of a question's bit. How many. */
size_t askopts_rows(unsigned of, struct optrow ret[ASKOPTS_MAX]);
#endif
