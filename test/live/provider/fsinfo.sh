# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Provider fsinfo on ext4: what trigger files does in a folder.
. "$LIVE/lib.sh"

[ "$(stat -f -c %T "$WORK")" = ext2/ext3 ] || skip "not ext4"
mkdir "$WORK/d"
"$DWELL" -q -s /dev/stdin -c "$TRIGGER files $WORK/d" >"$WORK/out" <<'EOF'
fsinfo:::create, fsinfo:::fsync, fsinfo:::remove, fsinfo:::mkdir, fsinfo:::symlink
/pid == $target && ((struct inode *)arg0)->i_sb->s_magic == 0xef53/
{
	@n[probename] = count();
}
fsinfo:::write /pid == $target/ { @b[probename] = sum(arg1); }
END { printa("%s %@d\n", @n); printa("%s %@d\n", @b); }
EOF
has "$WORK/out" "create 3"
has "$WORK/out" "fsync 3"
has "$WORK/out" "remove 4"
has "$WORK/out" "mkdir 1"
has "$WORK/out" "symlink 1"
has "$WORK/out" "write 30"
