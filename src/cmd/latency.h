/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: its parts, and what their command lines have in common. */
#ifndef DWELL_CMD_LATENCY_H
#define DWELL_CMD_LATENCY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/request.h"

extern const struct command latency_diff, latency_profile, latency_stuck, latency_why;

/* Without a part. */
extern const struct viewjoined latency_joined;
int latency_live(int argc, char **argv);
/* The parts, a line each. */
void latency_list_commands(FILE *out);
#endif
