/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the rules that name the cause of a wait, when a view first needs them. */
#ifndef DWELL_ENGINE_WHY_H
#define DWELL_ENGINE_WHY_H
#include "engine/listener.h"
#include "lang/options.h"
#include "latency/cause/causes.h"

struct why {
	struct causes *causes; /* NULL: not read yet, or not to be read */
	const struct dopts *opts;
	const struct listener *to;
	bool tried;
};

/* Reads the file of -x causes, if there is one, so that its faults are found at once; opts and to must outlive w. 0, or
 * -errno with words in err; why_done() in any case. */
int why_open(struct why *w, const struct dopts *opts, const struct listener *to, struct err *err);
void why_done(struct why *w);
/* Reads the rules, dwell's own among them. 0, or -errno with words in err. With a file of -x causes an error in dwell's
 * own is a message to w->to, and *ret has the file's. */
int why_read(struct why *w, struct causes **ret, struct err *err);
/* The same; NULL after a message, which comes once. */
struct causes *why_causes(struct why *w);
/* A text_why_fn; arg: struct why. */
const char *why_words(void *arg, const char *const *names, size_t n, uint32_t facts, const char **ret_class);

/* Rules for what is read from recordings, without a request. */
struct why_rules {
	struct arena *arena;
	struct dopts opts;
	struct why why;
};
/* file: as of -x causes; NULL or "": none. 0, or -errno with words in err; why_rules_done() in any case. */
int why_rules_open(struct why_rules *r, const char *file, const struct listener *to, struct err *err);
void why_rules_done(struct why_rules *r); /* one that was never opened, too */
#endif
