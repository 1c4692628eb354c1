"""Errors of the compiler."""
import sys


class CompileError(SyntaxError):
    """A kernel that cannot be compiled: says the place, what was found there, and what to write instead."""


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
    if sys.version_info >= (3, 10):  # 3.9 knows no end
        place += (line, len(end) + 1)
    return CompileError(message, place)
