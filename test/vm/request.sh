#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A request that takes a while, marked as any program can.
echo dwell+one >/dev/null
sleep 0.2
echo dwell-one >/dev/null
