/* SPDX-License-Identifier: Apache-2.0 */
/* Firings of each probe of a session that runs, for `dwell -l --stats`, which asks over the control socket
 * (run/session/ctl.h). From hits_begin() to hits_end() the programs count; otherwise the maps for it are empty. */
#ifndef DWELL_RUN_SESSION_HITS_H
#define DWELL_RUN_SESSION_HITS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "load/link.h"
#include "load/load.h"
#include "prov/provider.h"

/* An answer: texts that each end with NUL. First HITS_HEAD; then for each program HITS_PROGRAM and five texts: its
 * number in the kernel, its name, runs, run time in ns, firings that the kernel skipped; after it for each of its
 * probes HITS_PROBE and seven: id, provider, module, function, name, the instruction there ("": not known), firings
 * ("": only those of the program are known). */
#define HITS_HEAD "dwell hits 1"
#define HITS_PROGRAM "program"
#define HITS_PROBE "probe"
#define HITS_PROGRAM_TEXTS 5
#define HITS_PROBE_TEXTS 7
#define HITS_MAX_BYTES (256u << 20) /* of an answer */
#define HITS_MAX_NS 3600000000000ull
/* The process that asked may be gone: counting ends by itself this long after the time that it named. */
#define HITS_GRACE_NS 10000000000ull

struct hits;

/* links: by program, NULL entries are fine; all must outlive it. 0 or -ENOMEM. */
int hits_new(const struct loaded *l, struct link *const *links, struct registry *reg, struct hits **ret);
void hits_free(struct hits *h); /* accepts NULL */
/* Counts for about ns, at most HITS_MAX_NS. -EBUSY: it counts already. -errno: the maps cannot be filled. */
int hits_begin(struct hits *h, uint64_t ns, uint64_t now);
/* Ends counting; *ret: a memory file with the answer, from its beginning. -EINVAL: it did not count. */
int hits_end(struct hits *h, int *ret);
/* Now and then: ends what nobody has ended. */
void hits_tick(struct hits *h, uint64_t now);

/* Takes the next n texts of an answer, from *at on. False: it ends there, or within them. */
bool hits_texts(const char *text, size_t len, size_t *at, size_t n, const char **ret);
#endif
