#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CPUs that come online while it runs, and on each threads that wait for one that has the CPU. $1: where the programs of test/trigger are;
# $2: a file for what they tell; then CPUs.
programs=$1
exec >"$2"
shift 2
for cpu; do
	echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
	sleep 0.2
	echo "CPU $cpu"
	"$programs/truth" fifo 100 "$cpu" 3
done
