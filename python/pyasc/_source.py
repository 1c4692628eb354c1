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
    if len(found) > 1:  # several on the line: the one that compiles to the same
        found = [n for n in found if _compiled(n) == (code.co_code, code.co_consts, code.co_names)]
    if len(found) != 1:
        raise OSError("give the lambda a line of its own")
    return found[0], code.co_filename, 0, 0


def _compiled(node):
    code = compile(ast.Expression(node), "<lambda>", "eval").co_consts[0]
    return code.co_code, code.co_consts, code.co_names


def fields(cls):
    """Of a dataclass or NamedTuple that makes its own __init__: (is a tuple, frozen, ((name, has default, default), ...));
    None of other classes."""
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        known = cls._field_defaults
        return True, True, tuple((n, n in known, known.get(n)) for n in cls._fields)
    known = getattr(cls, "struct_fields", None)
    if known is not None:  # asc's Struct
        from asc.language.core.struct import described
        return described(cls)
    params = cls.__dict__.get("__dataclass_params__") or getattr(cls, "__dataclass_params__", None)
    if params is None or not params.init or "__dataclass_fields__" not in cls.__dict__:
        return None
    import dataclasses
    rows = []
    for f in dataclasses.fields(cls):
        if f.init:
            has = f.default is not dataclasses.MISSING
            rows.append((f.name, has, f.default if has else None))
    return False, params.frozen, tuple(rows)


def expression(text):
    """The node of a quoted annotation, or None."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
