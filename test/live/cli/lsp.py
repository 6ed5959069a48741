# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell lsp: what it tells an editor, by a client of the test's own and by a real one (Neovim)."""
import json
import os
import shutil
import subprocess

import live

TEXT = """#pragma D option quiet
inline int MILLION = 1000000;
syscall::openat:entry
/execnam == "cat"/
{
	self->at = timestamp / MILLION;
	printf("%s", copyinstr(arg1));
}
io:::start { @[args[1]->dev_statname] = sum(args[0]->b_bcount); }
"""
URI = "file:///t.d"
HERE = os.path.dirname(os.path.abspath(__file__))


class Client:
    def __init__(self):
        self.p = subprocess.Popen([live.DWELL, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id, self.said = 0, []

    def send(self, method, params, **more):
        body = json.dumps(dict({"jsonrpc": "2.0", "method": method, "params": params}, **more)).encode()
        self.p.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.p.stdin.flush()

    def read(self):
        n = 0
        while line := self.p.stdout.readline().strip():
            n = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else n
        return json.loads(self.p.stdout.read(n))

    def ask(self, method, params):
        self.id += 1
        self.send(method, params, id=self.id)
        while (m := self.read()).get("id") != self.id:
            self.said.append(m)
        return m.get("result", m.get("error"))

    def diagnostics(self):
        while True:
            m = self.said.pop(0) if self.said else self.read()
            if m.get("method") == "textDocument/publishDiagnostics":
                return m["params"]

    def text(self, text, version=2):
        self.send(
            "textDocument/didChange",
            {"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": text}]},
        )

    def at(self, what, text, behind):
        """An answer about the place right behind these words of the text."""
        before = text[: text.index(behind) + len(behind)]
        place = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
        return self.ask("textDocument/" + what, {"textDocument": {"uri": URI}, "position": place})

    def labels(self, text, behind):
        self.text(text)
        return {i["label"]: i.get("detail", "") for i in self.at("completion", text, behind)["items"]}


