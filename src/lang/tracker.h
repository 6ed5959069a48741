/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers: what a declaration "tracker NAME (types) { settings }" makes. A tracker measures the time from
 * begin() to end() of a key, and is a provider: its probes are latency:NAME::slow, ::timeout and ::all.
 *
 * The clauses of slow and all are checked once for every clause instance that calls end() (clause_instance.events), and
 * their code is put there. So records, predicates and faults work as everywhere, the built-in variables are those of
 * the closing thread, and an event that is not slow costs one comparison. */
#ifndef DWELL_LANG_TRACKER_H
#define DWELL_LANG_TRACKER_H
#include "lang/ast.h"

#define TRACK_MAX 256 /* trackers of one program */
#define TRACK_MAX_KEYS 8
#define TRACK_MAX_NESTED 64	 /* openings of one key at a time */
#define TRACK_MAX_CGROUPS 4096	 /* with a threshold of their own */
#define TRACK_MAX_SIZE (1 << 20) /* open keys */
#define TRACK_PROBE_ID 5000u	 /* ids of probes: TRACK_NPROBES for each tracker from here on */

/* Where open events are kept. */
enum track_store {
	TRACK_THREAD, /* no key: with the current thread */
	TRACK_TASK,   /* one key of type struct task_struct *: with that thread */
	TRACK_KEYED,  /* in a hash */
};

enum track_probe { TRACK_SLOW, TRACK_ALL, TRACK_TIMEOUT, TRACK_NPROBES };

enum track_field {
#define TF(id, name, ctype) TF_##id,
#include "lang/track.def"
	TF_COUNT_,
	TF_KEY = TF_COUNT_, /* + i: the i-th key */
};

enum track_setting {
#define TS(id, name, def, min, max) TS_##id,
#include "lang/track.def"
	TS_COUNT_
};

struct dtracker {
	uint32_t id; /* from 0, in order of declaration */
	const char *name;
	struct span at;
	enum track_store store;
	const struct dtype **keys; /* nkeys; TRACK_TASK: none */
	unsigned nkeys;
	uint64_t settings[TS_COUNT_];
	uint32_t uses; /* bit per track_field below TF_COUNT_ that clauses read */
	uint32_t key_uses;
	bool ends, begins; /* some clause calls end(), begin() */
	bool timeouts;	   /* there is a clause for its timeout */
	struct probe *probes[TRACK_NPROBES];
	struct dtracker *next;
};

/* Name of a member, as the program writes it. */
const char *track_field_name(enum track_field f);
#endif
