# SPDX-License-Identifier: Apache-2.0
"""Bytes of the fleet's messages (src/fleet/wire/batch.h): what a test sends as a host."""


def number(v):
    """LEB128."""
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def text(s):
    """One that was not spelled before."""
    return b"\0" + number(len(s)) + s
