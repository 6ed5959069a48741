#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# Tracing a storm of processes: nothing is lost, thread-locals do not leak from one to the next.
. "$LIVE/lib.sh"
exits 0 "$DWELL" -q -n 'int stale;
syscall::exit_group:entry /ppid == $target/ { stale += self->x != 0; self->x = 1; n++; }
END { printf("%d %d\n", n, stale); }' -c "$TRIGGER execs 300"
same "300 0" "$(head -1 "$WORK/out")"
