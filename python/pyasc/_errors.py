"""Errors of the compiler."""
import sys


class CompileError(SyntaxError):
    """A kernel that cannot be compiled: says the place, what was found there, and what to write instead."""

    __module__ = "pyasc"


def make(text, advice, filename, line, col, end_line, end_col):
    message = f"{text}; {advice}" if advice else text
    if not filename or not line:
        return CompileError(message)
    import linecache  # and so tokenize and re: not for those who see no error
    source = linecache.getline(filename, line)
    prefix = source.encode()[:col].decode(errors="replace")
    column = len(prefix) + 1
    end = source.encode()[:end_col].decode(errors="replace") if end_line == line else source.rstrip("\n")
    place = (filename, line, column, source)
    if sys.version_info >= (3, 10):
        return CompileError(message, place + (line, len(end) + 1))
    error = CompileError(message, place)
    error.end_lineno, error.end_offset = line, len(end) + 1  # 3.9 has no place for the end
    return error


class RaceError(RuntimeError):
    """Two work-items of a block, or two iterations of a parallel_for, touched one place with no barrier between,
    and one of them wrote (check=True)."""

    __module__ = "pyasc"


class UninitializedReadError(RuntimeError):
    """Shared or local memory was read where nothing had been stored (check="all")."""

    __module__ = "pyasc"


def raised(cls, pieces, filename, line, name, ids, other, unset):
    """The exception that a kernel has raised.

    pieces: what it says (see _print), None in front of each argument. ids: local ids, block and domain, or None.
    other: of a race, the other work-item's ids and number and its line. The work-item stands in the message and in the
    attributes `work_item` (local ids), `block`, `kernel_line`.
    """
    from ._print import _line
    args, place = [], f"line {line}"
    for part in _arguments(pieces):
        number = len(part) == 1 and isinstance(part[0], tuple) and not part[0][1] and part[0][2] == " "
        args.append(part[0][0] if number else _line(part))
    if ids:
        local, block, domain = ids
        dims = 3 if domain[2] > 1 else 2 if domain[1] > 1 else 1
        place += f", work-item {_ids(local, dims)} of block {_ids(block, dims)}"
    if unset:
        cls, args = UninitializedReadError, [args[0] + ", but nothing has been stored there; store before it is read"]
    elif other:
        who = _ids(other[0], dims) if ids else other[0]
        kind = "work-item" if ids else "iteration"
        by = f"{kind} {who} touches" if other[1] >= 0 else f"several {kind}s touch"
        tip = "put a barrier between" if ids else "give each iteration an element of its own"
        args = [f"{args[0]} here, and {by} it in line {other[2]}, with nothing between; {tip}, or use an atomic"]
    where = f"({place})" if not args else f" ({place})"
    if args and isinstance(args[0], str):
        args[0] += where
    else:
        args.append(where.strip())
    try:
        error = cls(*args)
    except TypeError:  # a class that wants other arguments than the kernel gave
        error = cls.__new__(cls, *args)
        error.args = tuple(args)
    error.kernel_line, error.work_item, error.block = line, ids and ids[0], ids and ids[1]
    return _at(error, filename, line, name)


def _arguments(pieces):
    """Lists of pieces, one for each argument."""
    args = []
    for piece in pieces:
        if piece is None:
            args.append([])
        elif args:
            args[-1].append(piece)
    return args


def _ids(ids, dims):
    return str(ids[0]) if dims == 1 else str(tuple(ids[:dims]))


def _at(error, filename, line, name):
    """With a traceback that ends at the kernel's line."""
    if filename:
        code = compile("\n" * (line - 1) + "raise error", filename, "exec")
        if hasattr(code, "replace"):
            code = code.replace(co_name=name)
        try:
            exec(code, {"error": error})
        except BaseException as e:
            error.__traceback__ = e.__traceback__.tb_next
    return error
