/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM, SIGHUP and SIGQUIT: the first asks for an orderly end, a later one ends the output at once.
 *
 * 1. The first one sets signals_pending(). A signal within SIGNALS_SAME_NS of it is the same wish: timeout(1) sends a
 * signal to its command and then to the group.
 * 2. From then on an output (standard output, standard error, that of signals_watch()) that takes nothing for
 * SIGNALS_BLOCKED_NS is given up. /dev/null takes its place. So a thread that hangs in a write goes on, and the run
 * ends in order.
 * 3. A second one gives up the outputs as well; a process that has not ended SIGNALS_END_NS later is killed. A third
 * one ends the process. signals_cut() tells of 2 and 3. The code that prints then counts what it leaves out, and says
 * so. */
#ifndef DWELL_RUN_OS_SIGNALS_H
#define DWELL_RUN_OS_SIGNALS_H
#include <stdbool.h>

#define SIGNALS_SAME_NS 300000000ull
#define SIGNALS_BLOCKED_NS 700000000ull
#define SIGNALS_END_NS 1000000000ull
/* So much computing after the signal may go into records that are in the buffers still. */
#define SIGNALS_RECORDS_NS 700000000ull

enum signals_cut {
	SIGNALS_UNCUT,
	SIGNALS_BLOCKED, /* an output took nothing */
	SIGNALS_AGAIN,	 /* a second signal */
};
#define SIGNALS_AT_EXIT_MAX 4 /* functions of signals_at_exit() */

/* Installs the handlers; signals that are ignored (nohup) stay ignored. *ret_fd becomes readable when one
 * arrives; it is closed by signals_restore(). Without hangup_ends SIGHUP only says so to signals_take_hangup(), also
 * under nohup. One user at a time per process; the calling thread is the one that prints. 0, -EBUSY or -errno. */
int signals_install(bool hangup_ends, int *ret_fd);
void signals_restore(void);
/* For the time before it, in which a run is being prepared. The first signal is kept for signals_install() with a
 * message, and the run ends in order as soon as it has begun. A second one ends the process. signals_late(): there
 * is no such run any more. */
void signals_early(bool hangup_ends);
void signals_late(void);
/* One more descriptor that is printed to, until signals_restore(); -1: none. */
void signals_watch(int fd);
/* f is called when a later signal ends the process at once, in the handler: for what would stay. It finds out by itself
 * whether there is something. */
void signals_at_exit(void (*f)(void));
/* The signal that arrived, or 0. */
int signals_pending(void);
/* Whether nothing more is printed, and why. */
enum signals_cut signals_cut(void);
/* Whether records are no longer to be shown: the output is cut, or SIGNALS_RECORDS_NS are used up. Asked by the thread
 * that prints. */
bool signals_overdue(void);
/* Whether SIGHUP came since the last call. */
bool signals_take_hangup(void);
#endif
