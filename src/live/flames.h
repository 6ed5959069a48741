/* SPDX-License-Identifier: Apache-2.0 */
/* The flame graphs that `dwell flame` records itself: on the CPUs, off them, wake-ups. l->program is one of dlib/flame.
 */
#ifndef DWELL_LIVE_FLAMES_H
#define DWELL_LIVE_FLAMES_H
#include "engine/run/recnow.h"

/* As of struct viewlive: without a program, but with something else that asks for a recording, it is that on the CPUs.
 * 0. */
int live_flame_choose(struct recnow *l, bool *ret_record, struct err *err);
const char *live_flame_head(const struct recnow *l);
const char *live_flame_by(const struct recnow *l); /* in a recording of it, or of dwell record */
const char *live_flame_empty(const struct recnow *l);
#endif
