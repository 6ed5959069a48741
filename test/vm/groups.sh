#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes calls in the group of a container, below a slice. $1: where the programs of test/trigger are.
set -e
id=0123456789abcdef
group=/sys/fs/cgroup/dwell.slice/docker-$id$id$id$id.scope
mkdir -p $group
echo $$ >$group/cgroup.procs
exec "$1/trigger" getppid 100
