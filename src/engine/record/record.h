/* SPDX-License-Identifier: Apache-2.0 */
/* Implements --record FILE: writes the rows of a run, and the names of the addresses in them, to a recording file. */
#ifndef DWELL_ENGINE_RECORD_RECORD_H
#define DWELL_ENGINE_RECORD_RECORD_H
#include "engine/request.h"
#include "engine/why.h"
#include "store/recording.h"
#include "sym/sym.h"

struct recorder;
/* When rows are of another time: both clocks at its start. */
struct recorder_then {
	uint64_t real_ns, mono_ns;
};
/* Creates the file and has every row of rec written to it; sym and why must outlive the recorder. then: NULL for now. 0
 * or -errno, told: -EINVAL, and no file, without sym or why, since what they tell cannot be found out later. */
int recorder_open(const struct request *c, const struct rec_schema *schema, struct recording *rec, struct sym *sym,
		  struct why *why, const struct recorder_then *then, struct recorder **ret);
/* Rows of costs are left out: there are several a second, however little happens. */
void recorder_no_costs(struct recorder *r);
/* Lines of source are left out: to read debug information when a file ends would hold up what goes on. */
void recorder_no_lines(struct recorder *r);
/* Ends the file and goes on in a new one, with all that a file says of its run. When that cannot be made the old one
 * goes on. 0 or -errno with *err, of the new file or of the end of the old one. */
int recorder_rotate(struct recorder *r, const char *path, struct err *err);
/* Whether the file could not be written: what came since is lost, unless recorder_rotate() finds room. */
bool recorder_failed(const struct recorder *r);
uint64_t recorder_lost(const struct recorder *r); /* rows, of all its files */
/* Ends the file; says what is missing in it. 0, or -errno if rows could not be written, told; accepts NULL. */
int recorder_close(struct recorder *r);
#endif
