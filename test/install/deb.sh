#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian package from the files of git; lintian must find no error. Installs it in a fresh Debian 12, runs it there
# on this kernel, and purges it: no file of it may stay. Then makes a container image of it, which runs if runc is there.
# Needs root, debootstrap, debhelper, lintian and Debian's mirror; a minute or two. usage: deb.sh SOURCE
set -euo pipefail
source_dir=$(realpath "$1")
for c in debootstrap dh lintian dpkg-buildpackage; do
	command -v "$c" >/dev/null || { echo "$c is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "needs root (chroot, mounts)"; exit 77; }
work=$(mktemp -d /var/tmp/dwell-deb.XXXXXX)
chroot=$work/root

clean_up() {
	trap '' INT TERM HUP
	for d in proc sys; do
		! mountpoint -q "$chroot/$d" || umount -l "$chroot/$d" || true
	done
	# Nothing of this machine may be below the folder when it is removed.
	grep -q " $work/" /proc/self/mounts || rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
	echo "not ok: $*"
	exit 1
}

in_chroot() {
	chroot "$chroot" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

files() {
	(cd "$chroot" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./var/cache -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o \
		-path ./var/log -o -path ./tmp \) -prune -o -print | sort)
}

mkdir "$work/dwell"
git -C "$source_dir" ls-files -z | (cd "$source_dir" && xargs -0 tar c --ignore-failed-read) | tar x -C "$work/dwell"
(cd "$work/dwell" && dpkg-buildpackage -b -us -uc) >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the package does not build"; }
lintian --allow-root --fail-on error "$work"/*.changes || fail "lintian"

# shellcheck disable=SC2016 # apt's own variables
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(REPO_URI) $(CODENAME)' |
	awk '$1 == "Packages" && $2 == "Debian" && $4 == "bookworm" && !n++ { print $3 }')
debootstrap --variant=minbase bookworm "$chroot" "$mirror" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 77; }
for f in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy* /etc/resolv.conf /etc/hosts; do
	[ ! -f "$f" ] || cp -L "$f" "$chroot$f"
done
for d in proc sys; do
	mount --rbind "/$d" "$chroot/$d"
	mount --make-rslave "$chroot/$d"
done
cp "$work"/dwell_*.deb "$chroot/tmp/"
in_chroot apt-get install -y --no-install-recommends man-db >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 77; }
# The package's own dependencies first, so that purging dwell alone must bring back what is here now.
in_chroot sh -c 'apt-get install -y --no-install-recommends /tmp/dwell_*.deb && dpkg -P dwell' >"$work/log" 2>&1 ||
	{ tail -n 20 "$work/log"; fail "cannot be installed and purged"; }
files >"$work/before"

in_chroot sh -c 'dpkg -i /tmp/dwell_*.deb' >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "cannot be installed"; }
out=$(in_chroot dwell -qn 'BEGIN { printf("it %s\n", "runs"); exit(0); }') || fail "it does not run"
[ "$out" = "it runs" ] || fail "it prints $out"
in_chroot dtrace -V | grep '^dtrace: ' >/dev/null || fail "no dtrace: $(in_chroot dtrace -V)"
out=$(in_chroot dwell -x javaagent -l -n 'java1:::' 2>&1) || true
[ "${out#*process 1 is no JVM}" != "$out" ] || fail "no provider java: $out"
in_chroot dwell run opensnoop --help | grep '^Usage: ' >/dev/null || fail "no tools"
in_chroot man -P cat dwell-latency | grep TRACKER >/dev/null || fail "no manual page"
in_chroot test -f /usr/share/doc/dwell/copyright || fail "no copyright"
in_chroot test -f /usr/share/bash-completion/completions/dwell || fail "no completion"
! in_chroot test -e /etc/systemd/system/multi-user.target.wants/dwell-latency.service || fail "the daemon is enabled"

# What is linked with the library: compiled here against the packages' files, run there.
cp "$work"/libdwell1_*.deb "$work"/libdwell-dev_*.deb "$work"/python3-dwell_*.deb "$chroot/tmp/"
in_chroot sh -c 'dpkg -i /tmp/libdwell1_*.deb /tmp/libdwell-dev_*.deb' >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "libdwell cannot be installed"; }
pc=$(echo "$chroot"/usr/lib/*/pkgconfig)
for e in count-syscalls record-command; do
	# shellcheck disable=SC2046 # the words of pkg-config
	gcc -Wall -Werror -o "$chroot/tmp/$e" "$chroot/usr/share/doc/libdwell-dev/examples/$e.c" \
		$(PKG_CONFIG_LIBDIR=$pc PKG_CONFIG_SYSROOT_DIR=$chroot pkg-config --cflags --libs libdwell) || fail "$e cannot be built"
done
in_chroot /tmp/record-command /tmp/run true | grep '"calls"' >/dev/null || fail "an example with the library does not run"
in_chroot man -P cat libdwell | grep dwell_attach >/dev/null || fail "no manual page of the library"
dpkg-deb -c "$chroot"/tmp/python3-dwell_*.deb | grep /usr/lib/python3/dist-packages/dwell.py >/dev/null || fail "no module for Python"
in_chroot sh -c 'dpkg -P libdwell-dev libdwell1 && rm -f /tmp/run /tmp/record-command /tmp/count-syscalls' >"$work/log" 2>&1 || fail "libdwell cannot be purged"
in_chroot dpkg -P dwell >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "cannot be purged"; }
files >"$work/after"
diff "$work/before" "$work/after" || fail "files that stay"
if command -v umoci >/dev/null && command -v runc >/dev/null; then
	umount -l "$chroot/proc" "$chroot/sys"
	"$source_dir/tools/image" "$work"/dwell_*.deb "$work/image" "$chroot"
	umoci unpack --image "$work/image:latest" "$work/bundle" >/dev/null
	"$source_dir/test/install/bundle.py" "$work/bundle/config.json"
	out=$(runc --root "$work/runc" run -b "$work/bundle" "dwell-test-$$" 2>"$work/log") || { cat "$work/log"; fail "the image does not run"; }
	[ "$out" = "it runs" ] || fail "the image prints $out"
	echo "the image runs"
else
	echo "no image: umoci or runc is not installed"
fi
echo "ok: built, no error of lintian, installed, run, purged"
