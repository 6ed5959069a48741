/* SPDX-License-Identifier: Apache-2.0 */
/* What `dwell latency --daemon` does besides `dwell latency`: recordings that take turns, metrics, and talking to the
 * service manager. All functions accept NULL: it is no daemon. */
#ifndef DWELL_CMD_LATENCY_DAEMON_H
#define DWELL_CMD_LATENCY_DAEMON_H
#include "cmd/latency.h"
#include "store/statedir.h"
#include "store/recording.h"

#define DAEMON_STATE "/var/lib/dwell-latency"
#define DAEMON_ROTATE_BYTES (UINT64_C(64) << 20)
#define DAEMON_ROTATE_NS (UINT64_C(3600) * 1000000000)
#define DAEMON_KEEP_FILES 192
#define DAEMON_KEEP_BYTES (UINT64_C(2) << 30)
#define DAEMON_ROTATE_MIN (UINT64_C(1) << 20) /* bytes; an empty recording has 0.2 MB */

struct daemon;
struct recorder;

/* What its options say. */
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
int daemon_take_size(void *bytes, const struct optrow *o, const char *arg);
extern const char daemon_mark[]; /* `text` of these rows */
/* opts: the struct daemon_opts within the struct of the command. */
#define DAEMON_ROWS(type, opts) \
	{ .name = "state", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, opts.state), \
	  .live = true, \
	  .text = daemon_mark, \
	  .arg = "DIR", \
	  .help = "where (" DAEMON_STATE ", or $STATE_DIRECTORY)" }, \
		{ .name = "rotate-size", \
		  .kind = OPT_CALL, \
		  .take = daemon_take_size, \
		  .at = offsetof(type, opts.rotate_bytes), \
		  .live = true, \
		  .text = daemon_mark, \
		  .arg = "SIZE, --rotate-age TIME", \
		  .help = "a new file from here on (64m, 1h), and at SIGHUP" }, \
		{ .name = "rotate-age", \
		  .kind = OPT_TIME, \
		  .at = offsetof(type, opts.rotate_ns), \
		  .value = 1, \
		  .live = true, \
		  .text = daemon_mark, \
		  .arg = "TIME" }, \
		{ .name = "keep", \
		  .kind = OPT_NUMBER, \
		  .at = offsetof(type, opts.keep_files), \
		  .value = STATEDIR_FILES_MAX / 2, \
		  .live = true, \
		  .text = daemon_mark, \
		  .arg = "N, --keep-size SIZE", \
		  .help = "recordings that are kept at most (" OPTABLE_TEXT(DAEMON_KEEP_FILES) ", 2g)" }, \
		{ .name = "keep-size", \
		  .kind = OPT_CALL, \
		  .take = daemon_take_size, \
		  .at = offsetof(type, opts.keep_bytes), \
		  .live = true, \
		  .text = daemon_mark, \
		  .arg = "SIZE" }, \
	{ \
		.name = "metrics", .kind = OPT_TEXT, .at = offsetof(type, opts.metrics_at), .live = true, \
		.text = daemon_mark, .arg = "PORT|ADDRESS:PORT|unix:PATH", \
		.help = "for Prometheus: /metrics, on 127.0.0.1 unless said" \
	}

/* NULL when memory is out. */
struct daemon *daemon_new(const struct daemon_opts *o);
/* Takes the state folder, ends what a killed daemon has left, starts the metrics' server, and adds to the command line
 * where to record. 0 or an exit status, said. */
int daemon_begin(struct daemon *d, struct latency_args *a);
/* Before the first row: 0 or -ENOMEM. */
int daemon_schema(struct daemon *d, const struct rec_schema *schema);
/* Each row, and now and then: see struct run_show. */
void daemon_row(struct daemon *d, const struct row *row);
void daemon_tick(struct daemon *d, struct recorder *recorder, bool hangup);
void daemon_stopping(struct daemon *d);
void daemon_free(struct daemon *d);
#endif
