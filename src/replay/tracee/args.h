/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a system call reads and writes, by the kinds of its arguments (strace/argkind.def). */
#ifndef DWELL_REPLAY_TRACEE_ARGS_H
#define DWELL_REPLAY_TRACEE_ARGS_H
#include "base/vec.h"
#include "replay/tracee/tracee.h"
#include "strace/call.h"

#define ARGS_TEXT_MAX 4096u /* bytes of a path or a text, as the kernel's PATH_MAX */
#define ARGS_IOV_MAX 1024u  /* UIO_MAXIOV */

struct span {
	uint64_t addr, size;
};
struct spans {
	VEC(struct span) v;
	bool failed; /* memory is lacking */
};
/* A checksum of what the call reads. */
uint32_t args_read(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS]);
/* Does argument i point to a path or a text? */
bool args_is_text(const struct call_desc *c, unsigned i);
/* The text there: bytes before its NUL, or before the end of what can be read. */
size_t args_text(struct tracee *t, uint64_t addr, char buf[ARGS_TEXT_MAX]);
/* Where its data are: what a write writes. In order. */
void args_data(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS], struct spans *ret);
/* Where the call wrote; it may be more than that, since memory is the same in the replay, but never less. */
void args_written(struct tracee *t, const struct call_desc *c, const uint64_t args[CALL_ARGS], int64_t result,
		  struct spans *ret);
#endif
