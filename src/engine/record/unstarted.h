/* SPDX-License-Identifier: Apache-2.0 */
/* Guards the file of a recording until its run begins. The file is empty until then, and would block a retry with the
 * same name. dwell removes it if a signal ends the process, or if the start of the run fails. */
#ifndef DWELL_ENGINE_RECORD_UNSTARTED_H
#define DWELL_ENGINE_RECORD_UNSTARTED_H

/* The file is about to be made: signals wait until unstarted_set(). One at a time; before a run installs its own
 * handlers. */
void unstarted_begin(void);
/* It was made; NULL: it could not be. */
void unstarted_set(const char *path);
/* The run begins: the file stays from now on, and signals do what they did before. */
void unstarted_commit(void);
/* The start has failed: removes the file, unless the run had begun. */
void unstarted_remove(void);
#endif
