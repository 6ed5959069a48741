/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the readers of recordings for timelines share. */
#ifndef DWELL_VIEW_PICTURE_TIMELINE_INT_H
#define DWELL_VIEW_PICTURE_TIMELINE_INT_H
#include "base/strb.h"
#include "sym/sym.h"
#include "view/picture/timeline.h"

#define NOTE_NS 1000u /* how long what has no length is drawn */
struct tl_name;	      /* a key with what is known by it */

struct tl_reader {
	struct recread *f;
	const struct tl_opts *opts;
	struct timeline *t;
	struct sym *sym;
	struct rec_range range;
	struct tl_name *texts, *rows; /* by key */
	uint64_t last;		      /* end of what was seen */
	uint64_t ended;		      /* of the recording; 0: it does not say */
	uint64_t loss_at;
	struct rec_range pause;	    /* the last time that the tracer did not run */
	VEC(struct rec_range) gaps; /* in which switches of threads may have been lost */
	struct strb key, text;
	int error;
};

/* Frees all but the timeline. */
void tl_reader_done(struct tl_reader *r);
/* Index of the text that key stands for; 0: not there yet. */
uint32_t tl_known_text(const struct tl_reader *r, const char *key);
/* Adds a text under the key: its index; 0 when there is no room. stack may be NULL. */
uint32_t tl_add_text(struct tl_reader *r, const char *key, const char *words, const char *stack);
/* The row of a key, made if need be; NULL: no room. Valid until the next call. */
struct tl_row *tl_row_of(struct tl_reader *r, const char *key, enum tl_group group);
/* Index of a text that is its own key, without a stack; 0: none, or no room. */
uint32_t tl_text_of(struct tl_reader *r, const char *words);
/* The text of a wait by its stacks (their numbers, or -1) and facts (enum cause_fact), and its kind. A stack is looked
 * at once. */
uint32_t tl_cause_text(struct tl_reader *r, int64_t kernel, int64_t user, uint32_t facts, enum tl_kind *ret);
/* Adds an interval to a row (or to none, NULL). */
void tl_add_item(struct tl_reader *r, struct tl_row *row, struct tl_item x);
/* A thread's comm becomes its row's label. */
void tl_label(struct tl_reader *r, struct tl_row *row, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A thread with its waits, states: with all of them, so that what lies between is running. end: of the thread, 0: not
 * known. 0 or -ENOMEM. */
int tl_fill_thread(struct tl_reader *r, struct tl_row *row, uint64_t end, bool states);
/* When the rows of threads are complete: rows of the CPUs that they ran on. 0 or -errno. */
int tl_add_cpus(struct tl_reader *r);
/* Reads the processes. 0 or -errno. */
int tl_read_processes(struct tl_reader *r, struct err *err);
/* The text of an exit code as wait(2) gives it: "exit 3", "signal 9"; "" for 0. */
void tl_exit_text(char *buf, size_t size, uint32_t code);
/* A ROW_NOTE. */
int tl_note(struct tl_reader *r, const struct row *row);
/* Attributes that only the trackers of dlib/timeline/threads.d have; the others are ATTR_*. */
#define TL_ATTR_CODE "code"   /* of life: the exit code as wait(2) gives it */
#define TL_ATTR_WOKEN "woken" /* of state: when the thread was woken up */
/* An integer attribute; dflt when there is none. */
int64_t tl_attr_int(const struct rec_slow_row *s, const char *name, int64_t dflt);
const char *tl_attr_text(const struct rec_slow_row *s, const char *name); /* or NULL */
#endif
