/* SPDX-License-Identifier: Apache-2.0 */
/* SQL over a recording: its tables, and views with stable names whose columns say their units (views.c).
 *
 * Neither the file nor the SQL text is trusted. The file is opened for reading only and its own views are not used; a
 * statement may read, and nothing else: no other file, no change, no extension. Its time and memory are limited. */
#ifndef DWELL_STORE_RECSQL_H
#define DWELL_STORE_RECSQL_H
#include "base/err.h"
#include "base/strb.h"
#include "store/file/recfile.h"

#define RECSQL_MAX_TEXT (1u << 20)     /* bytes of one statement */
#define RECSQL_MAX_VALUE (64u << 20)   /* bytes of one value */
#define RECSQL_MAX_MEMORY (512u << 20) /* bytes of all that SQLite keeps; sorting goes to a temporary file */

/* Callbacks for what the store cannot put into words. Called while a statement runs. */
struct recsql_words {
	void *ctx;
	/* Appends a value of a record or key; kind of f: any. */
	void (*field)(void *ctx, struct strb *b, const struct recfield *f, const uint8_t *p);
	/* Appends what an event prints. */
	void (*event)(void *ctx, struct strb *b, const struct row *row);
	bool (*stop)(void *ctx); /* asked all the time: the statement is to end */
};

struct recsql_value {
	enum recsql_kind { RECSQL_NULL, RECSQL_INT, RECSQL_REAL, RECSQL_TEXT, RECSQL_BLOB } kind;
	int64_t i;
	double d;
	const char *p; /* TEXT (ends with a NUL as well), BLOB */
	size_t n;
};

/* Receives the results of a statement. Callbacks return 0, or -errno, which ends it and is returned. */
struct recsql_sink {
	void *ctx;
	int (*head)(void *ctx, const char *const *names, size_t n); /* before its rows */
	int (*row)(void *ctx, const struct recsql_value *v, size_t n);
	int (*end)(void *ctx); /* after them */
};

struct recsql;
/* As recread_open(). words is set before recsql_run(). */
int recsql_open(const char *path, struct recsql **ret, struct err *err);
void recsql_close(struct recsql *s);
struct recread *recsql_reader(struct recsql *s);
void recsql_set_words(struct recsql *s, const struct recsql_words *words);
/* Runs all statements of a text. err must be given. 0; what a callback returned; -EINTR: stop() said so; -EINVAL and
 * others with a message, *ret_at: where in the text. */
int recsql_run(struct recsql *s, const char *text, const struct recsql_sink *sink, size_t *ret_at, struct err *err);

struct recsql_view {
	const char *name;
	const char *columns; /* "a, b, c" */
	const char *what;
	const char *sql; /* a SELECT */
};
/* The i-th view; NULL: there are fewer. */
const struct recsql_view *recsql_view(size_t i);
#endif
