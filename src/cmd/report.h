/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DWELL_CMD_REPORT_H
#define DWELL_CMD_REPORT_H
#include <stdbool.h>
#include "store/recfile.h"

/* Prints one table of a recording (slow, hist, span …) to standard output. The exit status. */
int report_table(struct recread *r, const char *name, bool json);
#endif
