/* SPDX-License-Identifier: Apache-2.0 */
/* Manages the folder of `dwell latency --daemon`: recordings one after another, of which the oldest are removed,
 * and the lock file that its one daemon holds. */
#ifndef DWELL_STORE_STATEDIR_H
#define DWELL_STORE_STATEDIR_H
#include <stdint.h>
#include <sys/types.h>
#include "base/err.h"
#include "base/vec.h"

#define STATEDIR_LOCK "daemon.pid" /* locked while the daemon lives; its process number is in it */
#define STATEDIR_PREFIX "latency-"
#define STATEDIR_SUFFIX ".dwell"
#define STATEDIR_FILES_MAX 4096 /* recordings looked at in one folder */
#define STATEDIR_PATH_LEN 4096

struct statedir_file {
	char *path;
	uint64_t bytes; /* with its log */
};
struct statedir_list {
	VEC(struct statedir_file) v; /* oldest first: by name */
	uint64_t bytes;
};

/* Makes the folder if need be, and takes it: *ret_fd is the locked file, to be kept. -EBUSY: another daemon has it,
 * *ret_pid says who (0: not known); -EPERM: others may write there. 0 or -errno. */
int statedir_lock(const char *dir, int *ret_fd, pid_t *ret_pid);
/* The daemon of a folder: its process, or 0. */
pid_t statedir_owner(const char *dir);
/* Its recordings. 0 or -errno. */
int statedir_list(const char *dir, struct statedir_list *ret);
void statedir_list_free(struct statedir_list *l);
/* Ends in order the recordings of a daemon that was killed, and removes those in which there is nothing. How many were
 * ended; those that are damaged stay as they are. */
unsigned statedir_recover(const char *dir);
/* The path of a new recording: named by the time, to the millisecond; not there yet. 0 or -ENAMETOOLONG. */
int statedir_name(const char *dir, char path[STATEDIR_PATH_LEN]);
/* Removes the oldest, but never `keep`, until there are at most `files` of at most `bytes` together. How many have
 * gone. */
unsigned statedir_retire(const char *dir, const char *keep, uint64_t files, uint64_t bytes);
#endif
