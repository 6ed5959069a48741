/* SPDX-License-Identifier: Apache-2.0 */
/* track.d: how events of trackers ended: args[0]->how of the probes latency:NAME::all and latency:NAME::slow. The
 * values are those of enum rec_slow_how (src/base/recfmt.h). */
inline int HOW_END = 0;	       /* end() */
inline int HOW_TIMEOUT = 1;    /* still open: the delay is the time so far */
inline int HOW_REPLACED = 2;   /* begin() of the same key */
inline int HOW_COLLECTED = 3;  /* its end was lost, or the thread is gone */
inline int HOW_CONTROL = 4;    /* end(), and kept as a sample of ordinary events */
inline int HOW_NOT_ENDED = 3;  /* a bit of HOW_TIMEOUT, HOW_REPLACED and HOW_COLLECTED: end() was not called */
