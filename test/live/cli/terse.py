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
    # The line that ends a run goes where freopen() has sent the output.
    program = 'BEGIN { printf("a\\n"); freopen("x.out"); printf("b\\n"); exit(0); }'
    done = subprocess.run([dtrace, "-wqn", program], capture_output=True, text=True, check=False, cwd=folder)
    if (done.stdout, (pathlib.Path(folder) / "x.out").read_text()) != ("a\n", "b\n\n"):
        sys.exit(f"{done.stdout!r} {(pathlib.Path(folder) / 'x.out').read_text()!r}")
