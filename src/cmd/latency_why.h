/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why` of recordings. */
#ifndef DWELL_CMD_LATENCY_WHY_H
#define DWELL_CMD_LATENCY_WHY_H
#include "latency/recrange.h"
#include "cmd/why.h"
#include "view/text/whyprint.h"

struct whyrec {
	const struct why_print *print;
	struct latency_range asked;
	const char *comm;   /* NULL: all */
	const char *causes; /* -x causes, or NULL */
};
/* words: recordings, folders, processes. Exit status, said. */
int latency_why_recordings(const struct whyrec *w, char *const *words, size_t n);
#endif
