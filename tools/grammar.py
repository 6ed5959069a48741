#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Editors' grammars of D, made from the engine's own tables of words. usage: grammar.py ROOT [--check]
Writes share/editors/vim/syntax/dtrace.vim and share/editors/vscode/syntaxes/dtrace.tmLanguage.json; with --check nothing is
written, and a file that is not as it would be written is an error."""
import json
import os
import re
import sys

ROOT, CHECK = sys.argv[1], "--check" in sys.argv[2:]
VIM, VSCODE = "share/editors/vim/syntax/dtrace.vim", "share/editors/vscode/syntaxes/dtrace.tmLanguage.json"


def rows(path, pattern):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return re.findall(pattern, f.read(), re.M)


keywords = rows("src/lang/syntax/token.def", r'^KW\(\w+, "(\w+)", (\w+)\)')
builtins = rows("src/lang/builtin.def", r'^BI\(\w+, "(\w+)", (\w+),')
options = rows("src/lang/options.def", r'^OPT\(\w+, "(\w+)"')
words = {
    kind: sorted(w for w, k in builtins if k == kind and not w.startswith("_")) for kind in ("VAR", "ACT", "SUB", "AGG")
}
words["TYPE"] = sorted(w for w, k in keywords if k == "TYPE")
words["WORD"] = sorted(w for w, k in keywords if k != "TYPE")
words["OPTION"] = sorted(options)
if not all(words.values()):
    sys.exit(f"grammar.py: a table is empty: {[k for k, v in words.items() if not v]}")

GROUPS = (
    ("WORD", "Statement", "Keyword", "keyword.control.dtrace"),
    ("TYPE", "Type", "Type", "storage.type.dtrace"),
    ("VAR", "Identifier", "Variable", "variable.language.dtrace"),
    ("ACT", "Function", "Action", "support.function.action.dtrace"),
    ("SUB", "Function", "Subroutine", "support.function.dtrace"),
    ("AGG", "Special", "Aggregation", "support.function.aggregation.dtrace"),
)
TYPES = r"\b(?:u?int(?:8|16|32|64|ptr)?_t|\w+_t)\b"


def vim():
    out = [
        '" SPDX-License-Identifier: Apache-2.0',
        '" D, the language of dwell and DTrace. Made by tools/grammar.py from the tables of the compiler.',
        'if exists("b:current_syntax")',
        "\tfinish",
        "endif",
        "syn case match",
    ]
    for key, _, group, _ in GROUPS:
        out += [f"syn keyword dtrace{group} {' '.join(words[key])}"]
    out += [
        r'syn match dtraceType "\<\w\+_t\>"',
        r'syn match dtraceNumber "\<\%(0x\x\+\|\d\+\)[uUlL]*\%(ns\|us\|ms\|s\|m\|h\|d\|hz\)\=\>"',
        r'syn match dtraceMacro "\$\$\=\w\+"',
        r'syn match dtraceAggregate "@\w*"',
        r'syn match dtraceScope "\<\%(self\|this\)->\w\+"',
        r'syn match dtraceProbe "^\s*\zs\%([[:alnum:]_*?$.\-\[\]!~]*:\)\{1,3\}[[:alnum:]_*?$.\-\[\]!~]*"',
        r'syn match dtraceProbe "^\s*\zs\%(BEGIN\|END\|ERROR\)\>"',
        r'syn region dtraceString start=+"+ skip=+\\\\\|\\"+ end=+"+ contains=dtraceFormat',
        r"syn match dtraceCharacter +'\%([^\\]\|\\.\+\)'+",
        r'syn match dtraceFormat "%[-+ #0@,*.[:digit:]]*\%(hh\|h\|ll\|l\)\=[diouxXpcCsSeEfgGaAkYTP%]" contained',
        'syn region dtraceComment start="/\\*" end="\\*/" contains=@Spell',
        r'syn match dtracePragma "^\s*#.*$" contains=dtraceOption',
        f"syn keyword dtraceOption {' '.join(words['OPTION'])} contained",
    ]
    links = [(group, link) for _, link, group, _ in GROUPS] + [
        ("Number", "Number"),
        ("Macro", "PreProc"),
        ("Aggregate", "Identifier"),
        ("Scope", "Identifier"),
        ("Probe", "Title"),
        ("String", "String"),
        ("Character", "Character"),
        ("Format", "SpecialChar"),
        ("Comment", "Comment"),
        ("Pragma", "PreProc"),
        ("Option", "Constant"),
    ]
    return "\n".join(
        out + [f"hi def link dtrace{group} {link}" for group, link in links] + ['let b:current_syntax = "dtrace"', ""]
    )


def textmate():
    def match(name, pattern):
        return {"name": name, "match": pattern}

    patterns = [
        {"name": "comment.block.dtrace", "begin": r"/\*", "end": r"\*/"},
        {
            "name": "meta.preprocessor.dtrace",
            "begin": r"^\s*#",
            "end": "$",
            "patterns": [
                match("constant.language.option.dtrace", r"\b(?:" + "|".join(words["OPTION"]) + r")\b"),
                {"include": "#string"},
            ],
        },
        {"include": "#string"},
        match("entity.name.function.probe.dtrace", r"^\s*(?:[\w*?$.\-\[\]!~]*:){1,3}[\w*?$.\-\[\]!~]*"),
        match("entity.name.function.probe.dtrace", r"^\s*(?:BEGIN|END|ERROR)\b"),
        match("variable.other.aggregation.dtrace", r"@\w*"),
        match("variable.parameter.macro.dtrace", r"\$\$?\w+"),
        match("variable.other.dtrace", r"\b(?:self|this)->\w+"),
    ]
    patterns += [match(scope, r"\b(?:" + "|".join(words[key]) + r")\b") for key, _, _, scope in GROUPS]
    patterns += [
        match("storage.type.dtrace", TYPES),
        match("constant.numeric.dtrace", r"\b(?:0x[0-9a-fA-F]+|\d+)[uUlL]*(?:ns|us|ms|s|m|h|d|hz)?\b"),
    ]
    string = {
        "name": "string.quoted.double.dtrace",
        "begin": '"',
        "end": '"',
        "patterns": [
            match("constant.character.escape.dtrace", r"\\."),
            match("constant.other.placeholder.dtrace", r"%[-+ #0@,*.\d]*(?:hh|h|ll|l)?[diouxXpcCsSeEfgGaAkYTP%]"),
        ],
    }
    grammar = {
        "comment": "SPDX-License-Identifier: Apache-2.0. Made by tools/grammar.py from the tables of the compiler.",
        "name": "D (dwell, DTrace)",
        "scopeName": "source.dtrace",
        "fileTypes": ["d"],
        "patterns": patterns,
        "repository": {"string": string},
    }
    return json.dumps(grammar, indent="\t") + "\n"


wrong = []
for path, text in ((VIM, vim()), (VSCODE, textmate())):
    full = os.path.join(ROOT, path)
    if not CHECK:
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(text)
    elif not os.path.exists(full) or open(full, encoding="utf-8").read() != text:
        wrong.append(path)
if wrong:
    sys.exit(f"{', '.join(wrong)}: not as the compiler's tables say; run tools/grammar.py .")
