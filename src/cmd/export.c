/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell export`: writes recordings and stacks in the formats of other programs. */
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"

static const struct view *const family[] = { &view_stacks, &view_trace, &view_values, &view_copy, NULL };
static const struct viewcmd view = { .command = "export",
				     .view = &view_stacks,
				     .family = family,
				     .synopsis = "export --format FORMAT [options] FILE|-",
				     .missing = "a file is missing" };

const struct command cmd_export = { "export", "for other programs", .view = &view };
