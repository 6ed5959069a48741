/* SPDX-License-Identifier: Apache-2.0 */
/* Probes that come while the session runs: functions of kernel modules that are loaded (run/follow/modwatch.h), and
 * static probes in files that processes map: files that were not seen before (run/follow/latewatch.h) are looked at for
 * notes, and the clauses whose descriptions match are compiled for what is found (lang/later.h), loaded with the
 * session's maps (load_more()) and attached. The thread that mapped the file waits meanwhile, so that it is probed from
 * its first instruction on, if dwell came in time to stop it. */
#ifndef DWELL_RUN_SESSION_LATE_H
#define DWELL_RUN_SESSION_LATE_H
#include <stddef.h>
#include <stdint.h>

struct session;
struct late;

#define LATE_MAX_FILES 256u	 /* and modules, with probes that were added */
#define LATE_SHARE_NS 250000000u /* of a CPU's second that may go into looking and adding */

/* NULL: no description of the program waits for probes. Events count from now on. */
int late_new(struct session *s, struct late **ret);
void late_free(struct late *l); /* accepts NULL */
/* Begins, once what was there at the start is attached; looks at processes that are younger than dwell itself, too. */
int late_start(struct late *l);
/* Readable when late_drain() is to be called; -1: there is none. */
int late_fd(const struct late *l);
int late_module_fd(const struct late *l);
/* Looks at what was mapped or loaded since the last time. 0 or -errno of the recording. */
int late_drain(struct late *l);
/* No more is looked at; nobody waits. */
void late_stop(struct late *l);
/* What was left out, after late_stop(). */
int late_note_losses(struct late *l);
#endif
