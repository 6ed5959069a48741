/* SPDX-License-Identifier: Apache-2.0 */
/* The table of causes, of recordings. */
#ifndef DWELL_VIEW_TEXT_WHYREC_H
#define DWELL_VIEW_TEXT_WHYREC_H
#include "latency/recset.h"
#include "view/text/whyprint.h"

struct whyrec {
	const struct why_print *print;
	struct latency_range asked;
	const char *comm; /* NULL: all */
};
/* 0; < 0 with *err, of the recordings; < 0 without a message: the output could not be written. */
int whyrec_print(const struct whyrec *w, const struct recset *s, struct causes *causes, struct err *err);
#endif
