/* SPDX-License-Identifier: Apache-2.0 */
/* Turns records of the ring buffers into rows. Checks every record against the formats of the compiled program
 * before it uses a byte of it. */
#ifndef DWELL_RUN_CONSUME_DECODE_H
#define DWELL_RUN_CONSUME_DECODE_H
#include "store/recording.h"

struct decoder {
	const struct rec_schema *schema;
	size_t last_probe; /* index of the probe of the last record: most come in runs */
};

/* Checks a record and describes it as a row that points into it. -EBADMSG: too short for its format, or
 * a format, probe or code that does not exist. */
int decode_record(struct decoder *d, unsigned cpu, const void *data, size_t len, struct row *ret);
#define DECODE_MAX_FRAMES 512 /* of a stack; as OPTIONS_FRAMES_MAX */
/* Calls fn for each process with a user stack or address in the fields at `base`. frames: those of a language
 * runtime (base/rtfmt.h), whose names are to be read now. */
typedef void (*decode_proc_fn)(void *ctx, uint32_t tgid, uint64_t start, size_t nframes, const uint64_t *frames);
void decode_field_procs(const struct recfield *fields, size_t n, const void *base, size_t len, decode_proc_fn fn,
			void *ctx);
/* The same for a whole record; does nothing for damaged ones. */
void decode_record_procs(const struct decoder *d, const void *data, size_t len, decode_proc_fn fn, void *ctx);
#endif
