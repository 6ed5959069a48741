/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the first screen: what dwell is for, by intent, with an example each. */
#ifndef DWELL_FRONT_SCREEN_H
#define DWELL_FRONT_SCREEN_H

#define SCREEN_LINES 25 /* of a small terminal */
#define SCREEN_COLUMNS 80

/* Lines, each with its newline. */
extern const char screen_text[];
#endif
