#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# The guest's first process (see vm-run): mounts what a tracer needs, runs /cmd with its output on
# one serial line, writes its exit status to the next, and stops the machine.
/bin/busybox mkdir -p /proc /sys /dev /r /run /tmp /bin
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr

# On arm64 the console is a line of another kind.
case $(uname -m) in
aarch64) out=ttyS0 status=ttyS1 ;;
*) out=ttyS1 status=ttyS2 ;;
esac

# arm64: a root of its own (vmr= of the command line); those of the host's folders that it has not are the host's.
mount_other_root() {
	local d vmr
	vmr=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^vmr=//p')
	[ -n "$vmr" ] || return 0
	mkdir /h
	mount --move /r /h
	mount -t tmpfs tmpfs /r
	for d in /h"$vmr"/*; do
		d=${d##*/}
		if [ -L "/h$vmr/$d" ]; then
			cp -P "/h$vmr/$d" "/r/$d"
		else
			mkdir "/r/$d"
		fi
	done
	for d in usr etc var tmp; do
		mount -o bind "/h$vmr/$d" "/r/$d"
	done
	mount -o bind /h/tmp /r/tmp
	mount -o bind /h/root /r/root
	for d in /h/*; do
		d=${d##*/}
		if [ -d "/h/$d" ] && [ ! -e "/r/$d" ]; then
			mkdir "/r/$d"
			mount -o bind "/h/$d" "/r/$d"
		fi
	done
}

root=
if grep -q vmp=virtiofs /proc/cmdline; then
	root=/r
	# Modules that are built in are not in the list.
	for m in $(cat /modules); do
		insmod "/mod/$m"
	done
	mount -t virtiofs -o ro host /r || echo "vm-run: no root file system from the host"
	mount_other_root
	mount -t proc proc /r/proc
	mount -t sysfs sysfs /r/sys
	mount --move /dev /r/dev
	# What is left of /dev is an empty folder; the serial lines are reached through it.
	ln -s /r/dev/* /dev/
	# The host's content of these is hidden, and they can be written.
	mkdir -p /r/dev/shm
	mount -t tmpfs tmpfs /r/run
	mount -t tmpfs tmpfs /r/dev/shm
	mount -t tmpfs tmpfs /r/var/tmp
	# /tmp can be written, and shows those of the host's folders (read-only) that the command names: a build may be there.
	mkdir /tmp/host
	mount -o bind /r/tmp /tmp/host
	mount -t tmpfs -o mode=1777 tmpfs /r/tmp
	for d in $(grep -o '/tmp/[^/ ]*' /cmd | tr -d "'\"" | sort -u); do
		d=${d#/tmp/}
		if [ -d "/tmp/host/$d" ] && [ ! -e "/r/tmp/$d" ]; then
			mkdir "/r/tmp/$d"
			mount -o bind "/tmp/host/$d" "/r/tmp/$d"
		fi
	done
fi
mkdir -p $root/dev/pts
mount -t devpts devpts $root/dev/pts
mount -t tracefs tracefs $root/sys/kernel/tracing
mount -t debugfs debugfs $root/sys/kernel/debug
mount -t bpf bpf $root/sys/fs/bpf
mount -t securityfs securityfs $root/sys/kernel/security
mount -t cgroup2 cgroup2 $root/sys/fs/cgroup
ifconfig lo 127.0.0.1

# -i of vm-run: the command is a service of systemd, which is the first process from now on.
if grep -q vmi=systemd /proc/cmdline; then
	cp /cmd /r/run/vm-run.cmd
	mkdir -p /r/run/systemd/system
	# Nor shall there be units for what this machine has (generators).
	for d in var/lib var/log var/cache usr/lib/systemd/system-generators usr/lib/systemd/system-environment-generators; do
		mount -t tmpfs -o mode=755 tmpfs "/r/$d"
	done
	cat >/r/run/vm-run.sh <<-'E'
		stty raw -echo -opost </dev/ttyS1
		/bin/bash /run/vm-run.cmd >/dev/ttyS1 2>&1 </dev/null
		echo $? >/dev/ttyS2
		: >/dev/ttyS1
		printf '\1' | busybox dd of=/dev/port bs=1 seek=244 count=1 2>/dev/null
		systemctl poweroff --force --force
	E
	cat >/r/run/systemd/system/vm-run.service <<-'E'
		[Unit]
		DefaultDependencies=no
		Requires=systemd-journald.service
		After=systemd-journald.service
		[Service]
		Type=oneshot
		TimeoutStartSec=infinity
		ExecStart=/bin/sh /run/vm-run.sh
	E
	exec switch_root /r /lib/systemd/systemd --unit=vm-run.service --show-status=no
fi

stty raw -echo -opost </dev/$out
if [ -n "$root" ]; then
	chroot /r /bin/bash /dev/stdin </cmd >/dev/$out 2>&1
else
	sh /cmd >/dev/$out 2>&1 </dev/null
fi
echo $? >/dev/$status
# Closing the line waits until all of it has been sent.
: >/dev/$out
[ "$out" = ttyS0 ] || printf '\1' | dd of=/dev/port bs=1 seek=244 count=1 2>/dev/null
poweroff -f
