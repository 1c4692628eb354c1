"""The source of a function, as an ast node: find(fn) -> (node, filename, line offset, column offset)."""
import ast
import linecache


def find(fn):
    code = fn.__code__
    linecache.checkcache(code.co_filename)  # the file may have been edited and loaded anew
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    if not lines or code.co_firstlineno > len(lines):
        raise OSError("source not available")
    if code.co_name == "<lambda>":
        return _lambda(code, lines)
    start = code.co_firstlineno - 1
    indent = len(lines[start]) - len(lines[start].lstrip())
    for end in _ends(lines, start, indent):
        text = "".join(line[indent:] if line[:indent].strip() == "" else line for line in lines[start:end])
        try:
            node = ast.parse(text).body[0]
        except SyntaxError:
            continue
        return node, code.co_filename, start, indent
    raise OSError("source not available")


def _ends(lines, start, indent):
    """Where the block may end: before each later line that is not indented deeper."""
    seen = lines[start].lstrip().startswith(("def ", "async def "))
    for k in range(start + 1, len(lines)):
        line = lines[k]
        if line.strip() and not line.lstrip().startswith("#"):
            depth = len(line) - len(line.lstrip())
            if depth <= indent and seen:
                yield k
            if line.lstrip().startswith(("def ", "async def ")) and depth == indent:
                seen = True
    yield len(lines)


def _lambda(code, lines):
    tree = ast.parse("".join(lines))
    names = list(code.co_varnames[: code.co_argcount])
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno
             and [a.arg for a in n.args.args] == names]
    if len(found) != 1:
        raise OSError("give the lambda a line of its own")
    return found[0], code.co_filename, 0, 0
