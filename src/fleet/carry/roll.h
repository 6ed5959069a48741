/* SPDX-License-Identifier: Apache-2.0 */
/* Adds seconds up to minutes, minutes to ten minutes, and ten minutes to hours. It runs in a thread of its own with its
 * own connection, so that rows go on being stored meanwhile. */
#ifndef DWELL_FLEET_CARRY_ROLL_H
#define DWELL_FLEET_CARRY_ROLL_H
#include "engine/listener.h"
#include "fleet/wire/click.h"

#define ROLL_LATE_S 10		/* a minute is added up so long after its end; what comes later, by a repair … */
#define ROLL_REPAIR_S 60	/* … which is not more often than this */
#define ROLL_BACK_S (2 * 3600u) /* at the start a host looks so far back */

struct roll;
/* Begins. The store's options and the listener live longer. 0 or -errno with *err. */
int roll_start(const struct click_options *store, const struct listener *to, struct roll **ret, struct err *err);
/* Rows that begin at `second` (s since 1970) or later are stored. From any thread. */
void roll_note(struct roll *r, uint64_t second);
void roll_end(struct roll *r); /* accepts NULL; waits for a statement that runs, CLICK_WAIT_S at most */
#endif
