/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the work of `dwell latency --daemon`: rotating recordings, metrics, and messages to the service manager. All
 * functions accept NULL: the run is no daemon. */
#ifndef DWELL_DAEMON_DAEMON_H
#define DWELL_DAEMON_DAEMON_H
#include "engine/request.h"
#include "latency/cause/causes.h"
#include "store/recording.h"
#include "store/file/statedir.h"
#include "sym/sym.h"

#define DAEMON_STATE "/var/lib/dwell-latency"
#define DAEMON_ROTATE_BYTES (UINT64_C(64) << 20)
#define DAEMON_ROTATE_NS (UINT64_C(3600) * 1000000000)
#define DAEMON_KEEP_FILES 192
#define DAEMON_KEEP_BYTES (UINT64_C(2) << 30)
#define DAEMON_ROTATE_MIN (UINT64_C(1) << 20) /* bytes; an empty recording has 0.2 MB */

struct daemon;
struct recorder;

/* The daemon's options. */
struct daemon_opts {
	const char *state, *metrics_at; /* NULL: where it is by itself; no metrics */
	uint64_t rotate_bytes, rotate_ns, keep_bytes;
	unsigned keep_files;
};
#define DAEMON_DEFAULT \
	{ \
		.rotate_bytes = DAEMON_ROTATE_BYTES, .rotate_ns = DAEMON_ROTATE_NS, .keep_files = DAEMON_KEEP_FILES, \
		.keep_bytes = DAEMON_KEEP_BYTES \
	}

/* NULL when memory is out. to: gets messages; outlives it. */
struct daemon *daemon_new(const struct daemon_opts *o, const struct listener *to);
/* Takes the state folder, ends what a killed daemon has left, starts the metrics' server, and says in the request where
 * to record. 0 or -errno, told; LISTENER_WRONG: of --metrics. */
int daemon_begin(struct daemon *d, struct request *c);
/* Before the first row: 0 or -ENOMEM. sym and causes name what slow events waited for. */
int daemon_schema(struct daemon *d, const struct rec_schema *schema, struct sym *sym, struct causes *causes);
/* Each row, and now and then: see struct run_observer. */
void daemon_row(struct daemon *d, const struct row *row);
void daemon_tick(struct daemon *d, struct recorder *recorder, bool hangup);
void daemon_stopping(struct daemon *d);
void daemon_free(struct daemon *d);
#endif
