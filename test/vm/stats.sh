#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Asks the dwell that runs this for its probes' firings while a program writes; $1: the folder of trigger.
/proc/$PPID/exe -l --stats --for 4s -p $PPID >/tmp/stats.out 2>&1 &
sleep 2
"$1"/trigger writes 7 7 7 >/dev/null
wait
cat /tmp/stats.out
