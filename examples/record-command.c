/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command, records each system call of it that fails, and prints the recording: what `dwell report` does.
 *
 *     cc -o record-command record-command.c $(pkg-config --cflags --libs libdwell)
 *     ./record-command FILE COMMAND [ARGUMENT]...
 *     ./record-command FILE                       prints a recording that is there; needs no rights */
#include <dwell.h>
#include <stdio.h>
#include <stdlib.h>

static const char program[] = "syscall:::return /pid == $target && errno != 0/ { trace(probefunc); trace(errno); }\n"
			      "syscall:::entry /pid == $target/ { @calls = count(); }\n";

static int fail(struct dwell *d, const struct dwell_error *e)
{
	fprintf(stderr, "%s\n", e->text);
	dwell_close(d);
	return EXIT_FAILURE;
}

static int record(const char *file, const char *const *command)
{
	const struct dwell_row *row;
	struct dwell *d = NULL;
	struct dwell_error err;
	int e;

	if (dwell_open(&d, &err) || dwell_command(d, command, &err) || dwell_record(d, file, &err) ||
	    dwell_compile(d, "record-command", program, &err) || dwell_attach(d, &err))
		return fail(d, &err);
	while ((e = dwell_next(d, -1, &row, &err)) == DWELL_ROW)
		if (row->kind == DWELL_ROW_MESSAGE)
			fprintf(stderr, "%s\n", row->json);
	if (e < 0)
		return fail(d, &err);
	dwell_close(d);
	return EXIT_SUCCESS;
}

static int print(const char *file)
{
	const struct dwell_row *row;
	struct dwell *d = NULL;
	struct dwell_error err;
	int e;

	if (dwell_open(&d, &err) || dwell_read(d, file, &err))
		return fail(d, &err);
	while ((e = dwell_next(d, -1, &row, &err)) == DWELL_ROW)
		if (row->kind == DWELL_ROW_EVENT && row->nvalues == 2)
			printf("%s: errno %s\n", row->values[0].text, row->values[1].text);
		else if (row->kind == DWELL_ROW_AGGREGATION)
			printf("%s\n", row->json);
	if (e < 0)
		return fail(d, &err);
	dwell_close(d);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: record-command FILE [COMMAND [ARGUMENT]...]\n");
		return 2;
	}
	if (argc > 2 && record(argv[1], (const char *const *)argv + 2) != EXIT_SUCCESS)
		return EXIT_FAILURE;
	return print(argv[1]);
}
