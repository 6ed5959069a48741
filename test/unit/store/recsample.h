/* SPDX-License-Identifier: Apache-2.0 */
/* A schema with a tracker, slow events, spans and distributions, and rows of it, for tests of the store. */
#ifndef DWELL_TEST_RECSAMPLE_H
#define DWELL_TEST_RECSAMPLE_H
#include "base/aggval.h"
#include "store/rechist.h"
#include "store/file/recfile.h"

#define SEC RECFILE_SECOND_NS

/* Sources of histograms in the sample's schema. */
enum { SAMPLE_TRACKER = 0, SAMPLE_KEYLESS = 1, SAMPLE_HIST = 2, SAMPLE_LQUANT = 3, SAMPLE_SLOTTED = 5 };
extern const struct rec_schema sample_schema;

/* A file in a folder of its own, which these make and remove. */
extern char sample_dir[], sample_path[];
int sample_set_up(void **state);
int sample_tear_down(void **state);

/* A recording in place of what is there; fails the test when it cannot be made. */
struct recfile *sample_create(const struct rec_schema *schema, const struct recfile_info *info);
/* The same, of the sample's schema. */
struct recfile *sample_make(uint64_t wall_off, uint64_t max_bytes, uint64_t max_age);
struct recread *sample_open(void);
void sample_slow(struct recfile *f, uint32_t tracker, uint64_t start, uint64_t delay, uint32_t how, const char *comm);
void sample_span(struct recfile *f, uint64_t start, uint64_t duration, const char *lane, const char *label);
/* n values v of the tracker in the second of start. */
void sample_hist(struct recfile *f, uint32_t source, uint64_t start, uint64_t key, int64_t v, uint64_t n);
void sample_proc(struct recfile *f, uint64_t ts, uint32_t kind, uint32_t tgid, const char *name);
/* Runs fn in a process that is killed when it returns. */
void sample_killed(void (*fn)(void));
/* Runs SQL on a file that nobody has open. */
void sample_sql(const char *text);
#endif
