/* SPDX-License-Identifier: Apache-2.0 */
/* Makes folders of a run in $TMPDIR (/tmp), and removes those that dead runs have left. A folder is locked
 * (flock(2)) as long as its process lives; so a folder that can be locked has no owner any more. Older versions
 * made folders with a dash in place of the dot and did not lock them: those are not touched. */
#ifndef DWELL_RUN_SESSION_TMPDIR_H
#define DWELL_RUN_SESSION_TMPDIR_H
#include <stdbool.h>
#include <sys/types.h>

#define TMPDIR_LIVE "live"   /* a recording that is drawn when the run has ended: engine/run/recnow.h */
#define TMPDIR_SERVE "serve" /* recordings of `dwell serve`: launcher/servedir.h */

struct tmpdir {
	char *path; /* NULL: none */
	int fd;	    /* locked */
};

/* Makes a folder "dwell-KIND.XXXXXX" of this mode. Signals that end a process (INT, TERM, HUP, QUIT) are held up
 * meanwhile. With `guard` they remove it from then on, where they had their default action. One at a time. 0 or
 * -errno. */
int tmpdir_make(const char *kind, mode_t mode, bool guard, struct tmpdir *ret);
/* Removes it with all that is in it (folders of files, no deeper). *t is none then; accepts none. */
void tmpdir_remove(struct tmpdir *t);
/* Removes what dead runs of this user have left: folders of both kinds, and control sockets (run/session/ctl.h). */
void tmpdir_clear_dead(void);
#endif
