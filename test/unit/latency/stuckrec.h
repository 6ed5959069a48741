/* SPDX-License-Identifier: Apache-2.0 */
/* Records of threads that wait, as dlib/latency/stuck.d makes them: for tests of what reads and shows them. */
#ifndef DWELL_TEST_STUCKREC_H
#define DWELL_TEST_STUCKREC_H
#include "latency/cause/stuck.h"

enum stuckrec_field {
#define STUCK(id) R_##id,
#include "latency/cause/stuck.def"
#undef STUCK
	STUCKREC_NFIELDS
};

#define STUCKREC_FRAMES 2 /* of each stack */

/* The record as the compiler lays it out: names of 16 bytes, numbers of 8, two stacks. */
struct stuckrec {
	struct rec_hdr hdr;
	uint64_t words[128];
};
extern struct stuckrec stuckrec;
extern struct recfield stuckrec_fields[STUCKREC_NFIELDS];
extern struct recact stuckrec_acts[STUCKREC_NFIELDS];
extern struct recfmt stuckrec_fmt;

void stuckrec_init(void); /* the format, and a record of zeros */
/* Sets a number, or the first word of a stack; a text of at most 16 bytes. */
void stuckrec_put(enum stuckrec_field f, uint64_t v);
void stuckrec_text(enum stuckrec_field f, const char *s);
#endif
