/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by which waits get their causes, for views: read when a view first asks. */
#ifndef DWELL_ENGINE_WHY_H
#define DWELL_ENGINE_WHY_H
#include "engine/listener.h"
#include "lang/options.h"
#include "latency/causes.h"

struct why {
	struct causes *causes; /* NULL: not read yet, or not to be read */
	const struct dopts *opts;
	const struct listener *to;
	bool tried;
};

/* Reads the file of -x causes, if there is one, so that its faults are found at once; opts and to must outlive
 * w. EXIT_* > 0 after a message. */
int why_open(struct why *w, const struct dopts *opts, const struct listener *to);
void why_done(struct why *w);
/* The rules, dwell's own among them; NULL after a message. */
struct causes *why_causes(struct why *w);
/* A text_why_fn; arg: struct why. */
const char *why_words(void *arg, const char *const *names, size_t n, uint32_t facts, const char **ret_class);

/* Rules for what is read from recordings, without a request. */
struct why_rules {
	struct arena *arena;
	struct dopts opts;
	struct why why;
};
/* file: as of -x causes; NULL or "": none. EXIT_* > 0 after a message; why_rules_done() in any case. */
int why_rules_open(struct why_rules *r, const char *file, const struct listener *to);
void why_rules_done(struct why_rules *r); /* one that was never opened, too */
#endif
