/* SPDX-License-Identifier: Apache-2.0 */
/* DTrace's run-time and compile-time options (-x, #pragma D option, setopt()). The rows are in
 * lang/options.def: OPT(field, "name", TYPE, default) with TYPE BOOL, INT, SIZE, RATE (ns), STR. */
#ifndef DWELL_LANG_OPTIONS_H
#define DWELL_LANG_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

#define OPTIONS_STRSIZE_MAX 65536 /* strsize: characters of a string */
#define OPTIONS_STRSIZE_DEFAULT 256
#define OPTIONS_ITERRATE_MIN 1000000  /* ns from one walk over the threads to the next */
#define OPTIONS_FLIGHT_MIN 1000000ull /* ns that the flight recorder looks back */
#define OPTIONS_FLIGHT_MAX 60000000000ull
#define OPTIONS_CONTROL_MAX (1 << 30)
#define OPTIONS_FLIGHTSIZE_MIN (16 << 10)
#define OPTIONS_FLIGHTSIZE_MAX (64 << 20)
#define OPTIONS_FRAMES_MAX 512 /* stackframes, ustackframes */
#define OPTIONS_MAXFRAMES 127  /* of any stack, unless kernel.perf_event_max_stack is more */
#define OPTIONS_UNWINDSIZE_MIN (64 << 10)
#define OPTIONS_UNWINDSIZE_MAX (1 << 30)

struct dopts {
#define OPT_T_BOOL bool
#define OPT_T_INT int64_t
#define OPT_T_SIZE uint64_t
#define OPT_T_RATE uint64_t
#define OPT_T_STR const char *
#define OPT(field, name, type, dflt) OPT_T_##type field;
#include "lang/options.def"
#undef OPT
	struct arena *arena; /* owns STR values */
};

void dopts_init(struct dopts *o, struct arena *a);
/* Sets name to value (NULL: no value given; a BOOL becomes true). 0; -ENOENT: no such option; -EINVAL:
 * bad value; -ERANGE: a version of D that is not known; -EOPNOTSUPP: known to DTrace but not supported on Linux, with
 * *reason as the reason. */
int dopts_set(struct dopts *o, const char *name, const char *value, const char **reason);
/* Whether a program may set it under -x confined: it changes what is shown and nothing else. */
bool dopts_harmless(const char *name);
/* "256", "set"/"unset", text: the value by name for messages; in the arena; NULL: no such option. */
const char *dopts_get(const struct dopts *o, const char *name);

/* Bytes of a string with its NUL: strsize counts characters, as in Oracle's DTrace. But the default is a round number
 * of bytes, since one more would cost every program. */
static inline uint64_t opts_strcap(const struct dopts *o)
{
	return o->strsize == OPTIONS_STRSIZE_DEFAULT ? o->strsize : o->strsize + 1;
}
#endif
