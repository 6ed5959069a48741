/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the target programs of test/trigger/sym_target.c for the tests. */
#ifndef DWELL_TEST_SYM_LIVE_H
#define DWELL_TEST_SYM_LIVE_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "sym/sym.h"

#define LIVE_MAX 16

struct live {
	pid_t pid;	/* what was started */
	pid_t child;	/* its child that is looked at, or 0 */
	uint64_t start; /* ns, as BPF would give it */
	int in, out;
	struct {
		char name[64];
		uint64_t addr;
	} v[LIVE_MAX];
	unsigned n;
};

/* Path of a built form: "pie" gives …/sym_target_pie. Static buffer. */
const char *live_path(const char *form);
/* Starts a program by absolute path (plus arguments) and waits until it has told its addresses. */
void live_start(struct live *l, char *const argv[]);
/* Goes on with the only child of the process (for unshare --fork). */
void live_take_child(struct live *l);
pid_t live_pid(const struct live *l);			    /* the one to ask about */
void live_stop(struct live *l);				    /* ends it and waits */
uint64_t live_addr(const struct live *l, const char *name); /* fails the test when unknown */
uint64_t live_start_time(pid_t pid);
/* Fails the test unless addr (+ offset 1) resolves to the name in the module. */
void live_expect(struct sym *s, const struct live *l, const char *name, const char *module);
/* The same where the symbol's name is not the one that the program printed. */
void live_expect_as(struct sym *s, const struct live *l, const char *key, const char *name, const char *module);
void live_expect_none(struct sym *s, const struct live *l, uint64_t addr);
#endif
