/* Diagnostics with Python spans. A failing function adds one and returns ERR; the first is the
 * error, later ones notes. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H
#include "base/arena.h"
#include "base/status.h"

typedef struct {
    uint32_t line, col, end_line,
        end_col;   /* line from 1, col a UTF-8 byte offset from 0; line 0: no place */
    uint32_t file; /* index in the front end's file list */
} loc;

typedef struct diag_item {
    loc at;
    const char *kind;   /* "CompileError", "TypeError", ... */
    const char *text;   /* what was found */
    const char *advice; /* what to write instead; may be NULL */
    struct diag_item *next;
} diag_item;

typedef struct {
    arena *mem;
    diag_item *first, *last;
} diag;

/* Always returns ERR, so that callers write `return diag_error(...)`. advice may be NULL; text is
 * printf-formatted. */
status diag_error(diag *d, loc at, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#endif
