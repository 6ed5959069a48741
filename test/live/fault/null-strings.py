# SPDX-License-Identifier: Apache-2.0
"""NULL as a constant where a string is wanted: an error of the clause when it is read, as in DTrace, and no error of the program;
strtok(NULL, ...) goes on."""
import live

CALLS = [
    "strlen(NULL)",
    "strlen(0)",
    'strjoin(NULL, "a")',
    'strjoin("a", NULL)',
    'index(NULL, "a")',
    'index("a", NULL)',
    'rindex(NULL, "a")',
    "substr(NULL, 1)",
    "strchr(NULL, 'a')",
    "strrchr(NULL, 'a')",
    'strstr(NULL, "a")',
    'strstr("a", NULL)',
    "basename(NULL)",
    "dirname(NULL)",
    "strtoll(NULL)",
    'strtok("a", NULL)',
    "cleanpath(NULL)",
]


def main():
    for call in CALLS:
        r = live.dwell(
            "-q",
            "-n",
            f"BEGIN {{ trace({call}); trace(\"reached\"); exit(0); }} ERROR {{ printf(\"%d\\n\", arg4); exit(3); }}",
        )
        live.check(
            r.returncode == 3 and "invalid address (0x0)" in r.stderr and r.stdout.split() == ["1"],
            call,
            r.stdout + r.stderr,
        )
    r = live.dwell(
        "-q", "-n", 'BEGIN { printf("%s", strtok("a,b", ",")); printf("%s\\n", strtok(NULL, ",")); exit(0); }'
    )
    live.check(r.returncode == 0 and r.stdout.split() == ["ab"], "strtok goes on", r.stdout + r.stderr)
    r = live.dwell("-q", "-n", "BEGIN { strlen(1); }")
    live.check(r.returncode == 1 and "incompatible with prototype" in r.stderr, "other numbers are refused", r.stderr)
    live.done()


main()
