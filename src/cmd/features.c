/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell features`: prints what this kernel can do, what it cannot, and why. */
#include <string.h>
#include <sys/utsname.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "load/probe_caps.h"

static void print_row(const struct caps_row *row, const char **group)
{
	if (!*group || strcmp(*group, row->group)) {
		printf("%s%s\n", *group ? "\n" : "", row->group);
		*group = row->group;
	}
	printf("  %-3s  %-28s", row->available ? "yes" : "no", row->feature);
	if (row->reason && row->reason[0])
		printf(" %s", row->reason);
	printf("\n");
	if (!row->available && row->instead && row->instead[0])
		printf("  %-3s  %-28s -> %s\n", "", "", row->instead);
}

static void usage(const struct command *self, FILE *out)
{
	(void)self;
	fprintf(out, "Usage: %s features\n\n\twhat this kernel can do, what not, and why\n", cmd_name());
}

static int features(int argc, char **argv)
{
	struct typesrc *ts = NULL;
	struct arena *a;
	struct caps_row *rows;
	const char *group = NULL;
	struct utsname u;
	size_t n;
	int r;

	if (argc > 1) {
		bool asked = argc == 2 && cmd_wants_help(argc, argv);

		usage(NULL, asked ? stdout : stderr);
		return asked ? 0 : EXIT_USAGE;
	}
	a = arena_new(ARENA_DEFAULT_LIMIT);
	typesrc_open_kernel(&ts, NULL);
	if (uname(&u) == 0)
		printf("%s %s, %s\n\n", u.sysname, u.release, u.machine);
	r = caps_report(ts, a, &rows, &n);
	if (r < 0)
		r = cmd_fail("failed to probe the kernel: %s", strerror(-r));
	for (size_t i = 0; r == 0 && i < n; i++)
		print_row(&rows[i], &group);
	typesrc_free(ts);
	arena_free(a);
	return r;
}

const struct command cmd_features = { "features", "what this kernel can do, what not, and why", features,
				      .usage = usage };
