# SPDX-License-Identifier: Apache-2.0
"""curcpu as an integer, and traced, is the number of the CPU; what is translated otherwise has no number."""
import live

for what in (
    "(int64_t)curcpu == cpu",
    "(uint8_t)curcpu == (uint8_t)curcpu->cpu_id",
    "((int64_t)curcpu >> 8) == cpu >> 8",
):
    r = live.dwell("-qn", f"BEGIN {{ trace({what}); exit(0); }}")
    live.same((r.stdout.strip(), r.returncode), ("1", 0), what)
r = live.dwell("-qn", 'BEGIN { trace(curcpu); printf(" %d", cpu); exit(0); }')
live.check(len(set(r.stdout.split())) == 1 and len(r.stdout.split()) == 2, f"trace(curcpu): {r.stdout!r} {r.stderr!r}")
for what, tag in (
    ("trace((int)curpsinfo)", "D_CAST_INVAL"),
    ("trace((int)xlate <cpuinfo_t *> (cpu))", "D_CAST_INVAL"),
    ("trace((string)curcpu)", "D_CAST_INVAL"),
    ("trace(curlwpsinfo)", "D_TRACE_DYN"),
):
    r = live.dwell("-xerrtags", "-qn", f"BEGIN {{ {what}; exit(0); }}")
    live.check(r.returncode == 1 and f"[{tag}]" in r.stderr, f"{what}: {r.stderr!r}")

# A variable keeps which CPU it was, also one that another CPU reads; one that keeps none has no members.
for var in ("c", "self->c", "this->c", "a[1]"):
    r = live.dwell(
        "-qn",
        f"cpuinfo_t *c; this cpuinfo_t *c; BEGIN {{ {var} = curcpu; trace({var}->cpu_id == cpu && {var}->cpu_chip == curcpu->cpu_chip "
        f"&& {var} != NULL && {var}->cpu_info.pi_state == P_ONLINE); exit(0); }}",
    )
    live.same((r.stdout.strip(), r.returncode), ("1", 0), f"{var} = curcpu: {r.stderr}")
r = live.dwell("-qn", "cpuinfo_t *c; BEGIN { trace(c->cpu_id); } BEGIN { trace(c == NULL); exit(0); }")
live.check(r.stdout.strip() == "1" and "invalid address (0x0)" in r.stderr, "nothing kept", r.stdout + r.stderr)
live.done()
