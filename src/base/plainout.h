/* SPDX-License-Identifier: Apache-2.0 */
/* Output of commands on a terminal: a stream without control characters, as names in it come from strangers. */
#ifndef DWELL_BASE_PLAINOUT_H
#define DWELL_BASE_PLAINOUT_H
#include <stdio.h>

/* A stream that passes on to `to` what a terminal shows and does not obey (base/plain.h), and flushes it. Closing it
 * closes `to`. NULL: no memory, and `to` is as it was. */
FILE *plainout_open(FILE *to);
/* Makes stdout such a stream when it is a terminal. */
void plainout_stdout(void);
#endif
