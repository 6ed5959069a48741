# SPDX-License-Identifier: Apache-2.0
# Sixteen processes sleep at a time: more calls of one function than kernels before 6.14 follow to their returns.
i=0
while [ "$i" -lt 16 ]; do
	sleep 1 &
	i=$((i + 1))
done
wait