c = Client()
can = c.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
live.check(can["capabilities"]["completionProvider"] and can["serverInfo"]["name"] == "dwell", "initialize", f"{can}")
c.send("initialized", {})
c.send("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "dtrace", "version": 1, "text": TEXT}})
d = c.diagnostics()
live.check(d["version"] == 1 and len(d["diagnostics"]) == 1, "one mistake, one diagnostic", f"{d}")
one = d["diagnostics"][0]
live.same(one["range"], {"start": {"line": 3, "character": 1}, "end": {"line": 3, "character": 8}}, "its place")
live.check(one["severity"] == 1 and "did you mean execname" in one["message"], "what helps", f"{one}")
good = TEXT.replace("execnam ", "execname ")
c.text(good)
live.same(c.diagnostics()["diagnostics"], [], "typed on: nothing is wrong any more")
hover = c.at("hover", good, "args[0]->b_bco")["contents"]["value"]
live.check("args[0]->b_bcount: unsigned int" in hover, "hover: the type of an expression", hover)
hover = c.at("hover", good, "syscall::openat")["contents"]["value"]
live.check("1 probe" in hover and "args[1]" in hover and "filename" in hover, "hover: the arguments of a probe", hover)
hover = c.at("hover", good, "copyinst")["contents"]["value"]
live.check(
    "subroutine of D" in hover and "string(uintptr_t" in hover and "string from the memory of the process" in hover,
    "hover: a function of the language, and what it is",
    hover,
)
place = c.at("definition", good, "/ MILL")
live.same((place["uri"], place["range"]["start"]["line"]), (URI, 1), "definition in the text")
library = "BEGIN { trace(errno_name[1]); }\n"
c.text(library)
place = c.at("definition", library, "errno_na")
path = place["uri"].removeprefix("file://")
with open(path, encoding="utf-8") as f:
    line = f.read().split("\n")[place["range"]["start"]["line"]]
live.check("errno_name" in line, "definition in the D library", f"{place}: {line}")
got = c.labels("io:::start\n{\n\tif (args[0]->b_f", "b_f")
live.check(got.get("b_flags") == "int" and "b_bcount" not in got, "completion: members with their types", f"{got}")
got = c.labels("BEGIN /curthread->start_t/ {}", "start_t")
live.check("start_time" in got, "completion: members of the kernel's structures, in a predicate", f"{got}")
got = c.labels("BEGIN { @total = count(); prin", "prin")
live.check({"printf", "printa"} <= set(got) and "execname" not in got, "completion: functions of D", f"{got}")
got = c.labels("BEGIN { @total = count(); } END { printa(@to", "printa(@to")
live.check("total" in got, "completion: names of the text", f"{got}")
got = c.labels("BEGIN { errno_n", "errno_n")
live.check(got.get("errno_name") == "names.d", "completion: names of the library", f"{got}")
got = c.labels("BEGIN {}\nsysc", "sysc")
live.check("syscall:" in got, "completion: providers", f"{got}")
got = c.labels("syscall::opena", "opena")
live.check("syscall::openat:" in got, "completion: functions of probes", f"{got}")
got = c.labels("syscall::openat:e", "openat:e")
live.check(list(got) == ["syscall::openat:entry"], "completion: names of probes", f"{got}")
got = c.labels("#pragma D option qu", "qu")
live.check(list(got) == ["quiet"], "completion: options", f"{got}")
asked = os.path.join(live.WORK, "asked")
c.text(
    f"#pragma D option ctypes={asked}\n#pragma D param n int \"how many\"\npid$target:a.out:f:entry /arg0 == $n && $1/ {{ trace($$2); }}\n",
    9,
)
while (d := c.diagnostics())["version"] != 9:
    pass
live.same(d["diagnostics"], [], "arguments, parameters and processes that nobody has given are no mistakes")
live.check(not os.path.exists(asked), "a text makes no files")
c.send("textDocument/didChange", {"textDocument": {"uri": URI}, "contentChanges": [{"text": 7}]})
live.check(
    c.ask("nosuch/method", {})["code"] == -32601 and c.ask("shutdown", None) is None,
    "unknown methods are refused; shutdown",
)
c.send("exit", None)
live.same(c.p.wait(10), 0, "exit")
for words, code, text in (
    (b"GET / HTTP/1.0\r\n\r\n", 1, "not the language server protocol"),
    (b"Content-Length: 99999999\r\n\r\n", 1, "too large"),
    (b"", 1, ""),
):
    r = subprocess.run([live.DWELL, "lsp"], input=words, capture_output=True, timeout=20)
    live.check(r.returncode == code and text in r.stderr.decode(), f"{words[:20]}: {text}", f"{r}")

NVIM = """
vim.o.swapfile = false
local said = {}
local client = vim.lsp.start_client({ name = "dwell", cmd = { "%s", "lsp" }, root_dir = vim.fn.getcwd() })
vim.cmd("edit nvim.d")
vim.lsp.buf_attach_client(0, client)
assert(vim.wait(15000, function() return #vim.diagnostic.get(0) > 0 end, 20), "no diagnostics")
local d = vim.diagnostic.get(0)[1]
said.diagnostic = { line = d.lnum, from = d.col, to = d.end_col, text = d.message }
local function ask(method, line, character)
	local params = { textDocument = vim.lsp.util.make_text_document_params(0), position = { line = line, character = character } }
	local r = vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, 15000)
	return r[client].result
end
said.hover = ask("hover", 1, 30).contents.value
said.items = vim.lsp.util.text_document_completion_list_to_complete_items(ask("completion", 1, 34), "")
vim.cmd("set runtimepath^=" .. "%s")
vim.cmd("set filetype=dtrace syntax=dtrace")
local function group(line, column) return vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name") end
said.groups = { group(1, 1), group(2, 1), group(2, 14), group(2, 20), group(3, 7), group(3, 24) }
said.definition = vim.lsp.util.locations_to_items({ ask("definition", 2, 20) }, "utf-16")
vim.fn.writefile({ vim.fn.json_encode(said) }, "said.json")
vim.lsp.stop_client(client)
vim.cmd("qa!")
"""
if shutil.which("nvim"):
    os.chdir(live.WORK)
    with open("nvim.d", "w", encoding="utf-8") as f:
        f.write('BEGIN { execnam; }\nio:::start { trace(args[0]->b_flags); }\nEND { trace(errno_name[1]); }\n')
    with open("client.lua", "w", encoding="utf-8") as f:
        f.write(NVIM % (live.DWELL, os.path.normpath(os.path.join(HERE, "../../../share/editors/vim"))))
    r = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", "luafile client.lua", "-c", "cq"],
        capture_output=True,
        text=True,
        timeout=50,
    )
    said = json.load(open("said.json", encoding="utf-8")) if os.path.exists("said.json") else None
    live.check(said is not None, "Neovim talks with it", f"{r}")
    if said:
        live.check(
            said["diagnostic"]["line"] == 0 and (said["diagnostic"]["from"], said["diagnostic"]["to"]) == (8, 15),
            "Neovim: a diagnostic",
            f"{said}",
        )
        live.check("b_flags: int" in said["hover"], "Neovim: hover", f"{said}")
        live.check("b_flags" in [i["word"] for i in said["items"]], "Neovim: completion", f"{said}")
        live.same(
            said["groups"],
            ["dtraceProbe", "dtraceProbe", "dtraceAction", "dtraceVariable", "dtraceAction", "dtraceNumber"],
            "vim's colours",
        )
        live.check(
            said["definition"] and said["definition"][0]["filename"].endswith("/names.d"),
            "Neovim: definition in the D library",
            f"{said}",
        )
else:
    print("# no Neovim here")
live.done()
