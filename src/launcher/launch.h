/* SPDX-License-Identifier: Apache-2.0 */
/* The privileged half of `dwell serve`: starts a dwell of its own for each program that the server, which
 * has no privileges, asks for. It builds the command lines itself, and takes nothing but the D text from a request. */
#ifndef DWELL_LAUNCHER_LAUNCH_H
#define DWELL_LAUNCHER_LAUNCH_H
#include <signal.h>
#include <sys/types.h>
#include "launcher/servedir.h"
#include "serve/serve.h"

/* From now on the signals that launch_loop() reads wait for it. *ret: which ones. */
void launch_hold_signals(sigset_t *ret);
/* Runs until the server (process `server`, at the other end of sock) has ended. On SIGINT or SIGTERM, which the
 * caller has blocked, it asks the server to end by closing stop_fd. overview: the command line of the live view.
 * dir: the recordings that can be looked at, by processes of `user`. Kills all children. The server's exit status. */
int launch_loop(int sock, int stop_fd, pid_t server, char *const *overview, const struct servedir *dir, unsigned user);
/* Gives up all privileges, for good: what comes next reads what strangers wrote. 0 or -errno. */
int launch_drop(unsigned user);
/* The server's side: serve_config's start and stop; ctx points to the socket. */
int launch_start(void *ctx, enum serve_kind kind, const char *text, size_t n, struct serve_child *ret, struct err *err);
void launch_stop(void *ctx, uint64_t id);
#endif
