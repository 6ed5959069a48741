# SPDX-License-Identifier: Apache-2.0
"""Drives Chromium over its debugging pipe, with nothing but Python's own library, and reads the pictures it makes."""
import base64
import itertools
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
TIMEOUT = 60.0
KEYS = {"Escape": 27, "Enter": 13, "Backspace": 8, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """with Browser() as b: b.open("file:///…"); b.eval("1 + 1"); b.click(x, y); b.key("Enter"); b.screenshot()"""

    def __init__(self, width=1280, height=900, dark=False):
        self.width, self.height, self.dark = width, height, dark
        self.ids = itertools.count(1)
        self.errors = []

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="dwell-browser-")
        to_child, self.write = os.pipe()
        self.read, from_child = os.pipe()

        def fds():  # the debugging pipe is 3 and 4
            a, b = os.dup(to_child), os.dup(from_child)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-dev-shm-usage",
                "--force-color-profile=srgb",
                "--remote-debugging-pipe",
                f"--user-data-dir={self.home}",
                f"--window-size={self.width},{self.height}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=fds,
        )
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(domain + ".enable")
        self.look(self.width, self.dark)
        return self

    def look(self, width, dark):
        """The page as it is, in a window of that width and these colours."""
        self.width, self.dark = width, dark
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=self.width,
            height=self.height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if self.dark else "light"}],
        )

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.read, 1 << 20)
            if not more:
                raise RuntimeError("the browser is gone")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        number = next(self.ids)
        msg = {"id": number, "method": method, "params": params}
        if self.session:
            msg["sessionId"] = self.session
        os.write(self.write, json.dumps(msg).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("method") == "Runtime.exceptionThrown":
                self.errors.append(m["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if m.get("method") == "Network.requestWillBeSent" and not m["params"]["request"]["url"].startswith(
                ("file:", "about:")
            ):
                self.errors.append("asks for " + m["params"]["request"]["url"][:80])
            if m.get("id") == number:
                if "error" in m:
                    raise RuntimeError(f"{method}: {m['error']}")
                return m["result"]

    def eval(self, expression):
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", expression))
        return r["result"].get("value")

    def open(self, url, ready="document.readyState === 'complete'"):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait(ready)

    def wait(self, expression):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            try:
                if self.eval(expression):
                    # what was asked for is drawn in the next frame
                    self.eval("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
                    return
            except RuntimeError:
                pass
            time.sleep(0.02)
        raise RuntimeError("not in time: " + expression)

    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("not in time")
            time.sleep(0.05)

    def settle(self):
        self.eval("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def mouse(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse(x, y)
        self.mouse(x, y, "mousePressed", button="left", clickCount=1)
        self.mouse(x, y, "mouseReleased", button="left", clickCount=1)
        self.settle()

    def drop(self, paths, x=600, y=400, leave=False):
        """Files dragged from elsewhere and dropped, as a user does; leave: taken away again."""
        data = {"items": [], "files": paths, "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "dragCancel" if leave else "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)
            self.settle()

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                windowsVirtualKeyCode=KEYS.get(key, ord(key[0])),
                **(text if kind == "keyDown" else {}),
            )
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as f:
                f.write(data)
        return Picture(data)


class Picture:
    """A PNG of 8 bits per channel, as rows of (r, g, b)."""

    def __init__(self, data):
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8 : at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, _, colour = struct.unpack_from(">IIBB", body)
                step = {2: 3, 6: 4}[colour]
            elif kind == b"IDAT":
                packed += body
            at += 12 + size
        raw, before, self.rows = zlib.decompress(packed), bytes(self.width * step), []
        for y in range(self.height):
            start = y * (self.width * step + 1)
            before = unfilter(raw[start], bytearray(raw[start + 1 : start + 1 + self.width * step]), before, step)
            self.rows.append(before)
        self.step = step

    def at(self, x, y):
        return tuple(self.rows[y][x * self.step : x * self.step + 3])

    def thumbnail(self, columns, lines):
        """Mean colours of a grid: what remains of a picture when its fonts differ."""
        w, h = self.width // columns, self.height // lines
        out = []
        for j in range(lines):
            for i in range(columns):
                sums, n = [0, 0, 0], 0
                for y in range(j * h, (j + 1) * h, 3):
                    for x in range(i * w, (i + 1) * w, 3):
                        for k, v in enumerate(self.at(x, y)):
                            sums[k] += v
                        n += 1
                out.append([round(s / n) for s in sums])
        return out


def unfilter(kind, line, before, step):
    """One line of a PNG. Source: PNG specification, section 9."""
    if kind == 2:
        return bytes((a + b) & 255 for a, b in zip(line, before))
    for i in range(len(line)):
        a = line[i - step] if i >= step else 0
        b, c = before[i], before[i - step] if i >= step else 0
        if kind == 1:
            line[i] = (line[i] + a) & 255
        elif kind == 3:
            line[i] = (line[i] + (a + b) // 2) & 255
        elif kind == 4:
            p = a + b - c
            pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
            line[i] = (line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
    return bytes(line)


def distance(a, b):
    """Mean difference of two thumbnails, 0 … 255."""
    return sum(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)) / (3 * len(a))
