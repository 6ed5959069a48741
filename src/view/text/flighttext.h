/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's events around a slow event, as lines and as JSON. */
#ifndef DWELL_VIEW_TEXT_FLIGHTTEXT_H
#define DWELL_VIEW_TEXT_FLIGHTTEXT_H
#include "base/jsonw.h"
#include "store/flight.h"

#define FLIGHTTEXT_LINES 12  /* events shown when not all are asked for */
#define FLIGHTTEXT_NAMED 3   /* threads that had the CPU, at most */
#define FLIGHTTEXT_EARLIER 4 /* of them before the wait began */
#define FLIGHTTEXT_SHARE 5   /* percent of the wait that an interval on the CPU must have to be shown then */

/* Indented lines: what is covered, who had the CPU meanwhile, the events; times are those before the end. all: every
 * event; otherwise those about the thread that waited, and those that took a part of its time. */
void flighttext(struct strb *b, const struct flight_rec *f, bool all);
/* An event in words, without time and CPU: "hog 12 gets the CPU from cat 7, which sleeps". */
void flighttext_event(struct strb *b, const struct flight_rec *f, uint32_t i);
/* An object {"from":…,"events":[…]} under this name, or as an element when it is NULL. */
void flightjson(struct jsonw *w, const char *name, const struct flight_rec *f);
#endif
