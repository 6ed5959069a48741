/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dtrace -h` and `dtrace -G`: reads the script, and writes what usdt/usdtgen.h makes of it. */
#ifndef DWELL_USDT_USDTFILE_H
#define DWELL_USDT_USDTFILE_H
#include "engine/request.h"

/* request.header or request.link is set; its arguments are the objects of -G. 0 or -errno, told. */
int usdtfile(struct request *c);
#endif
