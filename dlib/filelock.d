/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of files, as flock(2) and fcntl(2) make them. Source: include/linux/filelock.h */

/* The process that has the lock that this one must wait for; 0: none; -1: it belongs to an open file (OFD locks). */
/* Since Linux 6.9. */
inline pid_t file_lock_holder[struct file_lock *L] = L->c.flc_blocker != NULL ? L->c.flc_blocker->flc_pid : 0;
inline pid_t file_lock_holder[struct file_lock *L] = L->fl_blocker != NULL ? L->fl_blocker->fl_pid : 0;

inline int FILE_LOCK_DEFERRED = 1;
