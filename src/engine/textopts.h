/* SPDX-License-Identifier: Apache-2.0 */
/* Translates those options of D that concern the text view. */
#ifndef DWELL_ENGINE_TEXTOPTS_H
#define DWELL_ENGINE_TEXTOPTS_H
#include "lang/options.h"
#include "view/text/text.h"

/* Sets what options stand for; leaves the others (verbose …) alone. */
void textopts_fill(struct text_opts *t, const struct dopts *o);
/* Their names, NULL-terminated: what a recording keeps. */
extern const char *const textopts_names[];
/* May setopt() change it while tracing is active? */
bool textopts_dynamic(const char *name);
#endif
