# SPDX-License-Identifier: Apache-2.0
"""Blocks of recordings of `dwell rec` (src/replay/trace): a head of four numbers, then packed events, or events as they are."""
import ctypes
import struct
import zlib

HEAD = 16
STORED = 0x77617264  # the mark of a block that is not packed
ZSTD = 0x74737A64  # of one that zstd has packed; zlib has all others


def unpacked(data, at):
    """The events of the block at this place, and the place of the next one."""
    mark, raw, size, _ = struct.unpack_from("<4I", data, at)
    body = data[at + HEAD : at + HEAD + size]
    if mark == ZSTD:
        out, lib = ctypes.create_string_buffer(raw), ctypes.CDLL("libzstd.so.1")
        lib.ZSTD_decompress.restype = ctypes.c_size_t
        n = lib.ZSTD_decompress(out, ctypes.c_size_t(raw), body, ctypes.c_size_t(size))
        return out.raw[:n], at + HEAD + size
    return body if mark == STORED else zlib.decompress(body), at + HEAD + size


def damage(path, cut, bad):
    """Writes two copies of a trace: one that is cut off, one with zeros within."""
    with open(path, "rb") as f:
        data = f.read()
    with open(cut, "wb") as f:
        f.write(data[: len(data) * 9 // 10])
    with open(bad, "wb") as f:
        f.write(data[: len(data) // 2] + bytes(1000) + data[len(data) // 2 + 1000 :])
