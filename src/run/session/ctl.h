/* SPDX-License-Identifier: Apache-2.0 */
/* The control socket of a session: `dwell ctl PID …` reads and changes settings of its trackers while they run, and
 * `dwell -l --stats` asks for its probes' firings. One request a connection: a line, answered by "ok" or "error: …" and
 * further lines, or by a file. Only the user who runs the session, and root,
 * are answered. */
#ifndef DWELL_RUN_SESSION_CTL_H
#define DWELL_RUN_SESSION_CTL_H
#include <stddef.h>
#include <stdint.h>
#include "run/consume/track.h"
#include "run/session/hits.h"

#define CTL_MAX_LINE 512 /* bytes of a request */
#define CTL_PATH_LEN 108 /* of struct sockaddr_un */

struct ctl;

/* Where the socket of process pid is: /run/dwell for root, $XDG_RUNTIME_DIR/dwell for others. -ENOENT when there is no
 * such folder, -ENAMETOOLONG. */
int ctl_path(uint32_t pid, char path[CTL_PATH_LEN]);
/* Opens the socket of this process. t, which is NULL in a program without trackers, and h must outlive it. 0 or -errno.
 */
int ctl_open(struct trackers *t, struct hits *h, struct ctl **ret);
void ctl_close(struct ctl *c); /* and removes it; accepts NULL */
/* Removes the sockets that dead processes of this user have left. */
void ctl_clear_dead(void);
int ctl_fd(const struct ctl *c); /* readable: ctl_serve() has something to do */
void ctl_serve(struct ctl *c);
/* The other side: sends a request to the session of process pid; the answer is malloc'ed, NUL-terminated. 0 or -errno:
 * -ESRCH when that process has no such socket. Root finds that of the system's service, too. */
int ctl_request(uint32_t pid, const char *line, char **ret);
/* The same for a request that is answered by a file: *ret_fd, -1 when there was none. */
int ctl_request_file(uint32_t pid, const char *line, char **ret, int *ret_fd);
/* The processes with such a socket that this user may ask, malloc'ed; their number, or -errno. */
int ctl_sessions(uint32_t **ret);
#endif
