/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers, and clauses of latency probes. */
#ifndef DWELL_LANG_CHECK_EVENT_H
#define DWELL_LANG_CHECK_EVENT_H
#include "lang/check/checker.h"

void declare_tracker(struct checker *c, const struct decl *d);
struct dtracker *tracker_find(const struct checker *c, const char *name);

/* args[i] in a clause of a latency probe; NULL: the clause is none. */
struct node *event_arg(struct checker *c, struct node *n, uint64_t i);
struct node *event_member(struct checker *c, struct node *n); /* n: args[0]->m */
/* Is s a clause of latency probes? It is kept for the clauses that call end(). */
bool event_clause(struct checker *c, struct clause_instance *s, const struct clause *cl);
/* The clause that is being checked calls begin() or end() of t. */
void event_clause_calls(struct checker *c, struct dtracker *t, bool end);
void event_fires(struct checker *c, struct dtracker *t);
/* When all clauses are checked: puts those of latency probes where they fire. */
void event_place(struct checker *c, struct clause_instance ***tail);
/* The tracker of a latency probe, or NULL. */
struct dtracker *tracker_of_probe(const struct probe *p);
#endif
