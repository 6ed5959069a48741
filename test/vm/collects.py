#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Five collections of garbage: static probes of Debian's Python (python:::gc-start), with semaphores."""
import gc

for _ in range(5):
    gc.collect()
