# SPDX-License-Identifier: Apache-2.0
"""Blocks of recordings of `dwell rec` (src/replay/trace): a head of four numbers, then packed events, or events as they are."""
import struct
import zlib

HEAD = 16
STORED = 0x77617264  # the mark of a block that is not packed


def unpacked(data, at):
    """The events of the block at this place, and the place of the next one."""
    mark, _, size, _ = struct.unpack_from("<4I", data, at)
    body = data[at + HEAD : at + HEAD + size]
    return body if mark == STORED else zlib.decompress(body), at + HEAD + size
