/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the CPUs of this machine for recordings of everything: frequencies, cycles, instructions. */
#ifndef DWELL_LIVE_MACHINE_H
#define DWELL_LIVE_MACHINE_H
#include <stddef.h>

#define LIVE_MACHINE_NAME "timeline/machine" /* of the program that tells it */
#define LIVE_MACHINE_TEXT 512		     /* bytes of its text at most */

/* The programs of the library that can run here, in ret: "timeline/cycles timeline/instructions"; "": none. text: a D
 * program that puts into the recording which there are, and why others are not there. */
void live_machine(char *ret, size_t size, char text[LIVE_MACHINE_TEXT]);
#endif
