/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell export`: recordings and stacks for other programs. */
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"

static int export(int argc, char **argv)
{
	static const struct view *const family[] = { &view_stacks, &view_trace, &view_values, &view_copy, NULL };
	static const struct viewcmd c = { .command = "export",
					  .view = &view_stacks,
					  .family = family,
					  .synopsis = "export --format FORMAT [options] FILE|-",
					  .missing = "a file is missing" };

	return viewcmd(&c, argc, argv);
}

const struct command cmd_export = { "export", "for other programs", export };
