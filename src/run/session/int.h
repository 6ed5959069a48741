/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct session and its steps, for session.c (its life, its probes), drain.c (rings to rows) and loop.c. */
#ifndef DWELL_RUN_SESSION_INT_H
#define DWELL_RUN_SESSION_INT_H
#include <stdbool.h>
#include <stdint.h>
#include "load/cpus.h"
#include "load/load.h"
#include "run/consume/agg.h"
#include "run/consume/cost.h"
#include "run/consume/counters.h"
#include "run/session/ctl.h"
#include "run/consume/decode.h"
#include "run/consume/flight.h"
#include "run/follow/follow.h"
#include "run/session/governor.h"
#include "run/consume/row_retention.h"
#include "run/session/dynamic_probes.h"
#include "run/consume/order.h"
#include "run/consume/ring.h"
#include "run/session.h"
#include "run/consume/spec.h"
#include "run/consume/track.h"
#include "run/consume/unwind.h"
#include "run/consume/walk.h"

/* Rings are looked at this often at least, and never more often. */
#define POLL_MAX_NS 25000000ull
#define POLL_MIN_NS 500000ull

/* Processes whose mappings were asked for in this drain; collisions only cost a second look. */
#define PROC_CACHE 1024

struct proc_seen {
	uint64_t start;
	uint32_t tgid;
	uint32_t drain; /* number of the drain */
};

enum phase {
	PHASE_RUN,   /* programs may be running */
	PHASE_STILL, /* all detached */
	PHASE_END,   /* END has run */
};

/* How the session treats records of a format. */
enum {
	FMT_NEEDS_AGG = 1,
	FMT_EXIT = 2,
	FMT_SPEC = 4, /* speculate(), commit() or discard() */
	FMT_SLOW = 8,
};

struct session {
	struct session_config c;
	const struct rec_schema *schema;
	struct loaded *l;
	struct link **links; /* by program; NULL: not attached */
	uint32_t nlinks;     /* attached ones */
	uint8_t *fmt_flags;  /* by epid - 1 */
	struct ring *rings;
	unsigned nrings;
	struct order *order;
	struct decoder decoder;
	struct agg_reader *agg;
	struct retention *retention; /* NULL: rows are shown as they come (-x bufpolicy) */
	struct flight *flight;	     /* NULL: no flight recorder */
	struct specs *specs;	     /* NULL: no speculations */
	uint64_t next_clean;	     /* when ended ones are cleaned */
	struct cpulist
		cpus; /* online when last looked at, if some program has an event on each of them (profile, cpc) */
	struct counters *counters;
	struct trackers *trackers; /* NULL: the program has none */
	struct hits *hits;
	struct ctl *ctl; /* NULL: it could not be opened */
	struct governor *governor;
	struct cost *cost; /* NULL: not measured */
	struct governor_costly *costly;
	bool *live;
	struct follow *follow; /* NULL when no user stack is taken and no history kept */
	int64_t history_clock;
	int side_error;		     /* of a row of the history */
	struct dynprobes *dynprobes; /* NULL when no probes are looked for while it runs */
	struct unwind *unwind;	     /* NULL when user stacks are not walked by tables */
	struct walker *walker;	     /* NULL when the program walks nothing */
	struct proc_seen *procs;     /* PROC_CACHE; NULL: the same */
	enum phase phase;
	uint32_t drains;
	bool snapshot_done;	 /* in this drain */
	bool last_done;		 /* the last snapshot has been taken */
	bool exit_shown;	 /* a record with exit(): what follows is not shown */
	uint64_t exit_ts;	 /* of that record; 0: there was none before END */
	uint64_t looked, worked; /* when the loop began anew, and its CPU time then */
	bool consumer_failed;
	uint64_t damaged;
	uint64_t poll_ns; /* until the next drain */
	struct session_result res;
	struct err *err; /* of session_run() */
	bool signals;	 /* handlers are installed */
};

/* drain.c */
int session_drain(struct session *s);
int session_snapshot(struct session *s);
int session_flush_retained(struct session *s); /* shows what was held until the end */
/* Sets the load averages, for programs that read them (img.load_off). */
void session_set_loads(struct session *s);
/* Gives the rows to the consumer; its failure is noted, not returned. */
void session_consume(struct session *s);
int session_note(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* … of program i, with what else is in note: its id (NOTE_DETACHED, NOTE_REATTACHED), ts and count. */
int session_note_program(struct session *s, const struct row *note, uint32_t i, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Notes that nothing was read for ns before now. */
int session_note_pause(struct session *s, uint64_t now, uint64_t ns);

/* session.c: attaches and detaches program i. */
int session_attach(struct session *s, uint32_t i);
void session_detach(struct session *s, uint32_t i);
/* Runs all programs of kind ENTRY_TEST_RUN with this target: "BEGIN" or "END". */
int session_test_run(struct session *s, const char *target);

/* detach.c: detaches programs that cost too much, and reattaches them. */
int session_govern(struct session *s);

/* loop.c */
int session_loop(struct session *s, int signal_fd);
#endif
