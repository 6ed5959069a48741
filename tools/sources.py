# SPDX-License-Identifier: Apache-2.0
"""What the checks share: finding the project's own files, and the allow-lists."""
import fnmatch
import os

SKIP = {".git", "__pycache__", "node_modules"}


def is_build_dir(path):
    return os.path.exists(os.path.join(path, "meson-private"))


def walk(root, *tops):
    """Paths, relative to root, of all files below the folders `tops` (default: everything)."""
    for top in tops or ("",):
        for here, dirs, files in os.walk(os.path.join(root, top)):
            dirs[:] = sorted(d for d in dirs if d not in SKIP and not is_build_dir(os.path.join(here, d)))
            for name in sorted(set(files) - SKIP):  # .git is a file in a git worktree
                yield os.path.relpath(os.path.join(here, name), root)


def read_allow(path):
    """Lines "pattern  reason": a dict. A line without a reason is an error."""
    allow = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            what, _, reason = line.partition(" ")
            if not reason.strip():
                raise SystemExit(f"{path}: no reason given for {what}")
            allow[what] = reason.strip()
    return allow


def allowed(path, allow):
    return any(fnmatch.fnmatch(path, pattern) for pattern in allow)


def finish(name, errors, checked):
    """Prints the errors; the exit status. Nothing checked is an error, too."""
    for e in errors:
        print(e)
    print(f"{name}: {checked} checked, {len(errors)} wrong")
    return 1 if errors or not checked else 0
