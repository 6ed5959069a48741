# SPDX-License-Identifier: Apache-2.0
"""D programs and recordings of dwell from Python: nothing but this file and the program `dwell`.

    import dwell
    with dwell.run("syscall:::entry { @[probefunc] = count(); }", seconds=2) as rows:
        for row in rows:
            print(row)

A row is a dict: a line of `dwell --json`, see dwell(1). Rows are given as they come. The program ends when the iterator
is closed, as by Ctrl-C: END runs, and its rows still come from finish(). Errors are exceptions: ProgramError has
line, column and tag, DwellError is all else."""
import json
import os
import signal
import subprocess
import tempfile

__all__ = ["API_VERSION", "DwellError", "ProgramError", "Run", "aggregation", "recording", "run"]

API_VERSION = 1  # of this file; grows when something is added
JSON_VERSION = 1  # of the lines, which it reads
STOP_SECONDS = 30  # until a program that does not end is killed


class DwellError(Exception):
    """The program cannot be run, or ended with an error: text says why, status is its exit status."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.text, self.status = text, status


class ProgramError(DwellError):
    """The D program has an error: its first one. diagnostics are all, as dicts."""

    def __init__(self, diagnostics):
        first = next(d for d in diagnostics if d["severity"] == "error")
        super().__init__(first["message"])
        self.diagnostics, self.tag = diagnostics, first["tag"]
        self.line, self.column = first.get("line", 0), first.get("column", 0)
        self.hint = first.get("hint", "")

    def __str__(self):
        return f"{self.line}:{self.column}: [{self.tag}] {self.text}" if self.line else f"[{self.tag}] {self.text}"


class Run:
    """Rows of a command as they come. One thread uses it at a time; stop() may be called by any."""

    def __init__(self, command, text=None, timer=None):
        self.status = None  # of exit(), when it has ended
        self._stopped = False
        self._timer = timer  # the probe that ends it after `seconds`: nothing of the program's
        self._script = self._errors = None
        self._diagnostics = []
        self._errors = tempfile.TemporaryFile()
        passed = []
        if text is not None:
            self._script = tempfile.TemporaryFile()
            self._script.write(text.encode())
            self._script.flush()
            passed = [self._script.fileno()]
            command = [a.replace("{script}", f"/proc/self/fd/{passed[0]}") for a in command]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, pass_fds=passed
            )
        except OSError as e:
            self._close_files()
            raise DwellError(f"cannot run {command[0]}: {e.strerror}") from e

    def __iter__(self):
        return self

    def __next__(self):
        if self._process is None:
            raise StopIteration
        for line in self._process.stdout:
            row = json.loads(line)
            kind = row.get("type")
            if kind == "start" and row["version"] != JSON_VERSION:
                self._end()
                raise DwellError(f"lines of version {row['version']}, this file reads {JSON_VERSION}")
            if kind == "diagnostic":
                self._diagnostics.append(row)
            elif kind == "end":
                self.status = row.get("status", 0)
            elif kind != "start" and (kind != "event" or row["name"] != self._timer):
                return row
        self._finish()
        raise StopIteration

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def stop(self):
        """Asks it to end, as Ctrl-C does. What it still says comes as rows."""
        process = self._process
        if process and process.poll() is None:
            self._stopped = True
            process.send_signal(signal.SIGINT)

    def finish(self):
        """Stops it and returns the rows that were not read, those of its end among them."""
        self.stop()
        return list(self)

    def close(self):
        """Stops it and forgets what it still says."""
        if self._process is not None:
            self.stop()
            self._end()

    def _end(self):
        try:
            self._process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._process = None
        self._close_files()

    def _finish(self):
        """The output is over: an error that it ended with is raised."""
        code = self._process.wait()
        self._process.stdout.close()
        self._process = None
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        self._close_files()
        if any(d["severity"] == "error" for d in self._diagnostics):
            raise ProgramError(self._diagnostics)
        if self._stopped and code == -signal.SIGINT:
            return  # it was asked before it had begun
        if code and self.status in (None, 0):
            raise DwellError(said or f"dwell ended with {code}", code)

    def _close_files(self):
        for f in (self._script, self._errors):
            if f:
                f.close()


def run(text, arguments=(), options=None, seconds=None, pid=None, command=None, program="dwell"):
    """Runs a D text: rows as they come. arguments: $1 and further; options: those of -x, as {"bufsize": "8m"}, True for
    those without a value; seconds: how long; pid: -p; command: -c; program: which dwell."""
    timer = None if seconds is None else f"tick-{int(seconds * 1e9)}ns"
    argv = [program, "--json", "-s", "{script}"]
    for name, value in (options or {}).items():
        argv += ["-x", name if value is True else f"{name}={value}"]
    if timer:
        argv += ["-n", timer + " { exit(0); }"]
    if pid is not None:
        argv += ["-p", str(pid)]
    if command is not None:
        argv += ["-c", command]
    return Run(argv + [str(a) for a in arguments], text, timer)


def recording(path, program="dwell"):
    """Rows of a recording: what the run printed."""
    return Run([program, "report", "--json", os.fspath(path)])


def aggregation(row, name=""):
    """Of a row that shows an aggregation ("printa", "snapshot", or an event with printa()): {key: value}, the key a tuple
    of its parts (a list in it is a tuple as well). None: the row does not show it."""
    shown = [row] + [a for a in row.get("output", ()) if a.get("action") == "printa"]
    for s in shown:
        for i, a in enumerate(s.get("aggregations", ())):
            if a["name"] == name:
                return {tuple(_fixed(k) for k in r["key"]): r["values"][i] for r in s["rows"]}
    return None


def _fixed(key):
    """A part of a key as something that can be a key."""
    if isinstance(key, list):
        return tuple(_fixed(k) for k in key)
    return json.dumps(key) if isinstance(key, dict) else key
