# SPDX-License-Identifier: Apache-2.0
"""Pictures compared by what a person sees: shades and edges that differ a little are the same, a colour or a line elsewhere is not. A browser counts."""
import base64
import json
import struct
import zlib

SHADE = 40  # of 255: smaller differences of a channel are none
TILE = 24  # pixels: where something is elsewhere, much of a small square differs
TILE_MAX = 0.12  # share of the pixels of any square that may differ
ALL_MAX = 0.004  # share of all pixels that may

# A pixel differs when none of the nine around its place in the other picture is of its shade: so edges may be smoothed otherwise.
COMPARE = """(async (a, b, shade, tile) => {
    const load = async (url) => { const i = new Image(); i.src = url; await i.decode(); const c = document.createElement('canvas');
        c.width = i.width; c.height = i.height; const x = c.getContext('2d', { willReadFrequently: true }); x.drawImage(i, 0, 0); return x.getImageData(0, 0, i.width, i.height); };
    const p = await load(a), q = await load(b), w = p.width, h = p.height;
    if (w !== q.width || h !== q.height) return { size: [w, h, q.width, q.height] };
    const near = (x, y, s, t) => { for (let j = Math.max(0, y - 1); j <= Math.min(h - 1, y + 1); j++) for (let i = Math.max(0, x - 1); i <= Math.min(w - 1, x + 1); i++) {
        const k = 4 * (y * w + x), m = 4 * (j * w + i);
        if (Math.abs(s[k] - t[m]) <= shade && Math.abs(s[k + 1] - t[m + 1]) <= shade && Math.abs(s[k + 2] - t[m + 2]) <= shade) return true; } return false; };
    const columns = Math.ceil(w / tile), tiles = new Float64Array(columns * Math.ceil(h / tile)), out = new ImageData(w, h); let n = 0;
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
        const k = 4 * (y * w + x), bad = !near(x, y, p.data, q.data) || !near(x, y, q.data, p.data);
        if (bad) { n++; tiles[Math.floor(y / tile) * columns + Math.floor(x / tile)]++; }
        const grey = 200 + (p.data[k] + p.data[k + 1] + p.data[k + 2]) / 14;
        out.data.set(bad ? [220, 0, 60, 255] : [grey, grey, grey, 255], k); }
    const c = document.createElement('canvas'); c.width = w; c.height = h; c.getContext('2d').putImageData(out, 0, 0);
    const worst = Math.max(...tiles); const at = tiles.indexOf(worst);
    return { all: n / (w * h), tile: worst / (tile * tile), at: [at % columns * tile, Math.floor(at / columns) * tile], diff: n ? c.toDataURL() : '' };
})"""


def url(png):
    return "data:image/png;base64," + base64.b64encode(png).decode()


def compare(browser, reference, got, difference=None):
    """ "" when they look the same, or what differs; then the file `difference` shows it in red."""
    r = browser.eval(f"{COMPARE}({json.dumps(url(reference))}, {json.dumps(url(got))}, {SHADE}, {TILE})")
    if "size" in r:
        return "{}×{} pixels became {}×{}".format(*r["size"])
    if r["all"] <= ALL_MAX and r["tile"] <= TILE_MAX:
        return ""
    if difference:
        with open(difference, "wb") as f:
            f.write(base64.b64decode(r["diff"].split(",")[1]))
    return (
        f"{100 * r['all']:.2f} % of all pixels differ, {100 * r['tile']:.0f} % of those around {r['at'][0] + TILE // 2}, {r['at'][1] + TILE // 2}"
        + (f": see {difference}" if difference else "")
    )


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def small(picture):
    """A PNG of at most 256 colours: shades are rounded as little as that takes, and less than SHADE."""
    pixels = [[row[i : i + 3] for i in range(0, len(row), picture.step)] for row in picture.rows]
    for step in (1, 4, 8, 12, 16, 20, 24, 32):
        table = bytes(min(255, (v + step // 2) // step * step) for v in range(256))
        rows = [[p.translate(table) for p in row] for row in pixels]
        colours = sorted({p for row in rows for p in row})
        if len(colours) <= 256:
            break
    number = {c: i for i, c in enumerate(colours)}
    packed = zlib.compress(b"".join(b"\0" + bytes(number[p] for p in row) for row in rows), 9)
    head = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"PLTE", b"".join(colours))
        + chunk(b"IDAT", packed)
        + chunk(b"IEND", b"")
    )
