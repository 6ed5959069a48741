/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DWELL_CMD_USDT_H
#define DWELL_CMD_USDT_H
#include "engine/request.h"

/* Runs -h or -G as the command line says; an exit code. Needs no privileges. */
int cmd_usdtgen(struct request *c);
#endif
