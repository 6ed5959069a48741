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

# args[0] is the fileinfo_t of arg0: of the folder where an entry of one is named, else of the file.
"$DWELL" -q -s /dev/stdin -c "$TRIGGER files $WORK/d" >"$WORK/out" <<'EOF'
fsinfo:::create, fsinfo:::mkdir, fsinfo:::write
/pid == $target && args[0]->fi_fs == "ext4"/
{
	@p[probename, args[0]->fi_pathname, args[0]->fi_mount == "<none>"] = count();
	@n[probename, args[0]->fi_dirname, args[0]->fi_name == basename(args[0]->fi_pathname)] = count();
	@i[probename, ((struct inode *)arg0)->i_ino != 0 && args[1] == arg1] = count();
}
END { printa("%s %s %d\n", @p); printa("%s in %s %d\n", @n); printa("inode %s %d\n", @i); }
EOF
has "$WORK/out" "create $WORK/d 0"
has "$WORK/out" "mkdir $WORK/d 0"
has "$WORK/out" "create in $WORK 1"
has "$WORK/out" "write in $WORK/d 1"
has "$WORK/out" "inode write 1"
! grep -q "<unknown>" "$WORK/out" || die "a file without a name: $(cat "$WORK/out")"

# All bytes of large writes, which ext4 takes in pieces.
"$DWELL" -qn 'fsinfo:::write /pid == $target && args[0]->fi_name == "large"/ { @[args[0]->fi_name] = sum(arg1); } END { printa("%s %@d\n", @); }' \
	-c "dd if=/dev/zero of=$WORK/d/large bs=123457 count=50" >"$WORK/out" 2>"$WORK/err"
has "$WORK/out" "large 6172850"
