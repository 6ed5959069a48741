/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's kind and instructions, as cpuid tells them: a program may choose its way by them. */
#ifndef DWELL_REPLAY_TRACE_FEATURES_H
#define DWELL_REPLAY_TRACE_FEATURES_H
#include <stdint.h>
#include "replay/trace/trace.h"
void features_get(uint32_t ret[TRACE_FEATURES]);
#endif
