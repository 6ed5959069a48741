/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's kind and the instructions that it has (cpuid). A program may choose its code by them, so a replay
 * needs a processor that has them, too. */
#ifndef DWELL_REPLAY_TRACE_FEATURES_H
#define DWELL_REPLAY_TRACE_FEATURES_H
#include <stdint.h>
#include "replay/trace/trace.h"
void features_get(uint32_t ret[TRACE_FEATURES]);
#endif
