#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program writes while the return of the same function is traced, by a session that began later; $1: the folder of trigger.
/proc/$PPID/exe -q -n 'fbt::vfs_write:return { @ = count(); } tick-8s { exit(0); }' >/dev/null 2>&1 &
session=$!
sleep 4
"$1"/trigger writes 7 >/dev/null
kill -INT "$session"
wait
