/* SPDX-License-Identifier: Apache-2.0 */
/* What `dwell latency --daemon` does besides `dwell latency`: recordings that take turns, metrics, and talking to the
 * service manager. All functions accept NULL: it is no daemon. */
#ifndef DWELL_CMD_LATENCY_DAEMON_H
#define DWELL_CMD_LATENCY_DAEMON_H
#include "cmd/latency.h"
#include "store/recording.h"

#define DAEMON_STATE	    "/var/lib/dwell-latency"
#define DAEMON_ROTATE_BYTES (UINT64_C(64) << 20)
#define DAEMON_ROTATE_NS    (UINT64_C(3600) * 1000000000)
#define DAEMON_KEEP_FILES   192
#define DAEMON_KEEP_BYTES   (UINT64_C(2) << 30)
#define DAEMON_ROTATE_MIN   (UINT64_C(1) << 20) /* bytes; an empty recording has 0.2 MB */

struct daemon;
struct recorder;

/* Options of --daemon: rows for getopt_long(), values from DAEMON_OPT_FIRST on. */
enum { DAEMON_OPT_FIRST = 512, DAEMON_OPT_STATE = DAEMON_OPT_FIRST, DAEMON_OPT_ROTATE_SIZE, DAEMON_OPT_ROTATE_AGE, DAEMON_OPT_KEEP,
       DAEMON_OPT_KEEP_SIZE, DAEMON_OPT_METRICS };
#define DAEMON_OPTIONS \
	{ "state", required_argument, NULL, DAEMON_OPT_STATE }, { "rotate-size", required_argument, NULL, DAEMON_OPT_ROTATE_SIZE }, \
	{ "rotate-age", required_argument, NULL, DAEMON_OPT_ROTATE_AGE }, { "keep", required_argument, NULL, DAEMON_OPT_KEEP }, \
	{ "keep-size", required_argument, NULL, DAEMON_OPT_KEEP_SIZE }, { "metrics", required_argument, NULL, DAEMON_OPT_METRICS }

/* NULL when memory is out. */
struct daemon *daemon_new(void);
/* One of the options above. 0 or EXIT_USAGE after a message. */
int daemon_option(struct daemon *d, int option, const char *arg);
void daemon_usage(FILE *out);
/* Takes the state folder, ends what a killed daemon has left, starts the metrics' server, and adds to the command line where to
 * record. 0 or an exit status, said. */
int daemon_begin(struct daemon *d, struct latency_args *a);
/* Before the first row: 0 or -ENOMEM. */
int daemon_schema(struct daemon *d, const struct rec_schema *schema);
/* Each row, and now and then: see struct run_show. */
void daemon_row(struct daemon *d, const struct row *row);
void daemon_tick(struct daemon *d, struct recorder *recorder, bool hangup);
void daemon_stopping(struct daemon *d);
void daemon_free(struct daemon *d);
#endif
