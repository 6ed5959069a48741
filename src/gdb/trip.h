/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of a replay, and how one gets to them. There is no counter of instructions. So a position is a stop of the
 * trace (they are numbered) and a way from there. The way is a number of hits of these breakpoints, a number of steps,
 * and again. Since a replay does the same each time, the same way leads to the same instruction. Backwards is a replay
 * from a checkpoint before (kept.h), or from the start. */
#ifndef DWELL_GDB_TRIP_H
#define DWELL_GDB_TRIP_H
#include <stdio.h>
#include "base/vec.h"
#include "gdb/kept.h"
#include "gdb/loader.h"
#include "replay/watch.h"

#define ARMS_MAX 96u	    /* breakpoints at a time */
#define TRIP_WATCH 4u	    /* debug registers */
#define TRIP_STEPS 1000000u /* looked at, one by one, for the instruction before; 20 s or more */

/* Breakpoints and conditions that stop the program. */
struct arms {
	size_t n;
	uint64_t brk[ARMS_MAX];
	uint64_t addr[TRIP_WATCH]; /* of debug registers, as register 7 says */
	uint64_t seven;
};
/* A number of hits, and then a number of steps. */
struct leg {
	struct arms arms;
	uint64_t hits, steps;
};
struct position {
	uint64_t seq;	      /* stop of the trace */
	enum watch_when when; /* what kind of */
	uint32_t task;	      /* that it is about */
	VEC(struct leg) legs;
};
enum stop_reason {
	STOP_START,
	STOP_BREAK,
	STOP_STEP,
	STOP_WATCH,
	STOP_FAULT,
	STOP_FIRST,
	STOP_LAST,
	STOP_EXEC,
	STOP_ASKED
};
/* The next step of the replay. */
enum trip_next { NEXT_GO, NEXT_BACK, NEXT_STEP_BACK, NEXT_AGAIN, NEXT_PLACE, NEXT_END };
enum trip_mode { TRIP_GO, TRIP_TO, TRIP_LOOK, TRIP_COUNT };
/* Where an instruction was, to find the one before. */
struct clue {
	uint64_t rip, ret; /* ret: the word at the top of the stack */
	uint8_t code[64];  /* before rip */
	uint8_t call[64];  /* before ret */
};
struct mark {
	uint64_t seq, hits;
	uint32_t task;
};
#define TRIP_MARKS 100000u /* kept of one look */
struct trip {
	/* The program stands somewhere. `arms`, `steps` are what it goes on with, registers as gdb is to see them. */
	enum trip_next (*stopped)(void *ctx, struct trip *t, enum stop_reason reason);
	bool (*asked)(void *ctx); /* to stop? */
	watch_output_fn *output;  /* of the program, once, while it goes forwards */
	uint64_t shown;		  /* up to this stop */
	void *ctx;
	struct arms arms;
	bool steps; /* task `task` one instruction */
	uint32_t task;
	struct replay *now;
	struct user_regs_struct regs; /* of the task that runs */
	uint64_t told;		      /* an address that a debug register or a system call found written */
	bool gave_up;
	struct loader loader;
	struct position place; /* of NEXT_PLACE */
	/* All that the last look from the start found, for `look`: breakpoints only, in order. */
	VEC(struct mark) marks;
	uint64_t marks_from;	 /* stop where that look began */
	size_t mark;		 /* `here` is that one */
	bool at_mark, marks_end; /* marks_end: of what came then there is none */

	enum trip_mode mode;
	enum stop_reason reason; /* there */
	enum stop_reason on_found;
	uint64_t seq;
	struct position here, to, found, first, last_call;
	bool has_found, has_last, has_first;
	bool direct; /* found is before what was written already */
	struct clue clue, clue_found;
	struct arms look;   /* what is looked for on the way to `to` */
	bool only_last;	    /* only in the last leg */
	size_t leg;	    /* of to.legs, from to.seq on */
	bool inside;	    /* of the way from to.seq on */
	uint64_t hits, all; /* in this leg: of its own, of all that is armed */
	uint64_t done;	    /* steps of it */
	bool fresh;	    /* gdb has let it go on since the last hit */
	struct kept_all kept;
	uint64_t from;	    /* stop where it began: of a checkpoint; 0: the first one, or the start */
	bool resumed;	    /* it is there, and has been told of it before */
	struct kept call;   /* the last call that began, of any task */
	bool again;	    /* once more from the start */
	bool debugs;	    /* debug registers were used */
	uint8_t before[64]; /* what watched addresses had before a system call */
	int error;
};
/* Runs until stopped() says NEXT_END, or the trace ends: then result is as of replay_run(). 0 or -errno with an
 * error. */
int trip_run(struct trip *t, const char *path, struct replay_result *result, struct err *e);
int trip_copy(struct position *to, const struct position *from); /* 0 or -ENOMEM */
void trip_free(struct trip *t);
#endif
