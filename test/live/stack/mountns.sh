#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# A process in another mount namespace whose file nobody else sees.
. "$LIVE/lib.sh"
cat >"$WORK/inside" <<END
#!/bin/sh
mount -t tmpfs none /mnt || exit 77
cp $TRIGGER /mnt/hidden || exit 77
/mnt/hidden chain 1 1500
END
chmod +x "$WORK/inside"
unshare -m mount -t tmpfs none /mnt || skip "no mount namespaces here"
exits 0 "$DWELL" -q -n 'syscall::getppid:entry /execname == "hidden"/ { ustack(3); }' -c "unshare -m $WORK/inside"
has "$WORK/out" 'hidden`chain_c'
