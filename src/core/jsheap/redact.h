/* SPDX-License-Identifier: Apache-2.0 */
/* Says which words of a process with V8 a core without texts keeps: for core_save_process(). */
#ifndef DWELL_CORE_JS_REDACT_H
#define DWELL_CORE_JS_REDACT_H
#include "core/target/save.h"

/* A filter that js_redact_free() frees; NULL: no memory. Its plan() fails where there is no V8. */
struct save_filter *js_redact_new(void);
void js_redact_free(struct save_filter *f); /* accepts NULL */
#endif
