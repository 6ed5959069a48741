/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses programs that compile but must not run: no probe matched, a destructive action without -w, buffers that
 * are too small. */
#ifndef DWELL_ENGINE_RUN_REFUSE_H
#define DWELL_ENGINE_RUN_REFUSE_H
#include "engine/front/compile.h"

/* Whether the program has destructive actions, and -w is not given. */
bool is_forbidden(const struct request *c, const struct compile_session *w);
/* Tells it. -EPERM. */
int refuse_destructive(const struct request *c, const struct compile_session *w);
/* Whether the compiled program may run: 0, or -errno, told. */
int refuse_run(const struct request *c, const struct compile_session *w);
#endif
