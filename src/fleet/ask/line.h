/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line of a child process that asks the store for the page. */
#ifndef DWELL_FLEET_ASK_LINE_H
#define DWELL_FLEET_ASK_LINE_H
#include "base/arena.h"
#include "base/err.h"
#include "fleet/wire/click.h"

#define ASKLINE_PASSWORD_MAX 256 /* bytes */

/* Makes the words before a question, `dwell fleet query …`, in the arena; NULL ends them. The child is nobody and
 * cannot open the file of the password. So it gets a copy in memory: the password is in no argument and no other file.
 * 0 or -errno with *err. */
int askline_make(struct arena *a, const struct click_options *store, const char *tenant, char *const **ret,
		 struct err *err);
#endif
