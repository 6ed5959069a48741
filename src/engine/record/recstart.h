/* SPDX-License-Identifier: Apache-2.0 */
/* A recording whose run has not begun: nothing is in it, and its name would be taken when the user tries again. So it
 * goes when a signal ends the process in the meantime, or the start fails. */
#ifndef DWELL_ENGINE_RECORD_RECSTART_H
#define DWELL_ENGINE_RECORD_RECSTART_H

/* The file is about to be made: signals wait until recstart_guard(). One at a time; before a run installs its own
 * handlers. */
void recstart_hold(void);
/* It was made; NULL: it could not be. */
void recstart_guard(const char *path);
/* The run begins: the file stays from now on, and signals do what they did before. */
void recstart_over(void);
/* The start has failed: removes the file, unless the run had begun. */
void recstart_remove(void);
#endif
