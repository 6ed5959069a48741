/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the system calls of the processes of one name, and shows each that fails.
 *
 *     cc -o count-syscalls count-syscalls.c $(pkg-config --cflags --libs libdwell)
 *     ./count-syscalls NAME SECONDS
 *     ./count-syscalls NAME SECONDS program.d     runs the D text in program.d; its $1 is NAME */
#include <dwell.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char program[] = "syscall:::entry /execname == $$1/ { @calls[probefunc] = count(); }\n"
			      "syscall:::return /execname == $$1 && errno != 0/ { trace(probefunc); trace(errno); }\n"
			      "syscall::write:return /execname == $$1/ { @sizes = quantize(arg0); }\n";

static int fail(struct dwell *d, const struct dwell_error *e)
{
	if (e->line)
		fprintf(stderr, "%u:%u: [%s] %s\n", e->line, e->column, e->tag, e->text);
	else
		fprintf(stderr, "%s\n", e->text);
	if (e->hint[0])
		fprintf(stderr, "hint: %s\n", e->hint);
	dwell_close(d);
	return EXIT_FAILURE;
}

static void print_row(const struct dwell_row *r)
{
	if (r->kind == DWELL_ROW_LOSS || r->kind == DWELL_ROW_MESSAGE)
		fprintf(stderr, "%s\n", r->json);
	if (r->kind != DWELL_ROW_EVENT)
		return;
	printf("%s:%s", r->function, r->name);
	for (size_t i = 0; i < r->nvalues; i++)
		printf(" %s", r->values[i].text);
	putchar('\n');
}

static int print_aggregation(struct dwell *d, const char *name, struct dwell_error *err)
{
	struct dwell_snapshot *s;
	int e = dwell_snapshot(d, name, &s, err);

	if (e)
		return e;
	printf("%s, by %s:\n", name, s->function);
	for (size_t i = 0; i < s->nrows; i++) {
		for (size_t k = 0; k < s->rows[i].nkeys; k++)
			printf("%s ", s->rows[i].keys[k].text);
		printf("%s\n", s->rows[i].value.text);
	}
	dwell_snapshot_free(s);
	return DWELL_OK;
}

static char *read_file(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *f = fopen(path, "re");

	if (!f || !text || !fread(text, 1, 65535, f)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	const char *name = argc > 3 ? argv[3] : "count-syscalls", *text = argc > 3 ? read_file(argv[3]) : program;
	const struct dwell_row *row;
	struct dwell *d = NULL;
	struct dwell_error err;
	time_t end;
	int e;

	if (argc < 3) {
		fprintf(stderr, "usage: count-syscalls NAME SECONDS [program.d]\n");
		return 2;
	}
	if (dwell_open(&d, &err) || dwell_argument(d, argv[1], &err) || dwell_compile(d, name, text, &err) ||
	    dwell_attach(d, &err))
		return fail(d, &err);
	fprintf(stderr, "attached\n");
	end = time(NULL) + atoi(argv[2]);
	while ((e = dwell_next(d, 100, &row, &err)) == DWELL_ROW || e == DWELL_TIMEOUT) {
		if (e == DWELL_ROW)
			print_row(row);
		if (time(NULL) >= end)
			break;
	}
	if (e < 0 || print_aggregation(d, "calls", &err) || print_aggregation(d, "sizes", &err))
		return fail(d, &err);
	dwell_close(d);
	return 0;
}
