/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the trackers that dwell ships, such as the words and the class of their slow events. The heads of
 * dlib/latency/NAME.d are the source; tools/trackers.py makes a table of them when dwell is built. */
#ifndef DWELL_LATENCY_TRACKERS_H
#define DWELL_LATENCY_TRACKERS_H
#include <stdbool.h>
#include <stddef.h>
#include "latency/cause/causes.h"
#include "latency/cause/chain.h"

struct tracker_facts {
	const char *name;
	const char *file; /* dlib/latency/FILE.d, which may have several trackers; "": it runs with parameters only */
	bool is_default;
	enum chain_level level;
	const char *words; /* what the thread waits for, with at most one %s: the attribute attr */
	enum cause_class class;
	const char *attr; /* "": words have no %s */
	unsigned cost_ns; /* a switch, under an OLTP load (doc/measured.md); 0: not measured */
	unsigned leave;	  /* its turn among those of the default set that --cost leaves out: 1, 2 …; 0: it stays */
	bool of_process;  /* it probes functions of the process of -p or -c */
	bool sampled;	  /* its parameter NAME_one_in says in how many threads one is looked at */
};

/* The facts of a tracker; of one that dwell does not ship, such as a user's own: those of a call of unknown cause. */
const struct tracker_facts *trackers_facts(const char *name);
/* Names of the files of dlib/latency, without ".d": the default ones in their order, then the others. NULL: i is too
 * large. */
const char *trackers_file(size_t i);
/* The same of the default ones only. */
const char *trackers_default(size_t i);
/* The tracker that --cost leaves out as number i, from 0. NULL: there are fewer. */
const struct tracker_facts *trackers_left_out(size_t i);
/* Does this file of dlib/latency probe functions of one process? */
bool trackers_of_process(const char *file);
/* The D text of a program that a head asks for, which runs with that file: of "by_group" (`groups by`) or "by_key"
 * (`keys by`). NULL: the head asks for none. */
const char *trackers_joined(const char *folder, const char *file);
/* False: no file of dlib/latency has this name. */
bool trackers_has_file(const char *name);
#endif
