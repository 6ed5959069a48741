/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that are on no stack: async functions that wait for a frame's function; the exception that is being thrown.
 * Inside of core/. */
#ifndef DWELL_CORE_JSCMD_ASYNC_H
#define DWELL_CORE_JSCMD_ASYNC_H
#include "core/js/js.h"
#include "core/shell.h"

#define JSASYNC_MAX_STACK (1u << 20) /* bytes of a stack that are looked through */

/* Says who waits for the function of a frame of an async function, up to the one that nobody awaits: where each waits.
 * from, to: where the frame's variables are on the stack. Says nothing for other frames. */
int js_say_async(struct shell *s, const struct js *js, pid_t tid, uint64_t function, uint64_t from, uint64_t to);
/* Says what the stack's innermost native frames throw, if they do. frames: of the thread; to: the frame pointer of the
 * first frame of JavaScript. */
int js_say_exception(struct shell *s, const struct js *js, pid_t tid, const core_frames *frames, uint64_t to);
#endif
