/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `dwell latency --daemon`. */
#ifndef DWELL_CMD_LATENCY_DAEMON_H
#define DWELL_CMD_LATENCY_DAEMON_H
#include "cmd/words.h"
#include "daemon/daemon.h"

int daemon_take_size(void *bytes, const struct optrow *o, const char *arg, struct err *err);
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
#endif
