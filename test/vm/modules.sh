#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A kernel module comes, is used, and goes: twice. With time between, in which dwell finds its functions. Where the kernel keeps a module that
# is traced, it does not go.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/dwell-vm
case $(uname -m) in aarch64) cache=$cache/arm64 ;; esac
module=$(find "$cache/k/$(uname -r)" -name 'dummy.ko*')
attached() {
	find /proc/[0-9]*/fd -lname "anon_inode:bpf_link" -o -lname "anon_inode:\[perf_event\]" 2>/dev/null | wc -l
}
used() {
	before=$(attached)
	insmod "$module" numdummies=0
	# Until dwell has attached all that it will.
	last=$before i=0
	while [ $i -lt 120 ] && { [ "$last" -le "$before" ] || [ "$(attached)" -ne "$last" ]; }; do
		last=$(attached)
		sleep 0.5
		i=$((i + 1))
	done
	ip link add dwell0 type dummy
	ip link del dwell0
	if rmmod dummy 2>/dev/null; then echo "it went"; else echo "it is held"; fi
}
used
[ -d /sys/module/dummy ] || used
