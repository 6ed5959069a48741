# SPDX-License-Identifier: Apache-2.0
"""The sentences of a file, with the line where their paragraph begins. A paragraph is a text between empty lines, or an
item of a list. Headings, rows of tables, examples and usage lines are no sentences. Code between backticks counts as
one word, and so does what is bold in a man page. A list of nothing but code counts as one word, too."""
import io
import re
import tokenize

WORD = re.compile(r"[A-Za-z0-9][\w'./-]*")
END = re.compile(r"(?<=[.!?;:])[*_\"]{0,2}\s+")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ")
MARK = re.compile(r"\s*(?:[|:\[\]]|#+ |\[//\]|=+$|<)|; ")  # a heading, a row of a table, a comment, HTML
COLUMNS = re.compile(r"(?<![.:;?!\s]) {2,}\S")  # a row of a table that is no markup
USAGE = re.compile(r"\s*(?:Usage:|usage:|Example\b.*:$|SPDX-|#!)")
CODE = re.compile(r"`[^`]*`")
BOLD = re.compile(r"(?<!\\)\*(?:\\.|[^*\\])*\*|`[^`]*`")
LIST = re.compile(r"\bcode(?:\(\d\))?(?:(?:,| and| or|, and|, or) code(?:\(\d\))?)+")
# Comments and literals of C, D and TypeScript. A literal may contain what looks like a comment.
PIECE = re.compile(
    r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*|" r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|`(?:\\.|[^`\\])*`',
    re.S | re.M,
)
DOCSTRING = re.compile(r'[rbuf]?("""|\'\'\')', re.I)


def paragraphs(lines):
    """lines: (number, text), where the text of a line that is no prose is empty. Fenced blocks are left out."""
    fenced = False
    tabbed = False  # the text of a term in a man page is indented by a tab
    current = None
    for number, line in list(lines) + [(0, "")]:
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        text = "" if fenced or fence else line.strip()
        if current and (not text or ITEM.match(line) or line[0] == "\t" and not tabbed):
            yield tuple(current)
            current = None
        tabbed = line.startswith("\t")
        if text and current:
            current[1] += " " + text
        elif text:
            current = [number, ITEM.sub("", text)]


def of_markdown(text):
    in_list = False
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        in_list = bool(ITEM.match(line)) or in_list and (not line.strip() or line.startswith(" "))
        code = line.startswith("    ") and not in_list
        lines.append((number, "" if code or MARK.match(line) else line))
    return paragraphs(lines)


def of_man(text):
    """scdoc. A line that ends with ++ is of a synopsis."""
    lines = enumerate(text.split("\n"), 1)
    return paragraphs((n, "" if MARK.match(line) or line.endswith("++") else line) for n, line in lines)


def plain(number, lines):
    """A comment without its marks: indented lines and rows of columns are examples and tables."""
    lines = [line.expandtabs(8).rstrip() for line in lines]
    return paragraphs(
        (number + i, "" if line.startswith("  ") or COLUMNS.search(line) or USAGE.match(line) else line)
        for i, line in enumerate(lines)
    )


def of_comment(number, comment):
    block = comment.lstrip().startswith("/*")
    lines = re.sub(r"\*/$", "", comment).split("\n")
    mark = r"[ \t]*(?:/\*+|\*) ?" if block else r"[ \t]*//+ ?"
    yield from plain(number, [re.sub("^" + mark, "", line) for line in lines])


def of_source(text):
    for piece in PIECE.finditer(text):
        if piece.group(0).lstrip()[:1] == "/":
            yield from of_comment(text.count("\n", 0, piece.start()) + 1, piece.group(0))


def of_python(text):
    """Comments, and strings in three quotes that are statements."""
    run = []  # of comments that stand below each other: (line, column, text)
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if run and (run[-1][0] + 1, run[-1][1]) != token.start:
                yield from plain(run[0][0], [t for _, _, t in run])
                run = []
            run.append((*token.start, re.sub(r"^#!?:? ?", "", token.string)))
        elif token.type == tokenize.STRING and DOCSTRING.match(token.string):
            if previous in (tokenize.NEWLINE, tokenize.INDENT):
                lines = DOCSTRING.sub("", token.string).split("\n")
                yield from plain(token.start[0], [re.sub("^" + " " * token.start[1], "", line) for line in lines])
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            previous = token.type
    if run:
        yield from plain(run[0][0], [t for _, _, t in run])


def of_shell(text):
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1)]
    comments = [(n, re.sub(r"^# ?", "", line) if re.match(r"#(?!!)", line) else "") for n, line in lines]
    return paragraphs((n, "" if line.startswith("  ") or USAGE.match(line) else line) for n, line in comments)


READERS = {".md": of_markdown, ".scd": of_man, ".py": of_python, ".sh": of_shell}


def sentences(path, text):
    """(line, sentence) of a file's prose; code is one word."""
    end = "." + path.rpartition(".")[2]
    code = BOLD if end == ".scd" else CODE
    for number, paragraph in READERS.get(end, of_source)(text):
        for sentence in END.split(LIST.sub("code", code.sub("code", paragraph))):
            yield number, sentence


def longer(path, text, limit):
    """Those of more than limit words."""
    return [(n, s) for n, s in sentences(path, text) if len(WORD.findall(s)) > limit]
