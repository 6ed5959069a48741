#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A system call that takes a while: flock(3, LOCK_EX) on a file that another process has locked.
file=/tmp/slow-calls
flock $file sleep 0.5 &
sleep 0.1
flock $file true
wait
