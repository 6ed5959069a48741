/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the D programs of a request to an image that can be loaded. */
#ifndef DWELL_ENGINE_FRONT_COMPILE_H
#define DWELL_ENGINE_FRONT_COMPILE_H
#include <stdio.h>
#include "base/strb.h"
#include "cg/image.h"
#include "engine/request.h"
#include "lang/dlib.h"
#include "prov/provider.h"
#include "sym/sym.h"

struct near;

/* Everything that compiling needs and running goes on to use. */
struct compile_session {
	struct caps caps;
	struct typesrc *ts;
	struct registry *reg;
	struct sym *sym;
	struct dprog *prog;
	struct image *image;
	struct cg_env cg;      /* that it was made with */
	struct unit **units;   /* as many as programs */
	struct dlib *libs;     /* in the arena; NULL: -x nolibs */
	unsigned lib_warnings; /* printed */
	bool *arg_used;	       /* script arguments that the programs use */
	bool zdefs;	       /* -Z: of all programs; their own pragmas are for each alone */
};

/* Opens types, providers and symbols. target: $target or 0. 0 or -errno, told. */
int compile_open(struct compile_session *w, struct request *c, long target);
void compile_done(struct compile_session *w);
/* -EINVAL, told, when the last script argument is not used, which DTrace refuses. */
int compile_args_used(const struct compile_session *w, const struct request *c);
/* Reads and parses all programs. 0 or -errno, told; LISTENER_WRONG: parameters, see params_check(). */
int compile_parse(struct compile_session *w, struct request *c, long target);
/* Checks them; and generates code. 0 or -errno, told. */
int compile_check(struct compile_session *w, struct request *c, long target);
int compile_image(struct compile_session *w, struct request *c, long target);
/* A diagnostic that was found when all was compiled, for programs (--json); the caller tells the user. */
void compile_report(const struct request *c, const struct diag *g);
/* Tells all of d. -EINVAL if there are errors. */
int compile_print(const struct request *c, const struct diags *d);
/* The D library, not yet read; NULL: -x nolibs. libs.c */
struct dlib *libs_open(struct request *c);
/* Prints the warnings of the libraries, each one once. */
void libs_print_warnings(struct compile_session *w, const struct request *c);
/* -v: stability of the programs, with -e of their probes as well. stability.c */
void stability_print(struct compile_session *w, struct request *c, FILE *out);
/* Prints the stability of one probe; p: the program whose pragmas count, or NULL. */
void stability_print_probe(const struct dprog *p, const struct pdesc *d, FILE *out);
/* "Argument Types" of a probe. list.c */
void list_probe_args(struct compile_session *w, struct request *c, struct dtypes *types, struct probe *p, FILE *out);
/* -l; target: $target or 0. 0 or -errno, told. */
int compile_list(struct compile_session *w, struct request *c, long target, FILE *out);

/* Reads or completes the D text of one program (runs cpp for -C). 0 or -errno, told. */
int prog_load(struct request *c, struct prog_text *p);
/* The text of a script as it is, without cpp. 0 or -errno, told. */
int prog_read(struct request *c, const struct prog_text *p, struct strb *ret);
/* The colons that -P, -m and -f add to each description of their argument; "" for other kinds. */
const char *prog_tail(enum prog_kind kind);
/* "script 'x.d'" or "description 'BEGIN'" as in messages; in the arena. */
const char *prog_label(struct request *c, const struct prog_text *p);
/* After parsing: all that were given exist, all that are needed were given. 0, or LISTENER_WRONG, told. */
int params_check(const struct request *c);
#endif
