# SPDX-License-Identifier: Apache-2.0
"""What tests of single pages share: those that dwell flame, heat, hist and timeline write."""
from browser import Browser
from tap import check

READY = "window.dwell !== undefined"


def state(b):
    return b.eval("window.dwell.state()")


def narrow(url):
    """The page in a narrow window, light and dark."""
    for dark in (False, True):
        with Browser(400, 700, dark) as b:
            b.open(url, READY)
            check(
                not b.eval("document.documentElement.scrollWidth > innerWidth"),
                f"400 px, {'dark' if dark else 'light'}: nothing is wider",
            )
            check(
                sum(b.screenshot().at(2, 2)) < 120 if dark else sum(b.screenshot().at(2, 2)) > 700,
                "the ground follows the reader",
            )
