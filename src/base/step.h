/* SPDX-License-Identifier: Apache-2.0 */
/* The three kinds of result. A function has one of them, and its type says which:
 *
 *   int          0, or -errno: it is done, or it is not. Other results come through pointers.
 *   bool         yes or no. It cannot fail.
 *   struct step  one of several: there is one more, or there is none, or it failed.
 *
 * A step is a struct, so that the compiler refuses it where 0 or -errno is meant:
 *
 *     while ((s = recread_next(r, &row, err)).more)
 *             …
 *     return s.error;
 *
 * Only commands return exit codes (cmd/cmd.h); tools/checkresults.py finds others. */
#ifndef DWELL_BASE_STEP_H
#define DWELL_BASE_STEP_H
#include <stdbool.h>

struct step {
	bool more; /* there was one more, and it was given */
	int error; /* 0 or -errno; then more is false */
};

static inline struct step step_more(void)
{
	return (struct step){ .more = true };
}

static inline struct step step_end(void)
{
	return (struct step){ .more = false };
}

/* e: 0 (there was one more) or -errno. */
static inline struct step step_taken(int e)
{
	return (struct step){ .more = e == 0, .error = e };
}

static inline struct step step_failed(int error)
{
	return (struct step){ .error = error };
}
#endif
