/* SPDX-License-Identifier: Apache-2.0 */
/* Records the source lines of the addresses in a recording. Collects addresses during the run. Reads debug
 * information when the run ends, so that no event waits for it. */
#ifndef DWELL_ENGINE_RECORD_RECLINES_H
#define DWELL_ENGINE_RECORD_RECLINES_H
#include "store/file/recfile.h"
#include "sym/sym.h"

#define RECLINES_MAX (1u << 18) /* different addresses; further ones have no lines */
#define RECLINES_TIME_NS \
	UINT64_C(10000000000) /* for all of a recording; what has not been looked at then has no lines */

struct reclines;
/* NULL: out of memory. */
struct reclines *reclines_new(struct sym *sym);
void reclines_free(struct reclines *l); /* accepts NULL */
/* Collects a user address in a stack; of return addresses the byte before, which is in the call. */
void reclines_note(struct reclines *l, uint32_t tgid, uint64_t start, uint64_t addr);
/* Puts what is known of them into the file. *ret_missing: how many there was no room or time for. 0, or an error of the
 * file. */
int reclines_write(struct reclines *l, struct recfile *f, uint64_t max_ns, size_t *ret_missing, struct err *err);
#endif
