/* SPDX-License-Identifier: Apache-2.0 */
/* Words for SQL over a recording: values with names for addresses and causes for waits, and what events print. */
#ifndef DWELL_VIEW_SUMMARY_SQLWORDS_H
#define DWELL_VIEW_SUMMARY_SQLWORDS_H
#include "store/sql/recsql.h"
#include "view/text/text.h"

struct sqlwords;
/* why, stop: or NULL. It must not outlive the recording of s. 0 or -errno. */
int sqlwords_new(struct recsql *s, text_why_fn *why, void *why_arg, bool (*stop)(void *ctx), struct sqlwords **ret,
		 struct err *err);
void sqlwords_free(struct sqlwords *w);
#endif
