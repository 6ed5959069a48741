/* SPDX-License-Identifier: Apache-2.0 */
/* A trace read by groups: what belongs to one stop of the program. */
#ifndef DWELL_REPLAY_TRACE_GROUP_H
#define DWELL_REPLAY_TRACE_GROUP_H
#include "base/step.h"
#include "base/vec.h"
#include "replay/trace/trace.h"

struct group_mem {
	uint64_t addr;
	size_t at, size; /* in bytes */
};
/* Where a part of the arena comes from; path: in bytes. */
struct group_file {
	struct ev_file f;
	size_t path;
};
struct group {
	enum event_kind kind;
	uint32_t task; /* of the group */
	union {
		struct ev_call call; /* of EV_CALL, EV_ENTER */
		struct ev_state state;
		struct ev_tsc tsc;
		struct ev_end end;
		struct ev_fork fork;
		struct ev_spot spot;
	};
	VEC(uint8_t) bytes; /* of the mems */
	VEC(struct group_mem) mems;
	VEC(struct group_mem) texts; /* that the call reads, in bytes */
	struct ev_name name;	     /* if named */
	bool named;
	VEC(struct group_file) files;
	uint64_t sum; /* if summed: of the memory at the beginning of the call */
	bool summed;
	VEC(uint8_t) log; /* struct stub_call, … */
	uint64_t logged;  /* calls in it */
	VEC(struct ev_map) maps;
	VEC(uint8_t) vectors; /* of EV_STATE and EV_EXEC: the vector registers */
	uint64_t number;      /* of this group: 1, 2, … */
};

/* Where blobs go. 0 or -errno. */
typedef int group_blob_fn(void *ctx, uint64_t at, const void *bytes, size_t n);

/* The next group; what was in g is gone. It ends with the last whole one. -EBADMSG: what is there makes no sense;
 * -errno of blob(). */
struct step group_next(struct group *g, struct trace_in *t, group_blob_fn *blob, void *ctx);
void group_free(struct group *g);
#endif
