/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how many pages of files the memory limits of control groups have put out that were read again: of each group
 * with a limit. */
#ifndef DWELL_ENGINE_RUN_REFAULTS_H
#define DWELL_ENGINE_RUN_REFAULTS_H
#include "base/strb.h"

/* Lines "refaults./PATH N", for the group and those below it. root: as of counters_read(). */
void refaults_read(struct strb *b, const char *root);
#endif
