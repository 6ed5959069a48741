/* SPDX-License-Identifier: Apache-2.0 */
/* A tracker: the clock is read once, what is not slow costs one comparison, the slow clause is behind it. */
tracker t { threshold = 10ms; }
syscall::read:entry { begin(t); }
syscall::read:return { end(t); }
syscall::read:return { begin(t); }
latency:t::slow { trace(args[0]->delay); }
