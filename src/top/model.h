/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the rows of a run into what `dwell top` shows. One thread adds rows, another one copies the data. */
#ifndef DWELL_TOP_MODEL_H
#define DWELL_TOP_MODEL_H
#include "latency/cause/causes.h"
#include "store/recording.h"
#include "store/slow.h"
#include "sym/sym.h"
#include "top/data.h"

struct top_config {
	const struct rec_schema *schema; /* lives until top_model_free(), as the next two */
	struct sym *sym;
	struct causes *causes;
	double profile_hz;				      /* of the samples in @oncpu */
	const char *hidden;				      /* a tracker that is not shown: that of the causes */
	bool (*wants)(void *ctx, const struct slow_event *e); /* is this slow event to be shown? */
	void *ctx;
};

struct top_model;

/* -ENOMEM. */
int top_model_new(const struct top_config *config, struct top_model **ret);
void top_model_free(struct top_model *m); /* accepts NULL */
/* Takes in a row: histograms, slow events, aggregations (waits by cause; @oncpu[pid, execname] = count(),
 * @runnable[cpu] = avg()), losses, costs. A printa() of a tick- probe ends an interval. 0 or -ENOMEM. */
int top_model_row(struct top_model *m, const struct row *row);
/* A consistent copy. */
void top_model_copy(struct top_model *m, struct top_data *ret);
#endif
