/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -x metrics=FILE: writes the latencies of the last minute to an OpenMetrics file, for Prometheus' node
 * exporter. */
#ifndef DWELL_ENGINE_RECORD_METRICS_H
#define DWELL_ENGINE_RECORD_METRICS_H
#include "engine/listener.h"
#include "store/recording.h"

struct metrics_file;

#define METRICS_PERIOD_NS 5000000000u /* how often the file is replaced */

/* From now on writes what rec gets; one_in: of the threads, see metrics_one_in(). 0 or -errno, told; path and to must
 * outlive it. */
int metrics_open(const char *path, unsigned one_in, const struct rec_schema *schema, struct recording *rec,
		 const struct listener *to, struct metrics_file **ret);
/* Writes a last time and frees it; accepts NULL. 0, or -errno when it could not be written, told. */
int metrics_close(struct metrics_file *m);
#endif
