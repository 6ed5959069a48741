# SPDX-License-Identifier: Apache-2.0
"""The "BPF pc" of a D error is the number of the instruction in the listing of -S that found the fault."""
import re
import live

CASES = (
    ("BEGIN { trace(1); this->p = (int *)0; trace(*this->p); } BEGIN { exit(0); }", "call bpf_probe_read_kernel"),
    ("int z; BEGIN { trace(5 / z); } BEGIN { exit(0); }", None),
    ("string s; BEGIN { s = copyinstr(8); trace(s); } BEGIN { exit(0); }", None),
    ("BEGIN { this->i = 99; trace(uregs[this->i]); } BEGIN { exit(0); }", None),
)

for program, before in CASES:
    r = live.dwell("-qS", "-n", program)
    text = r.stdout + r.stderr
    m = re.search(r"in action #\d+ at BPF pc (\d+)", text)
    if not live.check(m, "an error: " + program, text):
        continue
    listing = dict(re.findall(r"^ *(\d+): (.*)$", text, re.M))
    insn = listing.get(m.group(1), "")
    live.check(re.match(r"if .* goto|goto", insn), "pc is a jump: " + program, f"{m.group(1)}: {insn}\n{text[:3000]}")
    to = re.search(r"goto pc\+(\d+)", insn)
    if before:
        live.check(before in listing.get(str(int(m.group(1)) - 1), ""), "… behind the read", text[:3000])
    live.check(to and int(to.group(1)) > 3, "… to the end of the clause", insn)
live.done()
