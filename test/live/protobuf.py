# SPDX-License-Identifier: Apache-2.0
"""Reads protocol buffers, as far as profiles of pprof and traces of Perfetto need it. Source: protobuf.dev, "Encoding"."""
import collections


def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        shift += 7
        at += 1
        if b[at - 1] < 128:
            return value, at


def message(b):
    """Fields of a protobuf message: number -> list of integers or bytes."""
    at, fields = 0, collections.defaultdict(list)
    while at < len(b):
        tag, at = varint(b, at)
        if tag & 7 == 0:
            value, at = varint(b, at)
        elif tag & 7 == 1:
            value, at = int.from_bytes(b[at : at + 8], "little"), at + 8
        elif tag & 7 == 2:
            size, at = varint(b, at)
            value, at = b[at : at + size], at + size
        else:
            raise ValueError(f"wire type {tag & 7}")
        fields[tag >> 3].append(value)
    return fields


def packed(b):
    at, out = 0, []
    while at < len(b):
        value, at = varint(b, at)
        out.append(value)
    return out
