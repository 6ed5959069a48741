#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Computes for a second in a cgroup that may have a fifth of a CPU. $1: where the programs of test/trigger are.
set -e
root=/sys/fs/cgroup
echo +cpu >$root/cgroup.subtree_control
mkdir $root/fifth
echo 20000 100000 >$root/fifth/cpu.max
echo $$ >$root/fifth/cgroup.procs
exec "$1/truth" gaps 1000
