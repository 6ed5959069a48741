/* SPDX-License-Identifier: Apache-2.0 */
/* D source texts and byte spans in them. Line numbers are computed when a message is printed. */
#ifndef DWELL_BASE_SOURCE_H
#define DWELL_BASE_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One D text: a file (-s), a program from the command line (-n …) or a D library. Not owned. */
struct source {
	const char *name; /* "script.d", "BEGIN{…}" as DTrace names it in messages; never NULL */
	const char *text; /* NUL-terminated after len bytes */
	size_t len;
	bool is_file; /* name is that of a file */
};

struct span {
	const struct source *src; /* NULL: no position */
	uint32_t off, len;
	uint32_t read_to; /* DTrace reads to here before it knows that this has ended: messages name that line; 0: no
			     further */
};

struct position {
	/* As changed by "# line file" directives of cpp: file_len bytes, without a NUL then
	 * (print it with %.*s); the very pointer src->name when no directive was met. */
	const char *file;
	size_t file_len;
	uint32_t line; /* 1-based, as changed by line directives */
	uint32_t col;  /* 1-based, in bytes */
	const char *line_text;
	size_t line_len;
};

/* The position of byte off. Understands cpp's "# 12 \"file\"" and "#line 12" directives. */
struct position source_position(const struct source *src, uint32_t off);
/* The smallest span covering both; they must be of one source, else a is returned. */
struct span span_join(struct span a, struct span b);
#endif
