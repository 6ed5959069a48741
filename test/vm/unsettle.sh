#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a machine goes through: CPU 1 leaves and comes back, the wall clock jumps by a year and back. With sleeps of 100 ms between.
cpu=/sys/devices/system/cpu/cpu1/online
for _ in 1 2 3; do
	[ ! -w $cpu ] || echo 0 >$cpu
	sleep 0.1
	echo "CPUs: $(grep -c ^processor /proc/cpuinfo)"
	date -s "@$(($(date +%s) + 31536000))" >/dev/null
	sleep 0.1
	date -s "@$(($(date +%s) - 31536000))" >/dev/null
	sleep 0.1
	[ ! -w $cpu ] || echo 1 >$cpu
	sleep 0.1
done
echo settled
