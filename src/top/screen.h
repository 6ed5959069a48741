/* SPDX-License-Identifier: Apache-2.0 */
/* Shows `dwell top` on a terminal: a thread of its own draws copies of the data and reads keys. */
#ifndef DWELL_TOP_SCREEN_H
#define DWELL_TOP_SCREEN_H
#include "base/err.h"
#include "top/model.h"

#define SCREEN_MIN_COLS 60
#define SCREEN_MIN_ROWS 16

struct screen_config {
	bool idle;	     /* waits for something to do, too, at first */
	const char *title;   /* what is watched; lives as long */
	uint64_t refresh_ns; /* between drawings */
};

struct screen;

/* Whether standard input and output are a terminal that can be drawn on; else -errno, err tells what would work. */
int screen_check(struct err *err);
/* Takes the terminal and starts the thread; what is written to standard error from here on is kept until
 * screen_stop(). The user's wish to end is a SIGINT. 0 or -errno. */
int screen_start(const struct screen_config *config, struct top_model *model, struct screen **ret);
/* Gives the terminal back, then prints what standard error was told. Accepts NULL. false: the terminal takes nothing,
 * and the thread, which hangs, still uses the model. */
bool screen_stop(struct screen *s);
#endif
