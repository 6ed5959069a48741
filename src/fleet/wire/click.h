/* SPDX-License-Identifier: Apache-2.0 */
/* ClickHouse over HTTP: statements, rows in, rows out. libcurl is opened when it is needed. One thread at a time.
 * Source: clickhouse.com/docs, HTTP interface and TabSeparated. */
#ifndef DWELL_FLEET_WIRE_CLICK_H
#define DWELL_FLEET_WIRE_CLICK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/strb.h"

#define CLICK_WAIT_S 60		       /* for an answer */
#define CLICK_ANSWER_MAX (1024u << 20) /* bytes */
#define CLICK_COLUMNS_MAX 64u

struct click;
struct click_options {
	const char *url;	   /* http://HOST:PORT/, or https:// */
	const char *user;	   /* or NULL */
	const char *password_file; /* its first line is the password; or NULL */
	const char *database;
};
/* 0, or -errno with *err. No request is sent yet. */
int click_open(const struct click_options *o, struct click **ret, struct err *err);
void click_close(struct click *c); /* accepts NULL */
/* From now on a request ends with -ECANCELED, about a second after ended() has become true. The server may go on with
 * its statement. */
typedef bool click_ended_fn(void *ctx);
void click_end_when(struct click *c, click_ended_fn *ended, void *ctx);
/* Runs a statement that answers nothing of interest. 0; -EIO with the server's words. */
int click_run(struct click *c, const char *sql, struct err *err);
/* "INSERT INTO … FORMAT TabSeparated" with rows made by click_put_*(). 0 or -errno: then nothing, or all of it, is
 * in. */
int click_insert(struct click *c, const char *sql, const struct strb *rows, struct err *err);
/* A SELECT: fn gets each row as texts, with escapes undone. If fn does not return 0, that ends the reading and is
 * returned. */
typedef int click_row_fn(void *ctx, char *const *columns, size_t n);
int click_select(struct click *c, const char *sql, click_row_fn *fn, void *ctx, struct err *err);
/* A SELECT with a FORMAT of its own: fn gets its bytes as they come. If fn does not return 0, that ends the reading and
 * is returned. */
typedef int click_bytes_fn(void *ctx, const void *data, size_t n);
int click_stream(struct click *c, const char *sql, click_bytes_fn *fn, void *ctx, struct err *err);

/* -- TabSeparated -- */
/* A text as a field, without the tab after it. */
void click_put_text(struct strb *b, const char *s);
void click_put_number(struct strb *b, uint64_t n); /* the same of a number */
/* The same as a quoted literal of SQL. */
void click_quote(struct strb *b, const char *s);
/* Splits a line into fields, in place, escapes undone. How many; 0: more than `max`. */
size_t click_split(char *line, char **columns, size_t max);
#endif
