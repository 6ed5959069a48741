/* SPDX-License-Identifier: Apache-2.0 */
/* Hands messages, lines of JSON, to a webhook (POST) and to a program (on its standard input; no shell). A message that
 * fails is sent again after growing pauses, and given up in the end. Each step has a time limit. */
#ifndef DWELL_FLEET_ASK_NOTIFY_H
#define DWELL_FLEET_ASK_NOTIFY_H
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/units.h"
#include "engine/listener.h"

#define NOTIFY_WAIT_S 10		   /* for an answer; for the program's end, then it is killed */
#define NOTIFY_TRIES 8u			   /* then a message is given up: after 4 minutes */
#define NOTIFY_RETRY_NS (2 * NSEC_PER_SEC) /* the first pause; each further one is twice as long */
#define NOTIFY_QUEUE_MAX 1000u		   /* messages that wait; more are given up */

struct notify;
/* webhook: an address, or "@FILE" with one in its first line, since addresses have secrets; or NULL. program: or NULL.
 * 0, or -errno with *err. */
int notify_open(const char *webhook, const char *program, struct notify **ret, struct err *err);
/* Adds a message: n bytes. */
void notify_add(struct notify *x, const char *text, size_t n, const struct listener *to);
/* Sends what is due at `now` (CLOCK_MONOTONIC ns). How many wait still. */
size_t notify_turn(struct notify *x, uint64_t now, const struct listener *to);
/* Forgets what waits; accepts NULL. */
void notify_free(struct notify *x);
#endif
