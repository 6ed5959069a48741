/* SPDX-License-Identifier: Apache-2.0 */
/* A core file made by hand: two parts of memory, one of which the file does not have, a file, two threads. */
#ifndef DWELL_TEST_CORE_MADECORE_H
#define DWELL_TEST_CORE_MADECORE_H
#include <stddef.h>
#include <stdint.h>

#define MADE_DATA 0x10000u /* 4096 bytes: 0, 1, 2 … 255, 0 … */
#define MADE_NONE 0x20000u /* 4096 bytes that the core does not have */
#define MADE_STACK 0x30000u
#define MADE_TID 77
#define MADE_FILE "/no/such/program"

struct made {
	uint8_t bytes[32768];
	size_t n, data_at; /* in the file: where MADE_DATA is */
};
void made_core(struct made *m);
#endif
