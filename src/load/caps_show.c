/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a table of features by group, with reasons and replacements, and the same as JSON. */
#include "load/caps_show.h"
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include "base/columns.h"
#include "base/jsonw.h"

#define FEATURE 28			 /* columns */
#define INDENT (2 + 3 + 2 + FEATURE + 1) /* of reasons */

static void put_row(FILE *out, const struct caps_row *row, int columns)
{
	const char *reason = row->reason ? row->reason : "";
	int at = fprintf(out, "  %-3s  %-*s", row->available ? "yes" : "no", reason[0] ? FEATURE : 0, row->feature);

	columns_wrap(out, reason, reason[0] ? at + fprintf(out, " ") : at, INDENT, columns);
	if (row->available || !row->instead || !row->instead[0])
		return;
	fprintf(out, "%*s-> ", INDENT, "");
	columns_wrap(out, row->instead, INDENT + 3, INDENT + 3, columns);
}

void caps_show(FILE *out, const struct caps_row *rows, size_t n, int columns)
{
	const char *group = NULL;
	struct utsname u;

	if (uname(&u) == 0)
		fprintf(out, "%s %s, %s\n\n", u.sysname, u.release, u.machine);
	for (size_t i = 0; i < n; i++) {
		if (!group || strcmp(group, rows[i].group) != 0)
			fprintf(out, "%s%s\n", group ? "\n" : "", rows[i].group);
		group = rows[i].group;
		put_row(out, &rows[i], columns);
	}
}

int caps_show_json(FILE *out, const struct caps_row *rows, size_t n)
{
	struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);
	struct utsname u;
	int e;

	if (uname(&u) == 0) {
		jsonw_object(&j, NULL);
		jsonw_str(&j, "type", "kernel");
		jsonw_str(&j, "system", u.sysname);
		jsonw_str(&j, "release", u.release);
		jsonw_str(&j, "machine", u.machine);
		jsonw_end_object(&j);
		jsonw_line(&j);
	}
	for (size_t i = 0; i < n; i++) {
		jsonw_object(&j, NULL);
		jsonw_str(&j, "type", "feature");
		jsonw_str(&j, "group", rows[i].group);
		jsonw_str(&j, "feature", rows[i].feature);
		jsonw_bool(&j, "available", rows[i].available);
		jsonw_str(&j, "reason", rows[i].reason ? rows[i].reason : "");
		jsonw_str(&j, "instead", rows[i].instead ? rows[i].instead : "");
		jsonw_end_object(&j);
		jsonw_line(&j);
	}
	e = b.failed ? -ENOMEM : fputs(strb_str(&b), out) < 0 ? -errno : 0;
	strb_free(&b);
	return e;
}
