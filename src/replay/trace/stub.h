/* SPDX-License-Identifier: Apache-2.0 */
/* Code and data of dwell inside a recorded program: calls that do not wait are recorded there, without a stop. Their
 * places are the same in each program, recorded and replayed: traces of all versions have them.
 *
 * An instruction `syscall` (2 bytes) becomes a short jump to unused bytes between two functions, from where it goes on
 * to a struct stub_site, and to the stub. The stub makes the call, and logs it; or it lets the site's own `syscall` be
 * traced. In a replay it takes calls from the log, as long as that has some. */
#ifndef DWELL_REPLAY_TRACE_STUB_H
#define DWELL_REPLAY_TRACE_STUB_H
#include <stdint.h>

#define SCRATCH \
	0x10000ull /* the page with the instruction by which a replayed process makes calls for the replayer \
		    */
#define SCRATCH_SIZE 0x1000ull
#define STUB_CODE 0x11000ull /* a jump to the stub; from STUB_BODY on, the stub */
#define STUB_BODY 0x11010ull
#define STUB_SITES 0x13000ull
#define STUB_STATE 0x17000ull
#define STUB_STACK 0x19000ull /* its end */
#define STUB_LOG 0x19000ull
#define STUB_LOG_SIZE 0x20000u
#define STUB_END 0x39000ull
#define STUB_SITES_MAX 256u
#define STUB_FDS 1024u
#define STUB_BYTES_MAX 32768u /* that a logged call may write */

/* By how a site goes on: offsets in struct stub_site. */
#define STUB_TRACED 32
#define STUB_DONE 34
struct stub_site {
	uint64_t code;	   /* where `code` is */
	uint64_t back;	   /* after the `syscall` that was there */
	uint8_t enter[16]; /* its own address into ecx; to STUB_CODE */
	uint8_t call[2];   /* STUB_TRACED: syscall */
	uint8_t leave[7];  /* STUB_DONE: jmp *back */
	uint8_t spare[23];
};
struct stub_state {
	uint64_t rsp;  /* the program's, while the stub runs */
	uint64_t n;    /* bytes in the log */
	uint64_t at;   /* replay: as many are used */
	uint64_t on;   /* recording: calls are logged */
	uint64_t play; /* this is a replay */
	uint64_t mono_ns;
	struct {
		uint64_t dev, ino;
	} std[2];	       /* of standard output, error: what is opened once more is traced */
	uint8_t fds[STUB_FDS]; /* 1: a regular file or a directory, where calls do not wait */
};
/* A call in the log; what it wrote follows, and then, from version 3 on, the path that it read, each up to a multiple
 * of 8 bytes. */
struct stub_call {
	uint32_t size; /* of all, a multiple of 8 */
	uint32_t nr;
	int64_t ret;
	uint64_t args[6];
	uint64_t site, rsp;
	uint64_t ns;	     /* when it began since head.mono_ns */
	uint32_t took, hash; /* ns; of the path */
};

/* Memory that such a call wrote and read, in the program and in the log. */
struct stub_data {
	uint64_t addr, n; /* bytes that it wrote, which follow it */
	uint64_t text_addr;
	const char *text; /* NULL: none, or not known */
	uint64_t text_size;
};
/* c: all of its c->size bytes are there. */
void stub_data(const struct stub_call *c, struct stub_data *ret);

#define STUB_SECTION "dwell_replay_stub"
extern const uint8_t __start_dwell_replay_stub[], __stop_dwell_replay_stub[]; /* by the linker */
#define stub_begin __start_dwell_replay_stub				      /* the stub, which can be anywhere */
#define stub_end __stop_dwell_replay_stub
extern const uint8_t stub_enter[];    /* in it: where STUB_CODE jumps to */
extern const uint8_t stub_untraced[]; /* in it: after the `syscall` of calls that are not traced */
#endif
