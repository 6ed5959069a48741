# SPDX-License-Identifier: Apache-2.0
# Under the name dtrace, and not to a terminal, a message is whole, with all its lines and without the source line.
import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    dtrace = pathlib.Path(folder) / "dtrace"
    dtrace.symlink_to(os.path.realpath(os.environ["DWELL"]))
    script = pathlib.Path(folder) / "x.d"
    script.write_text('extern e;\nextern int a[];\nBEGIN\n{\n\tprogenyof("x");\n}\n')
    done = subprocess.run([dtrace, "-s", script], capture_output=True, text=True, check=False)
    want = "line 5: progenyof( ) argument #1 is incompatible with prototype:\n\tprototype: pid_t\n\t argument: string\n"
    if done.returncode != 1 or not done.stderr.endswith(want):
        sys.exit(f"{done.returncode}: {done.stderr}")
    done = subprocess.run([dtrace, "-n", "BEGIN\n{ trace(nosuch); }"], capture_output=True, text=True, check=False)
    if not done.stderr.endswith("failed to resolve nosuch: Unknown variable name\n"):
        sys.exit(done.stderr)
    done = subprocess.run([dtrace, "-lvn", "syscall::read:entry"], capture_output=True, text=True, check=False)
    if "args[1]: userland char *\n" not in done.stdout:  # dwell itself adds the name
        sys.exit(done.stdout)
    # A command stands before its main(), as in DTrace; dwell itself lets it begin at its exec.
    program = 'syscall::openat:entry /pid == $target/ { n++; } END { printf("%d", n != 0); }'
    for name, opened in ((dtrace, "0"), (os.environ["DWELL"], "1")):
        done = subprocess.run([name, "-qn", program, "-c", "/bin/true"], capture_output=True, text=True, check=False)
        if done.stdout.strip() != opened:
            sys.exit(f"{name}: {done.stdout} {done.stderr}")
    done = subprocess.run(
        [dtrace, "-lvn", "lockstat:::rw-spin,lockstat:::adaptive-block"], capture_output=True, text=True, check=False
    )
    if not all(
        x in done.stdout
        for x in ("args[0]: struct mutex *\n", "args[0]: struct rwlock *\n", "args[1]: uint64_t\n", "args[2]: int\n")
    ):
        sys.exit(done.stdout)
    # The line that ends a run goes where freopen() has sent the output.
    program = 'BEGIN { printf("a\\n"); freopen("x.out"); printf("b\\n"); exit(0); }'
    done = subprocess.run([dtrace, "-wqn", program], capture_output=True, text=True, check=False, cwd=folder)
    if (done.stdout, (pathlib.Path(folder) / "x.out").read_text()) != ("a\n", "b\n\n"):
        sys.exit(f"{done.stdout!r} {(pathlib.Path(folder) / 'x.out').read_text()!r}")
